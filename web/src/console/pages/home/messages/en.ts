import { english } from "../../../../i18n/messages.ts";

export const messages = english({
  title: "Home",
  figures: "Your account in figures",
  balance: "Balance",
  manyDaysLeft: "more than {count} days at the rate of the last 30",
  daysLeft: {
    one: "about {count} day at the rate of the last 30",
    other: "about {count} days at the rate of the last 30",
  },
  noPace: "nothing spent in the last 30 days",
  today: "Spent today",
  week: "7 days",
  month: "30 days",
  requests: { one: "{count} call", other: "{count} calls" },
  success: "Completed, 30 days",
  chart: "Spent by day",
  days: "Days in {zone}",
  cost: "Cost",
  topKeys: "Top keys by spending",
  noKey: "key {id}",
  errors: "Recent failed calls",
  noErrors: "No calls failed in the last 30 days.",
  setup: "Set up",
  setupText: "Three steps to your first call.",
  stepKey: "Create a key",
  stepKeyText: "One per tool, so that you can limit and revoke them separately.",
  stepCopy: "Copy the snippet",
  stepCopyText: "It comes with the key: address, key and model are filled in.",
  stepFirst: "Send the first request",
  stepFirstText: "This page checks for it every 5 seconds.",
  done: "done",
  open: "to do",
  toKeys: "Go to keys",
  toBilling: "Your balance is empty: buy a plan",
});

export type HomeMessages = typeof messages;

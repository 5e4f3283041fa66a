import { english } from "../../../../i18n/messages.ts";

export const messages = english({
  title: "How figures are counted",
  text: "Each figure is counted the same way on every page, in files and in the API.",
  entries: {
    calls: {
      name: "Calls",
      text: "Every request with one of your keys, however it ended: completed, cancelled, failed or refused. A call counts once it has ended.",
    },
    success: {
      name: "Success rate",
      text: "Completed calls as a share of completed and failed calls. Calls that were refused, for instance for lack of balance, and calls that your program cancelled do not count.",
    },
    tokens: {
      name: "Input and output tokens",
      text: "What models read and wrote, as the provider counted it. Input includes tokens read from the cache, output includes tokens for reasoning.",
    },
    cost: {
      name: "Cost",
      text: "What calls were charged, with all multipliers, rounded up once per call to a multiple of $0.000002. Payments and refunds do not change it.",
    },
    balance: {
      name: "Balance",
      text: "What you can still spend: everything that was added, less the cost of your calls and what is held for running ones.",
    },
    held: {
      name: "Held for calls",
      text: "The most that running calls can cost, and the cost of calls that have just ended and are not charged yet. Together with the balance, it is the balance of the ledger.",
    },
    firstByte: {
      name: "First byte",
      text: "The time from the arrival of the request until the first byte of its response was sent to you.",
    },
    duration: { name: "Duration", text: "The time from the arrival of the request until its response ended." },
    percentiles: {
      name: "p50 and p95",
      text: "Half of the calls, and 95 in a hundred, took this long or less. They are estimated from a histogram by UTC day, and accurate to about 10%.",
    },
    speed: {
      name: "Tokens per second",
      text: "The output tokens of streamed responses, divided by the time from their first byte until their end.",
    },
    days: {
      name: "Days and today",
      text: "Days begin at midnight in the time zone that the page shows; on the usage page you can choose another. Today is not over: its bar is paler, and its sums still grow.",
    },
    previous: {
      name: "Previous period",
      text: "The same number of days right before those you chose. All of its days are over.",
    },
    tags: {
      name: "End users and tags",
      text: "A call counts for each of its tags, so the sums by tag can exceed the total. Calls without an end user or tag are left out there.",
    },
  },
});

export type FigureMessages = typeof messages;

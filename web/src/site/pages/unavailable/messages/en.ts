import { english } from "../../../../i18n/messages.ts";

export const en = english({
  title: "Not available right now",
  description: "This page can’t be shown right now.",
  heading: "This page can’t be shown right now",
  text: "Something went wrong on our side, or the service is under maintenance. Try again in a minute.",
  again: "Try again",
});

export type UnavailableTexts = typeof en;

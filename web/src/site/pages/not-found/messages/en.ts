import { english } from "../../../../i18n/messages.ts";

export const en = english({
  title: "Not found",
  description: "This page does not exist.",
  heading: "This page does not exist",
  text: "It may have been moved, or the address is mistyped.",
  home: "Go to the home page",
  pricing: "Pricing",
});

export type NotFoundTexts = typeof en;

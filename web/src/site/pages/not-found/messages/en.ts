import { english } from "../../../../i18n/messages.ts";

export const en = english({
  title: "Not found",
  description: "There is no page at this address.",
  heading: "There is no page at this address",
  text: "It may have been moved, or the address is mistyped.",
  home: "Go to the home page",
  pricing: "Pricing",
});

export type NotFoundTexts = typeof en;

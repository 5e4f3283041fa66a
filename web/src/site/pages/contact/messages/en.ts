import { english } from "../../../../i18n/messages.ts";

export const en = english({
  title: "For companies",
  description: "Invoices, higher limits, a multiplier of your own: tell us what you need.",
  heading: "An offer for your company",
  lead: "Tell us what you want to run and how much of it. An answer comes by e-mail.",
  company: "Company",
  contact: "Your name",
  email: "E-mail",
  volume: "Expected use",
  volumeHint: "For example: 20 million tokens a day, mostly in Europe.",
  message: "What else we should know",
  optional: "optional",
  send: "Send",
  sent: {
    title: "Thank you",
    heading: "Your request has arrived",
    text: "We have written it down and will answer by e-mail.",
    home: "To the home page",
  },
});

export type ContactTexts = typeof en;

import { english } from "../../../../i18n/messages.ts";

export const en = english({
  title: "For companies",
  description: "Invoices, higher limits, custom rates: tell us what you need.",
  heading: "An offer for your company",
  lead: "Tell us what you want to run and how much of it. We’ll reply by e-mail.",
  company: "Company",
  contact: "Your name",
  email: "E-mail",
  volume: "Expected use",
  volumeHint: "For example: 20 million tokens a day, mostly in Europe.",
  message: "Anything else?",
  optional: "optional",
  send: "Send",
  sent: {
    title: "Thank you",
    heading: "We received your request",
    text: "We’ll reply by e-mail.",
    home: "Go to the home page",
  },
});

export type ContactTexts = typeof en;

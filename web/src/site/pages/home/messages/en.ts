import { english } from "../../../../i18n/messages.ts";

export const en = english({
  title: "A gateway to model APIs",
  description: "One address and one key for model APIs, with exact accounts of every call.",
  heading: "One key for model APIs, and an exact account of every call",
  lead: "Programs reach this gateway at {path} with any OpenAI client. Which models a key may use, GET /v1/models says.",
  prices: "What it costs",
  logIn: "Log in",
  example: "A first call",
});

export type HomeTexts = typeof en;

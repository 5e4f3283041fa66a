import { english } from "../../i18n/messages.ts";

export const en = english({
  skip: "Skip to the content",
  navigation: "Main",
  pricing: "Pricing",
  logIn: "Log in",
  console: "Console",
  language: "Language",
  footer: "Sluice passes calls on to model APIs, and accounts for every one of them.",
});

export type FrameTexts = typeof en;

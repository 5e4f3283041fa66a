import { english } from "../../i18n/messages.ts";

export const en = english({
  skip: "Skip to the content",
  navigation: "Main",
  menu: "Menu",
  models: "Models",
  pricing: "Pricing",
  docs: "Docs",
  enterprise: "For companies",
  logIn: "Log in",
  signUp: "Sign up",
  console: "Console",
  language: "Language",
  footer: "{brand} forwards calls to model APIs and accounts for each one.",
  footerNavigation: "More pages",
  support: "Support",
  poweredBy: "Powered by {program}",
  announcement: "Announcement",
  terms: "Terms of service",
  privacy: "Privacy policy",
  imprint: "Legal notice",
});

export type FrameTexts = typeof en;

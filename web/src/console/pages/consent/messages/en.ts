import { english } from "../../../../i18n/messages.ts";

export const messages = english({
  title: "Before you continue",
  textFirst: "Please read and accept the following to use the console. Your API keys keep working meanwhile.",
  text: "This has changed since you accepted it. Please read and accept it to use the console. Your API keys keep working meanwhile.",
  pages: { terms: "Terms of service", privacy: "Privacy policy" },
  version: "Version {version}, in force since {date}",
  otherLanguage: "This text is not available in English.",
  asPage: "Open as a page",
  changes: "What is different",
  before: "What you accepted on {date}",
  accept: "Accept and continue",
  decline: "I don’t accept",
  declined:
    "Without accepting this you can’t use the console. You can log out and decide later, save your data, or close the account. Your API keys keep working until you close it.",
  logOut: "Log out",
});

export type ConsentMessages = typeof messages;

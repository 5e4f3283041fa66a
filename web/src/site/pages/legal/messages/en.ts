import { english } from "../../../../i18n/messages.ts";

export const en = english({
  version: "Version {version}, in force since {date}",
  otherLanguage: "This text is not available in English.",
});

export type LegalTexts = typeof en;

import type { LegalTexts } from "./en.ts";

export const hi: LegalTexts = {
  version: "संस्करण {version}, {date} से लागू",
  otherLanguage: "यह पाठ हिन्दी में उपलब्ध नहीं है।",
};

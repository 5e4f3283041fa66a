import type { LegalTexts } from "./en.ts";

export const de: LegalTexts = {
  version: "Version {version}, gültig seit {date}",
  otherLanguage: "Diesen Text gibt es nicht auf Deutsch.",
};

import type { LegalTexts } from "./en.ts";

export const fr: LegalTexts = {
  version: "Version {version}, en vigueur depuis le {date}",
  otherLanguage: "Ce texte n’est pas disponible en français.",
};

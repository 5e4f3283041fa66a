import type { LegalTexts } from "./en.ts";

export const es: LegalTexts = {
  version: "Versión {version}, en vigor desde el {date}",
  otherLanguage: "Este texto no está disponible en español.",
};

import type { LegalTexts } from "./en.ts";

export const pt: LegalTexts = {
  version: "Versão {version}, em vigor desde {date}",
  otherLanguage: "Este texto não está disponível em português.",
};

import type { LegalTexts } from "./en.ts";

export const ru: LegalTexts = {
  version: "Версия {version}, действует с {date}",
  otherLanguage: "Этого текста нет на русском языке.",
};

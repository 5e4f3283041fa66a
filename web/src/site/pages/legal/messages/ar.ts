import type { LegalTexts } from "./en.ts";

export const ar: LegalTexts = {
  version: "الإصدار {version}، سارٍ منذ {date}",
  otherLanguage: "هذا النص غير متوفر بالعربية.",
};

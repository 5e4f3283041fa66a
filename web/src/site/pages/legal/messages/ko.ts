import type { LegalTexts } from "./en.ts";

export const ko: LegalTexts = {
  version: "버전 {version}, {date}부터 시행",
  otherLanguage: "이 문서는 한국어로 제공되지 않습니다.",
};

import type { LegalTexts } from "./en.ts";

export const zh: LegalTexts = {
  version: "第 {version} 版，自 {date} 起生效",
  otherLanguage: "此文本没有中文版。",
};

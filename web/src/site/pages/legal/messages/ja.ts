import type { LegalTexts } from "./en.ts";

export const ja: LegalTexts = {
  version: "第{version}版、{date}から有効",
  otherLanguage: "この文書は日本語では提供されていません。",
};

import type { NotFoundTexts } from "./en.ts";

export const ja: NotFoundTexts = {
  title: "ページが見つかりません",
  description: "このアドレスにページはありません。",
  heading: "このアドレスにページはありません",
  text: "移動したか、アドレスに誤りがある可能性があります。",
  home: "トップページへ",
  pricing: "料金",
};

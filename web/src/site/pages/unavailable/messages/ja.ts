import type { UnavailableTexts } from "./en.ts";

export const ja: UnavailableTexts = {
  title: "現在ご利用いただけません",
  description: "現在このページを表示できません。",
  heading: "現在このページを表示できません",
  text: "こちら側で問題が起きたか、メンテナンス中です。1 分ほどしてからもう一度お試しください。",
  again: "もう一度試す",
};

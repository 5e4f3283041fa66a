import type { FrameTexts } from "./en.ts";

export const ja: FrameTexts = {
  skip: "本文へ移動",
  navigation: "メイン",
  menu: "メニュー",
  models: "モデル",
  pricing: "料金",
  docs: "ドキュメント",
  enterprise: "法人のお客様",
  logIn: "ログイン",
  signUp: "新規登録",
  console: "コンソール",
  language: "言語",
  footer: "{brand} はモデル API への呼び出しを中継し、一件ごとに正確に記録します。",
  footerNavigation: "その他のページ",
  support: "サポート",
  poweredBy: "Powered by {program}",
  announcement: "お知らせ",
  terms: "利用規約",
  privacy: "プライバシーポリシー",
  imprint: "運営者情報",
};

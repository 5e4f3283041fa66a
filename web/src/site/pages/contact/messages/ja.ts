import type { ContactTexts } from "./en.ts";

export const ja: ContactTexts = {
  title: "法人のお客様",
  description: "請求書払い、上限の引き上げ、専用の倍率など、ご要望をお聞かせください。",
  heading: "法人向けのご提案",
  lead: "動かしたいものとおおよその利用量をお知らせください。メールでお返事します。",
  company: "会社名",
  contact: "お名前",
  email: "メールアドレス",
  volume: "利用見込み",
  volumeHint: "例：1 日 2,000 万トークン、主にヨーロッパ。",
  message: "その他のご要望",
  optional: "任意",
  send: "送信する",
  sent: {
    title: "ありがとうございます",
    heading: "お問い合わせを受け付けました",
    text: "内容を記録しました。メールでお返事します。",
    home: "トップページへ",
  },
};

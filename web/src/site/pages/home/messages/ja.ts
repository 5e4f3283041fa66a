import type { HomeTexts } from "./en.ts";

export const ja: HomeTexts = {
  title: "モデル API へのゲートウェイ",
  description: "ひとつのアドレスとひとつのキーでモデル API へ。すべての呼び出しを正確に記録します。",
  heading: "ひとつのキーでモデル API へ。すべての呼び出しに正確な明細を",
  lead: "OpenAI 互換のクライアントなら、{path} を指定するだけで使えます。キーで使えるモデルは GET /v1/models で分かります。",
  prices: "料金を見る",
  logIn: "ログイン",
  example: "最初の呼び出し",
};

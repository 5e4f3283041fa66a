import type { PricingTexts } from "./en.ts";

export const ja: PricingTexts = {
  title: "料金",
  description: "米ドル建てのプランと、各モデルの 100 万トークンあたりの料金。",
  heading: "料金について",
  lead: "残高をチャージし、使った分だけ支払います。すべての呼び出しに、検算できる明細が残ります。",
  plans: "プラン",
  once: "1 回払い",
  month: "1 か月",
  grants: "{amount} 分の残高",
  grantsRate: "{price} ごとに {amount} 分の残高",
  priceRange: "{min}～{max}",
  planGroup:
    "ご利用の 1 か月が終わるまで、呼び出しはグループ {group} の扱いになります（すべての料金 × {multiplier}）。",
  choose: "{plan} を選ぶ",
  models: "モデル",
  perMillion: "100 万トークンあたりの米ドル",
  model: "モデル",
  provider: "プロバイダー",
  input: "入力",
  output: "出力",
  cached: "キャッシュ入力",
  context: "コンテキスト",
  noPlans: "現在、購入できるプランはありません。",
  noModels: "現在、利用できるモデルはありません。",
  calculator: "料金を試算する",
  inputTokens: "入力トークン数",
  outputTokens: "出力トークン数",
  cost: "料金",
  costNote: "アカウントとグループの倍率を掛ける前の金額です。",
  cachedTokens: "キャッシュ入力トークン数",
  rules: {
    title: "知っておきたいこと",
    pay: {
      title: "お支払い",
      text: "カードまたはウォレットで、米ドル払いです。表示された金額がそのまま請求されます。",
    },
    expiry: {
      title: "有効期限",
      text: "1 回払いの残高に期限はありません。月額プランの枠はその月で終わり、再度支払うと延長されます。",
    },
    failed: {
      title: "無料になる場合",
      text: "エラーで終わった呼び出しや出力のない呼び出しは無料です。",
    },
    multiplier: {
      title: "倍率",
      text: "アカウントに専用の倍率が設定されることがあり、API キーのグループにも倍率がある場合は両方を掛けます。倍率はコンソールに表示され、呼び出しごとに適用して端数を切り上げます。",
    },
  },
};

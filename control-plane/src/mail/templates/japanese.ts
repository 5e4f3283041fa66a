import type { MailWords } from "./words.ts";

export const japanese: MailWords = {
  direction: "ltr",
  colon: ": ",
  byHand: "ボタンが機能しない場合は、次のアドレスを開いてください。",
  footer: "このメールは {{service}} から自動送信されています。",
  email_verify: {
    subject: "メールアドレスの確認",
    title: "メールアドレスの確認",
    body: ["{{service}} へようこそ。このメールアドレスがご本人のものであることを確認してください。"],
    action: "メールアドレスを確認する",
    notes: [
      "リンクの有効期間: {{valid_for}}",
      "アカウントの作成にお心当たりがない場合は、このメールを無視してください。",
    ],
  },
  account_exists: {
    subject: "アカウントはすでに登録されています",
    title: "アカウントはすでに登録されています",
    body: [
      "このメールアドレスで {{service}} への登録が試みられました（おそらくご本人によるものです）。すでにアカウントがあるため、何も変更されていません。",
    ],
    action: "ログインする",
    notes: [
      "パスワードをお忘れの場合は、こちらから再設定してください: {{reset_link}}",
      "お心当たりがない場合、何もしていただく必要はありません。",
    ],
  },
  password_reset: {
    subject: "パスワードの再設定",
    title: "パスワードの再設定",
    body: [
      "{{service}} のアカウントのパスワード再設定が申請されました。ご本人による場合は、こちらから新しいパスワードを設定してください。",
    ],
    action: "新しいパスワードを設定する",
    notes: [
      "リンクの有効期間: {{valid_for}}（使用できるのは 1 回のみです）",
      "お心当たりがない場合は、このメールを無視してください。パスワードは変更されません。",
    ],
  },
  payment_success: {
    subject: "お支払いを確認しました: {{amount}}",
    title: "お支払いを確認しました",
    body: ["お支払いありがとうございます。クレジットがアカウントに追加されました。"],
    action: "コンソールを開く",
    notes: [],
    facts: { order_no: "注文番号", plan_name: "プラン", amount: "金額", credit: "クレジット" },
  },
  quota_low: {
    subject: "クレジットの残りが {{threshold}} を下回りました",
    title: "クレジットが残りわずかです",
    body: [
      "クレジットの残高は {{credit}} です。前回追加された分の {{threshold}} を下回りました。",
      "使い切ると、チャージするまでリクエストは拒否されます。",
    ],
    action: "チャージする",
    notes: [],
  },
};

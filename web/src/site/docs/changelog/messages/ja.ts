import type { ChangelogTexts } from "./en.ts";

export const ja: ChangelogTexts = {
  title: "API の変更",
  description: "API を呼び出すプログラムに関わる変更を新しい順に。フィードでも読めます。",
  lead: "API を呼び出すプログラムに関わる変更を新しい順に示します。以前に動いていたリクエストが動かなくなる変更はありません。新しいバージョンをいつ導入するかは運営者が決めます。",
  feed: "これらの変更は[フィード]({feed})（Atom）で追えます。",
  change: {
    errorLink: "エラー応答には `Link` ヘッダーがあり、[エラーのページ](/docs/errors/)のそのコードを指します。",
    capabilities:
      "[モデル一覧](/models/)は各モデルの機能を示し、どの列でも並べ替えられ、ログインするとお使いのグループの価格を表示します。",
    tags: "呼び出しは `x-sluice-tags` ヘッダーでタグを、`safety_identifier`、`user`、`metadata.user_id` でエンドユーザーを示せます。使用量はどちらでも集計されます。",
    organisations:
      "複数の人が組織として 1 つの残高を共有できます。プログラムは `x-organisation` ヘッダーで組織を示します。",
    fallback:
      "要求したモデルの代わりに別のモデルが応答したときは、`x-sluice-model-used` がそれを示します。`x-sluice-fallback: off` で呼び出しごとに断れます。",
    cache:
      "キーは、繰り返されるリクエストに保存済みの応答を返せます。`x-sluice-cache` が応答がそうかどうかを示します。",
    cohere: "`/v2/rerank` は Cohere クライアントのリクエストを受け付けます。",
    gemini:
      "Gemini クライアントは `/v1beta` で使えます：`:generateContent`、`:streamGenerateContent`、`:countTokens`、埋め込み。",
    convert:
      "Chat completions、Responses、Messages はすべてのチャットモデルで使えます。プロバイダーがそのうち 1 つの API しか話さないときは変換されます。省かれたものは `x-sluice-dropped` と `x-compat-dropped` が示します。",
    ending:
      "非推奨のモデルの応答には `Deprecation` と `Sunset` ヘッダーがあり、`/v1/models` にも示されます。終了したモデルは `model_ended` で拒否されます。",
    keyUsage: "`/v1/usage`、`/v1/credits`、`/v1/key` は、キーが使った額とまだ使える額を示します。",
    first: "最初のリリース 0.1.0：OpenAI クライアント用の `/v1` と Anthropic クライアント用の `/msgcompat`。",
  },
};

import type { GuideTexts } from "./en.ts";

export const ja: GuideTexts = {
  guides: {
    title: "ガイド",
    description: "ストリーミング、ツール、画像、埋め込み、構造化出力を、動くコードとともに説明します。",
    lead: "どの例もそのまま動きます。すべてのモデルがすべての機能に対応しているわけではなく、対応していない場合はエラーがパラメーターを示します。",
    streaming: "ストリーミング",
    streamingText: "`stream` を `true` にすると、モデルが書いている間にレスポンスが少しずつ届きます。",
    streamingRule: {
      end: "完全なストリームは `data: [DONE]` で終わります。これがなければレスポンスは不完全です。",
      usage: "`stream_options` に `include_usage: true` を指定すると、最後にトークン数が付きます。",
      error:
        "最初の部分が届いたあとでプロバイダーに障害が起きると、ストリームはエラーイベントで終わります。届いた分だけ料金がかかります。",
      cancel:
        "中止するには接続を閉じます。中止したリクエストの料金は[料金のページ](/docs/billing/#free)をご覧ください。",
    },
    tools: "ツール",
    toolsText:
      "`tools` に関数を記述します。モデルが関数を必要とすると、名前と引数が返ります。実行して結果を送り返すと、モデルが続きを答えます。",
    toolsRule: {
      check: "実行する前に引数を確認してください。モデルは間違えることがあります。",
      limit: "例のように、やり取りの回数を制限してください。",
      hosted: "ウェブ検索など、プロバイダー自身が実行するツールは、運営者が価格を設定している場合だけ使えます。",
    },
    vision: "画像",
    visionText: "画像は、`https` のアドレスまたは `data:` URL として、メッセージの一部に入れて送ります。",
    visionRule: {
      tokens: "画像は入力トークンとして課金されます。数はモデルと画像の大きさによります。",
      size: "画像が大きいとリクエストも大きくなります。モデルに必要な大きさまで縮小してください。",
    },
    embeddings: "埋め込み",
    embeddingsText: "意味の近いテキストはベクトルも近くなります。1 つのリクエストで複数のテキストを送れます。",
    embeddingsRule: {
      compare: "同じモデルのベクトルどうしを比べてください。内積が大きいほど、テキストの意味は近くなります。",
      dimensions: "`dimensions` で短いベクトルを指定できるモデルもあります。",
    },
    structured: "構造化出力",
    structuredText: "`response_format` を使うと、レスポンスはスキーマに合った JSON になります。",
    structuredRule: {
      cut: "`finish_reason` が `length` の場合、JSON は途中で切れています。`max_tokens` を上げてください。",
      older: "スキーマに対応していないモデルでは `json_object` を使い、プロンプトでフィールドを説明してください。",
    },
  },
  limits: {
    title: "制限",
    description: "リクエストの大きさ、1 分あたりのリクエスト数とトークン数、予算、上限に達したときの対処。",
    lead: "制限はキーまたはアカウント全体に対するものです。どの上限に達したかはエラーが示します。",
    size: "リクエストの大きさ",
    rates: "1 分あたりのリクエスト数とトークン数",
    ratesText: "制限がある場合、残りがレスポンスごとに示されます。制限は直近の 1 分間で数えます。",
    inOpenai: "OpenAI 形式",
    inAnthropic: "Anthropic 形式",
    waiting: "上限に達したとき",
  },
  troubleshooting: {
    title: "トラブルシューティング",
    description: "リクエストが失敗する、途中で止まる、想定より高い、別のモデルが答えるときに確認すること。",
    lead: "まずレスポンスのコードをご覧ください。[エラー](/docs/errors/)で 1 つずつ説明しています。ここでは気づきにくい原因を挙げます。",
    key: "キーは正しいのに拒否される",
    keyText:
      "多くのクライアントは、`OPENAI_API_KEY` や `ANTHROPIC_API_KEY` などの環境変数のキーを優先します。それを外し、キーだけで試してください。",
    address: "どのリクエストも 404 になる",
    addressText:
      "ベース URL が間違っています。OpenAI クライアントでは `/v1` で終わり、Anthropic クライアントでは `/msgcompat` で終わります。後者は `/v1` を自分で付け加えます。",
    model: "モデルが存在しない",
    modelText:
      "[モデル一覧](/models/)から名前をコピーしてください。大文字と小文字は区別されます。一覧にあるなら、そのキーはほかのモデルに限定されている可能性があります。キーで使えるモデルは `GET /v1/models` でわかります。",
    balance: "残高があるのに拒否される",
    balanceText:
      "リクエストの前に、かかりうる最大の金額が確保されます。`max_tokens` を下げるか、[API キー](/console/keys/)でキーの予算を確認してください。",
    stops: "レスポンスが途中で止まる",
    stopsText:
      "`finish_reason` が `length` なら、`max_tokens` を上げてください。最後のイベントがないままストリームが終わる場合は、クライアントのタイムアウトか、途中のプロキシが接続を閉じています。",
    late: "ストリームがまとめて届く",
    lateText:
      "途中で溜められています。プロキシのバッファリングをオフにするか、別のネットワークから `curl -N` で試してください。",
    another: "別のモデルが答える",
    anotherText:
      "キーがフォールバックを許可している場合、`x-sluice-model-used` が実際に答えたモデルを示します。`/msgcompat` では、運営者が Claude の名前を別のモデルに割り当てることがあります。名前は `/msgcompat/v1/models` で確認できます。",
    cost: "リクエストの料金が想定より高い",
    costText:
      "[利用状況](/console/usage/)で明細を開くと、各価格と数量がわかります。思考するモデルでは、思考も出力として課金されます。",
    support: "サポートに伝えること",
    supportText: "レスポンスの `x-request-id`、時刻、期待した結果です。キーは絶対に送らないでください。",
  },
};

import type { DocTexts } from "./en.ts";

export const ja: DocTexts = {
  frame: {
    nav: "ドキュメント",
    onThisPage: "このページの内容",
    search: "ドキュメントを検索",
    searchNone: "「{query}」は見つかりませんでした。",
    searchFailed: "検索を読み込めませんでした。もう一度お試しください。",
    copy: "コピー",
    copied: "コピーしました",
    copyPage: "ページを Markdown でコピー",
    asMarkdown: "Markdown",
    choose: "言語またはライブラリを選択",
    snippet: "コード",
    previous: "前へ",
    next: "次へ",
    updated: "最終更新：{date}",
    install: "インストール",
    check: "確認",
    limits: "制限",
    undo: "元に戻す",
    key: "あなたのキー",
    keyPlace: "このページのコードでは、キーの入る場所に `sk-...` と書かれています。",
    keyLogIn: "ログインしてキーを入れる",
    keyCreate: "このページ用のキーを作成",
    keyCreated:
      "新しいキーは、このページを離れるまでコードに入っています。今すぐコピーしてください。もう一度表示することは誰にもできません。",
    keyManage: "キーを管理",
    keyFailed: "キーは作成されませんでした。",
  },
  index: {
    description: "{brand} でモデルを呼び出す方法：最初の呼び出し、クライアント、コーディングエージェント、課金。",
    lead: "最初の呼び出しから課金まで。キーがまだない場合は[クイックスタート](/docs/quickstart/)から始めてください。",
  },
  quickstart: {
    title: "クイックスタート",
    description: "アカウント作成から最初の応答まで、4 ステップです。",
    lead: "{brand} は OpenAI API と Anthropic API に対応しています。お使いのクライアントはそのままで、アドレスとキーだけを変えてください。",
    account: "1. アカウントを作成する",
    accountText:
      "メールアドレスとパスワードで[登録](/register/)し、届いたメールのリンクを開きます。これでアドレスが確認されます。確認が済むまではログインできません。",
    credit: "2. 残高を追加する",
    creditText:
      "コンソールの[請求](/console/billing/)でプランを選びます。決済サービスが支払いを確認すると、すぐに残高が反映されます。[課金の仕組み](/docs/billing/)もご覧ください。",
    key: "3. API キーを作成する",
    keyText:
      "[API キー](/console/keys/)でキーを作成してコピーします。表示されるのは一度だけです。プロジェクトのファイルではなく、環境変数に保管してください。",
    call: "4. リクエストを送る",
    callText:
      "すべてのモデルの名前と価格は[料金ページ](/pricing/)にあります。お使いのキーで利用できるモデルは `/v1/models` が返します。",
    callDone:
      "どの応答にも `x-request-id` ヘッダーが付きます。これを使うと[利用状況](/console/usage/)で呼び出しと明細を見つけられ、サポートも同じ番号で調べられます。",
    addresses: "アドレス",
    api: "API",
    baseUrl: "ベース URL",
    keyHeader: "キー",
    or: "{one} または {other}",
    nextSteps: "次に読むもの",
    nextText:
      "[ライブラリ](/docs/clients/)や[コーディングエージェント](/docs/agents/)を設定するか、[エラーの意味](/docs/errors/)をご覧ください。",
  },
  clients: {
    title: "クライアント",
    description:
      "curl、OpenAI SDK、Anthropic SDK、Vercel AI SDK、LangChain、LiteLLM の設定、確認、制限、元に戻す方法。",
    lead: "どの例もキーを `GATEWAY_API_KEY` から読み、そのまま動きます。私たちのテストが、このプログラムに対して実際に実行しています。",
    before: "はじめに",
    beforeText: "キーをシェルの環境変数に入れます。",
    checkText: "実行すると応答が表示され、数秒以内に[利用状況](/console/usage/)に呼び出しが現れます。",
    curlText: "まとめて返る応答、イベントのストリームで返る応答、Anthropic 形式の例です。",
    curlLimit:
      "`/v1` はキーを `Authorization: Bearer` で受け取り、`/msgcompat/v1` は `x-api-key` でも受け取ります。`/v1` への 1 つのリクエストに異なる 2 つのキーがあると拒否されます。",
    openaiText:
      "ベース URL の末尾は `/v1` です。チャット補完、Responses、埋め込み、画像、音声などのパスは、モデルが対応していれば、送られたままプロバイダーに渡します。",
    openaiLimit:
      "モデルに何ができるかはプロバイダー次第です。プロバイダーが知らないパラメーターには、プロバイダーのエラーが返ります。",
    anthropicText: "ベース URL の末尾は `/msgcompat` で、`/v1` は付けません。SDK が自分で付けます。",
    anthropicLimit:
      "使えるモデル名は、モデル一覧にある名前と運営者が割り当てた名前です。どちらも `/msgcompat/v1/models` で一覧できます。名前の先のモデルに伝えられないもの（`thinking` など）は省かれ、`x-compat-dropped` ヘッダーに示されます。リクエストに `x-compat-strict: true` を付けるとエラーになります。",
    aiSdkText: "AI SDK の OpenAI 互換プロバイダー用パッケージです。",
    aiSdkLimit:
      "`@ai-sdk/openai` ではなくこのパッケージを使ってください。前者は以前のやり取りを ID で指すため、オプション `store` を `false` にしない限りここでは拒否されます。",
    langchainText: "LangChain の OpenAI 連携を、別のベース URL で使います。",
    langchainLimit: "LangChain のトークン数は独自の見積もりです。実際の課金は呼び出しの明細に示されます。",
    litellmText: "LiteLLM をライブラリとして、OpenAI プロバイダーと別のベース URL で使います。",
    litellmLimit: "LiteLLM の費用は独自の価格表による計算です。実際の課金は呼び出しの明細に示されます。",
    undoBase:
      "ベース URL を外し、プロバイダーのキーに戻します。そのあと [API キー](/console/keys/)でキーを失効させてください。",
    undoCurl:
      "何もインストールされていません。`unset GATEWAY_API_KEY` を実行し、[API キー](/console/keys/)でキーを失効させてください。",
    retries: "再試行と制限",
    retry: {
      after:
        "待てば通る場合、応答の `retry-after` に秒数が入ります。OpenAI と Anthropic の SDK はこれに従い、自動でさらに 2 回試します。",
      channels:
        "応答がまだ何も送られていない間は、ほかのチャネルがあれば {brand} 自身がそちらを試します。その試行に料金はかかりません。",
      fallback:
        "キーが許可していれば、モデルのすべてのチャネルが失敗したときや、プロンプトが長すぎるときに、別のモデルがその料金で回答することがあります。ヘッダー `x-sluice-model-used` がそのモデルを示します。リクエストに `x-sluice-fallback: off` を付けると使われません。",
      body: "運営者が別の上限を設定していなければ、リクエストは 32 MiB まで、JSON は 64 階層までです。圧縮したリクエスト本文は受け付けません。",
      slash: "`/v1` 以下のパスの末尾にスラッシュは付けません。",
    },
    cache: "応答キャッシュ",
    cacheText:
      "運営者が提供している場合、キーごとに、同じリクエストへ保存済みの応答を返すようにできます。[API キー](/console/keys/)でキーごとに有効にしてください。保存済みの応答が返るのは、リクエストがバイト単位で同じで、同じアカウントの、キャッシュを使うキーから送られたときだけです。ストリームでも一括でも、最初の応答とまったく同じバイト列が返ります。",
    cacheRule: {
      seen: "応答の `x-sluice-cache: hit` または `miss` は、応答の出どころを示します。`age` は、ヒットした応答が何秒前のものかを示します。",
      off: "リクエストの `x-sluice-cache: off` はキャッシュを使いません。`refresh` は新しい応答を取得して保存します。`no-store`、`no-cache`、`max-age` を指定した `cache-control` にも従います。",
      time: "`x-sluice-cache-ttl: 600` は、運営者が許す範囲で応答を 600 秒間保存します。",
      price:
        "ヒットの料金は、通常の料金のうち運営者が設定した割合です。割合は明細に表示され、ヒットもキーの上限に数えられます。",
      kept: "保存されるのは chat completions、responses、messages、embeddings、Gemini API の完全な応答です。エラー、途切れたストリーム、ウェブ検索を含む応答は保存されません。",
    },
    labels: "エンドユーザーとタグ",
    labelsText:
      "エンドユーザーや機能ごとの費用を見るには、呼び出しで指定します。エンドユーザーは `safety_identifier`、`user`、`metadata.user_id` のいずれかで、256 文字までです。タグは `x-sluice-tags` ヘッダーと `metadata` の短い文字列から取られ、8 個までです。名前には英字、数字、`_.-` を使えます。",
    labelRule: {
      seen: "[利用状況](/console/usage/) には両方のフィルター、列、合計があり、CSV ファイルにも含まれます。",
      personal:
        "氏名やメールアドレスは送らないでください。独自の ID またはそのハッシュで十分です。エンドユーザーとタグは呼び出しのメタデータとともに、通常 90 日後に消去されます。",
      off: "どちらも保存しない場合は、[API キー](/console/keys/) のキーの設定で、またはすべてのキーについて [利用状況](/console/usage/) でオフにします。プロバイダーは本文のフィールドを常に受け取りますが、ヘッダーは受け取りません。",
    },
    errors: "エラー",
    errorsText:
      "エラーは、呼び出した API の形式で返ります。各コードの意味、料金の有無、対処方法は[エラーのページ](/docs/errors/)にあります。",
    charged: "課金",
    no: "なし",
    delivered: "届いた分",
    error: {
      key: "キーがないか、誤り、失効、または期限切れです。",
      forbidden:
        "アカウントが停止されているか、運営者がキーをロックしているか、このアドレスからはそのキーを使えません。",
      model: "モデルが存在しないか、キーに利用が許可されていません。",
      quota:
        "残高またはキーの上限が、呼び出しの最大費用に足りません。`max_tokens` を下げるか、残高を追加してください。",
      spend:
        "アカウントが、運営者の定めた 1 日または 1 か月の支出の上限に達しました。いつリセットされるかはメッセージに書かれています。",
      rate: "キーまたはアカウントの 1 分あたりの呼び出し数、1 分あたりのトークン数、または同時呼び出し数の上限に達しました。",
      providerRate: "プロバイダーが現在、呼び出しを制限しています。",
      request: "リクエストが正しくありません。メッセージが項目を示します。",
      option:
        "オプションがプロバイダーで追加料金になり、ここには価格がないか、そこに保存されたものを指すか、別のモデルを選んでいます。メッセージがその名前を示します。",
      size: "リクエスト本文が大きすぎます。",
      rejected: "プロバイダーがリクエストを拒否しました。差し支えない範囲で、そのステータスとメッセージを伝えます。",
      provider: "プロバイダーで障害が起きたか、接続できませんでした。",
      timeout: "プロバイダーが時間内に応答しませんでした。",
      unavailable: "空いているチャネルがないか、{brand} が現在この呼び出しを確認または記録できません。",
      cut: "プロバイダーが応答の途中で切断しました。ストリームはエラーイベントで終わり、完了したようには見えません。",
      closed: "お使いのプログラムが、終わる前に接続を閉じました。",
    },
  },
  agents: {
    title: "コーディングエージェント",
    description: "Claude Code、Codex、opencode、Gemini CLI、Cline、Continue、Cursor の設定、確認、制限、元に戻す方法。",
    lead: "エージェントごとに、予算付きの専用キーを作ってください。エージェントは多くの呼び出しを送るため、それぞれの費用が分かるようになります。",
    keyText: "Codex と opencode は環境変数からキーを読みます。",
    checkText: "応答が表示され、[利用状況](/console/usage/)に呼び出しが現れます。",
    claude: {
      first:
        "これを自分のキーとともに `~/.claude/settings.json` に書きます。ほかの人が見るプロジェクトのファイルには書かないでください。",
      second: "環境から `ANTHROPIC_API_KEY` を取り除きます。残っていると、それも送られます。",
      third: "`claude` を起動し直します。`/status` でアドレスを確認できます。",
    },
    claudeLimit:
      "Claude のモデルそのものがモデル一覧にない場合は、その名前に運営者が割り当てたモデルが応答します。このとき呼び出し前のトークン数は見積もりとなり、キャッシュと思考はそのモデルが対応している場合にだけ働きます。",
    claudeUndo: "`~/.claude/settings.json` から 2 行を取り除き、`claude` を起動し直します。",
    codex: {
      first: "これを `~/.codex/config.toml` の先頭に書きます。",
      second: "`GATEWAY_API_KEY` のあるシェルで `codex` を起動します。",
    },
    codexLimit:
      "Codex はすべてのチャットモデルで使えます。Codex はモデルのメタデータがないと警告します。そのため、コンテキスト長をファイルに書いています。Codex のウェブ検索はプロバイダーで追加料金になるため、リクエストから取り除かれます。ヘッダー `x-sluice-dropped` がそれを示します。",
    codexUndo: "これらの行を取り除くと、Codex は以前のプロバイダーに戻ります。",
    opencode: {
      first:
        "これを `~/.config/opencode/opencode.json`、またはプロジェクトの `opencode.json` に書きます。キーは含まれていません。",
      second: "`GATEWAY_API_KEY` のあるシェルで `opencode` を起動し、`/models` でモデルを選びます。",
    },
    opencodeLimit:
      "opencode はファイルに書かれたモデルだけを表示し、価格は表示しません。正確な費用は[利用状況](/console/usage/)にあります。",
    opencodeUndo: "`provider` から `gateway` を取り除き、`model` の行も消します。",
    gemini: {
      first: "`~/.gemini/.env` に、ご自分のキーとともに次の内容を書きます。",
      second: "`gemini` を起動し、ログイン方法を聞かれたら `Use Gemini API key` を選びます。",
    },
    geminiLimit:
      "使えるのは、プロバイダーが Gemini API で提供するモデルだけです。一覧は `/v1beta/models` にあります。お使いのマシン自身を除き、アドレスは HTTPS でなければなりません。",
    geminiUndo: "`~/.gemini/.env` から 2 行を削除します。",
    cline: {
      first: "Cline の設定を開き、API プロバイダーに `OpenAI Compatible` を選びます。",
      second: "次の項目を入力します。",
    },
    clineCheck: "新しいタスクで「Say hello.」と尋ねます。呼び出しが[利用状況](/console/usage/)に現れます。",
    clineLimit:
      "Cline はモデルのコンテキスト長も価格も知りません。モデルの設定でコンテキストウィンドウを {context} トークンにし、費用はコンソールで確認してください。",
    clineUndo: "Cline の設定で、以前の API プロバイダーを選び直します。",
    continueEditor: { first: "`~/.continue/config.yaml` に、ご自分のキーとともに次の内容を書きます。" },
    continueCheck:
      "Continue でモデルを選び、「Say hello.」と尋ねます。呼び出しは[利用状況](/console/usage/)に表示されます。",
    continueLimit: "Continue は費用を表示しません。正確な費用は[利用状況](/console/usage/)にあります。",
    continueUndo: "`~/.continue/config.yaml` からモデルを削除します。",
    cursor: {
      first: "Cursor の設定を開き、Models、API Keys の順に進みます。",
      second: "次の項目を入力し、キーを有効にします。",
    },
    cursorCheck: "チャットでモデルを選び、「Say hello.」と尋ねます。呼び出しが[利用状況](/console/usage/)に現れます。",
    cursorLimit:
      "Cursor は自社のサーバーから呼び出しを送るため、アドレスはインターネットから HTTPS で届く必要があります。入力中の補完は Cursor 独自のモデルのままです。",
    cursorUndo: "ベース URL の上書きとキーを無効にします。",
    notRun:
      "各項目はこのプログラムに対してテストされていますが、Cline、Continue、Cursor 自体は私たちのテストでは動かしていません。設定画面の名称はバージョンによって異なることがあります。",
  },
  billing: {
    title: "課金",
    description: "呼び出しの費用、無料のもの、プラン、支払い、返金、キーの上限。",
    lead: "前払いです。呼び出しは最大でかかりうる費用を確保し、終わったときに実際に使った分だけが課金されます。",
    units: "残高",
    unitsText:
      "残高は米ドルで、最小単位は {step} です。モデルの価格は 100 万トークンあたりの米ドルで、すべて[料金ページ](/pricing/)にあります。ほかの通貨はありません。",
    cost: "呼び出しの費用",
    step: {
      hold: "プロバイダーに渡す前に、かかりうる最大の費用を確保します。入力はリクエストの大きさ、出力は `max_tokens` かモデルで上限が決まります。",
      count:
        "終わると、プロバイダーが数えたトークン数に価格を掛けます。正確な合計を一度だけ、残高の最小単位に切り上げます。",
      free: "確保したうち使われなかった分は、また使えるようになります。",
    },
    costHold:
      "`max_tokens` が大きいと、呼び出しの間に多くが確保されます。残高があるのに `insufficient_quota` で拒否されるときは、値を下げてください。",
    costEstimate:
      "プロバイダーが数を送らない場合や、テキストにトークンを使わなかったと伝えてきた場合は、{brand} が届けた分を数えます。その場合、明細に見積もりであることが示されます。",
    costMultiplier:
      "アカウントには料金倍率があり、別の取り決めがなければ 1 です。API キーのグループにも倍率があり、各料金には両方が掛けられます。その積は呼び出しから数分以内に、台帳の独立した項目として精算され、明細ごとに確認できます。アカウントの倍率は[アカウント](/console/account/)に表示されます。",
    nothing: "無料のもの",
    freeList: {
      errors: "出力が始まる前にエラーで終わった呼び出し。",
      attempts: "成功した呼び出しの裏で、別のチャネルで失敗した試行。",
      lists: "モデルの一覧とトークン数の計算。",
      crash: "{brand} 自体が止まったために途切れた呼び出し。",
    },
    cutText:
      "プロバイダーがストリームを切った場合は、それまでに届いた分が課金されます。すでに始まった回答の途中でお客様が離れた場合は、入力の分も課金されます。{brand} は数秒間、または最初の出力が見えるまでにモデルが動いていたのと同じ時間（最長 1 分）プロバイダーの応答を受け続け、その集計を課金します。集計が来なければ、入力と届いた分の見積もりを課金します。回答が始まる前に離れた呼び出しは無料です。料金がわからないうちに離れることのできる呼び出しの数には、アカウントごとに 1 時間あたりの上限があります。",
    plans: "プラン",
    plan: "プラン",
    gives: "内容",
    ends: "期限",
    credit: "クレジット",
    creditGives: "必要に応じて使える残高",
    creditEnds: "なし",
    monthly: "月額",
    monthlyGives: "支払いから 1 か月間の残高",
    monthlyEnds:
      "使わなかった分は月の終わりに失効します。1 か月だけの購入は自動更新されず、もう一度注文すると 1 か月加わります。サブスクリプションは解約するまで更新されます。",
    plansText: "月額の残高が先に使われ、その中では早く終わる月が優先されます。",
    paying: "支払い",
    payingText:
      "注文は、運営者が用意している方法に応じて、カードまたはウォレットで米ドルで支払います。決済サービスが金額の一致を確認すると、一度だけクレジットに反映されます。一致しない支払いは担当者が確認し、それまで反映されません。",
    refunds: "返金",
    refundsText:
      "注文番号を添えてサポートにご連絡ください。返金では金額に比例して残高を戻します。月額プランでは、その月の間に限ります。使用済みの残高は自動では返金されません。",
    keyLimits: "キーの上限",
    keyLimitsText: "キーごとに、[API キー](/console/keys/)で上限を設定できます。",
    limit: {
      budget: "予算。一度きり、または毎日、毎週、毎月リセット（UTC）。",
      models: "利用できるモデルと、利用元のアドレス。",
      rates: "1 分あたりの呼び出し数、1 分あたりのトークン数、同時呼び出し数。",
      end: "失効する日。",
    },
    receipts: "明細と取引明細書",
    receiptsText:
      "どの呼び出しにも[利用状況](/console/usage/)に明細があり、単位、価格のバージョン、各行、合計、倍率から自分で計算し直せます。[請求](/console/billing/)には台帳と月ごとの明細書があります。",
  },
  automation: {
    title: "Webhook とプログラム",
    description: "Webhook、アクセストークン、コマンドライン：プログラムが知れること、できること。",
    lead: "{brand} は起きたことをプログラムに知らせ、プログラムはコンソールでできる操作を行えます。",
    webhooks: "Webhook",
    webhooksText:
      "[Webhook](/console/webhooks/) でアドレスを追加し、受け取る内容を選びます。アドレスは公開されていて、`https://` で始まる必要があります。シークレットは一度だけ表示されます。",
    event: "イベント",
    when: "送信されるとき",
    keyCreated: "API キーが作成またはローテーションされたとき。",
    balanceLow: "残高が前回のチャージの 20 % を下回ったとき。5 % を下回るともう一度。",
    paymentSettled: "支払いが反映されたとき。",
    signatures: "署名を確認する",
    signaturesText:
      "各メッセージは JSON の `POST` で、[Standard Webhooks](https://www.standardwebhooks.com/) の規則に従い、ヘッダー `webhook-id`、`webhook-timestamp`、`webhook-signature` で署名されています。本文を読む前に、届いたままのバイト列に対して、そのライブラリで検証してください。",
    delivery: "配信",
    deliveryRule: {
      answer: "20 秒以内に 200 から 299 のステータスで応答してください。リダイレクトはたどりません。",
      retry:
        "失敗したメッセージは約 1 日のあいだに最大 8 回試行され、`retry-after` に従います。同じアドレスへのメッセージは 1 件ずつ送られます。",
      twice:
        "メッセージは 2 回届くことも、順序が変わることもあります。`webhook-id` は変わらないので、処理済みのものを記録してください。",
      off: "410 を返すアドレスや、3 日間失敗し続けたアドレスは停止され、メールが届きます。",
      rotate: "シークレットをローテーションすると、以前のものも 24 時間は署名に使われます。",
    },
    deliveryLog:
      "このページには、直近 30 日間に送信した内容と応答が表示されます。メッセージの再送やテスト送信もできます。",
    tokens: "アクセストークン",
    tokensText:
      "アクセストークンを持つプログラムは、`/backend` 以下の同じアドレスで、コンソールと同じ操作を行えます。[アクセストークン](/console/tokens/) で作成し、`Authorization: Bearer` として送信します。",
    tokenRule: {
      scopes: "トークンには選んだ権限があり、1 年以内に期限が切れます。現在のあなたの権限を超えることはありません。",
      closed: "ログイン、パスワード、トークンはトークンでは管理できません。",
      organisation: "組織として操作しているときに作成したトークンは、その組織のものになります。",
      description:
        "[すべての操作](/backend/docs/)に説明があり、`/backend/openapi.json` からクライアントを生成できます。",
      key: "API キーだけでも、`/v1/usage`、`/v1/credits`、`/v1/key` で使った額と使える額がわかります。",
    },
    commandLine: "コマンドライン",
    commandLineText:
      "サービスに付属するプログラム `sluice` もアクセストークンを使います。`sluice login` で入力すると、`sluice keys create --name report` や `sluice usage --json` をシェルから実行できます。ほかのコマンドは `sluice --help` で確認できます。",
  },
};

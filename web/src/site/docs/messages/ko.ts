import type { DocTexts } from "./en.ts";

export const ko: DocTexts = {
  frame: {
    nav: "문서",
    onThisPage: "이 페이지의 내용",
    search: "문서 검색",
    searchNone: "“{query}”에 대한 결과가 없습니다.",
    searchFailed: "검색을 불러오지 못했습니다. 다시 시도하세요.",
    copy: "복사",
    copied: "복사됨",
    copyPage: "페이지를 Markdown으로 복사",
    asMarkdown: "Markdown",
    choose: "언어 또는 라이브러리 선택",
    snippet: "코드",
    previous: "이전",
    next: "다음",
    updated: "최종 수정: {date}",
    install: "설치",
    check: "확인",
    limits: "제한",
    undo: "되돌리기",
    key: "내 키",
    keyPlace: "이 페이지의 코드에서 `sk-...`는 키가 들어갈 자리입니다.",
    keyLogIn: "로그인하여 키 넣기",
    keyCreate: "이 페이지용 키 만들기",
    keyCreated:
      "새 키는 이 페이지를 떠날 때까지 코드에 들어 있습니다. 지금 복사하세요. 누구도 다시 보여 줄 수 없습니다.",
    keyManage: "키 관리",
    keyFailed: "키가 만들어지지 않았습니다.",
  },
  index: {
    description: "{brand}로 모델을 호출하는 방법: 첫 호출, 클라이언트, 코딩 에이전트, 결제.",
    lead: "첫 호출부터 결제까지. 아직 키가 없다면 [빠른 시작](/docs/quickstart/)부터 보세요.",
  },
  quickstart: {
    title: "빠른 시작",
    description: "계정 만들기부터 첫 응답까지 네 단계입니다.",
    lead: "{brand}는 OpenAI API와 Anthropic API를 지원합니다. 쓰던 클라이언트를 그대로 두고 주소와 키만 바꾸면 됩니다.",
    account: "1. 계정 만들기",
    accountText:
      "이메일 주소와 비밀번호로 [가입](/register/)한 뒤 메일에 있는 링크를 여세요. 링크를 열면 주소가 확인되며, 그 전에는 로그인할 수 없습니다.",
    credit: "2. 잔액 충전",
    creditText:
      "콘솔의 [결제](/console/billing/)에서 요금제를 고르세요. 결제 게이트웨이가 결제를 확인하면 바로 잔액이 들어옵니다. [과금 방식](/docs/billing/)을 참고하세요.",
    key: "3. API 키 만들기",
    keyText:
      "[API 키](/console/keys/)에서 키를 만들고 복사하세요. 키는 한 번만 표시됩니다. 프로젝트 파일이 아니라 환경 변수에 보관하세요.",
    call: "4. 호출 보내기",
    callText:
      "모든 모델의 이름과 가격은 [가격 페이지](/pricing/)에 있습니다. 내 키로 쓸 수 있는 모델은 `/v1/models`가 알려 줍니다.",
    callDone:
      "모든 응답에는 `x-request-id` 헤더가 있습니다. 이 값으로 [사용량](/console/usage/)에서 호출과 명세를 찾을 수 있고, 고객 지원도 같은 값으로 찾습니다.",
    addresses: "주소",
    api: "API",
    baseUrl: "기본 URL",
    keyHeader: "키",
    or: "{one} 또는 {other}",
    nextSteps: "다음 단계",
    nextText:
      "[라이브러리](/docs/clients/)나 [코딩 에이전트](/docs/agents/)를 설정하거나 [오류의 의미](/docs/errors/)를 읽어 보세요.",
  },
  clients: {
    title: "클라이언트",
    description: "curl, OpenAI SDK, Anthropic SDK, Vercel AI SDK, LangChain, LiteLLM: 설정, 확인, 제한, 되돌리기.",
    lead: "모든 예제는 `GATEWAY_API_KEY`에서 키를 읽으며 그대로 실행됩니다. 테스트가 이 프로그램을 상대로 예제를 실제로 실행합니다.",
    before: "시작하기 전에",
    beforeText: "셸의 환경 변수에 키를 넣으세요.",
    checkText: "실행하면 응답이 출력되고, 몇 초 안에 [사용량](/console/usage/)에 호출이 나타납니다.",
    curlText: "한 번에 받는 응답, 이벤트 스트림으로 받는 응답, Anthropic 형식입니다.",
    curlLimit:
      "`/v1`은 `Authorization: Bearer`로 키를 받고, `/msgcompat/v1`은 `x-api-key`로도 받습니다. `/v1`로 보내는 한 요청에 서로 다른 키가 두 개 있으면 거부됩니다.",
    openaiText:
      "기본 URL은 `/v1`로 끝납니다. 채팅 완성, Responses, 임베딩, 이미지, 오디오 등의 경로는 모델이 지원하면 보낸 그대로 제공업체에 전달됩니다.",
    openaiLimit:
      "모델이 할 수 있는 일은 제공업체에 달려 있습니다. 제공업체가 모르는 매개변수에는 제공업체의 오류가 돌아옵니다.",
    anthropicText: "기본 URL은 `/msgcompat`로 끝나며 `/v1`은 붙이지 않습니다. SDK가 직접 붙입니다.",
    anthropicLimit:
      "모델 목록의 이름과 운영자가 연결해 둔 이름을 쓸 수 있습니다. 두 가지 모두 `/msgcompat/v1/models`에서 볼 수 있습니다. 이름 뒤의 모델에 전달할 수 없는 것(예: `thinking`)은 빠지고 `x-compat-dropped` 헤더에 표시됩니다. 요청에 `x-compat-strict: true`가 있으면 오류가 됩니다.",
    aiSdkText: "AI SDK의 OpenAI 호환 제공업체용 패키지입니다.",
    aiSdkLimit:
      "`@ai-sdk/openai`가 아니라 이 패키지를 쓰세요. 그쪽은 이전 대화를 ID로 가리키는데, 옵션 `store`가 `false`가 아니면 여기서는 거부됩니다.",
    langchainText: "LangChain의 OpenAI 연동을 다른 기본 URL로 사용합니다.",
    langchainLimit: "LangChain의 토큰 수는 자체 추정치입니다. 실제 청구 내역은 호출의 명세에 있습니다.",
    litellmText: "LiteLLM을 라이브러리로, OpenAI 제공업체와 다른 기본 URL로 사용합니다.",
    litellmLimit: "LiteLLM은 자체 가격표로 비용을 계산합니다. 실제 청구 내역은 호출의 명세에 있습니다.",
    undoBase: "기본 URL을 지우고 제공업체의 키로 되돌리세요. 그런 다음 [API 키](/console/keys/)에서 키를 폐기하세요.",
    undoCurl: "설치된 것은 없습니다. `unset GATEWAY_API_KEY`를 실행하고 [API 키](/console/keys/)에서 키를 폐기하세요.",
    retries: "재시도와 제한",
    retry: {
      after:
        "기다리면 되는 경우 응답의 `retry-after`에 초 단위 시간이 있습니다. OpenAI와 Anthropic의 SDK는 이를 따르며 스스로 두 번 더 시도합니다.",
      channels:
        "응답이 조금이라도 나가기 전에는, 다른 채널이 있으면 {brand}가 직접 그 채널로 시도합니다. 이런 시도는 무료입니다.",
      fallback:
        "키가 허용하면, 모델의 모든 채널이 실패하거나 프롬프트가 그 모델에 너무 길 때 다른 모델이 자체 가격으로 응답할 수 있습니다. 헤더 `x-sluice-model-used`가 그 모델을 알려 줍니다. 요청에 `x-sluice-fallback: off`가 있으면 사용하지 않습니다.",
      body: "운영자가 달리 정하지 않았다면 요청은 32 MiB까지, JSON은 64단계까지 허용됩니다. 압축된 요청 본문은 거부됩니다.",
      slash: "`/v1` 아래 경로의 끝에는 슬래시가 없습니다.",
    },
    cache: "응답 캐시",
    cacheText:
      "운영자가 제공하는 경우, 키마다 반복된 요청에 저장된 응답을 받도록 할 수 있습니다. [API 키](/console/keys/)에서 키마다 켜세요. 바이트 단위로 똑같고, 같은 계정에서 역시 캐시를 쓰는 키로 보낸 요청만 저장된 응답을 받습니다. 스트림이든 한 번에 받든 응답의 바이트는 첫 응답과 같습니다.",
    cacheRule: {
      seen: "응답의 `x-sluice-cache: hit` 또는 `miss`는 응답이 어디에서 왔는지 알려 줍니다. `age`는 적중한 응답이 몇 초 전의 것인지 알려 줍니다.",
      off: "요청의 `x-sluice-cache: off`는 캐시를 쓰지 않습니다. `refresh`는 새 응답을 받아 저장합니다. `no-store`, `no-cache`, `max-age`가 있는 `cache-control`도 따릅니다.",
      time: "`x-sluice-cache-ttl: 600`은 운영자가 허용하는 한도에서 응답을 600초 동안 저장합니다.",
      price:
        "적중한 응답은 정상 가격 중 운영자가 정한 비율만큼 청구됩니다. 영수증에 그 비율이 표시되며, 적중도 키의 한도에 포함됩니다.",
      kept: "chat completions, responses, messages, embeddings, Gemini API의 완전한 응답이 저장됩니다. 오류, 끊긴 스트림, 웹 검색이 포함된 응답은 저장되지 않습니다.",
    },
    labels: "최종 사용자와 태그",
    labelsText:
      "최종 사용자나 기능마다 드는 비용을 보려면 호출에 명시하세요. 최종 사용자는 `safety_identifier`, `user` 또는 `metadata.user_id`이며 최대 256자입니다. 태그는 `x-sluice-tags` 헤더와 `metadata`의 짧은 텍스트에서 가져오며 최대 여덟 개이고, 이름에는 영문자, 숫자, `_.-`를 쓸 수 있습니다.",
    labelRule: {
      seen: "[사용량](/console/usage/)에 두 항목의 필터, 열, 합계가 있으며 CSV 파일에도 포함됩니다.",
      personal:
        "이름이나 이메일 주소는 보내지 마세요. 자체 ID나 그 해시면 충분합니다. 최종 사용자와 태그는 호출의 메타데이터와 함께 보통 90일 후에 지워집니다.",
      off: "둘 다 저장하지 않으려면 [API 키](/console/keys/)의 키 설정에서, 또는 모든 키에 대해 [사용량](/console/usage/)에서 끄세요. 제공업체는 본문의 필드를 항상 받지만 헤더는 받지 않습니다.",
    },
    errors: "오류",
    errorsText:
      "오류는 호출한 API의 형식으로 반환됩니다. 각 코드의 의미, 과금 여부, 해결 방법은 [오류 페이지](/docs/errors/)에 있습니다.",
    charged: "과금 여부",
    no: "없음",
    delivered: "전달된 만큼",
    error: {
      key: "키가 없거나 잘못되었거나 폐기 또는 만료되었습니다.",
      forbidden: "계정이 정지되었거나, 운영자가 키를 잠갔거나, 이 주소에서는 키를 쓸 수 없습니다.",
      model: "모델이 없거나, 키로 쓸 수 없는 모델입니다.",
      quota: "잔액 또는 키의 한도가 호출의 최대 비용에 못 미칩니다. `max_tokens`를 낮추거나 잔액을 충전하세요.",
      spend: "계정이 운영자가 허용한 하루 또는 한 달 지출 한도에 도달했습니다. 언제 초기화되는지 메시지에 나옵니다.",
      rate: "키 또는 계정의 분당 호출 수, 분당 토큰 수 또는 동시 호출 수가 한도에 이르렀습니다.",
      providerRate: "제공업체가 지금 호출을 제한하고 있습니다.",
      request: "요청이 올바르지 않습니다. 메시지가 해당 필드를 알려 줍니다.",
      option:
        "옵션이 제공업체에서 추가 요금이 드는데 여기에는 가격이 없거나, 그곳에 저장된 것을 가리키거나, 다른 모델을 고릅니다. 메시지가 그 이름을 알려 줍니다.",
      size: "요청 본문이 너무 큽니다.",
      rejected: "제공업체가 요청을 거부했습니다. 문제가 없는 범위에서 그 상태와 메시지를 전달합니다.",
      provider: "제공업체에 장애가 있거나 연결할 수 없습니다.",
      timeout: "제공업체가 제때 응답하지 않았습니다.",
      unavailable: "비어 있는 채널이 없거나, {brand}가 지금 호출을 확인하거나 기록할 수 없습니다.",
      cut: "제공업체가 응답 도중에 끊었습니다. 스트림은 오류 이벤트로 끝나며 완결된 것처럼 보이지 않습니다.",
      closed: "프로그램이 끝나기 전에 연결을 닫았습니다.",
    },
  },
  agents: {
    title: "코딩 에이전트",
    description: "Claude Code, Codex, opencode, Gemini CLI, Cline, Continue, Cursor: 설정, 확인, 제한, 되돌리기.",
    lead: "에이전트마다 예산이 있는 키를 따로 만드세요. 에이전트는 호출을 많이 보내므로, 그렇게 하면 각각의 비용이 보입니다.",
    keyText: "Codex와 opencode는 환경 변수에서 키를 읽습니다.",
    checkText: "응답이 출력되고 [사용량](/console/usage/)에 호출이 나타납니다.",
    claude: {
      first:
        "이 내용을 내 키와 함께 `~/.claude/settings.json`에 넣으세요. 다른 사람이 보는 프로젝트 파일에는 넣지 마세요.",
      second: "환경에서 `ANTHROPIC_API_KEY`를 지우세요. 남아 있으면 함께 전송됩니다.",
      third: "`claude`를 다시 시작하세요. `/status`에 주소가 표시됩니다.",
    },
    claudeLimit:
      "Claude 모델 자체가 모델 목록에 없으면 운영자가 그 이름에 연결한 모델이 응답합니다. 이때 호출 전의 토큰 수는 추정치이며, 캐싱과 사고 기능은 그 모델이 지원할 때만 동작합니다.",
    claudeUndo: "`~/.claude/settings.json`에서 두 줄을 지우고 `claude`를 다시 시작하세요.",
    codex: {
      first: "이 내용을 `~/.codex/config.toml` 맨 위에 넣으세요.",
      second: "`GATEWAY_API_KEY`가 있는 셸에서 `codex`를 시작하세요.",
    },
    codexLimit:
      "Codex는 모든 채팅 모델에서 작동합니다. Codex는 모델의 메타데이터가 없다고 경고하며, 그래서 파일에 컨텍스트 크기가 적혀 있습니다. Codex의 웹 검색은 제공업체에서 추가 요금이 들어 요청에서 빠집니다. 헤더 `x-sluice-dropped`가 이를 알려 줍니다.",
    codexUndo: "이 줄들을 지우면 Codex는 이전 제공업체를 씁니다.",
    opencode: {
      first:
        "이 내용을 `~/.config/opencode/opencode.json` 또는 프로젝트의 `opencode.json`에 넣으세요. 키는 들어 있지 않습니다.",
      second: "`GATEWAY_API_KEY`가 있는 셸에서 `opencode`를 시작하고 `/models`로 모델을 고르세요.",
    },
    opencodeLimit:
      "opencode는 파일에 적힌 모델만 보여 주며 가격은 표시하지 않습니다. 정확한 비용은 [사용량](/console/usage/)에 있습니다.",
    opencodeUndo: "`provider`에서 `gateway`를 지우고 `model` 줄도 지우세요.",
    gemini: {
      first: "`~/.gemini/.env`에 키와 함께 다음을 넣으세요.",
      second: "`gemini`를 시작하고 로그인 방법을 물으면 `Use Gemini API key`를 선택하세요.",
    },
    geminiLimit:
      "제공업체가 Gemini API로 제공하는 모델만 작동합니다. 목록은 `/v1beta/models`에 있습니다. 자신의 컴퓨터가 아니라면 주소는 HTTPS여야 합니다.",
    geminiUndo: "`~/.gemini/.env`에서 두 줄을 지우세요.",
    cline: {
      first: "Cline 설정을 열고 API 제공업체로 `OpenAI Compatible`을 고르세요.",
      second: "다음 항목을 채우세요.",
    },
    clineCheck: "새 작업에서 “Say hello.”라고 물어보세요. 호출이 [사용량](/console/usage/)에 나타납니다.",
    clineLimit:
      "Cline은 모델의 컨텍스트와 가격을 모릅니다. 모델 설정에서 컨텍스트 크기를 {context} 토큰으로 정하고, 비용은 콘솔에서 확인하세요.",
    clineUndo: "Cline 설정에서 이전 API 제공업체를 다시 고르세요.",
    continueEditor: { first: "`~/.continue/config.yaml`에 키와 함께 다음을 넣으세요." },
    continueCheck:
      "Continue에서 모델을 선택하고 “Say hello.”라고 물어보세요. 호출이 [사용량](/console/usage/)에 나타납니다.",
    continueLimit: "Continue는 비용을 표시하지 않습니다. 정확한 비용은 [사용량](/console/usage/)에 있습니다.",
    continueUndo: "`~/.continue/config.yaml`에서 모델을 지우세요.",
    cursor: {
      first: "Cursor 설정을 열고 Models, API Keys로 들어가세요.",
      second: "다음 항목을 채우고 키를 켜세요.",
    },
    cursorCheck: "채팅에서 모델을 고르고 “Say hello.”라고 물어보세요. 호출이 [사용량](/console/usage/)에 나타납니다.",
    cursorLimit:
      "Cursor는 자체 서버에서 호출을 보내므로 주소가 인터넷에서 HTTPS로 접근 가능해야 합니다. 입력 중 자동 완성은 계속 Cursor 자체 모델이 맡습니다.",
    cursorUndo: "기본 URL 변경과 키를 끄세요.",
    notRun:
      "항목들은 이 프로그램을 상대로 테스트되지만, Cline, Continue, Cursor 자체는 테스트에서 실행하지 않습니다. 설정 화면의 이름은 버전에 따라 다를 수 있습니다.",
  },
  billing: {
    title: "과금",
    description: "호출 비용, 무료인 것, 요금제, 결제, 환불, 키의 한도.",
    lead: "선불제입니다. 호출은 최대로 들 수 있는 비용을 잡아 두고, 끝나면 실제로 쓴 만큼만 청구됩니다.",
    units: "잔액",
    unitsText:
      "잔액은 미국 달러이며, 최소 단위는 {step}입니다. 모델 가격은 토큰 백만 개당 미국 달러이고 모두 [가격 페이지](/pricing/)에 있습니다. 다른 통화는 없습니다.",
    cost: "호출 비용",
    step: {
      hold: "호출이 제공업체로 가기 전에 최대로 들 수 있는 비용을 잡아 둡니다. 입력은 요청의 크기가, 출력은 `max_tokens` 또는 모델이 상한을 정합니다.",
      count: "끝나면 제공업체가 센 토큰 수에 가격을 곱합니다. 정확한 합계를 한 번만 잔액의 최소 단위로 올림합니다.",
      free: "잡아 두었지만 쓰지 않은 만큼은 다시 풀립니다.",
    },
    costHold:
      "`max_tokens`가 크면 호출하는 동안 많은 금액이 잡힙니다. 잔액이 있는데도 `insufficient_quota`로 거부되면 값을 낮추세요.",
    costEstimate:
      "제공업체가 수치를 보내지 않거나 텍스트에 토큰이 들지 않았다고 하면 {brand}가 전달한 양을 셉니다. 그 경우 명세에 추정치라고 표시됩니다.",
    costMultiplier:
      "계정에는 요율 배수가 있으며, 따로 합의하지 않았다면 1입니다. API 키의 그룹에도 배수가 있으며 모든 가격에 두 배수를 곱합니다. 그 곱은 호출 후 몇 분 안에 원장의 별도 항목으로 정산되고 영수증마다 표시됩니다. 계정의 배수는 [계정](/console/account/)에서 볼 수 있습니다.",
    nothing: "무료인 것",
    freeList: {
      errors: "출력이 나오기 전에 오류로 끝난 호출.",
      attempts: "성공한 호출 뒤에서 다른 채널로 실패한 시도.",
      lists: "모델 목록과 토큰 수 계산.",
      crash: "{brand} 자체가 멈추어 끊긴 호출.",
    },
    cutText:
      "제공업체가 스트림을 끊으면 그때까지 전달된 만큼 청구됩니다. 이미 시작된 답변을 사용자가 떠나면 입력 요금도 청구됩니다. {brand}는 몇 초 동안, 또는 출력이 처음 보이기 전까지 모델이 작업한 시간만큼 최대 1분 동안 제공업체의 응답을 더 받아 그 집계대로 청구하고, 집계가 오지 않으면 입력과 전달된 만큼의 추정치를 청구합니다. 답변이 시작되기 전에 떠난 호출은 무료입니다. 비용을 알기 전에 떠날 수 있는 호출 수는 계정마다 시간당 제한됩니다.",
    plans: "요금제",
    plan: "요금제",
    gives: "제공 내용",
    ends: "만료",
    credit: "크레딧",
    creditGives: "필요할 때 쓰는 잔액",
    creditEnds: "없음",
    monthly: "월간",
    monthlyGives: "결제일부터 한 달 동안의 잔액",
    monthlyEnds:
      "쓰지 않은 만큼은 그 달과 함께 사라집니다. 한 달만 구매하면 갱신되지 않으며, 다시 주문하면 한 달이 더해집니다. 구독은 취소할 때까지 갱신됩니다.",
    plansText: "월간 잔액을 먼저 쓰고, 그중에서도 먼저 끝나는 달부터 씁니다.",
    paying: "결제",
    payingText:
      "주문은 운영자가 제공하는 방식에 따라 카드나 지갑으로 미국 달러로 결제합니다. 결제 게이트웨이가 금액이 정확히 맞음을 확인하면 한 번 적립됩니다. 맞지 않는 결제는 담당자가 확인하며, 그때까지 적립되지 않습니다.",
    refunds: "환불",
    refundsText:
      "주문 번호와 함께 고객 지원에 문의하세요. 환불은 금액에 비례하여 잔액을 회수하며, 월간 요금제는 그 달이 진행 중일 때만 그렇습니다. 이미 쓴 잔액은 자동으로 환불되지 않습니다.",
    keyLimits: "키의 한도",
    keyLimitsText: "키마다 [API 키](/console/keys/)에서 한도를 정할 수 있습니다.",
    limit: {
      budget: "예산: 한 번, 또는 매일, 매주, 매월 다시 시작(UTC).",
      models: "쓸 수 있는 모델과 쓸 수 있는 주소.",
      rates: "분당 호출 수, 분당 토큰 수, 동시 호출 수.",
      end: "만료되는 날짜.",
    },
    receipts: "명세와 거래 내역서",
    receiptsText:
      "호출마다 [사용량](/console/usage/)에 명세가 있습니다. 단위, 가격 버전, 각 줄, 합계, 배수가 있어 직접 다시 계산할 수 있습니다. [결제](/console/billing/)에는 원장과 월별 내역서가 있습니다.",
  },
  automation: {
    title: "웹훅과 프로그램",
    description: "웹훅, 액세스 토큰, 명령줄: 프로그램이 알 수 있고 할 수 있는 것.",
    lead: "{brand}는 일어난 일을 프로그램에 알리고, 프로그램은 콘솔에서 하는 일을 대신할 수 있습니다.",
    webhooks: "웹훅",
    webhooksText:
      "[웹훅](/console/webhooks/)에서 주소를 추가하고 받을 내용을 고르세요. 주소는 공개되어 있고 `https://`로 시작해야 합니다. 비밀 값은 한 번만 표시됩니다.",
    event: "이벤트",
    when: "보내는 시점",
    keyCreated: "API 키를 만들거나 교체했을 때.",
    balanceLow: "잔액이 마지막 충전의 20 % 아래로 내려갔을 때, 그리고 5 % 아래일 때 다시.",
    paymentSettled: "결제가 반영되었을 때.",
    signatures: "서명 확인",
    signaturesText:
      "모든 메시지는 JSON `POST`이며, [Standard Webhooks](https://www.standardwebhooks.com/) 규칙에 따라 `webhook-id`, `webhook-timestamp`, `webhook-signature` 헤더로 서명됩니다. 본문을 읽기 전에, 도착한 그대로의 바이트를 해당 라이브러리로 확인하세요.",
    delivery: "전달",
    deliveryRule: {
      answer: "20초 안에 200에서 299 사이의 상태로 응답하세요. 리디렉션은 따라가지 않습니다.",
      retry:
        "실패한 메시지는 약 하루 동안 최대 여덟 번 시도하며 `retry-after`를 지킵니다. 같은 주소로 가는 메시지는 하나씩 보냅니다.",
      twice: "메시지가 두 번 오거나 순서가 바뀔 수 있습니다. `webhook-id`는 그대로이므로 처리한 것을 기억해 두세요.",
      off: "410으로 응답하거나 사흘 동안 실패만 한 주소는 꺼지고, 메일로 알려 드립니다.",
      rotate: "비밀 값을 교체하면 이전 값도 24시간 동안 함께 서명합니다.",
    },
    deliveryLog:
      "이 페이지에는 지난 30일 동안 보낸 것과 받은 응답이 나옵니다. 메시지를 다시 보내거나 테스트를 보낼 수 있습니다.",
    tokens: "액세스 토큰",
    tokensText:
      "액세스 토큰이 있는 프로그램은 `/backend` 아래의 같은 주소에서 콘솔에서 하는 일을 할 수 있습니다. [액세스 토큰](/console/tokens/)에서 만들고 `Authorization: Bearer`로 보내세요.",
    tokenRule: {
      scopes: "토큰은 선택한 권한을 가지며 1년 안에 만료되고, 지금 본인이 할 수 있는 것보다 많은 일을 할 수 없습니다.",
      closed: "로그인, 비밀번호, 토큰은 토큰으로 관리할 수 없습니다.",
      organisation: "조직으로 작업하는 동안 만든 토큰은 그 조직의 것입니다.",
      description:
        "[모든 작업](/backend/docs/)이 설명되어 있으며, `/backend/openapi.json`으로 클라이언트를 생성할 수 있습니다.",
      key: "API 키만으로도 `/v1/usage`, `/v1/credits`, `/v1/key`에서 사용한 금액과 사용할 수 있는 금액을 알 수 있습니다.",
    },
    commandLine: "명령줄",
    commandLineText:
      "서비스와 함께 제공되는 프로그램 `sluice`도 액세스 토큰을 씁니다. `sluice login`이 토큰을 물어보고, 그다음 셸에서 `sluice keys create --name report`나 `sluice usage --json`을 쓸 수 있습니다. 나머지는 `sluice --help`에 나옵니다.",
  },
};

import type { GuideTexts } from "./en.ts";

export const ko: GuideTexts = {
  guides: {
    title: "가이드",
    description: "스트리밍, 도구, 이미지, 임베딩, 구조화된 출력을 실행되는 코드와 함께 설명합니다.",
    lead: "모든 예제는 그대로 실행됩니다. 모든 모델이 모든 기능을 지원하지는 않으며, 지원하지 않으면 오류에 해당 매개변수가 표시됩니다.",
    streaming: "스트리밍",
    streamingText: "`stream`을 `true`로 설정하면 모델이 작성하는 동안 응답이 조금씩 도착합니다.",
    streamingRule: {
      end: "완전한 스트림은 `data: [DONE]`으로 끝납니다. 이것이 없으면 응답이 완전하지 않은 것입니다.",
      usage: "`stream_options`에 `include_usage: true`를 넣으면 마지막에 토큰 수가 추가됩니다.",
      error:
        "첫 부분이 도착한 뒤 제공업체에 문제가 생기면 스트림은 오류 이벤트로 끝납니다. 전달된 만큼만 비용을 냅니다.",
      cancel: "취소하려면 연결을 닫으세요. 취소한 요청의 비용은 [요금 안내](/docs/billing/#free)에 있습니다.",
    },
    tools: "도구",
    toolsText:
      "`tools`에 함수를 설명하세요. 모델이 함수를 원하면 이름과 인수를 보냅니다. 실행한 결과를 돌려보내면 모델이 이어서 답합니다.",
    toolsRule: {
      check: "실행하기 전에 인수를 확인하세요. 모델은 실수할 수 있습니다.",
      limit: "예제처럼 반복 횟수를 제한하세요.",
      hosted: "웹 검색처럼 제공업체가 직접 실행하는 도구는 운영자가 가격을 설정한 경우에만 쓸 수 있습니다.",
    },
    vision: "이미지",
    visionText: "이미지는 `https` 주소나 `data:` URL로 메시지의 일부로 보냅니다.",
    visionRule: {
      tokens: "이미지는 입력 토큰으로 과금됩니다. 수는 모델과 이미지 크기에 따라 다릅니다.",
      size: "이미지가 크면 요청도 커집니다. 모델에 필요한 크기로 줄이세요.",
    },
    embeddings: "임베딩",
    embeddingsText: "의미가 비슷한 텍스트는 벡터도 비슷합니다. 한 요청에 여러 텍스트를 보낼 수 있습니다.",
    embeddingsRule: {
      compare: "같은 모델의 벡터끼리만 비교하세요. 내적이 클수록 텍스트가 가깝습니다.",
      dimensions: "`dimensions`로 더 짧은 벡터를 받을 수 있는 모델도 있습니다.",
    },
    structured: "구조화된 출력",
    structuredText: "`response_format`을 쓰면 응답이 스키마에 맞는 JSON이 됩니다.",
    structuredRule: {
      cut: "`finish_reason`이 `length`이면 JSON이 잘린 것입니다. `max_tokens`를 높이세요.",
      older: "스키마를 지원하지 않는 모델에는 `json_object`를 쓰고 프롬프트에서 필드를 설명하세요.",
    },
  },
  limits: {
    title: "한도",
    description: "요청의 크기, 분당 요청 수와 토큰 수, 예산, 한도에 도달했을 때 할 일.",
    lead: "한도는 키 또는 계정 전체에 적용됩니다. 어떤 한도에 도달했는지는 오류에 나옵니다.",
    size: "요청의 크기",
    rates: "분당 요청 수와 토큰 수",
    ratesText: "한도가 적용되면 응답마다 남은 양이 표시됩니다. 한도는 최근 1분을 기준으로 셉니다.",
    inOpenai: "OpenAI 형식",
    inAnthropic: "Anthropic 형식",
    waiting: "한도에 도달했을 때",
  },
  troubleshooting: {
    title: "문제 해결",
    description: "요청이 실패하거나, 일찍 멈추거나, 예상보다 비싸거나, 다른 모델이 답할 때 확인할 것.",
    lead: "먼저 응답의 코드를 보세요. [오류](/docs/errors/)에서 하나씩 설명합니다. 여기에는 알아차리기 어려운 원인을 모았습니다.",
    key: "키가 맞는데도 거부됩니다",
    keyText:
      "많은 클라이언트가 `OPENAI_API_KEY`나 `ANTHROPIC_API_KEY` 같은 환경 변수의 키를 먼저 사용합니다. 이를 지우고 키만 따로 시험해 보세요.",
    address: "모든 요청에 404가 반환됩니다",
    addressText:
      "기본 URL이 잘못되었습니다. OpenAI 클라이언트에서는 `/v1`로 끝나고, Anthropic 클라이언트에서는 `/msgcompat`으로 끝납니다. 후자는 `/v1`을 스스로 붙입니다.",
    model: "모델이 없다고 합니다",
    modelText:
      "[모델 목록](/models/)에서 이름을 복사하세요. 대문자와 소문자를 구분합니다. 목록에 있다면 키가 다른 모델로 제한되어 있을 수 있습니다. `GET /v1/models`에 키로 쓸 수 있는 모델이 나옵니다.",
    balance: "잔액이 있는데도 거부됩니다",
    balanceText:
      "요청 전에 들 수 있는 최대 금액을 미리 잡아 둡니다. `max_tokens`를 낮추거나 [API 키](/console/keys/)에서 키의 예산을 확인하세요.",
    stops: "응답이 중간에 멈춥니다",
    stopsText:
      "`finish_reason`이 `length`이면 `max_tokens`를 높이세요. 마지막 이벤트 없이 스트림이 끝나면 클라이언트의 제한 시간이 지났거나 중간의 프록시가 연결을 닫은 것입니다.",
    late: "스트림이 한꺼번에 도착합니다",
    lateText: "중간에서 모아 두고 있습니다. 프록시의 버퍼링을 끄거나, 다른 네트워크에서 `curl -N`으로 시험해 보세요.",
    another: "다른 모델이 답합니다",
    anotherText:
      "키가 대체 모델을 허용하면 `x-sluice-model-used`에 실제로 답한 모델이 나옵니다. `/msgcompat`에서는 운영자가 Claude 이름을 다른 모델로 연결할 수 있습니다. 이름은 `/msgcompat/v1/models`에 있습니다.",
    cost: "요청 비용이 예상보다 큽니다",
    costText:
      "[사용량](/console/usage/)에서 명세를 열어 보세요. 가격과 수량이 모두 나와 있습니다. 생각하는 모델은 생각도 출력으로 과금됩니다.",
    support: "고객 지원에 필요한 것",
    supportText: "응답의 `x-request-id`, 시각, 그리고 기대한 결과입니다. 키는 절대 보내지 마세요.",
  },
};

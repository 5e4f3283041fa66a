import type { ChangelogTexts } from "./en.ts";

export const ko: ChangelogTexts = {
  title: "API 변경 사항",
  description: "API를 호출하는 프로그램에 해당하는 변경 사항을 최신순으로, 피드로도 제공합니다.",
  lead: "API를 호출하는 프로그램에 해당하는 변경 사항을 최신순으로 보여 줍니다. 이전에 되던 요청이 안 되게 하는 변경은 없습니다. 새 버전을 언제 설치할지는 운영자가 정합니다.",
  feed: "이 변경 사항을 [피드]({feed})(Atom)로 받아 보세요.",
  change: {
    errorLink: "오류 응답에는 [오류 페이지](/docs/errors/)의 해당 코드로 연결되는 `Link` 헤더가 있습니다.",
    capabilities:
      "[모델 목록](/models/)은 모델마다 할 수 있는 일을 보여 주고, 모든 열로 정렬되며, 로그인하면 내 그룹의 가격을 보여 줍니다.",
    tags: "호출은 `x-sluice-tags` 헤더에 태그를 담고 `safety_identifier`, `user`, `metadata.user_id`로 최종 사용자를 밝힐 수 있습니다. 사용량은 둘 다로 집계됩니다.",
    organisations:
      "여러 사람이 조직으로 하나의 잔액을 함께 쓸 수 있습니다. 프로그램은 `x-organisation` 헤더로 조직을 밝힙니다.",
    fallback:
      "요청한 모델 대신 다른 모델이 응답하면 `x-sluice-model-used`가 알려 줍니다. `x-sluice-fallback: off`로 호출마다 거절할 수 있습니다.",
    cache: "키는 반복되는 요청에 저장된 응답을 돌려줄 수 있습니다. `x-sluice-cache`가 그런 응답인지 알려 줍니다.",
    cohere: "`/v2/rerank`는 Cohere 클라이언트의 요청을 받습니다.",
    gemini:
      "Gemini 클라이언트는 `/v1beta`에서 동작합니다: `:generateContent`, `:streamGenerateContent`, `:countTokens`, 임베딩.",
    convert:
      "Chat completions, Responses, Messages는 모든 채팅 모델에서 동작합니다. 제공업체가 이 중 하나의 API만 쓰면 요청이 변환됩니다. 빠진 것은 `x-sluice-dropped`와 `x-compat-dropped`가 알려 줍니다.",
    ending:
      "사용 중단 예정 모델의 응답에는 `Deprecation`과 `Sunset` 헤더가 있고 `/v1/models`에도 표시됩니다. 종료된 모델은 `model_ended`로 거부됩니다.",
    keyUsage: "`/v1/usage`, `/v1/credits`, `/v1/key`는 키가 쓴 금액과 아직 쓸 수 있는 금액을 알려 줍니다.",
    first: "첫 릴리스 0.1.0: OpenAI 클라이언트용 `/v1`과 Anthropic 클라이언트용 `/msgcompat`.",
  },
};

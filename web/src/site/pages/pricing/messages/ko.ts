import type { PricingTexts } from "./en.ts";

export const ko: PricingTexts = {
  title: "요금",
  description: "미국 달러로 표시한 요금제와 모델별 100만 토큰당 가격입니다.",
  heading: "비용 안내",
  lead: "잔액을 충전하고 호출이 쓴 만큼 냅니다. 모든 호출에는 다시 계산해 볼 수 있는 명세가 있습니다.",
  plans: "요금제",
  once: "1회 결제",
  month: "1개월",
  grants: "{amount} 잔액",
  planGroup: "한 달이 끝날 때까지 호출이 {group} 그룹에 속합니다: 모든 가격 × {multiplier}.",
  choose: "{plan} 선택",
  models: "모델",
  perMillion: "100만 토큰당 미국 달러",
  model: "모델",
  provider: "제공업체",
  input: "입력",
  output: "출력",
  cached: "캐시된 입력",
  context: "컨텍스트",
  noPlans: "지금은 판매 중인 요금제가 없습니다.",
  noModels: "지금은 제공 중인 모델이 없습니다.",
  calculator: "비용 계산",
  inputTokens: "입력 토큰",
  outputTokens: "출력 토큰",
  cost: "비용",
  costNote: "계정과 그룹의 요율 배수를 적용하기 전 금액입니다.",
  cachedTokens: "캐시된 입력 토큰",
  rules: {
    title: "알아 두세요",
    pay: {
      title: "결제",
      text: "카드나 전자지갑으로 미국 달러로 결제합니다. 보이는 금액이 그대로 청구됩니다.",
    },
    expiry: {
      title: "유효 기간",
      text: "1회 결제로 충전한 잔액에는 만료일이 없습니다. 월 요금제의 사용량은 그 달로 끝나며, 다시 결제하면 연장됩니다.",
    },
    failed: {
      title: "무료인 경우",
      text: "오류로 끝나거나 출력이 없는 호출은 비용이 없습니다.",
    },
    multiplier: {
      title: "요율 배수",
      text: "계정에 전용 요율 배수가 있을 수 있고 API 키의 그룹에도 있을 수 있으며, 두 배수를 모두 곱합니다. 배수는 콘솔에 표시되며 호출마다 적용하고 올림합니다.",
    },
  },
};

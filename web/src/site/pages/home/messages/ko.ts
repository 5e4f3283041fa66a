import type { HomeTexts } from "./en.ts";

export const ko: HomeTexts = {
  title: "모델 API로 가는 게이트웨이",
  description: "주소 하나와 키 하나로 모델 API를 쓰고, 모든 호출의 비용을 정확히 확인합니다.",
  heading: "키 하나로 모델 API를, 모든 호출에 정확한 내역을",
  lead: "OpenAI 클라이언트라면 무엇이든 {path} 주소로 이 게이트웨이를 쓸 수 있습니다. 키로 쓸 수 있는 모델은 GET /v1/models가 알려 줍니다.",
  prices: "요금 보기",
  logIn: "로그인",
  example: "첫 호출",
  start: "계정 만들기",
  model: "모델",
  copy: "복사",
  copied: "복사됨",
  figures: {
    title: "이 서비스의 수치",
    models: "개 모델",
    answered: "30일간 응답한 호출",
    firstByte: "{model}의 첫 바이트까지, 7일 중앙값",
  },
  apis: {
    title: "이미 쓰고 있는 프로그램 그대로",
    lead: "주소와 키만 바꾸면 됩니다. 나머지는 그대로입니다.",
    api: "인터페이스",
    path: "주소",
    clients: "지원 클라이언트",
    more: "임베딩, 이미지, 오디오, 모더레이션",
    listing: "키로 쓸 수 있는 모델",
  },
  strip: {
    title: "가격",
    all: "모든 모델과 가격",
    input: "입력",
    output: "출력",
    perMillion: "100만 토큰당",
  },
  billing: {
    title: "과금 방식",
    load: {
      title: "충전",
      text: "요금제를 고르고 카드나 전자지갑으로 결제합니다. 모든 가격은 미국 달러입니다.",
    },
    call: {
      title: "호출",
      text: "호출마다 토큰으로 정확히 계산하고, 마지막에 한 번만 올림합니다.",
    },
    check: {
      title: "확인",
      text: "모든 호출에는 수량과 단가가 적힌 명세가 있어 직접 다시 계산할 수 있습니다.",
    },
  },
  faq: {
    title: "자주 묻는 질문",
    code: {
      question: "코드를 바꿔야 하나요?",
      answer:
        "주소와 키만 바꾸면 됩니다. 기본 URL로 OpenAI 클라이언트에는 {openai}, Anthropic 클라이언트에는 {anthropic} 주소를 넣으세요.",
    },
    fail: {
      question: "실패한 호출도 비용이 드나요?",
      answer: "아니요. 오류로 끝나거나 출력이 없는 호출은 무료입니다. 도중에 끊으면 그때까지 생성된 만큼만 냅니다.",
    },
    limit: {
      question: "키가 쓰는 금액을 제한할 수 있나요?",
      answer: "네. 키마다 예산, 만료일, 모델 목록, 주소 목록, 분당 한도를 정할 수 있고 언제든 폐기할 수 있습니다.",
    },
    store: {
      question: "요청 내용이 저장되나요?",
      answer:
        "요청과 응답은 짧은 기간 암호화해 보관한 뒤 파기합니다. 키마다 끌 수 있습니다. 내용을 보려면 사유를 적어야 하고 그 기록이 남습니다.",
    },
    plan: {
      question: "잔액과 월 요금제는 무엇이 다른가요?",
      answer: "잔액은 다 쓸 때까지 남습니다. 월 요금제는 그 달의 사용량을 주며, 남은 양은 달이 끝나면 사라집니다.",
    },
  },
};

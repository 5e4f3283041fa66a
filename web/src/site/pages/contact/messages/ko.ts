import type { ContactTexts } from "./en.ts";

export const ko: ContactTexts = {
  title: "기업 문의",
  description: "청구서, 더 높은 한도, 전용 요율 배수 등 필요한 것을 알려 주세요.",
  heading: "회사를 위한 제안",
  lead: "무엇을 얼마나 쓰실지 알려 주세요. 이메일로 답해 드립니다.",
  company: "회사",
  contact: "이름",
  email: "이메일",
  volume: "예상 사용량",
  volumeHint: "예: 하루 2,000만 토큰, 주로 유럽.",
  message: "더 알아야 할 내용",
  optional: "선택",
  send: "보내기",
  sent: {
    title: "감사합니다",
    heading: "문의가 접수되었습니다",
    text: "내용을 기록했으며 이메일로 답해 드리겠습니다.",
    home: "홈으로",
  },
};

import type { FrameTexts } from "./en.ts";

export const ko: FrameTexts = {
  skip: "본문으로 건너뛰기",
  navigation: "주 메뉴",
  menu: "메뉴",
  models: "모델",
  pricing: "요금",
  docs: "문서",
  enterprise: "기업 문의",
  logIn: "로그인",
  signUp: "회원가입",
  console: "콘솔",
  language: "언어",
  footer: "{brand}는 모델 API로 호출을 전달하고, 모든 호출의 비용을 기록합니다.",
  footerNavigation: "다른 페이지",
  support: "지원",
  poweredBy: "{program} 기반",
  announcement: "공지",
  terms: "이용약관",
  privacy: "개인정보 처리방침",
  imprint: "사업자 정보",
};

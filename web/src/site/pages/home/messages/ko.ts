import type { HomeTexts } from "./en.ts";

export const ko: HomeTexts = {
  title: "모델 API로 가는 게이트웨이",
  description: "주소 하나와 키 하나로 모델 API를 쓰고, 모든 호출의 비용을 정확히 확인합니다.",
  heading: "키 하나로 모델 API를, 모든 호출에 정확한 내역을",
  lead: "OpenAI 클라이언트라면 무엇이든 {path} 주소로 이 게이트웨이를 쓸 수 있습니다. 키로 쓸 수 있는 모델은 GET /v1/models가 알려 줍니다.",
  prices: "요금 보기",
  logIn: "로그인",
  example: "첫 호출",
};

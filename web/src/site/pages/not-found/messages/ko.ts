import type { NotFoundTexts } from "./en.ts";

export const ko: NotFoundTexts = {
  title: "페이지 없음",
  description: "이 주소에는 페이지가 없습니다.",
  heading: "이 주소에는 페이지가 없습니다",
  text: "페이지가 옮겨졌거나 주소가 잘못 입력되었을 수 있습니다.",
  home: "홈으로",
  pricing: "요금",
};

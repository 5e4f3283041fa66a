import type { UnavailableTexts } from "./en.ts";

export const ko: UnavailableTexts = {
  title: "지금은 이용할 수 없음",
  description: "지금은 이 페이지를 표시할 수 없습니다.",
  heading: "지금은 이 페이지를 표시할 수 없습니다",
  text: "저희 쪽에 문제가 생겼거나 점검 중입니다. 1분 뒤에 다시 시도하세요.",
  again: "다시 시도",
};

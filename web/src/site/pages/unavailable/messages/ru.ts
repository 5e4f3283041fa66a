import type { UnavailableTexts } from "./en.ts";

export const ru: UnavailableTexts = {
  title: "Сейчас недоступно",
  description: "Эту страницу сейчас показать нельзя.",
  heading: "Эту страницу сейчас показать нельзя",
  text: "У нас что-то пошло не так, или идут работы. Попробуйте ещё раз через минуту.",
  again: "Попробовать ещё раз",
};

import type { NotFoundTexts } from "./en.ts";

export const ru: NotFoundTexts = {
  title: "Страница не найдена",
  description: "По этому адресу ничего нет.",
  heading: "По этому адресу ничего нет",
  text: "Возможно, страница переехала или в адресе опечатка.",
  home: "На главную",
  pricing: "Цены",
};

import type { FrameTexts } from "./en.ts";

export const ru: FrameTexts = {
  skip: "Перейти к содержанию",
  navigation: "Основное меню",
  menu: "Меню",
  models: "Модели",
  pricing: "Цены",
  docs: "Документация",
  enterprise: "Для компаний",
  logIn: "Войти",
  signUp: "Регистрация",
  console: "Консоль",
  language: "Язык",
  footer: "{brand} передаёт запросы к API моделей и ведёт точный учёт каждого из них.",
  footerNavigation: "Другие страницы",
  support: "Поддержка",
  poweredBy: "Работает на {program}",
  announcement: "Объявление",
  terms: "Условия использования",
  privacy: "Политика конфиденциальности",
  imprint: "Правовая информация",
};

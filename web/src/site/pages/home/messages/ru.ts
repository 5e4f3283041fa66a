import type { HomeTexts } from "./en.ts";

export const ru: HomeTexts = {
  title: "Шлюз к API моделей",
  description: "Один адрес и один ключ для API моделей и точный учёт каждого запроса.",
  heading: "Один ключ к API моделей и точный счёт за каждый запрос",
  lead: "Программы обращаются к шлюзу по адресу {path} через любой клиент OpenAI. Какие модели доступны ключу, сообщает GET /v1/models.",
  prices: "Сколько это стоит",
  logIn: "Войти",
  example: "Первый запрос",
};

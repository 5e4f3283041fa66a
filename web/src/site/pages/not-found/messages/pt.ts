import type { NotFoundTexts } from "./en.ts";

export const pt: NotFoundTexts = {
  title: "Página não encontrada",
  description: "Não há página neste endereço.",
  heading: "Não há página neste endereço",
  text: "Ela pode ter sido movida ou o endereço pode conter um erro.",
  home: "Ir para o início",
  pricing: "Preços",
};

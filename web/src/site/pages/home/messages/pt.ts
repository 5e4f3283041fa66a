import type { HomeTexts } from "./en.ts";

export const pt: HomeTexts = {
  title: "Um gateway para APIs de modelos",
  description: "Um endereço e uma chave para APIs de modelos, com a conta exata de cada chamada.",
  heading: "Uma chave para APIs de modelos e a conta exata de cada chamada",
  lead: "Os programas chegam a este gateway em {path} com qualquer cliente da OpenAI. GET /v1/models informa quais modelos uma chave pode usar.",
  prices: "Quanto custa",
  logIn: "Entrar",
  example: "Uma primeira chamada",
};

import type { HomeTexts } from "./en.ts";

export const fr: HomeTexts = {
  title: "Une passerelle vers les API de modèles",
  description: "Une adresse et une clé pour les API de modèles, avec le compte exact de chaque appel.",
  heading: "Une clé pour les API de modèles, et le compte exact de chaque appel",
  lead: "Vos programmes joignent cette passerelle à {path} avec n’importe quel client OpenAI. GET /v1/models indique les modèles ouverts à une clé.",
  prices: "Combien ça coûte",
  logIn: "Se connecter",
  example: "Un premier appel",
};

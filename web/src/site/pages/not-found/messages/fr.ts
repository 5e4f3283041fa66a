import type { NotFoundTexts } from "./en.ts";

export const fr: NotFoundTexts = {
  title: "Page introuvable",
  description: "Il n’y a pas de page à cette adresse.",
  heading: "Il n’y a pas de page à cette adresse",
  text: "Elle a peut-être été déplacée, ou l’adresse contient une faute.",
  home: "Aller à l’accueil",
  pricing: "Tarifs",
};

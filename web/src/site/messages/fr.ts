import type { FrameTexts } from "./en.ts";

export const fr: FrameTexts = {
  skip: "Aller au contenu",
  navigation: "Principale",
  menu: "Menu",
  models: "Modèles",
  pricing: "Tarifs",
  docs: "Documentation",
  enterprise: "Entreprises",
  logIn: "Se connecter",
  signUp: "Créer un compte",
  console: "Console",
  language: "Langue",
  footer: "{brand} transmet les appels aux API de modèles et tient le compte de chacun.",
  footerNavigation: "Autres pages",
  support: "Assistance",
  poweredBy: "Propulsé par {program}",
  announcement: "Annonce",
  terms: "Conditions d’utilisation",
  privacy: "Politique de confidentialité",
  imprint: "Mentions légales",
};

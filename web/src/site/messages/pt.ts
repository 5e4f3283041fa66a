import type { FrameTexts } from "./en.ts";

export const pt: FrameTexts = {
  skip: "Ir para o conteúdo",
  navigation: "Principal",
  menu: "Menu",
  models: "Modelos",
  pricing: "Preços",
  docs: "Documentação",
  enterprise: "Para empresas",
  logIn: "Entrar",
  signUp: "Criar conta",
  console: "Console",
  language: "Idioma",
  footer: "O {brand} encaminha chamadas às APIs de modelos e presta contas de cada uma.",
  footerNavigation: "Mais páginas",
  support: "Suporte",
  poweredBy: "Desenvolvido com {program}",
  announcement: "Aviso",
  terms: "Termos de serviço",
  privacy: "Política de privacidade",
  imprint: "Aviso legal",
};

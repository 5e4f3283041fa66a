import type { ContactTexts } from "./en.ts";

export const pt: ContactTexts = {
  title: "Para empresas",
  description: "Faturas, limites maiores, um multiplicador próprio: conte do que você precisa.",
  heading: "Uma proposta para sua empresa",
  lead: "Conte o que você quer rodar e em que quantidade. A resposta chega por e-mail.",
  company: "Empresa",
  contact: "Seu nome",
  email: "E-mail",
  volume: "Uso previsto",
  volumeHint: "Por exemplo: 20 milhões de tokens por dia, principalmente na Europa.",
  message: "O que mais devemos saber",
  optional: "opcional",
  send: "Enviar",
  sent: {
    title: "Obrigado",
    heading: "Seu pedido chegou",
    text: "Nós o registramos e responderemos por e-mail.",
    home: "Ir para o início",
  },
};

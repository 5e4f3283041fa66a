import type { UnavailableTexts } from "./en.ts";

export const pt: UnavailableTexts = {
  title: "Indisponível no momento",
  description: "Esta página não pode ser exibida no momento.",
  heading: "Esta página não pode ser exibida no momento",
  text: "Algo deu errado do nosso lado ou o serviço está em manutenção. Tente de novo em um minuto.",
  again: "Tentar de novo",
};

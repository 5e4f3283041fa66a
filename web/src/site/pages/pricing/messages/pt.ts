import type { PricingTexts } from "./en.ts";

export const pt: PricingTexts = {
  title: "Preços",
  description: "Planos em dólares americanos e o preço de cada modelo por milhão de tokens.",
  heading: "Quanto custa",
  lead: "Você carrega saldo e paga o que suas chamadas consomem. Cada chamada tem um recibo que pode ser recalculado.",
  plans: "Planos",
  once: "pagamento único",
  month: "por um mês",
  grants: "{amount} de saldo",
  planGroup: "Até o fim do seu mês, suas chamadas ficam no grupo {group}: cada preço × {multiplier}.",
  choose: "Escolher {plan}",
  models: "Modelos",
  perMillion: "Dólares americanos por milhão de tokens",
  model: "Modelo",
  provider: "Provedor",
  input: "Entrada",
  output: "Saída",
  cached: "Entrada em cache",
  context: "Contexto",
  noPlans: "No momento não há planos à venda.",
  noModels: "No momento não há modelos disponíveis.",
  calculator: "Quanto custaria?",
  inputTokens: "Tokens de entrada",
  outputTokens: "Tokens de saída",
  cost: "Custo",
  costNote: "Antes dos multiplicadores da conta e do grupo.",
  cachedTokens: "Tokens de entrada em cache",
  rules: {
    title: "Bom saber",
    pay: {
      title: "Pagamento",
      text: "Com cartão ou carteira digital, em dólares americanos. O valor que você vê é o valor cobrado.",
    },
    expiry: {
      title: "Quanto dura",
      text: "O saldo de um pagamento único não expira. A cota de um plano mensal termina com o mês; pagar de novo a prolonga.",
    },
    failed: {
      title: "O que é gratuito",
      text: "Chamadas que terminam em erro ou não trazem saída não custam nada.",
    },
    multiplier: {
      title: "O multiplicador",
      text: "Uma conta pode ter seu próprio multiplicador, e o grupo de uma chave também; cada preço é multiplicado pelos dois. Eles aparecem no console e valem para cada chamada, com arredondamento para cima.",
    },
  },
};

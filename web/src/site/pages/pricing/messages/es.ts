import type { PricingTexts } from "./en.ts";

export const es: PricingTexts = {
  title: "Precios",
  description: "Planes en dólares estadounidenses y el precio de cada modelo por millón de tokens.",
  heading: "Cuánto cuesta",
  lead: "Cargas saldo y pagas lo que consumen tus llamadas. Cada llamada tiene un recibo que se puede volver a calcular.",
  plans: "Planes",
  once: "pago único",
  month: "por un mes",
  grants: "{amount} de saldo",
  planGroup: "Hasta que termine tu mes, tus llamadas están en el grupo {group}: cada precio × {multiplier}.",
  choose: "Elegir {plan}",
  models: "Modelos",
  perMillion: "Dólares estadounidenses por millón de tokens",
  model: "Modelo",
  provider: "Proveedor",
  input: "Entrada",
  output: "Salida",
  cached: "Entrada en caché",
  context: "Contexto",
  noPlans: "En este momento no se ofrece ningún plan.",
  noModels: "En este momento no se ofrece ningún modelo.",
  calculator: "¿Cuánto costaría?",
  inputTokens: "Tokens de entrada",
  outputTokens: "Tokens de salida",
  cost: "Coste",
  costNote: "Antes de aplicar los multiplicadores de la cuenta y del grupo.",
  cachedTokens: "Tokens de entrada en caché",
  rules: {
    title: "Conviene saber",
    pay: {
      title: "Pago",
      text: "Con tarjeta o monedero, en dólares estadounidenses. Se cobra el importe que ves.",
    },
    expiry: {
      title: "Cuánto dura",
      text: "El saldo de un pago único no caduca. La cuota de un plan mensual termina con su mes; al pagar otra vez se prolonga.",
    },
    failed: {
      title: "Qué es gratis",
      text: "Las llamadas que terminan en error o no producen salida no cuestan nada.",
    },
    multiplier: {
      title: "El multiplicador",
      text: "Una cuenta puede tener su propio multiplicador, y también el grupo de una clave; cada precio se multiplica por ambos. Aparecen en la consola y se aplican a cada llamada, con redondeo hacia arriba.",
    },
  },
};

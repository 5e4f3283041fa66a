import { english } from "../../../../i18n/messages.ts";

export const en = english({
  title: "Pricing",
  description: "Plans in US dollars and the price of every model, per million tokens.",
  heading: "What it costs",
  lead: "You load credit and pay for what your calls use. Every call has a receipt that can be computed again.",
  plans: "Plans",
  once: "once",
  month: "for a month",
  grants: "{amount} of credit",
  choose: "Choose {plan}",
  models: "Models",
  perMillion: "US dollars per million tokens",
  model: "Model",
  provider: "Provider",
  input: "Input",
  output: "Output",
  cached: "Cached input",
  context: "Context",
  noPlans: "No plan is offered at the moment.",
  noModels: "No model is offered at the moment.",
  calculator: "What would it cost?",
  inputTokens: "Input tokens",
  outputTokens: "Output tokens",
  cost: "Cost",
  costNote: "Before the multiplier of an account.",
  cachedTokens: "Cached input tokens",
  rules: {
    title: "Good to know",
    pay: {
      title: "Payment",
      text: "By card or wallet, in US dollars. The amount that you see is the amount that is charged.",
    },
    expiry: {
      title: "How long it lasts",
      text: "Credit from a single payment has no end date. The quota of a monthly plan ends with its month; paying again extends it.",
    },
    failed: {
      title: "What is free",
      text: "Calls that end in an error or bring no output cost nothing.",
    },
    multiplier: {
      title: "The multiplier",
      text: "An account may have its own multiplier. It is shown in the console and applied to each call, rounded up to the next whole unit.",
    },
  },
});

export type PricingTexts = typeof en;

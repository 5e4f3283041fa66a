import { english } from "../../../../i18n/messages.ts";

export const en = english({
  title: "Pricing",
  description: "Plans in US dollars and the price of every model, per million tokens.",
  heading: "Pricing",
  lead: "Top up your balance and pay for what your calls use. Every call has a receipt you can check.",
  plans: "Plans",
  once: "once",
  month: "per month",
  grants: "{amount} of balance",
  grantsRate: "{amount} of balance for each {price}",
  priceRange: "{min} to {max}",
  planGroup: "Until your month ends, your calls use the group {group}: each price × {multiplier}.",
  choose: "Choose {plan}",
  models: "Models",
  perMillion: "US dollars per million tokens",
  model: "Model",
  provider: "Provider",
  input: "Input",
  output: "Output",
  cached: "Cached input",
  context: "Context",
  noPlans: "No plans are available at the moment.",
  noModels: "No models are available at the moment.",
  calculator: "What would it cost?",
  inputTokens: "Input tokens",
  outputTokens: "Output tokens",
  cost: "Cost",
  costNote: "Before the rate multipliers of your account and group.",
  cachedTokens: "Cached input tokens",
  rules: {
    title: "Good to know",
    pay: {
      title: "Payment",
      text: "By card or wallet, in US dollars. You pay the amount shown.",
    },
    expiry: {
      title: "How long it lasts",
      text: "Balance from a single payment does not expire. The balance of a monthly plan expires at the end of its month; paying again extends it.",
    },
    failed: {
      title: "What is free",
      text: "Calls that fail or produce no output cost nothing.",
    },
    multiplier: {
      title: "The rate multiplier",
      text: "An account can have its own rate multiplier, and so can the group of an API key; each price is multiplied by both. They are shown in the console and applied to each call, with the result rounded up.",
    },
  },
});

export type PricingTexts = typeof en;

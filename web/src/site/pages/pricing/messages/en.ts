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
  none: "none",
});

export type PricingTexts = typeof en;

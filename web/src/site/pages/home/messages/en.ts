import { english } from "../../../../i18n/messages.ts";

export const en = english({
  title: "A gateway to model APIs",
  description: "One address and one key for model APIs, with an exact receipt for every call.",
  heading: "One key for model APIs, with an exact receipt for every call",
  lead: "Connect any OpenAI client to this gateway at {path}. GET /v1/models lists the models your key can use.",
  prices: "See prices",
  logIn: "Log in",
  example: "Your first call",
  start: "Create an account",
  model: "Model",
  copy: "Copy",
  copied: "Copied",
  figures: {
    title: "Figures of this service",
    models: "models",
    answered: "of calls answered in 30 days",
    firstByte: "to the first byte of {model}, median over 7 days",
  },
  apis: {
    title: "Works with the APIs you already use",
    lead: "Change the address and the key; everything else stays the same.",
    api: "Interface",
    path: "Address",
    clients: "Works with",
    more: "Embeddings, images, audio, moderation",
    listing: "The models your key can use",
  },
  strip: {
    title: "Prices",
    all: "All models and prices",
    input: "Input",
    output: "Output",
    perMillion: "per million tokens",
  },
  billing: {
    title: "How billing works",
    load: {
      title: "Top up",
      text: "Choose a plan and pay by card or wallet. All prices are in US dollars.",
    },
    call: {
      title: "Call",
      text: "Each call is priced exactly from its tokens. The total is rounded up once, at the end.",
    },
    check: {
      title: "Check",
      text: "Every call has a receipt with its units and prices, so you can check it.",
    },
  },
  faq: {
    title: "Questions",
    code: {
      question: "Do I have to change my code?",
      answer:
        "Only the address and the key. OpenAI clients take {openai} as their base URL; Anthropic clients take {anthropic}.",
    },
    fail: {
      question: "What does a failed call cost?",
      answer:
        "Nothing. A call that fails or produces no output is free. If you cancel a call, you pay for what was produced before that.",
    },
    limit: {
      question: "Can I limit what a key spends?",
      answer:
        "Yes. You can give a key a budget, an expiry date, a list of models, a list of IP addresses, and limits per minute. You can revoke it at any time.",
    },
    store: {
      question: "Are my requests stored?",
      answer:
        "Requests and responses are stored encrypted for a short time, then destroyed. You can turn this off for each key. Reading one requires a reason, which is recorded.",
    },
    plan: {
      question: "What is the difference between a top-up and a monthly plan?",
      answer:
        "A top-up does not expire. A monthly plan adds balance for one month; the unused part expires with the month.",
    },
  },
});

export type HomeTexts = typeof en;

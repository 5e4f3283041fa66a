import { english } from "../../../../i18n/messages.ts";

export const en = english({
  title: "A gateway to model APIs",
  description: "One address and one key for model APIs, with exact accounts of every call.",
  heading: "One key for model APIs, and an exact account of every call",
  lead: "Programs reach this gateway at {path} with any OpenAI client. Which models a key may use, GET /v1/models says.",
  prices: "What it costs",
  logIn: "Log in",
  example: "A first call",
  start: "Create an account",
  model: "Model",
  copy: "Copy",
  copied: "Copied",
  apis: {
    title: "What your programs already speak",
    lead: "Change the address and the key; everything else stays as it is.",
    api: "Interface",
    path: "Address",
    clients: "Works with",
    more: "Embeddings, images, audio, moderation",
    listing: "The models of a key",
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
      title: "Load credit",
      text: "Choose a plan and pay by card or wallet. All prices are in US dollars.",
    },
    call: {
      title: "Call",
      text: "Each call is priced from its tokens, exactly, and rounded up once at the end.",
    },
    check: {
      title: "Check",
      text: "Every call has a receipt with its units and prices. You can compute it again.",
    },
  },
  faq: {
    title: "Questions",
    code: {
      question: "Do I have to change my code?",
      answer:
        "Only the address and the key. OpenAI clients take {openai} as their base URL, Anthropic clients take {anthropic}.",
    },
    fail: {
      question: "What does a failed call cost?",
      answer:
        "Nothing. A call that ends in an error, or brings no output, is free. If you break a call off, you pay for what was produced until then.",
    },
    limit: {
      question: "Can I limit what a key spends?",
      answer:
        "Yes. A key can have a budget, an end date, a list of models, a list of addresses, and limits per minute. It can be revoked at any time.",
    },
    store: {
      question: "Are my requests stored?",
      answer:
        "Requests and answers are kept encrypted for a short time and then destroyed. You can turn this off for each key. Nobody reads one without giving a reason that is written down.",
    },
    plan: {
      question: "What is the difference between credit and a monthly plan?",
      answer:
        "Credit stays until it is used. A monthly plan gives you quota for its month; what is left of it ends with the month.",
    },
  },
});

export type HomeTexts = typeof en;

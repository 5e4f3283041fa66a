import { english } from "../../../../i18n/messages.ts";

export const en = english({
  guides: {
    title: "Guides",
    description: "Streaming, tools, images, embeddings and structured output, with code that runs.",
    lead: "Each example runs as it is. Not every model supports every feature: if one does not, the error names the parameter.",
    streaming: "Streaming",
    streamingText: "With `stream` set to `true`, the response arrives in pieces while the model writes it.",
    streamingRule: {
      end: "A complete stream ends with `data: [DONE]`. Without it, the response is not complete.",
      usage: "`stream_options` with `include_usage: true` adds the token counts in a last chunk.",
      error:
        "If the provider fails after the first chunk, the stream ends with an error event. You pay for what was delivered.",
      cancel: "To cancel, close the connection. [Billing](/docs/billing/#free) says what a cancelled request costs.",
    },
    tools: "Tools",
    toolsText:
      "Describe functions in `tools`. When the model wants one, it sends the name and the arguments. Run it, send the result back, and the model continues.",
    toolsRule: {
      check: "Check the arguments before you run anything: a model can make mistakes.",
      limit: "Limit the number of rounds, as the example does.",
      hosted:
        "Tools that the provider runs itself, such as web search, work only if the operator has set a price for them.",
    },
    vision: "Images",
    visionText: "Send an image as a part of a message: as an `https` address or as a `data:` URL.",
    visionRule: {
      tokens: "An image is charged as input tokens. How many depends on the model and the size of the image.",
      size: "A large image makes a large request. Shrink it to the size that the model needs.",
    },
    embeddings: "Embeddings",
    embeddingsText: "Texts with similar meanings have similar vectors. Send several texts in one request.",
    embeddingsRule: {
      compare: "Compare vectors of the same model only. The greater their dot product, the closer the texts.",
      dimensions: "Some models take `dimensions` for shorter vectors.",
    },
    structured: "Structured output",
    structuredText: "With `response_format`, the response is JSON that fits your schema.",
    structuredRule: {
      cut: "If `finish_reason` is `length`, the JSON is cut off. Raise `max_tokens`.",
      older: "For models without schemas, use `json_object` and describe the fields in the prompt.",
    },
  },
  limits: {
    title: "Limits",
    description: "The size of a request, requests and tokens per minute, budgets, and what to do at a limit.",
    lead: "Limits belong to a key or to the whole account. The error says which one you have reached.",
    size: "Size of a request",
    rates: "Requests and tokens per minute",
    ratesText: "Where a limit applies, each response says how much of it is left. A limit counts over the last minute.",
    inOpenai: "OpenAI format",
    inAnthropic: "Anthropic format",
    waiting: "When a limit is reached",
  },
  troubleshooting: {
    title: "Troubleshooting",
    description: "What to check when a request fails, stops early, costs more than expected or gets another model.",
    lead: "Start with the code in the response: [Errors](/docs/errors/) explains each one. Here are the causes that are harder to see.",
    key: "The key is refused, although it is right",
    keyText:
      "Many clients take a key from the environment first, such as `OPENAI_API_KEY` or `ANTHROPIC_API_KEY`. Remove it, and try the key on its own:",
    address: "Every request gets a 404",
    addressText:
      "The base URL is wrong. It ends in `/v1` for OpenAI clients, and in `/msgcompat` for Anthropic clients, which add `/v1` themselves.",
    model: "The model does not exist",
    modelText:
      "Copy the name from the [model list](/models/): names are case-sensitive. If it is there, the key may be limited to other models. `GET /v1/models` lists what the key can use.",
    balance: "A request is refused for lack of balance, although there is some",
    balanceText:
      "Before a request, the most that it can cost is set aside. Lower `max_tokens`, or look at the budget of the key under [API keys](/console/keys/).",
    stops: "The response stops in the middle",
    stopsText:
      "If `finish_reason` is `length`, raise `max_tokens`. If the stream ends without a last event, a timeout in your client, or a proxy in between, has closed the connection.",
    late: "A stream arrives all at once",
    lateText:
      "Something in between buffers it. Turn off buffering in your proxy, or try `curl -N` from another network.",
    another: "Another model answers",
    anotherText:
      "If the key allows a fallback, `x-sluice-model-used` names the model that answered. Under `/msgcompat`, the operator can send a Claude name to another model; `/msgcompat/v1/models` lists the names.",
    cost: "A request costs more than expected",
    costText:
      "Open its receipt under [Usage](/console/usage/): it lists each price and each count. Models that think charge for it as output.",
    support: "What support needs",
    supportText: "The `x-request-id` of the response, the time, and what you expected. Never send your key.",
  },
});

export type GuideTexts = typeof en;

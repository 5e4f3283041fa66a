import { english } from "../../../../i18n/messages.ts";

export const en = english({
  title: "Errors",
  description: "Each error code: its status, what it means, whether it is charged, and what to do.",
  format: "Format",
  formatText:
    "An OpenAI client gets a `code`. The Anthropic format has none: the type and the message say what happened. Errors of a provider are passed on with its own status and message where that is safe.",
  linkText:
    'Every error response has a `Link` header with `rel="help"`: the address of the code on this page, at the operator’s public address. An error inside a stream that has begun has none.',
  inAnthropic: "Anthropic format",
  toDo: "What to do",
  group: {
    request: "The request",
    key: "Key and model",
    balance: "Balance and limits",
    provider: "The provider",
    service: "The service",
  },
  meaning: {
    path: "The path or the method does not exist, or the request is not well-formed HTTP.",
    body: "The body has a content type or a compression that is not supported.",
    slow: "The request body did not arrive in time.",
    twoKeys: "Two different keys were sent.",
    loop: "The request came back to {brand} from the provider that it was sent to.",
    internal: "Something failed on our side.",
  },
  fix: {
    request: "Correct the field that the message names.",
    path: "Compare the path and the method with the [API reference](/docs/api/).",
    body: "Send uncompressed JSON as `application/json`, or a form where the endpoint takes a file.",
    option: "Leave the option out, or ask the operator to set a price for it.",
    size: "Shorten the conversation, or send smaller images and files.",
    slow: "Check the connection and send the request again.",
    key: "Compare the key with the one under [API keys](/console/keys/), and check that your program sends it.",
    twoKeys: "Send one key. Some clients also send one from the environment, such as `ANTHROPIC_API_KEY`.",
    forbidden: "Check the limits of the key under [API keys](/console/keys/), or contact support.",
    model: "Take a name from the [model list](/models/), and check which models the key may use.",
    quota: "Top up under [Billing](/console/billing/), raise the limit of the key, or lower `max_tokens`.",
    spend: "Wait until the limit resets, or ask the operator to raise it.",
    rate: "Wait for the number of seconds in `retry-after`, send fewer requests at the same time, or raise the limit of the key.",
    providerRate: "Try again after a few seconds, or use another model.",
    rejected: "Read the provider's message. Most often, a parameter does not suit the model.",
    provider: "Try again. If it keeps happening, use another model.",
    timeout: "Try again. Turn on `stream` for long responses.",
    cut: "Send the request again, or continue from what has arrived.",
    unavailable: "Try again after the number of seconds in `retry-after`.",
    closed: "If you did not cancel it, raise the timeout of your client.",
    loop: "Report it to support.",
    internal: "Try again. If it keeps happening, give support the `x-request-id` of the response.",
  },
});

export type ErrorTexts = typeof en;

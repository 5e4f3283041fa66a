/** The request of the bench: 2,060 bytes in each dialect, with the headers that OpenAI's Python client sends. */
import type { CallDialect, LoadCall } from "./call.ts";
import type { LoadPlan } from "./plan.ts";

const BODY_BYTES = 2060;
const system = "You are a careful assistant. Answer in one short paragraph.";

type Fields = (user: { readonly role: "user"; readonly content: string }, isStream: boolean) => object;

/** A stream of chat asks for its usage, so that no gateway has to add or remove anything. */
const fieldsOf: Readonly<Record<CallDialect, Fields>> = {
  chat: (user, isStream) => ({
    messages: [{ role: "system", content: system }, user],
    temperature: 0.7,
    max_tokens: 256,
    ...(isStream ? { stream: true, stream_options: { include_usage: true } } : {}),
  }),
  responses: (user, isStream) => ({
    instructions: system,
    input: [user],
    temperature: 0.7,
    max_output_tokens: 256,
    store: false,
    ...(isStream ? { stream: true } : {}),
  }),
  messages: (user, isStream) => ({
    system,
    messages: [user],
    temperature: 0.7,
    max_tokens: 256,
    ...(isStream ? { stream: true } : {}),
  }),
};

/** The JSON body of one call. */
export function callBody({ dialect, model }: Pick<LoadCall, "dialect" | "model">, isStream: boolean): string {
  const body = (padding: string) => {
    const content = `Summarise the following text in two sentences. ${padding}`;
    return JSON.stringify({ model, ...fieldsOf[dialect]({ role: "user", content }, isStream) });
  };
  const sentence =
    "The lock keeper lifts the gate, lets the water through, writes down how much, and closes it again. ";
  return body(sentence.repeat(30).slice(0, BODY_BYTES - body("").length));
}

/** Headers of one call, which every route of Sluice takes, in the order in which they are sent; the client adds `Host` and `Content-Length`. */
export function chatHeaders(apiKey: string): [name: string, value: string][] {
  return [
    ["Accept", "application/json"],
    ["Authorization", `Bearer ${apiKey}`],
    ["Content-Type", "application/json"],
    ["User-Agent", "OpenAI/Python 1.52.0"],
    ["X-Stainless-Lang", "python"],
    ["X-Stainless-Package-Version", "1.52.0"],
    ["X-Stainless-OS", "Linux"],
    ["X-Stainless-Arch", "x64"],
    ["X-Stainless-Runtime", "CPython"],
    ["X-Stainless-Runtime-Version", "3.12.3"],
    ["X-Stainless-Retry-Count", "0"],
  ];
}

/** The whole request as sent, the same bytes for every call of a run. */
export function encodeRequest(plan: Pick<LoadPlan, "port" | "path" | "headers" | "isStream" | "call">): Buffer {
  const body = callBody(plan.call, plan.isStream);
  const lines = [
    `POST ${plan.path} HTTP/1.1`,
    `Host: 127.0.0.1:${plan.port}`,
    ...plan.headers.map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${body.length}`,
  ];
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body}`);
}

import { describe, expect, test } from "bun:test";
import { isTooLong } from "@sluice/control-plane/gateway/respond/read-upstream-error/is-too-long.ts";
import { readErrorWords } from "@sluice/messages-conversion/errors/read-error-words";

const error = (fields: object | string) => ({ error: fields });

/** What providers say to a prompt that is longer than their model reads. */
const tooLong: readonly (readonly [provider: string, body: object])[] = [
  [
    "OpenAI",
    error({ message: "Your input exceeds the context window of this model.", code: "context_length_exceeded" }),
  ],
  ["Azure", error({ message: "This model's maximum context length is 128000 tokens. However, you requested 129000." })],
  [
    "Anthropic",
    error({ type: "invalid_request_error", message: "prompt is too long: 208310 tokens > 200000 maximum" }),
  ],
  ["Anthropic", error({ message: "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000" })],
  ["Bedrock", { message: "Input is too long for requested model." }],
  [
    "Gemini",
    error({
      code: 400,
      message: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    }),
  ],
  ["Vertex", error({ code: 400, message: "The input token count is 1195206 but model only supports up to 1048576." })],
  ["xAI", error("This model's maximum prompt length is 131072 but the request contains 200000 tokens.")],
  ["Mistral", { message: "Prompt contains 40000 tokens, too large for model with 32768 maximum context length" }],
  ["Moonshot", error({ message: "Invalid request: Your request exceeded model token limit: 8192" })],
  ["DashScope", error({ message: "Range of input length should be [1, 30720]" })],
  ["SGLang", { message: "The input (9000 tokens) is longer than the model's context length (8192 tokens)." }],
  [
    "llama.cpp",
    error({ type: "exceed_context_size_error", message: "the request exceeds the available context size" }),
  ],
  ["Cohere", { message: "too many tokens: total number of tokens in the prompt cannot exceed 4081" }],
];

const other: readonly object[] = [
  error({ message: "Bad request", type: "invalid_request_error" }),
  error({ message: "max_tokens is too large: 200000. This model supports at most 16384 completion tokens." }),
  error({ message: "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 41000" }),
  error({ message: "The string 'user' is too long: at most 64 characters." }),
  {},
];

describe("an error about the length of the prompt", () => {
  test.each(tooLong)("of %s is recognised", (_provider, body) => {
    expect(isTooLong(readErrorWords(body))).toBe(true);
  });

  test.each(other.map((body) => [JSON.stringify(body), body] as const))("is not seen in %s", (_text, body) => {
    expect(isTooLong(readErrorWords(body))).toBe(false);
  });
});

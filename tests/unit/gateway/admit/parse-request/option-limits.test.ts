import { describe, expect, test } from "bun:test";
import { parseRequest } from "@sluice/control-plane/gateway/admit/parse-request.ts";
import { findOperation } from "@sluice/control-plane/gateway/operations/table.ts";

const messages = [{ role: "user", content: "hi" }];
const chatPath = "/v1/chat/completions";
const responsesPath = "/v1/responses";
const parse = (path: string, body: object) =>
  parseRequest(
    Buffer.from(JSON.stringify({ model: "m", ...inputOf(path), ...body })),
    "application/json",
    findOperation(path),
  );
const inputOf = (path: string) =>
  path === chatPath ? { messages } : path === responsesPath ? { input: "hi" } : { prompt: "hi" };

describe("the token limit of a response is the largest number that any provider could use", () => {
  const limitOf = (path: string, body: object) => parse(path, body).bounds.outputTokensMax;
  const names = [
    ...["max_tokens", "max_completion_tokens", "max_output_tokens", "max_new_tokens", "max_tokens_to_sample"],
    ...["max_gen_len", "max_length", "num_predict", "n_predict"],
  ];
  const own = {
    "/v1/chat/completions": "max_tokens",
    "/v1/responses": "max_output_tokens",
    "/v1/completions": "max_tokens",
  };

  test.each(Object.entries(own))("on %s", (path, name) => {
    expect(limitOf(path, {})).toBeNull();
    expect(limitOf(path, { [name]: 7 })).toBe(7);
    for (const other of names.filter((one) => one !== name)) {
      expect(limitOf(path, { [name]: 7, [other]: 90_000 })).toBe(90_000);
      expect(limitOf(path, { [name]: 7, [other]: 3 })).toBe(7);
      expect(() => limitOf(path, { [other]: -1 })).toThrow(`'${other}'`);
    }
    expect(limitOf(path, { [name]: 7, thinking_budget: 1_000 })).toBe(1_007);
  });

  test("is the model's if only names are given that a provider need not know", () => {
    expect(limitOf(chatPath, { max_new_tokens: 7, thinking_budget: 5 })).toBeNull();
    expect(limitOf(chatPath, { max_completion_tokens: 7 })).toBe(7);
    expect(limitOf(responsesPath, { max_tokens: 7 })).toBeNull();
  });
});

test("sampling and guidance options of self-hosted model servers pass", () => {
  const guided = {
    ...{ top_k: 5, min_p: 0.1, repetition_penalty: 1.1, length_penalty: 1, ignore_eos: true, min_tokens: 1 },
    ...{
      stop_token_ids: [1],
      chat_template_kwargs: { enable_thinking: false },
      guided_json: {},
      structured_outputs: {},
    },
    ...{ regex: "a", ebnf: "a", safety_settings: [], thinking: { type: "enabled" }, enable_thinking: true, n: 2 },
    ...{ candidate_count: 1, num_return_sequences: 1, priority: 0, documents: [], add_generation_prompt: true },
  };
  expect(parse(chatPath, guided).bounds.choices).toBe(2);
});

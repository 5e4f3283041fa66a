import { describe, expect, test } from "bun:test";
import { ConversionError, type JsonObject } from "@sluice/dialect-conversion/model";
import {
  asking,
  callChunk,
  chunk,
  completion,
  convert,
  eventsOf,
  finalOf,
} from "../../support/conversion/responses-calls.ts";

const usage = {
  prompt_tokens: 20,
  completion_tokens: 7,
  total_tokens: 27,
  prompt_tokens_details: { cached_tokens: 8 },
  completion_tokens_details: { reasoning_tokens: 3 },
};
const usageChunk = { id: "chatcmpl-1", object: "chat.completion.chunk", choices: [], usage };

describe("a whole response", () => {
  test("is the same as a streamed one", () => {
    const calls = [{ id: "a", type: "function", function: { name: "f", arguments: '{"a":1}' } }];
    const whole = convert(asking()).answers.whole(
      completion({ content: "Hello", reasoning_content: "Hm", tool_calls: calls }, "tool_calls", usage),
    );
    const streamed = eventsOf([
      chunk({ reasoning_content: "Hm" }),
      chunk({ content: "Hello" }),
      callChunk(0, { id: "a", name: "f", args: '{"a":' }),
      callChunk(0, { args: "1}" }),
      chunk({}, "tool_calls"),
      usageChunk,
    ]);
    expect(whole).toEqual(finalOf(streamed));
  });

  test("repeats what the request asked for", () => {
    const request = asking({
      ...{ instructions: "Be brief.", temperature: 0.5, max_output_tokens: 9, metadata: { a: "b" }, store: true },
      reasoning: { effort: "low" },
    });
    expect(convert(request).answers.whole(completion({ content: "Hi" }))).toMatchObject({
      object: "response",
      created_at: 1_800_000_000,
      instructions: "Be brief.",
      temperature: 0.5,
      max_output_tokens: 9,
      metadata: { a: "b" },
      store: false,
      reasoning: { effort: "low", summary: null },
      text: { format: { type: "text" } },
      tools: [],
      tool_choice: "auto",
    });
  });

  test("reads the oldest form of a call", () => {
    const message = { function_call: { name: "f", arguments: "{}" } };
    const { output } = convert(asking()).answers.whole(completion(message, "function_call"));
    expect(output).toMatchObject([{ type: "function_call", name: "f" }]);
  });

  test.each<[string, JsonObject]>([
    ["an error", { error: { message: "no" } }],
    ["no choices", { object: "list" }],
    ["an empty list of choices", { choices: [] }],
    ["a choice that was interrupted", completion({ content: "Hi" }, "error")],
  ])("is not made of %s", (_what, answer) => {
    expect(() => convert(asking()).answers.whole(answer)).toThrow(ConversionError);
  });
});

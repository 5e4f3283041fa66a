import { describe, expect, test } from "bun:test";
import type { AnswerFacts } from "@sluice/messages-conversion/answer-facts";
import type { JsonObject } from "@sluice/messages-conversion/json";
import type { ContentBlock } from "@sluice/messages-conversion/messages";
import { toMessageEvents } from "@sluice/messages-conversion/response/to-message-events";
import { toEmptyMessage, toMessagesResponse } from "@sluice/messages-conversion/response/to-messages-response";
import { toMessagesUsage } from "@sluice/messages-conversion/response/usage";
import { answerFacts, answerIds, answerTo, foldEvents, refusalOf } from "../../support/messages/messages-calls.ts";

const thinking: Partial<AnswerFacts> = { wantsThinking: true };
const said = (text: string): ContentBlock => ({ type: "text", text });
const thought = (text: string): ContentBlock => ({ type: "thinking", thinking: text, signature: "" });
const used = (id: string, input: { [field: string]: unknown } = {}, name = "f"): ContentBlock => ({
  type: "tool_use",
  id,
  name,
  input,
});
const call = (id: unknown, args: unknown = "{}", name = "f"): JsonObject => ({
  id,
  type: "function",
  function: { name, arguments: args },
});

describe("P1 P2 P3 the frame", () => {
  test("P1 P2 P3 every field is present, with the client's name for the model and one of our ids", () => {
    const completion = {
      id: "chatcmpl-shared",
      model: "upstream-model-2026",
      choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 3, completion_tokens: 1 },
    };
    expect(toMessagesResponse(completion, answerFacts(), answerIds())).toEqual({
      id: "msg_0",
      type: "message",
      role: "assistant",
      model: "claude-test",
      content: [said("hi")],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: { input_tokens: 3, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
    });
  });

  test("R15 P1 the response to a call that warms a cache is empty", () => {
    expect(toEmptyMessage(answerFacts(), answerIds())).toMatchObject({
      content: [],
      stop_reason: "max_tokens",
      usage: { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
    });
  });
});

describe("P4 P5 P6 content", () => {
  test.each<[string, JsonObject, Partial<AnswerFacts>, ContentBlock[]]>([
    [
      "P4 thinking, text, calls, in this order",
      { reasoning_content: "t", content: "a", tool_calls: [call("c1")] },
      thinking,
      [thought("t"), said("a"), used("c1")],
    ],
    ["P4 thinking in the second field", { reasoning: "t", content: "a" }, thinking, [thought("t"), said("a")]],
    [
      "P4 thinking in the third field",
      { reasoning_details: [{ type: "reasoning.text", text: "t" }, { type: "x" }, { text: "u" }], content: "a" },
      thinking,
      [thought("tu"), said("a")],
    ],
    [
      "P4 the same thinking in two fields counts once",
      { reasoning: "t", reasoning_details: [{ text: "t" }] },
      thinking,
      [thought("t")],
    ],
    ["P4 thinking that nobody asked for is left out", { reasoning_content: "t", content: "a" }, {}, [said("a")]],
    [
      "P5 parts are joined",
      {
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
      {},
      [said("ab")],
    ],
    ["P5 an empty text is not a block", { content: "" }, {}, []],
    ["P5 null is not a block", { content: null }, {}, []],
    ["P5 C3 nothing but white space is not a block", { content: "\n\n", tool_calls: [call("c1")] }, {}, [used("c1")]],
    [
      "P5 B21 text and calls are both kept, whatever the finish reason",
      { content: "a", tool_calls: [call("c1")] },
      {},
      [said("a"), used("c1")],
    ],
    [
      "P6 calls keep their order and their odd ids",
      { tool_calls: [call("functions.Bash:0"), call("functions.Bash:1")] },
      {},
      [used("functions.Bash:0"), used("functions.Bash:1")],
    ],
    [
      "P6 F10 an id that is used already, or none, is replaced",
      { tool_calls: [call("c1"), call("c1"), call(""), call(null)] },
      {},
      [used("c1"), used("toolu_1"), used("toolu_2"), used("toolu_3")],
    ],
    [
      "P6 the older form of a call",
      { content: null, function_call: { name: "f", arguments: '{"a":1}' } },
      {},
      [used("toolu_1", { a: 1 })],
    ],
    [
      "P6 a call without a type",
      { tool_calls: [{ id: "c1", function: { name: "f", arguments: "{}" } }] },
      {},
      [used("c1")],
    ],
    ["P6 a call without a name is left out", { tool_calls: [{ id: "c1", function: { arguments: "{}" } }] }, {}, []],
    [
      "P6 R12 the client's name comes back",
      { tool_calls: [call("c1", "{}", "a_b_1")] },
      { toolNames: new Map([["a_b_1", "a.b"]]) },
      [used("c1", {}, "a.b")],
    ],
    [
      "P6 a name is not corrected",
      { tool_calls: [call("c1", "{}", "not_in_tools")] },
      {},
      [used("c1", {}, "not_in_tools")],
    ],
    ["P8 a refusal is text", { content: null, refusal: "No." }, {}, [said("No.")]],
    ["C12 think tags are text", { content: "<think>t</think>a" }, thinking, [said("<think>t</think>a")]],
    [
      "C12 split_think makes them thinking",
      { content: "\n<think>t</think>a" },
      { ...thinking, splitsThinkTags: true },
      [thought("t"), said("a")],
    ],
    [
      "C12 split_think drops them if thinking was not requested",
      { content: "<think>t</think>a" },
      { splitsThinkTags: true },
      [said("a")],
    ],
  ])("%s", (_rule, message, facts, expected) => {
    expect(answerTo(message, {}, facts).content).toEqual(expected);
  });
});

describe("P7 arguments", () => {
  const deep = `{"a":${"[".repeat(3_000)}${"]".repeat(3_000)}}`;

  test.each<[string, unknown, string, JsonObject]>([
    ["P7 an object in JSON", '{"a":[1,{"b":"c"}]}', "tool_calls", { a: [1, { b: "c" }] }],
    ["P7 an empty text", "", "tool_calls", {}],
    ["P7 B34 null", null, "tool_calls", {}],
    ["P7 absent", undefined, "tool_calls", {}],
    ["P7 null in JSON", "null", "tool_calls", {}],
    ["P7 white space", " \n", "tool_calls", {}],
    ["P7 an object that is parsed already", { a: 1 }, "tool_calls", { a: 1 }],
    ["P7 an object in a text in JSON", JSON.stringify('{"a":1}'), "tool_calls", { a: 1 }],
    ["P7 the same object twice", '{"a":1}{"a":1}', "tool_calls", { a: 1 }],
    ["P7 the same object three times, in lines", '{"a":1}\n{"a":1}\n{"a":1}', "tool_calls", { a: 1 }],
    ["P7 two different objects", '{"a":1}{"b":1}', "tool_calls", { _raw: '{"a":1}{"b":1}' }],
    ["P7 text that is not JSON", "{a: 1}", "tool_calls", { _raw: "{a: 1}" }],
    ["P7 a list", "[1]", "tool_calls", { _raw: "[1]" }],
    ["P7 a list that is parsed already", [1], "tool_calls", { _raw: "[1]" }],
    ["P7 a plain text in JSON", '"ls"', "tool_calls", { _raw: '"ls"' }],
    ["P7 incomplete although no limit was reached", '{"a":"b","c":"de', "tool_calls", { _raw: '{"a":"b","c":"de' }],
    ["P7 cut by the limit: complete members are kept", '{"a":"b","c":"de', "length", { a: "b" }],
    ["P7 cut by the limit in a number", '{"a":[1,{"b":true,"c":12', "length", { a: [1, { b: true }] }],
    ["P7 cut by the limit after a key", '{"a":1,"b":', "length", { a: 1 }],
    ["P7 cut by the limit in an escape", '{"a":1,"b":"\\u00', "length", { a: 1 }],
    ["P7 cut by the limit at once", "{", "length", {}],
    ["P7 cut by the limit and not an object", '"abc', "length", {}],
    ["P7 complete in spite of the limit", '{"a":1}', "length", { a: 1 }],
    ["P7 nested too deep", deep, "tool_calls", { _raw: deep }],
  ])("%s", (_rule, args, reason, expected) => {
    const { content } = answerTo({ tool_calls: [call("c1", args)] }, { finish_reason: reason });
    expect(content).toEqual([used("c1", expected as { [field: string]: unknown })]);
  });
});

describe("P8 stop_reason", () => {
  const calls = [call("c1")];

  test.each<[string, JsonObject, JsonObject, string]>([
    ["P8 stop", { content: "a" }, { finish_reason: "stop" }, "end_turn"],
    ["P8 length", { content: "a" }, { finish_reason: "length" }, "max_tokens"],
    ["P8 content_filter", { content: "a" }, { finish_reason: "content_filter" }, "refusal"],
    ["P8 tool_calls", { tool_calls: calls }, { finish_reason: "tool_calls" }, "tool_use"],
    ["P8 B21 stop with calls", { tool_calls: calls }, { finish_reason: "stop" }, "tool_use"],
    ["P8 null with calls", { tool_calls: calls }, { finish_reason: null }, "tool_use"],
    ["P8 length with calls", { tool_calls: calls }, { finish_reason: "length" }, "max_tokens"],
    ["P8 content_filter with calls", { tool_calls: calls }, { finish_reason: "content_filter" }, "refusal"],
    ["P8 tool_calls without calls", { content: "a" }, { finish_reason: "tool_calls" }, "end_turn"],
    ["P8 function_call without calls", { content: "a" }, { finish_reason: "function_call" }, "end_turn"],
    ["P8 null", { content: "a" }, { finish_reason: null }, "end_turn"],
    ["P8 empty", { content: "a" }, { finish_reason: "" }, "end_turn"],
    ["P8 unknown", { content: "a" }, { finish_reason: "eos" }, "end_turn"],
    ["P8 a refusal", { refusal: "No." }, { finish_reason: "stop" }, "refusal"],
    [
      "P8 a stop text that nobody asked for",
      { content: "a" },
      { finish_reason: "stop", stop_reason: "###" },
      "end_turn",
    ],
    ["P8 a stop token", { content: "a" }, { finish_reason: "stop", stop_reason: 128_009 }, "end_turn"],
  ])("%s", (_rule, message, choice, expected) => {
    expect(answerTo(message, choice)).toMatchObject({ stop_reason: expected, stop_sequence: null });
  });

  test("P8 the stop sequence is returned if the upstream reports it", () => {
    const message = answerTo(
      { content: "a" },
      { finish_reason: "stop", stop_reason: "END" },
      { stopSequences: ["X", "END"] },
    );
    expect(message).toMatchObject({ stop_reason: "stop_sequence", stop_sequence: "END" });
  });

  test("P8 error is a failure of the upstream", () => {
    expect(refusalOf(() => answerTo({ content: "a" }, { finish_reason: "error" }))).toMatchObject({
      status: 502,
      type: "api_error",
    });
  });
});

describe("P9 usage", () => {
  const counts = (input: number, output: number, read = 0, written = 0) => ({
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
  });

  test.each<[string, unknown, object]>([
    ["P9 plain", { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }, counts(10, 5)],
    [
      "P9 cached tokens count once",
      { prompt_tokens: 100, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 80 } },
      counts(20, 5, 80),
    ],
    [
      "P9 B16 a prompt that is cached almost whole",
      { prompt_tokens: 15_305, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 15_104 } },
      counts(201, 1, 15_104),
    ],
    [
      "P9 B17 written tokens count once",
      {
        prompt_tokens: 100,
        completion_tokens: 1,
        prompt_tokens_details: { cached_tokens: 50, cache_write_tokens: 30 },
      },
      counts(20, 1, 50, 30),
    ],
    [
      "P9 cached tokens in another field",
      { prompt_tokens: 100, completion_tokens: 1, prompt_cache_hit_tokens: 60 },
      counts(40, 1, 60),
    ],
    [
      "P9 written tokens in another field",
      { prompt_tokens: 100, completion_tokens: 1, cache_creation_tokens: 60 },
      counts(40, 1, 0, 60),
    ],
    [
      "P9 never below zero, and no part above the whole",
      { prompt_tokens: 10, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 80 } },
      counts(0, 1, 10),
    ],
    [
      "P9 what was read leaves the rest for what was written",
      { prompt_tokens: 10, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 8, cache_write_tokens: 8 } },
      counts(0, 1, 8, 2),
    ],
    [
      "P9 no more thinking than output",
      { prompt_tokens: 1, completion_tokens: 2, completion_tokens_details: { reasoning_tokens: 4 } },
      { ...counts(1, 2), output_tokens_details: { thinking_tokens: 2 } },
    ],
    [
      "P9 thinking is counted separately and is part of the output",
      { prompt_tokens: 1, completion_tokens: 9, completion_tokens_details: { reasoning_tokens: 4 } },
      { ...counts(1, 9), output_tokens_details: { thinking_tokens: 4 } },
    ],
    ["P9 B32 no usage is zeros", undefined, counts(0, 0)],
    ["P9 null is zeros", null, counts(0, 0)],
    [
      "P9 what is not a number counts as zero",
      { prompt_tokens: "10", completion_tokens: -1, prompt_tokens_details: null },
      counts(0, 0),
    ],
  ])("%s", (_rule, usage, expected) => {
    expect(toMessagesUsage(usage)).toEqual(expected as never);
  });
});

describe("P10 invalid responses", () => {
  test.each<[string, unknown]>([
    ["P10 no choices", { choices: [] }],
    ["P10 choices missing", { id: "x" }],
    ["P10 no message", { choices: [{ index: 0 }] }],
    ["P10 not an object", "<html>"],
    ["P10 null", null],
  ])("%s", (_rule, completion) => {
    expect(refusalOf(() => toMessagesResponse(completion, answerFacts(), answerIds()))).toMatchObject({
      status: 502,
      type: "api_error",
    });
  });

  test("P10 an error with a successful status is an error", () => {
    const completion = { error: { message: "slow down", code: "rate_limit_exceeded" } };
    expect(refusalOf(() => toMessagesResponse(completion, answerFacts(), answerIds()))).toMatchObject({
      status: 429,
      type: "rate_limit_error",
    });
  });

  test("P10 only the first choice counts", () => {
    const choice = (content: string) => ({ message: { content }, finish_reason: "stop" });
    const message = toMessagesResponse({ choices: [choice("a"), choice("b")] }, answerFacts(), answerIds());
    expect(message.content).toEqual([said("a")]);
  });
});

test("a complete response sent as a stream is the same message", () => {
  const message = answerTo(
    { reasoning_content: "t", content: "a", tool_calls: [call("c1", '{"a":1}'), call("c2")] },
    { finish_reason: "tool_calls" },
    thinking,
  );
  const { content, stop_reason, usage, isStopped } = foldEvents(toMessageEvents(message));
  expect({ content, stop_reason, usage, isStopped } as unknown).toEqual({
    content: message.content,
    stop_reason: "tool_use",
    usage: message.usage,
    isStopped: true,
  });
  expect(foldEvents(toMessageEvents(toEmptyMessage(answerFacts(), answerIds())))).toMatchObject({
    content: [],
    stop_reason: "max_tokens",
  });
});

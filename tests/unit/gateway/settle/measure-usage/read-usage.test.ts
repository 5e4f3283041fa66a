import { describe, expect, test } from "bun:test";
import { readAnswer, usageOf } from "@sluice/control-plane/gateway/settle/measure-usage/read-usage.ts";
import { KnownTail } from "@sluice/control-plane/gateway/usage-count/known-tail.ts";
import type { ReportedUnits } from "@sluice/control-plane/gateway/usage-count/units.ts";
import { noUnits } from "@sluice/control-plane/models/units.ts";
import { PacketPart } from "@sluice/http-client/packet-part";
import { toMessagesUsage } from "@sluice/messages-conversion/response/usage";
import fc from "fast-check";
import { processorMsOf } from "../../../../support/values/processor-time.ts";

const numRuns = process.env["TEST_FULL"] === "1" ? 20_000 : 600;
const units = (more: Partial<ReportedUnits>): ReportedUnits => ({ ...noUnits, ...more });
const answerOf = (fields: object) => Buffer.from(JSON.stringify(fields));
const both = { inputTokens: 7, outputTokens: 5 };
const chat = { prompt_tokens: 7, completion_tokens: 5 };
const responses = { input_tokens: 7, output_tokens: 5 };

const spellings: readonly [string, object, Partial<ReportedUnits>][] = [
  ["chat completions", { ...chat, total_tokens: 12 }, both],
  ["responses and images", { ...responses, total_tokens: 12 }, both],
  ["embeddings", { prompt_tokens: 7, total_tokens: 7 }, { inputTokens: 7 }],
  [
    "cached and reasoning tokens of chat completions",
    { ...chat, prompt_tokens_details: { cached_tokens: 4 }, completion_tokens_details: { reasoning_tokens: 3 } },
    { ...both, cacheReadTokens: 4, reasoningTokens: 3 },
  ],
  [
    "cached and reasoning tokens of responses",
    {
      ...responses,
      input_tokens_details: { cached_tokens: 4, cache_write_tokens: 2 },
      output_tokens_details: { reasoning_tokens: 3 },
    },
    { ...both, cacheReadTokens: 4, cacheWriteTokens: 2, reasoningTokens: 3 },
  ],
  ["cached tokens of DeepSeek", { ...chat, prompt_cache_hit_tokens: 6 }, { ...both, cacheReadTokens: 6 }],
  [
    "cached tokens of DeepSeek beside an empty count of others",
    { ...chat, prompt_tokens_details: { cached_tokens: 0 }, prompt_cache_hit_tokens: 6 },
    { ...both, cacheReadTokens: 6 },
  ],
  [
    "written tokens of routers",
    { ...chat, prompt_tokens_details: { cached_tokens: 4, cache_creation_tokens: 2 } },
    { ...both, cacheReadTokens: 4, cacheWriteTokens: 2 },
  ],
  ["written tokens beside the details", { ...chat, cache_creation_tokens: 2 }, { ...both, cacheWriteTokens: 2 }],
  ["cached tokens of Moonshot", { ...chat, cached_tokens: 6 }, { ...both, cacheReadTokens: 6 }],
  ["cached tokens of Mistral", { ...chat, num_cached_tokens: 6 }, { ...both, cacheReadTokens: 6 }],
  [
    "written tokens of Qwen",
    { ...chat, prompt_tokens_details: { cached_tokens: 4, cache_creation_input_tokens: 2 } },
    { ...both, cacheReadTokens: 4, cacheWriteTokens: 2 },
  ],
  [
    "reasoning tokens beside the details",
    { ...chat, total_tokens: 12, reasoning_tokens: 3 },
    { ...both, reasoningTokens: 3 },
  ],
  [
    "what research of Perplexity read and thought beside the response",
    { ...chat, total_tokens: 12, citation_tokens: 20, num_search_queries: 2, reasoning_tokens: 70 },
    { inputTokens: 27, outputTokens: 75, reasoningTokens: 70, searches: 2 },
  ],
  ["searches of routers", { ...chat, server_tool_use: { web_search_requests: 4 } }, { ...both, searches: 4 }],
  ["the length of a transcription", { type: "duration", seconds: 2.0004 }, { audioMs: 2001 }],
  ["no length of a transcription", { type: "duration", seconds: -0 }, { audioMs: 0 }],
  ["the tokens of a transcription", { type: "tokens", ...responses, input_token_details: { audio_tokens: 7 } }, both],
  ["details that are null", { ...chat, prompt_tokens_details: null }, both],
  [
    "parts that are more than the whole",
    {
      ...chat,
      prompt_tokens_details: { cached_tokens: 90, cache_write_tokens: 90 },
      completion_tokens_details: { reasoning_tokens: 90 },
    },
    { ...both, cacheReadTokens: 7, reasoningTokens: 5 },
  ],
  [
    "reasoning tokens beside the tokens of the response, as the total shows",
    { ...chat, total_tokens: 32, completion_tokens_details: { reasoning_tokens: 20 } },
    { ...both, outputTokens: 25, reasoningTokens: 20 },
  ],
  [
    "a total that other tokens explain",
    { ...chat, total_tokens: 40, completion_tokens_details: { reasoning_tokens: 3 } },
    { ...both, reasoningTokens: 3 },
  ],
  ["invalid counts", { prompt_tokens: -7, completion_tokens: 1.5 }, { isOdd: true }],
  ["a text beside a number", { prompt_tokens: "7", completion_tokens: 5 }, { outputTokens: 5, isOdd: true }],
  ["a text in place of the output", { ...chat, completion_tokens: "5" }, { inputTokens: 7, isOdd: true }],
  ["no output at all", { ...chat, completion_tokens: null }, { inputTokens: 7 }],
];

describe("the usage of a response", () => {
  test.each(spellings)("is read in the format of %s, from a response and from an event", (_name, usage, expected) => {
    const answer = { id: "x", choices: [{ message: { content: "text" } }], usage, system_fingerprint: "fp" };
    expect(readAnswer(answerOf(answer)).usage).toEqual(units(expected));
    expect(usageOf({ choices: [], usage })).toEqual(units(expected));
    expect(usageOf({ type: "response.completed", response: { output: [], usage } })).toEqual(units(expected));
    expect(usageOf({ choices: [{ delta: {}, usage }] })).toEqual(units(expected));
    expect(usageOf({ choices: [], x_groq: { id: "x", usage } })).toEqual(units(expected));
  });

  const sold = spellings.filter(([, , { isOdd, audioMs }]) => isOdd !== true && audioMs === undefined);
  test.each(sold)("is shown by the Messages API as it is charged, in the spelling of %s", (_name, usage, expected) => {
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = units(expected);
    expect(toMessagesUsage(usage)).toEqual({
      input_tokens: Number(inputTokens) - Number(cacheReadTokens) - Number(cacheWriteTokens),
      output_tokens: Number(outputTokens),
      cache_creation_input_tokens: Number(cacheWriteTokens),
      cache_read_input_tokens: Number(cacheReadTokens),
      ...(reasoningTokens > 0 ? { output_tokens_details: { thinking_tokens: Number(reasoningTokens) } } : {}),
    });
  });

  test.each([
    ["nothing", undefined],
    ["null", null],
    ["an empty object", {}],
    ["an object that counts nothing", { total: 7, note: "tokens" }],
    ["a text", "prompt_tokens"],
    ["a list", [7, 5]],
  ])("that is %s is null", (_what, usage) => {
    expect(readAnswer(answerOf({ choices: [], usage }))).toMatchObject({ usage: null, isObject: true });
    expect(usageOf({ choices: [], usage })).toBeNull();
  });

  const planted = { prompt_tokens: 1, completion_tokens: 1 };
  const long = [{ message: { content: "x".repeat(20_000) } }];
  test.each([
    ["first", { usage: chat, choices: long }],
    ["last", { choices: long, usage: chat }],
    ["before a tool that has a usage of its own", { usage: chat, tools: [{ parameters: { usage: planted } }] }],
    ["after a tool that has a usage of its own", { tools: [{ usage: planted }], usage: chat }],
    ["before metadata", { usage: chat, metadata: { usage: planted } }],
    ["before a text that looks like it", { usage: chat, note: `,"usage":${JSON.stringify(planted)}}` }],
    ["after a text that ends like its name", { note: '\\"usage', usage: chat }],
    ["before a text that ends like its name", { usage: chat, note: 'the "usage' }],
    ["beside braces in a text", { usage: { ...chat, note: '}}}{{"' }, note: "}}}" }],
  ])("is its own when it is %s", (_where, answer) => {
    expect(readAnswer(answerOf(answer)).usage).toEqual(units(both));
  });

  test.each([
    ["a tool", { choices: [], tools: [{ parameters: { usage: planted } }] }],
    ["metadata", { choices: [], metadata: { usage: planted } }],
    ["a message", { choices: [{ message: { content: "", usage: planted } }] }],
    ["a text", { choices: [{ message: { content: `"usage":${JSON.stringify(planted)}` } }] }],
  ])("is not found inside %s", (_where, answer) => {
    expect(readAnswer(answerOf(answer)).usage).toBeNull();
    expect(usageOf(answer)).toBeNull();
    expect(usageOf({ type: "response.completed", response: answer })).toBeNull();
  });

  test("is what the runtime finds at the top level of the response, whatever is around it", () => {
    const tokens = fc.record({ prompt_tokens: fc.nat(), completion_tokens: fc.nat() });
    const anyUsage = fc.oneof(tokens, fc.constantFrom(null, {}, "usage", [chat]));
    const decoy = fc.oneof(
      fc.constantFrom('"usage":{"prompt_tokens":9}', '\\"usage', "}", "{", '"', "\\", '"usage'),
      fc.json({ maxDepth: 2 }),
    );
    const nested = fc.record({ usage: tokens, text: decoy, more: fc.jsonValue({ maxDepth: 2 }) });
    const member = fc.tuple(
      fc.constantFrom<string>("a", "usage ", "data", "metadata", "usages"),
      fc.oneof(decoy, nested),
    );
    const anyAnswer = fc
      .tuple(fc.array(member, { maxLength: 4 }), anyUsage, fc.nat({ max: 4 }))
      .map(([members, usage, at]) => Object.fromEntries(members.toSpliced(at, 0, ["usage", usage as never])));
    fc.assert(
      fc.property(anyAnswer, fc.constantFrom(0, 1, 2), (answer, indent) => {
        const expected = usageOf({ usage: (answer as Record<string, unknown>)["usage"] });
        expect(readAnswer(Buffer.from(JSON.stringify(answer, null, indent))).usage).toEqual(expected);
      }),
      { numRuns },
    );
  });

  test("is read from the end of a response that shows a result; any other is read completely", () => {
    const item = [{ message: { content: 'a "choices":[ list' } }];
    const isParsed = (answer: object) => readAnswer(answerOf(answer), "choices").json !== null;
    expect(isParsed({ choices: item, usage: chat })).toBe(false);
    expect(isParsed({ tools: [{ choices: "none" }], choices: item, usage: chat })).toBe(false);
    for (const answer of [{}, { choices: [] }, { choices: null }, { text: '"choices":[1]' }]) {
      expect(isParsed({ ...answer, usage: chat })).toBe(true);
      expect(readAnswer(answerOf({ ...answer, usage: chat }), "choices").usage).toEqual(units(both));
    }
  });

  test("of a truncated response is null, and the response is not an object", () => {
    const whole = answerOf({ choices: [{ message: { content: 'a "usage" {}' } }], usage: chat, object: "x" });
    for (let length = 0; length < whole.length; length += 1) {
      expect(readAnswer(whole.subarray(0, length))).toEqual({ usage: null, json: null, isObject: false });
    }
    expect(readAnswer(Buffer.concat([whole, Buffer.from("\r\n ")])).isObject).toBe(true);
    expect(readAnswer(Buffer.concat([whole, Buffer.from("}")])).isObject).toBe(false);
  });

  test("is that of the response alone, whatever is around it in its packet", () => {
    const other = answerOf({ choices: [{}], usage: { prompt_tokens: 1_000, completion_tokens: 1_000 } });
    const partOf = (body: Buffer) =>
      new PacketPart(Buffer.concat([other, body, other]), other.length, other.length + body.length);
    for (const tail of [null, new KnownTail()]) {
      for (let twice = 0; twice < 2; twice += 1) {
        const whole = partOf(answerOf({ choices: [{}], usage: chat }));
        expect(readAnswer(whole, "choices", "chat", tail)).toEqual({ usage: units(both), json: null, isObject: true });
      }
      expect(readAnswer(partOf(answerOf({ choices: [{}] })), "choices", "chat", tail).usage).toBeNull();
      expect(readAnswer(partOf(answerOf({ usage: chat })), "choices", "chat", tail).json).toEqual({ usage: chat });
      for (const text of ["", "{", "{}", '"usage"']) {
        expect(readAnswer(partOf(Buffer.from(text)), "choices", "chat", tail).usage).toBeNull();
      }
    }
  });

  test("takes no longer for a body full of decoys", () => {
    const decoys = Buffer.from(`{"a":[${'{"usage":{"b":1}},'.repeat(200_000)}1]}`);
    // The time of one parse; scanning from each of them to the end would take minutes.
    expect(processorMsOf(() => expect(readAnswer(decoys).usage).toBeNull())).toBeLessThan(2_000);
  });
});

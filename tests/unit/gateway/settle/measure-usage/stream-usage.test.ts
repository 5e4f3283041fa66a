import { describe, expect, test } from "bun:test";
import { readAnswer } from "@sluice/control-plane/gateway/settle/measure-usage/read-usage.ts";
import type { ReportedUnits } from "@sluice/control-plane/gateway/usage-count/units.ts";
import { noUnits } from "@sluice/control-plane/models/units.ts";
import { reportedBy } from "../../../../support/calls/reported-usage.ts";

const units = (more: Partial<ReportedUnits>): ReportedUnits => ({ ...noUnits, ...more });
const json = (value: unknown) => Buffer.from(JSON.stringify(value));

describe("the usage of the Messages API", () => {
  const start = {
    type: "message_start",
    message: {
      usage: {
        ...{ input_tokens: 20, output_tokens: 3, cache_read_input_tokens: 18_000, cache_creation_input_tokens: 500 },
        ...{ cache_creation: { ephemeral_5m_input_tokens: 500 }, server_tool_use: null },
      },
    },
  };
  const input = { inputTokens: 18_520, cacheReadTokens: 18_000, cacheWriteTokens: 500 };
  const delta = (usage: object) => ({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage });
  const streamed = (...events: Record<string, unknown>[]) => reportedBy(events, "messages");

  test("counts what was read fresh, from a cache, and into a cache each by itself", () => {
    const { usage } = start.message;
    const said = { type: "message", content: [{ type: "text", text: "x" }], stop_reason: "end_turn" };
    const answer = { ...said, usage };
    const expected = units({ ...input, outputTokens: 3 });
    expect(readAnswer(json(answer), "content", "messages")).toEqual({ usage: expected, json: null, isObject: true });
    expect(readAnswer(json({ usage, ...said, context: { usage: {} } }), "content", "messages").usage).toEqual(expected);
  });

  test("tells apart what was written for minutes and for an hour, and counts searches", () => {
    const written = { cache_creation_input_tokens: 500, input_tokens: 1, output_tokens: 2 };
    const split = { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 400 };
    const usage = { ...written, cache_creation: split, server_tool_use: { web_search_requests: 3 } };
    const expected = {
      inputTokens: 501,
      outputTokens: 2,
      cacheWriteTokens: 100,
      cacheWrite1hTokens: 400,
      searches: 3,
    };
    expect(readAnswer(json({ content: [], usage }), null, "messages").usage).toEqual(units(expected));
    const { cache_creation_input_tokens: _, ...parts } = usage;
    expect(readAnswer(json({ content: [], usage: parts }), null, "messages").usage).toEqual(units(expected));
    const end = delta({
      output_tokens: 2,
      cache_creation_input_tokens: 500,
      server_tool_use: { web_search_requests: 3 },
    });
    const begin = { type: "message_start", message: { usage: { ...usage, server_tool_use: null } } };
    expect(streamed(begin, end)).toEqual(units(expected));
  });

  test("of a stream that was cut counts what was read, and no first guess of the output", () => {
    expect(streamed(start)).toEqual(units({ ...input, isInputOnly: true }));
  });

  test.each([
    ["left out", {}],
    ["null", { input_tokens: null, cache_read_input_tokens: null, cache_creation_input_tokens: null }],
    ["zero", { input_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }],
    ["repeated", { input_tokens: 20, cache_read_input_tokens: 18_000, cache_creation_input_tokens: 500 }],
  ])("keeps the input of the start when the end has it %s", (_how, again) => {
    const thinking = { output_tokens: 90, output_tokens_details: { thinking_tokens: 40 } };
    expect(streamed(start, delta({ ...again, ...thinking }))).toEqual(
      units({ ...input, outputTokens: 90, reasoningTokens: 40 }),
    );
  });

  test("takes the last of several reports, and never their sum", () => {
    const reports = [10, 40, 90].map((output_tokens) => delta({ output_tokens, input_tokens: 25 }));
    expect(streamed(start, ...reports)).toEqual(units({ ...input, inputTokens: 18_525, outputTokens: 90 }));
  });

  test("counts input that only the end of the stream names", () => {
    const empty = { type: "message_start", message: { usage: { input_tokens: 0, output_tokens: 0 } } };
    expect(streamed(empty, delta({ input_tokens: 12, cache_read_input_tokens: 4, output_tokens: 5 }))).toEqual(
      units({ inputTokens: 16, cacheReadTokens: 4, outputTokens: 5 }),
    );
  });

  test("adds a compaction to the totals, which are without it", () => {
    const usage = {
      ...{ input_tokens: 23_000, output_tokens: 1_000 },
      iterations: [
        { type: "compaction", input_tokens: 180_000, cache_read_input_tokens: 7, output_tokens: 3_500 },
        { type: "message", input_tokens: 23_000, output_tokens: 1_000 },
      ],
    };
    const expected = units({ inputTokens: 203_007, cacheReadTokens: 7, outputTokens: 4_500 });
    expect(readAnswer(json({ content: [], usage }), null, "messages").usage).toEqual(expected);
    expect(streamed(start, delta({ ...usage, cache_read_input_tokens: null }))).toEqual(
      units({ ...expected, inputTokens: 221_507, cacheReadTokens: 18_007, cacheWriteTokens: 500 }),
    );
    const twice = delta({ output_tokens: 1_001, cache_creation_input_tokens: null });
    expect(streamed(delta(usage), twice)).toEqual(units({ ...expected, outputTokens: 4_501 }));
  });

  test("that is impossible is marked", () => {
    expect(streamed(start, delta({ output_tokens: -1 }))).toMatchObject({ isOdd: true });
    expect(streamed(delta({ output_tokens: 1.5, input_tokens: 3 }))).toMatchObject({ isOdd: true, inputTokens: 3 });
  });

  test("is not found in other events, nor in a report that counts nothing", () => {
    expect(streamed({ type: "content_block_delta", usage: { input_tokens: 7 } }, delta({}))).toBeNull();
  });
});

describe("the usage of the Gemini API", () => {
  const usageMetadata = {
    ...{ promptTokenCount: 100, cachedContentTokenCount: 60, toolUsePromptTokenCount: 5 },
    ...{ candidatesTokenCount: 20, thoughtsTokenCount: 30, totalTokenCount: 155 },
  };
  const expected = units({ inputTokens: 105, cacheReadTokens: 60, outputTokens: 50, reasoningTokens: 30 });

  test("counts thoughts as output, and results of tools as input", () => {
    const said = { candidates: [{ content: { parts: [{ text: "x" }] } }], modelVersion: "g" };
    const answer = { ...said, usageMetadata };
    expect(readAnswer(json(answer), "candidates", "gemini")).toEqual({ usage: expected, json: null, isObject: true });
    expect(readAnswer(json({ usageMetadata, ...said }), "candidates", "gemini").usage).toEqual(expected);
  });

  test("of a stream is that of its last event", () => {
    const first = { usageMetadata: { promptTokenCount: 90, totalTokenCount: 90 } };
    expect(reportedBy([first], "gemini")).toEqual(units({ inputTokens: 90, isInputOnly: true }));
    expect(reportedBy([first, { usageMetadata }, { candidates: [] }], "gemini")).toEqual(expected);
  });

  test("takes an answer that is not counted from the total", () => {
    const { candidatesTokenCount: _, ...rest } = usageMetadata;
    expect(reportedBy([{ usageMetadata: rest }], "gemini")).toEqual(expected);
  });

  test("that is impossible is marked, and nothing is null", () => {
    expect(reportedBy([{ usageMetadata: { promptTokenCount: -1 } }], "gemini")).toMatchObject({ isOdd: true });
    expect(reportedBy([{ usageMetadata: { trafficType: "ON_DEMAND" } }], "gemini")).toBeNull();
  });
});

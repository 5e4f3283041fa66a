import { describe, expect, test } from "bun:test";
import type { ParsedRequest, RequestBounds } from "@sluice/control-plane/gateway/model.ts";
import { DeliveredCount } from "@sluice/control-plane/gateway/settle/measure-usage/count-delivered.ts";
import { readAnswer } from "@sluice/control-plane/gateway/settle/measure-usage/read-usage.ts";
import { measureAnswer, measureStream, StreamMeter } from "@sluice/control-plane/gateway/settle/measure-usage.ts";
import type { StreamedResponse } from "@sluice/control-plane/gateway/usage-count/model.ts";
import { noUnits, type Units } from "@sluice/control-plane/models/units.ts";
import { operationOf, type ShortName } from "../../../support/calls/operations.ts";
import { reportedBy } from "../../../support/calls/reported-usage.ts";

const bounds: RequestBounds = {
  ...{ inputTokensMax: 400, isOneContext: true, inputImages: 0, outputTokensMax: null, choices: 1 },
  ...{ outputImages: 0, audioMs: 0, characters: 0, inputPages: 0, fileLetters: 0 },
};
const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const body = json({ messages: [{ role: "user", content: "a".repeat(1_000) }] });
const request: ParsedRequest = {
  ...{ model: "m", isStream: true, wantsUsage: false, bounds, body, inputBytes: body.length },
  ...{ contentType: null, pictureOption: null, plainBody: null, modelPlace: null, cacheKey: null, dropped: null },
};
const held: Units = { ...noUnits, inputTokens: 100_000, outputTokens: 100_000 };
const most: Units = { ...noUnits, inputTokens: 300_000, outputTokens: 150_000 };
const limits = { held, most };
const price = { input: 1, output: 1, image: 0, audio: 0, search: 0 };
const words = { choices: [{ delta: { content: "four words of text" } }] };
const free = { units: noUnits, usageSource: "none", isImplausible: false } as const;

function deliveredOf(event: Record<string, unknown>) {
  const count = new DeliveredCount();
  count.add(event);
  return count.delivered;
}

const streamed = (answer: Partial<StreamedResponse>) =>
  measureStream({
    ...{
      operation: operationOf("chat"),
      end: "completed",
      reported: null,
      delivered: deliveredOf({}),
      request,
      limits,
      price,
    },
    ...{ isReportEarly: false, isFiltered: false, pieces: [], bytesSent: 10, ...answer },
  });
const answered = (value: unknown) =>
  measureAnswer(json(value), { operation: operationOf("chat"), request, limits, price });
const told = (usage: unknown) => reportedBy([{ choices: [], usage }]);

describe("a client that leaves", () => {
  test("owes the input by our count if the provider reported an invalid count", () => {
    for (const prompt of [-5, 90_000]) {
      const left = streamed({ end: "aborted", reported: told({ prompt_tokens: prompt, completion_tokens: 4.5 }) });
      expect(left).toMatchObject({ usageSource: "estimated", isImplausible: true });
      expect([left.units.inputTokens >= 200, left.units.inputTokens < 220]).toEqual([true, true]);
    }
  });

  test("owes no more than was set aside, as far as nobody counted", () => {
    const tight = { most, held: { ...noUnits, inputTokens: 3, outputTokens: 2 } };
    const left = streamed({ end: "aborted", limits: tight, delivered: deliveredOf(words) });
    expect(left.units).toEqual(tight.held);
  });

  test("owes nothing for words that came after it had left, except what the provider reported for them", () => {
    const meter = new StreamMeter({ tick: () => 0 }, "chat");
    meter.add(words, false);
    expect(meter.heard.delivered.outputTokens).toBe(0);
    meter.add({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 4 } }, false);
    expect(meter.heard.reported).toMatchObject({ inputTokens: 7, outputTokens: 4 });
  });
});

describe("usage that came before the end of the text", () => {
  const early = { prompt_tokens: 7, completion_tokens: 1 };
  const heardOf = (...events: Record<string, unknown>[]) => {
    const meter = new StreamMeter({ tick: () => 0 }, "chat");
    for (const event of events) {
      meter.add(event, true);
    }
    return meter.heard;
  };
  const first = { choices: [{ delta: { role: "assistant" } }], usage: early };

  test.each(["completed", "failed", "aborted"] as const)(
    "counts the input of a stream that %s, and not its output",
    (end) => {
      expect(streamed({ ...heardOf(first, words, words), end })).toMatchObject({
        ...{ usageSource: "estimated", isImplausible: false },
        units: { inputTokens: 7, outputTokens: 8 },
      });
    },
  );

  test("counts where our own count says less, and where it came with the last text or later", () => {
    for (const [events, outputTokens] of [
      [[{ ...first, usage: { ...early, completion_tokens: 90 } }, words], 90],
      [[words, { ...words, usage: early }], 1],
      [[words, { choices: [], usage: early }], 1],
    ] as const) {
      const charged = { usageSource: "provider", units: { inputTokens: 7, outputTokens } };
      expect(streamed(heardOf(...events))).toMatchObject(charged);
    }
  });

  test("adds no more to it than was set aside", () => {
    const tight = { most, held: { ...held, outputTokens: 5 } };
    const charged = streamed({ ...heardOf(first, words, words), limits: tight });
    expect(charged.units).toMatchObject({ inputTokens: 7, outputTokens: 5 });
  });
});

describe("a response that broke off", () => {
  const reported = { ...noUnits, inputTokens: 1_234 };

  test("is charged by our count while the provider has named no output", () => {
    const cut = streamed({ end: "failed", reported, delivered: deliveredOf(words) });
    expect(cut).toMatchObject({ usageSource: "estimated", units: { outputTokens: 4 } });
    expect(cut.units.inputTokens).toBeLessThan(220);
  });

  test("is free when none of it was sent", () => {
    expect(streamed({ end: "failed", reported, delivered: deliveredOf(words), bytesSent: 0 })).toEqual(free);
  });
});

describe("a stream of the Messages API", () => {
  const usage = { input_tokens: 20, cache_read_input_tokens: 18_000, output_tokens: 2 };
  const start = { type: "message_start", message: { type: "message", content: [], usage } };
  const delta = { type: "text_delta", text: "four words of text" };
  const said = { type: "content_block_delta", index: 0, delta };
  const input = { inputTokens: 18_020, cacheReadTokens: 18_000 };
  const heardOf = (...events: Record<string, unknown>[]) => {
    const meter = new StreamMeter({ tick: () => 0 }, "messages");
    for (const event of events) {
      meter.add(event, true);
    }
    return meter.heard;
  };

  test.each(["failed", "aborted"] as const)("that %s costs the input it named, and what was delivered", (end) => {
    expect(streamed({ ...heardOf(start, said, said), end })).toMatchObject({
      ...{ usageSource: "estimated", isImplausible: false, units: { ...input, outputTokens: 8 } },
    });
  });

  test("that failed before any text is free, and a client that left owes the input", () => {
    expect(streamed({ ...heardOf(start), end: "failed" })).toEqual(free);
    expect(streamed({ ...heardOf(start), end: "aborted" })).toMatchObject({ units: { ...input, outputTokens: 0 } });
  });

  test("costs what its end reports, also when the provider refused to continue", () => {
    const end = { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } };
    const charged = { usageSource: "provider", isImplausible: false };
    expect(streamed(heardOf(start, said, end))).toMatchObject({ ...charged, units: { ...input, outputTokens: 5 } });
    const refusal = { ...end, delta: { stop_reason: "refusal" }, usage: { output_tokens: 0 } };
    expect(streamed(heardOf(start, said, refusal))).toMatchObject({
      ...charged,
      units: { ...input, outputTokens: 0 },
    });
  });
});

describe("a response of the Gemini API", () => {
  const operation = { ...operationOf("chat"), resultList: "candidates", dialect: "gemini" as const };
  const measured = (value: unknown) => measureAnswer(json(value), { operation, request, limits, price });
  const usageMetadata = { promptTokenCount: 9, totalTokenCount: 9 };
  const candidate = { content: { parts: [{ text: "words" }] } };

  test("that was filtered costs what the provider reports", () => {
    const filtered = { candidates: [{ ...candidate, finishReason: "SAFETY" }], usageMetadata };
    expect(measured(filtered)).toMatchObject({ usageSource: "provider", units: { inputTokens: 9, outputTokens: 0 } });
    expect(measured({ candidates: [candidate], usageMetadata })).toMatchObject({
      ...{ usageSource: "estimated", isImplausible: true, units: { inputTokens: 9, outputTokens: 1 } },
    });
  });
});

describe("a complete response", () => {
  const usage = { prompt_tokens: 10, completion_tokens: 0 };

  test("without output is free, whatever input was read for it", () => {
    expect(answered({ choices: [{ message: { content: "" } }], usage })).toMatchObject(free);
    expect(streamed({ reported: told(usage) })).toEqual(free);
  });

  test.each([
    ["reports as zero", usage, 10],
    ["leaves out", { prompt_tokens: 10 }, 10],
    ["reports as zero, like the input", { prompt_tokens: 0, completion_tokens: 0 }, 209],
  ])("with output that the provider %s is charged by our count of it, and marked", (_what, counted, inputTokens) => {
    const charged = {
      usageSource: "estimated",
      isImplausible: true,
      units: { inputTokens, outputTokens: 4 },
    } as const;
    const message = { content: "four words of text" };
    expect(answered({ choices: [{ message }], usage: counted })).toMatchObject(charged);
    expect(streamed({ reported: told(counted), delivered: deliveredOf(words) })).toMatchObject(charged);
    const response = { output: [{ content: [{ text: "four words of text" }] }] };
    expect(
      measureAnswer(json({ ...response, usage: { input_tokens: counted.prompt_tokens, output_tokens: 0 } }), {
        ...{ operation: operationOf("responses"), request, limits, price },
      }),
    ).toMatchObject(charged);
  });

  test("whose count by us exceeds what was set aside is charged no more than that", () => {
    const tight = { most, held: { ...held, outputTokens: 2 } };
    const charged = streamed({ reported: told(usage), delivered: deliveredOf(words), limits: tight });
    expect(charged).toMatchObject({ isImplausible: true, units: { inputTokens: 10, outputTokens: 2 } });
  });

  test("that the content filter ended costs what the provider reports", () => {
    const charged = { usageSource: "provider", isImplausible: false, units: { inputTokens: 10, outputTokens: 0 } };
    const choice = { index: 0, finish_reason: "content_filter" };
    expect(answered({ choices: [{ ...choice, message: { content: "words" } }], usage })).toMatchObject(charged);
    const other = { ...choice, index: 1, finish_reason: "stop", message: { content: "words" } };
    expect(answered({ choices: [other, choice], usage })).toMatchObject(charged);
    const response = { incomplete_details: { reason: "content_filter" }, output: [{ text: "words" }] };
    const filtered = json({ ...response, usage });
    expect(measureAnswer(filtered, { operation: operationOf("responses"), request, limits, price })).toMatchObject(
      charged,
    );
    for (const end of [{ choices: [{ ...choice, delta: {} }] }, { response }]) {
      const meter = new StreamMeter({ tick: () => 0 }, "chat");
      meter.add(words, true);
      meter.add(end, true);
      meter.add({ choices: [], usage }, true);
      expect(streamed(meter.heard)).toMatchObject(charged);
    }
  });

  test("without a requested output is charged for its input, whichever side counted that", () => {
    const noOutput = { most, held: { ...held, outputTokens: 0 } };
    const scored = (value: object) =>
      measureAnswer(json({ choices: [{ text: "the prompt again", logprobs: {} }], ...value }), {
        ...{ operation: operationOf("completions"), request, limits: noOutput, price },
      });
    expect(scored({ usage })).toMatchObject({ usageSource: "provider", units: { inputTokens: 10 } });
    expect(scored({})).toMatchObject({ usageSource: "estimated", units: { inputTokens: 209, outputTokens: 0 } });
    expect(streamed({ operation: operationOf("completions"), limits: noOutput, reported: told(usage) })).toMatchObject({
      ...{ usageSource: "provider", isImplausible: false, units: { inputTokens: 10 } },
    });
  });

  test("that reports an error is free, unless it also has output", () => {
    const error = { message: "overloaded" };
    expect(answered({ error })).toEqual({ ...free, form: "error_event" });
    expect(answered({ error, choices: [], usage: { prompt_tokens: 3 } })).toEqual({ ...free, form: "error_event" });
    expect(answered({ object: "error", message: "overloaded" })).toEqual({ ...free, form: "error_event" });
    const output = { choices: [{ message: { content: "words" } }] };
    expect(answered({ ...output, error })).toMatchObject({ usageSource: "estimated", form: "answer" });
    for (const none of [null, false, ""]) {
      expect(answered({ ...output, error: none })).toMatchObject({ usageSource: "estimated", form: "answer" });
    }
  });

  const lists = [
    ["chat", "choices"],
    ["completions", "choices"],
    ["responses", "output"],
    ["embeddings", "data"],
    ["images", "data"],
  ] as const;
  const formOf = (name: ShortName, value: unknown) =>
    measureAnswer(json(value), { operation: operationOf(name), request, limits, price }).form;

  test.each(lists)("to %s without the list %s is invalid, and free, whatever usage it reports", (kind, list) => {
    const texts = { text: `"${list}":[1]`, more: "x".repeat(20_000) };
    for (const value of [{}, { id: "x" }, { [list]: null }, { [list]: {} }, { [list]: "[1]" }, texts]) {
      for (const answer of [value, { ...value, usage: usage }, { usage: usage, ...value }]) {
        const measured = measureAnswer(json(answer), { operation: operationOf(kind), request, limits, price });
        expect(measured).toEqual({ ...free, form: "no_result" });
      }
    }
    for (const answer of [[], "text", 7, null]) {
      expect(formOf(kind, answer)).toBe("no_json");
    }
  });

  test.each(lists)("to %s with the list %s is valid, even when it is empty", (kind, list) => {
    for (const value of [{ [list]: [] }, { [list]: [{ index: 0 }] }, { note: `\\"${list}":`, [list]: [{}] }]) {
      for (const answer of [
        value,
        { ...value, usage: usage },
        { usage: usage, ...value },
        { ...value, error: null, usage: usage },
      ]) {
        expect(formOf(kind, answer)).toBe("answer");
      }
      expect(
        measureAnswer(Buffer.from(JSON.stringify({ ...value, usage: usage }, null, 2)), {
          operation: operationOf(kind),
          request,
          limits,
          price,
        }).form,
      ).toBe("answer");
    }
  });

  test("of other kinds may have any form", () => {
    for (const kind of ["moderations", "rerank", "speech", "transcription", "pass"] as const) {
      for (const answer of [{}, [], "text", { usage: usage }]) {
        expect(formOf(kind, answer)).toBe("answer");
      }
    }
  });
});

describe("the provider's usage report", () => {
  test("is not forgotten when more events follow", () => {
    const first = { choices: [], usage: { prompt_tokens: 7, completion_tokens: 4 } };
    const known = reportedBy([first]);
    expect(reportedBy([first, { choices: [] }])).toEqual(known);
    for (const usage of [null, {}, { prompt_tokens: "7" }]) {
      expect(reportedBy([first, { choices: [], usage }])).toEqual(known);
    }
  });

  test("of parts is cut with the whole", () => {
    const details = { prompt_tokens_details: { cached_tokens: 900_000 } };
    const reported = told({ prompt_tokens: 900_000, completion_tokens: 1, ...details });
    expect(streamed({ reported })).toMatchObject({
      isImplausible: true,
      units: { inputTokens: 300_000, cacheReadTokens: 300_000, cacheWriteTokens: 0 },
    });
  });

  test("is not read from a name that only ends in the word", () => {
    expect(readAnswer(json({ choices: [], 'odd"usage': { prompt_tokens: 9, completion_tokens: 9 } })).usage).toBeNull();
  });
});

import { describe, expect, test } from "bun:test";
import type { ParsedRequest, RequestBounds } from "@sluice/control-plane/gateway/model.ts";
import {
  addEventUsage,
  measureAnswer,
  measureStream,
  type StreamedAnswer,
} from "@sluice/control-plane/gateway/settle/measure-usage.ts";
import { noUnits, type Units } from "@sluice/control-plane/gateway/usage-log/model.ts";

const bounds: RequestBounds = {
  inputTokensMax: 400,
  isOneContext: true,
  inputImages: 0,
  outputTokensMax: null,
  choices: 1,
  outputImages: 0,
  audioMs: 0n,
  characters: 0,
};

const requestWith = (more: Partial<RequestBounds> = {}): ParsedRequest => ({
  model: "m",
  isStream: false,
  wantsUsage: false,
  bounds: { ...bounds, ...more },
  inputBytes: 400,
  body: new Uint8Array(),
  contentType: null,
  pictureOption: null,
  dropped: null,
});

const bound: Units = { ...noUnits, inputTokens: 100_000n, outputTokens: 100_000n, audioMs: 10_000_000n };

const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const stream = (answer: Partial<StreamedAnswer> & Pick<StreamedAnswer, "kind">) =>
  measureStream({
    isComplete: true,
    reported: null,
    request: requestWith(),
    bound,
    pieces: [],
    bytesSent: 10,
    ...answer,
  });

describe("pictures", () => {
  const picture = { b64_json: "AAAA", revised_prompt: 'with "url": in it' };
  const draw = (body: Buffer, outputImages = 4) => measureAnswer(body, requestWith({ outputImages }), "images", bound);

  test("are counted as they were delivered, also where the provider tells tokens", () => {
    const usage = { input_tokens: 5, output_tokens: 272, total_tokens: 277 };
    const told = draw(json({ created: 1, data: [picture, picture], usage }));
    expect(told).toMatchObject({ usageSource: "provider", units: { inputTokens: 5n, outputTokens: 272n, images: 2 } });
    const untold = draw(json({ created: 1, data: [{ url: "https://example.com/a" }] }));
    expect(untold).toMatchObject({ usageSource: "estimated", units: { images: 1 } });
  });

  test("count although more came than were asked for, and none where none came", () => {
    expect(draw(json({ data: [picture, picture, picture] }), 2).units.images).toBe(3);
    expect(draw(json({ data: [] })).units.images).toBe(0);
    expect(draw(json({ data: [{ url: null, b64_json: "A" }] })).units.images).toBe(1);
  });

  test("of a stream count once they are done", () => {
    const usage = { input_tokens: 5, output_tokens: 7 };
    let known: Units | null = null;
    known = addEventUsage(known, { type: "image_generation.partial_image", b64_json: "A" });
    expect(known).toBeNull();
    known = addEventUsage(known, { type: "image_generation.completed", b64_json: "A", usage });
    known = addEventUsage(known, { type: "image_edit.completed", b64_json: "A" });
    expect(known).toEqual({ ...noUnits, inputTokens: 5n, outputTokens: 7n, images: 2 });
    expect(stream({ kind: "images", isComplete: false, reported: known })).toEqual({
      units: known ?? noUnits,
      usageSource: "provider",
    });
    const draft = Buffer.from('data: {"type":"image_generation.partial_image","b64_json":"A"}\n\n');
    const cut = stream({ kind: "images", isComplete: false, pieces: [draft], bytesSent: draft.length });
    expect(cut).toEqual({ units: noUnits, usageSource: "none" });
  });
});

describe("speech", () => {
  const request = requestWith({ characters: 37 });

  test.each([true, false])("is charged by the character once any sound was delivered (complete: %p)", (isComplete) => {
    const measured = stream({ kind: "speech", isComplete, request, pieces: [Buffer.alloc(10)] });
    expect(measured).toEqual({ units: { ...noUnits, inputTokens: 37n }, usageSource: "estimated" });
  });

  test("is free when no sound came, and charged by the provider's count where it comes", () => {
    expect(stream({ kind: "speech", isComplete: false, request, bytesSent: 0 }).usageSource).toBe("none");
    const reported = { ...noUnits, inputTokens: 9n, outputTokens: 90n };
    expect(stream({ kind: "speech", request, reported })).toEqual({ units: reported, usageSource: "provider" });
  });
});

describe("what was heard", () => {
  const hear = (body: Buffer | string, audioMs = 10_000_000n) =>
    measureAnswer(Buffer.from(body), requestWith(), "transcription", { ...bound, audioMs });

  test("is charged by the seconds that the provider tells", () => {
    const body = json({ text: "hello", usage: { type: "duration", seconds: 3.25 } });
    expect(hear(body)).toMatchObject({ usageSource: "provider", units: { ...noUnits, audioMs: 3_250n } });
  });

  test("is charged by the tokens that the provider tells", () => {
    const usage = { type: "tokens", input_tokens: 14, input_token_details: { audio_tokens: 14 }, output_tokens: 45 };
    expect(hear(json({ text: "hello", usage }))).toMatchObject({ units: { inputTokens: 14n, outputTokens: 45n } });
  });

  test.each([
    ["the duration that it tells", json({ text: "hi", duration: 8.47 }), 8_470n],
    ["a duration as text", json({ text: "hi", duration: "2.5" }), 2_500n],
    [
      "the last time of subtitles",
      "1\n00:00:00,000 --> 00:00:03,500\nHi\n\n2\n00:00:03,500 --> 01:00:01,250\nBye\n",
      3_601_250n,
    ],
    ["the last time of a short track", "WEBVTT\n\n00:01.000 --> 00:09.500\nHi\n", 9_500n],
    ["the time to say its text", "a".repeat(30), 2_000n],
    ["the time to say the text of an object", json({ text: "a".repeat(45) }), 3_000n],
  ])("is judged by %s where no usage comes", (_what, body, audioMs) => {
    expect(hear(body)).toMatchObject({ usageSource: "estimated", units: { audioMs } });
  });

  test("is never judged to be longer than the file can last", () => {
    expect(hear("a".repeat(30_000), 5_000n).units.audioMs).toBe(5_000n);
  });

  test("of a stream is charged by its last event, or by what was delivered until it broke off", () => {
    const request = requestWith({ audioMs: 100_000n });
    const event = `data: ${JSON.stringify({ type: "transcript.text.delta", delta: "a".repeat(30) })}\n\n`;
    const pieces = [Buffer.from(event)];
    const cut = stream({ kind: "transcription", isComplete: false, request, pieces, bytesSent: event.length });
    expect(cut).toMatchObject({ usageSource: "estimated", units: { audioMs: 2_000n, outputTokens: 8n } });
    const told = addEventUsage(null, {
      type: "transcript.text.done",
      usage: { type: "tokens", input_tokens: 3, output_tokens: 2 },
    });
    expect(stream({ kind: "transcription", request, reported: told })).toMatchObject({ units: { inputTokens: 3n } });
  });
});

describe("other answers", () => {
  test("ranks tell only a total, all of which was read", () => {
    const body = json({ results: [], usage: { total_tokens: 15 } });
    expect(measureAnswer(body, requestWith(), "rerank", bound)).toMatchObject({
      units: { inputTokens: 15n, outputTokens: 0n },
    });
  });

  test("a total beside its parts adds nothing", () => {
    const body = json({
      choices: [{ message: { content: "x" } }],
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 9 },
    });
    expect(measureAnswer(body, requestWith(), "chat", bound)).toMatchObject({
      units: { inputTokens: 1n, outputTokens: 2n },
    });
  });

  test("a path without rules costs a request, whatever its answer says of usage or errors", () => {
    const body = json({ id: "job", error: { message: "no" }, usage: { input_tokens: 1_000, output_tokens: 1_000 } });
    const measured = measureAnswer(body, requestWith(), "pass", bound);
    expect(measured).toEqual({ units: noUnits, usageSource: "estimated", form: "other" });
    expect(stream({ kind: "pass", isComplete: false }).usageSource).toBe("estimated");
    expect(stream({ kind: "pass", bytesSent: 0 }).usageSource).toBe("none");
  });
});

describe("our own count stays within what was set aside", () => {
  const text = "much longer than two tokens";
  const tight: Units = { ...noUnits, inputTokens: 90n, outputTokens: 2n };

  test("of a stream that broke off", () => {
    const event = Buffer.from(`data: ${JSON.stringify({ choices: [{ delta: { content: text } }] })}\n\n`);
    const more = { isComplete: false, bound: tight, pieces: [event], bytesSent: event.length };
    expect(stream({ kind: "chat", ...more })).toEqual({ units: tight, usageSource: "estimated" });
  });

  test("of a whole answer without usage", () => {
    const body = json({ choices: [{ message: { content: text } }] });
    expect(measureAnswer(body, requestWith(), "chat", tight)).toMatchObject({ units: tight, usageSource: "estimated" });
  });

  test("but a count of the provider is taken as it is", () => {
    const usage = { prompt_tokens: 200_000, completion_tokens: 3 };
    const { units } = measureAnswer(
      json({ choices: [{ message: { content: text } }], usage }),
      requestWith(),
      "chat",
      tight,
    );
    expect(units).toMatchObject({ inputTokens: 200_000n, outputTokens: 3n });
  });
});

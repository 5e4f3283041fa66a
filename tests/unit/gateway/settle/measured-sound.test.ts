/** What is charged for speech and for transcribed audio, by time, by tokens and by characters. */
import { describe, expect, test } from "bun:test";
import type { ParsedRequest, RequestBounds } from "@sluice/control-plane/gateway/model.ts";
import { DeliveredCount } from "@sluice/control-plane/gateway/settle/measure-usage/count-delivered.ts";
import { measureAnswer, measureStream } from "@sluice/control-plane/gateway/settle/measure-usage.ts";
import type { AnsweredCall, StreamedResponse } from "@sluice/control-plane/gateway/usage-count/model.ts";
import { noUnits, type Units } from "@sluice/control-plane/models/units.ts";
import { operationOf, type ShortName } from "../../../support/calls/operations.ts";
import { reportedBy } from "../../../support/calls/reported-usage.ts";

const bounds: RequestBounds = {
  ...{ inputTokensMax: 400, isOneContext: true, inputImages: 0, outputTokensMax: null, choices: 1 },
  ...{ outputImages: 0, audioMs: 0, characters: 0, inputPages: 0, fileLetters: 0 },
};
const requestWith = (more: Partial<RequestBounds> = {}): ParsedRequest => ({
  ...{ model: "m", isStream: false, wantsUsage: false, bounds: { ...bounds, ...more }, inputBytes: 400 },
  ...{
    body: new Uint8Array(),
    contentType: null,
    pictureOption: null,
    plainBody: null,
    modelPlace: null,
    cacheKey: null,
    dropped: null,
  },
});
const held: Units = { ...noUnits, inputTokens: 100_000, outputTokens: 100_000, audioMs: 10_000_000 };
const most: Units = { ...noUnits, inputTokens: 300_000, outputTokens: 150_000, audioMs: 20_000_000, images: 9 };
const limits = { held, most };
/** Everything has a price, so that each count is charged in its own unit. */
const price = { input: 1, output: 1, image: 1, audio: 1, search: 0 };
const byCharacter = { ...price, output: 0 };
const plausible = { isImplausible: false };

const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const nothingDelivered = new DeliveredCount().delivered;
const stream = (answer: Partial<StreamedResponse> & Pick<StreamedResponse, "operation">) =>
  measureStream({
    end: "completed",
    reported: null,
    isReportEarly: false,
    isFiltered: false,
    delivered: nothingDelivered,
    request: requestWith(),
    limits,
    price,
    pieces: [],
    bytesSent: 10,
    ...answer,
  });
const deliveredOf = (...events: Record<string, unknown>[]) => {
  const count = new DeliveredCount();
  for (const event of events) {
    count.add(event);
  }
  return count.delivered;
};
const whole = (body: Buffer, name: ShortName, more: Partial<AnsweredCall> = {}) =>
  measureAnswer(body, { operation: operationOf(name), request: requestWith(), limits, price, ...more });

describe("speech", () => {
  const request = requestWith({ characters: 37 });

  test.each(["completed", "failed", "aborted"] as const)(
    "is charged by the character once any audio was delivered (%s)",
    (end) => {
      const measured = stream({
        operation: operationOf("speech"),
        end,
        request,
        price: byCharacter,
        pieces: [Buffer.alloc(10)],
      });
      expect(measured).toEqual({ units: { ...noUnits, inputTokens: 37 }, usageSource: "estimated", ...plausible });
    },
  );

  test("is free when no audio came, and charged by the provider's count if there is one", () => {
    expect(stream({ operation: operationOf("speech"), end: "failed", request, bytesSent: 0 }).usageSource).toBe("none");
    const reported = { ...noUnits, inputTokens: 9, outputTokens: 90 };
    const measured = stream({ operation: operationOf("speech"), request, reported });
    expect(measured).toEqual({ units: reported, usageSource: "provider", ...plausible });
  });

  test("is charged by the character if only characters have a price, whatever tokens the provider reports", () => {
    const reported = { ...noUnits, inputTokens: 9, outputTokens: 90 };
    const measured = stream({ operation: operationOf("speech"), request, reported, price: byCharacter });
    expect(measured).toEqual({ units: { ...noUnits, inputTokens: 37 }, usageSource: "estimated", ...plausible });
  });

  test("is charged by the spoken time if that has a price, and the provider does not count", () => {
    const measured = stream({ operation: operationOf("speech"), request });
    expect(measured).toMatchObject({ usageSource: "estimated", units: { inputTokens: 37, outputTokens: 50 } });
  });
});

describe("transcribed audio", () => {
  const hear = (body: Buffer | string, audioMs = 10_000_000) =>
    whole(Buffer.from(body), "transcription", { limits: { most, held: { ...held, audioMs } } });

  test("is charged by the seconds that the provider reports", () => {
    const body = json({ text: "hello", usage: { type: "duration", seconds: 3.25 } });
    expect(hear(body)).toMatchObject({ usageSource: "provider", units: { ...noUnits, audioMs: 3_250 } });
  });

  test("is charged by the tokens that the provider reports", () => {
    const usage = { type: "tokens", input_tokens: 14, input_token_details: { audio_tokens: 14 }, output_tokens: 45 };
    expect(hear(json({ text: "hello", usage }))).toMatchObject({ units: { inputTokens: 14, outputTokens: 45 } });
  });

  const byTime = { ...price, input: 0, output: 0 };
  const byToken = { ...price, audio: 0 };
  const hearAt = (value: unknown, at: typeof price) => whole(json(value), "transcription", { price: at });
  const tokens = { type: "tokens", input_tokens: 14, output_tokens: 45 };

  test.each([
    ["the duration beside it", { text: "hello", duration: 8.47 }, 8_470],
    ["the text", { text: "a".repeat(45) }, 3_000],
    ["the length of the file", { text: "" }, 2],
  ])("in tokens costs its time by %s if only time has a price", (_what, said, audioMs) => {
    const heard = hearAt({ ...said, usage: tokens }, byTime);
    expect(heard).toMatchObject({ usageSource: "estimated", ...plausible, units: { audioMs } });
    const request = requestWith({ audioMs: 100_000 });
    const delivered = deliveredOf({ type: "transcript.text.delta", delta: "a".repeat(30) });
    const reported = { ...noUnits, inputTokens: 3, outputTokens: 2 };
    for (const end of ["completed", "failed", "aborted"] as const) {
      const streamed = stream({
        operation: operationOf("transcription"),
        end,
        request,
        reported,
        delivered,
        price: byTime,
      });
      expect(streamed).toMatchObject({ usageSource: "estimated", units: { audioMs: 2_000 } });
    }
  });

  test("by time costs its tokens if only tokens have a price", () => {
    const usage = { type: "duration", seconds: 3.25 };
    const units = { inputTokens: 33, outputTokens: 4 };
    expect(hearAt({ text: "a".repeat(20), usage }, byToken)).toMatchObject({ usageSource: "estimated", units });
    expect(hearAt({ text: "a".repeat(45) }, byToken).units).toMatchObject({ inputTokens: 30, outputTokens: 9 });
  });

  test("costs what the provider counts if that has a price", () => {
    expect(hearAt({ text: "a", usage: tokens }, byToken)).toMatchObject({ usageSource: "provider" });
    expect(hearAt({ text: "a", usage: { type: "duration", seconds: 3 } }, byTime)).toMatchObject({
      usageSource: "provider",
      units: { ...noUnits, audioMs: 3_000 },
    });
  });

  test.each([
    ["the duration in the response", json({ text: "hi", duration: 8.47 }), 8_470],
    ["a duration as text", json({ text: "hi", duration: "2.5" }), 2_500],
    [
      "the last time of subtitles",
      "1\n00:00:00,000 --> 00:00:03,500\nHi\n\n2\n00:00:03,500 --> 01:00:01,250\nBye\n",
      3_601_250,
    ],
    ["the last time of a short track", "WEBVTT\n\n00:01.000 --> 00:09.500\nHi\n", 9_500],
    ["the time to say its text", "a".repeat(30), 2_000],
    ["the time to say its text if its duration is impossible", json({ text: "a".repeat(45), duration: 1e306 }), 3_000],
    ["the time to say the text of an object", json({ text: "a".repeat(45) }), 3_000],
  ])("is estimated by %s if no usage comes", (_what, body, audioMs) => {
    expect(hear(body)).toMatchObject({ usageSource: "estimated", units: { audioMs } });
  });

  test("is never estimated to be longer than the file can last", () => {
    expect(hear("a".repeat(30_000), 5_000).units.audioMs).toBe(5_000);
  });

  test("of a stream is charged by its last event, or by what was delivered until it broke off", () => {
    const request = requestWith({ audioMs: 100_000 });
    const delivered = deliveredOf({ type: "transcript.text.delta", delta: "a".repeat(30) });
    const cut = stream({ operation: operationOf("transcription"), end: "failed", request, delivered, bytesSent: 100 });
    expect(cut).toMatchObject({ usageSource: "estimated", units: { audioMs: 2_000, outputTokens: 6 } });
    const told = reportedBy([
      { type: "transcript.text.done", usage: { type: "tokens", input_tokens: 3, output_tokens: 2 } },
    ]);
    expect(stream({ operation: operationOf("transcription"), request, reported: told })).toMatchObject({
      units: { inputTokens: 3 },
    });
  });
});

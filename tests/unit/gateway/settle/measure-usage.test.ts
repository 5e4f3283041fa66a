import { describe, expect, test } from "bun:test";
import type { ParsedRequest, RequestBounds } from "@sluice/control-plane/gateway/model.ts";
import { DeliveredCount } from "@sluice/control-plane/gateway/settle/measure-usage/count-delivered.ts";
import { measureAnswer, measureStream, measureUnread } from "@sluice/control-plane/gateway/settle/measure-usage.ts";
import type { AnsweredCall, StreamedResponse } from "@sluice/control-plane/gateway/usage-count/model.ts";
import { noUnits, type Units } from "@sluice/control-plane/models/units.ts";
import { operationOf, type ShortName } from "../../../support/calls/operations.ts";
import { reportedBy } from "../../../support/calls/reported-usage.ts";

const bounds: RequestBounds = {
  inputTokensMax: 400,
  isOneContext: true,
  inputImages: 0,
  inputPages: 0,
  fileLetters: 0,
  outputTokensMax: null,
  choices: 1,
  outputImages: 0,
  audioMs: 0,
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
  plainBody: null,
  modelPlace: null,
  cacheKey: null,
  dropped: null,
});

const requestOf = (value: unknown, more: Partial<RequestBounds> = {}): ParsedRequest => {
  const body = Buffer.from(JSON.stringify(value));
  return { ...requestWith(more), body, inputBytes: body.length };
};

const held: Units = { ...noUnits, inputTokens: 100_000, outputTokens: 100_000, audioMs: 10_000_000 };
const most: Units = { ...noUnits, inputTokens: 300_000, outputTokens: 150_000, audioMs: 20_000_000, images: 9 };
const limits = { held, most };
/** Everything has a price, so that each count is charged in its own unit. */
const price = { input: 1, output: 1, image: 1, audio: 1, search: 0 };

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
const plausible = { isImplausible: false };

describe("images", () => {
  const picture = { b64_json: "AAAA", revised_prompt: 'with "url": in it' };
  const draw = (body: Buffer) => whole(body, "images");

  test("are counted as delivered, even if the provider reports tokens", () => {
    const usage = { input_tokens: 5, output_tokens: 272, total_tokens: 277 };
    const told = draw(json({ created: 1, data: [picture, picture], usage }));
    expect(told).toMatchObject({ usageSource: "provider", units: { inputTokens: 5, outputTokens: 272, images: 2 } });
    const untold = draw(json({ created: 1, data: [{ url: "https://example.com/a" }] }));
    expect(untold).toMatchObject({ usageSource: "estimated", units: { images: 1 } });
  });

  test("are charged as counted, even if more came than were requested; if none came, none is charged", () => {
    const drawn = draw(json({ data: Array.from({ length: 3 }, () => picture) }));
    expect(drawn).toMatchObject({ units: { images: 3 }, isImplausible: false });
    expect(draw(json({ data: [] })).units.images).toBe(0);
    const both = { b64_json: "AAAA", url: "https://example.com/a" };
    expect(draw(json({ data: [both, { b64_json: "AAAA", url: "" }] })).units.images).toBe(2);
    expect(draw(json({ data: [{ url: null, b64_json: "A" }] })).units.images).toBe(1);
  });

  test("are never more than anyone can request", () => {
    const data = Array.from({ length: 50 }, () => ({ url: "" }));
    const usage = { input_tokens: 5, output_tokens: 7 };
    expect(draw(json({ data, usage }))).toMatchObject({ units: { images: 9 }, isImplausible: true });
    expect(draw(json({ data }))).toMatchObject({ units: { images: 9 } });
  });

  test("without tokens, according to their provider, are charged by our tokens if nothing else has a price", () => {
    const usage = { input_tokens: 5, output_tokens: 0 };
    const body = json({ data: [picture, picture], usage });
    expect(whole(body, "images", { price: { ...price, image: 0 } })).toMatchObject({
      ...{ usageSource: "estimated", isImplausible: true },
      units: { inputTokens: 5, outputTokens: 2_119, images: 2 },
    });
    expect(draw(body)).toMatchObject({ usageSource: "provider", units: { outputTokens: 0, images: 2 } });
  });

  test("in a stream count once they are finished", () => {
    const usage = { input_tokens: 5, output_tokens: 7 };
    const draft = { type: "image_generation.partial_image", b64_json: "A" };
    expect(reportedBy([draft])).toBeNull();
    const known = reportedBy([
      draft,
      { type: "image_generation.completed", b64_json: "A", usage },
      { type: "image_edit.completed", b64_json: "A" },
    ]);
    expect(known).toEqual({ ...noUnits, inputTokens: 5, outputTokens: 7, images: 2 });
    expect(stream({ operation: operationOf("images"), end: "failed", reported: known })).toEqual({
      units: known ?? noUnits,
      usageSource: "provider",
      ...plausible,
    });
  });

  test("that came only as drafts are one image", () => {
    const drafts = [0, 1, 2].map((place) => ({
      type: "image_generation.partial_image",
      b64_json: "A".repeat(100_000),
      partial_image_index: place,
      quality: "low",
    }));
    for (const end of ["failed", "aborted"] as const) {
      const left = stream({
        operation: operationOf("images"),
        end,
        delivered: deliveredOf(...drafts),
        bytesSent: 300_000,
      });
      expect(left).toMatchObject({ usageSource: "estimated", units: { images: 1, outputTokens: 272 } });
    }
    const two = deliveredOf(drafts[0] ?? {}, { type: "image_generation.completed", b64_json: "B" }, drafts[1] ?? {});
    expect(two.pictures).toBe(2);
  });
});

describe("other responses", () => {
  test("ranks report only a total, which was all read", () => {
    const body = json({ results: [], usage: { total_tokens: 15 } });
    expect(whole(body, "rerank")).toMatchObject({
      units: { inputTokens: 15, outputTokens: 0 },
    });
  });

  test("a total beside its parts adds nothing", () => {
    const body = json({
      choices: [{ message: { content: "x" } }],
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 9 },
    });
    expect(whole(body, "chat")).toMatchObject({
      units: { inputTokens: 1, outputTokens: 2 },
    });
  });

  test("a path without rules costs a request, whatever its response says about usage or errors", () => {
    const body = json({ id: "job", error: { message: "no" }, usage: { input_tokens: 1_000, output_tokens: 1_000 } });
    const measured = whole(body, "pass");
    expect(measured).toEqual({ units: noUnits, usageSource: "estimated", form: "answer", ...plausible });
    expect(stream({ operation: operationOf("pass"), end: "failed" }).usageSource).toBe("estimated");
    expect(stream({ operation: operationOf("pass"), bytesSent: 0 }).usageSource).toBe("none");
  });
});

describe("our own count stays within what was set aside", () => {
  const text = "much longer than two tokens";
  const tight = { most, held: { ...noUnits, inputTokens: 3, outputTokens: 2 } };
  const words = { messages: [{ role: "user", content: "more than three tokens, by any count of them" }] };
  const request = requestOf(words);

  test("for a stream that broke off", () => {
    const delivered = deliveredOf({ choices: [{ delta: { content: text } }] });
    const cut = stream({ operation: operationOf("chat"), end: "failed", request, limits: tight, delivered });
    expect(cut).toEqual({ units: tight.held, usageSource: "estimated", ...plausible });
  });

  test("for a complete response without usage", () => {
    const body = json({ choices: [{ message: { content: text } }] });
    const counted = whole(body, "chat", { request, limits: tight });
    expect(counted).toMatchObject({ units: tight.held, usageSource: "estimated" });
  });

  test("but a provider's count is accepted as it is, as long as it is plausible", () => {
    const usage = { prompt_tokens: 200_000, completion_tokens: 3 };
    const counted = whole(json({ choices: [{ message: { content: text } }], usage }), "chat", { limits: tight });
    expect(counted).toMatchObject({ units: { inputTokens: 200_000, outputTokens: 3 }, isImplausible: false });
  });
});

describe("an implausible usage", () => {
  const answer = { choices: [{ message: { content: "four words of text" } }] };
  const details = { prompt_tokens_details: { cached_tokens: 2 ** 53 - 1 } };

  test.each([
    [{ prompt_tokens: 2 ** 53 - 1, completion_tokens: 2 ** 53 - 1, ...details }, 300_000, 150_000],
    [{ prompt_tokens: 300_001, completion_tokens: 5 }, 300_000, 5],
    [{ prompt_tokens: 7, completion_tokens: 150_001 }, 7, 150_000],
  ])("is booked as far as it is plausible, and marked: %j", (usage, inputTokens, outputTokens) => {
    const units = { inputTokens, outputTokens };
    const marked = { usageSource: "provider", isImplausible: true, units } as const;
    expect(whole(json({ ...answer, usage }), "chat")).toMatchObject(marked);
    const reported = reportedBy([{ choices: [], usage }]);
    for (const end of ["completed", "failed", "aborted"] as const) {
      expect(stream({ operation: operationOf("chat"), end, reported })).toMatchObject(marked);
    }
  });

  test.each([
    [{ prompt_tokens: -5, completion_tokens: 4 }],
    [{ prompt_tokens: 5, completion_tokens: 4.5 }],
    [{ prompt_tokens: 5, completion_tokens: 1e300 }],
    [{ prompt_tokens: 5, completion_tokens: 2 ** 53 }],
    [{ input_tokens: -(2 ** 53), output_tokens: 0 }],
  ])("counts as none, so that ours is charged, and is marked: %j", (usage) => {
    const units = { outputTokens: 4 };
    const marked = { usageSource: "estimated", isImplausible: true, units } as const;
    expect(whole(json({ ...answer, usage }), "chat")).toMatchObject(marked);
    const reported = reportedBy([{ choices: [], usage }]);
    const delivered = deliveredOf({ choices: [{ delta: { content: "four words of text" } }] });
    for (const end of ["completed", "failed", "aborted"] as const) {
      expect(stream({ operation: operationOf("chat"), end, reported, delivered })).toMatchObject(marked);
    }
  });

  test("of seconds is treated alike", () => {
    for (const seconds of [-3, 1e12]) {
      const heard = whole(json({ text: "a".repeat(15), usage: { type: "duration", seconds } }), "transcription");
      expect(heard).toMatchObject({ usageSource: "estimated", units: { audioMs: 1_000 }, isImplausible: true });
    }
    const long = whole(json({ text: "a", usage: { type: "duration", seconds: 900_000 } }), "transcription");
    expect(long).toMatchObject({ usageSource: "provider", units: { audioMs: 20_000_000 }, isImplausible: true });
  });
});

describe("a client that leaves", () => {
  const request = requestOf({ messages: [{ role: "user", content: "a".repeat(1_000) }] });

  test("owes the input once a response had begun, and what it received of it", () => {
    const left = stream({ operation: operationOf("chat"), end: "aborted", request, bytesSent: 0 });
    expect(left).toMatchObject({ usageSource: "estimated", units: { outputTokens: 0 } });
    expect(left.units.inputTokens).toBeGreaterThanOrEqual(200);
    expect(left.units.inputTokens).toBeLessThan(220);
    const delivered = deliveredOf({ choices: [{ delta: { content: "four words of text" } }] });
    const later = stream({ operation: operationOf("chat"), end: "aborted", request, delivered });
    expect(later.units).toEqual({ ...left.units, outputTokens: 4 });
    expect(measureUnread({ operation: operationOf("chat"), request, limits, price })).toEqual(left);
  });

  test("owes what the provider still reported", () => {
    const reported = { ...noUnits, inputTokens: 1_234, outputTokens: 56 };
    const left = stream({ operation: operationOf("chat"), end: "aborted", request, reported, bytesSent: 0 });
    expect(left).toEqual({ units: reported, usageSource: "provider", ...plausible });
  });

  test("owes the input that the provider reported before any output", () => {
    const reported = { ...noUnits, inputTokens: 1_234, cacheReadTokens: 1_000 };
    const delivered = deliveredOf({ choices: [{ delta: { content: "four words of text" } }] });
    expect(stream({ operation: operationOf("chat"), end: "aborted", request, reported, delivered })).toEqual({
      units: { ...reported, outputTokens: 4 },
      usageSource: "estimated",
      ...plausible,
    });
  });

  test.each([
    ["speech", { inputTokens: 37 }],
    ["pass", { inputTokens: 0 }],
    ["embeddings", { outputTokens: 0 }],
  ] as const)("pays for %s, too", (kind, units) => {
    const spoken = { ...request, bounds: { ...bounds, characters: 37 } };
    expect(
      measureUnread({ operation: operationOf(kind), request: spoken, limits, price: { ...price, output: 0 } }),
    ).toMatchObject({
      usageSource: "estimated",
      units,
    });
  });

  test("pays for a file as long as it lasts at least, and for an image as small as images are", () => {
    const form = { ...requestWith({ inputImages: 2 }), contentType: "multipart/form-data; boundary=x" };
    const heard = measureUnread({
      operation: operationOf("transcription"),
      request: { ...form, inputBytes: 1_764_000 },
      limits,
      price,
    });
    expect(heard.units).toEqual({ ...noUnits, audioMs: 10_000 });
    expect(measureUnread({ operation: operationOf("images"), request: form, limits, price }).units).toEqual({
      ...noUnits,
      inputTokens: 170,
    });
    const url = `data:image/png;base64,${"A".repeat(1_000_000)}`;
    const seen = requestOf({ content: [{ url }, "a".repeat(500)] }, { inputImages: 1, fileLetters: 1_000_000 });
    const { inputTokens } = measureUnread({ operation: operationOf("chat"), request: seen, limits, price }).units;
    expect([inputTokens > 185, inputTokens < 215]).toEqual([true, true]);
  });
});

import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import type { StreamEnding, StreamOpening } from "@sluice/control-plane/gateway/model.ts";
import { EventStream, type StreamOwner } from "@sluice/control-plane/gateway/respond/stream-events.ts";
import { HttpClientError } from "@sluice/control-plane/platform/http-client/model.ts";
import fc from "fast-check";
import { settlePromises } from "../../../support/fake-time.ts";
import { PushedBody } from "../../../support/pushed-body.ts";

const numRuns = process.env["TEST_FULL"] === "1" ? 20_000 : 500;
const errorEvent = Buffer.from('data: {"error":{"code":"stream_interrupted"}}\n\n');

type Run = {
  readonly stream: EventStream;
  readonly body: PushedBody;
  readonly opening: Promise<StreamOpening>;
  readonly sent: () => string;
  readonly endings: readonly StreamEnding[];
  readonly usages: readonly unknown[];
};

function run(more: Partial<StreamOwner> = {}): Run {
  const pieces: Buffer[] = [];
  const endings: StreamEnding[] = [];
  const usages: unknown[] = [];
  const body = new PushedBody();
  const stream = new EventStream({
    surfaceKind: "chat",
    hidesUsage: true,
    stallTimeoutMs: 60_000,
    onSent: (piece) => pieces.push(piece),
    onUsage: (told) => usages.push(told["usage"] ?? null),
    onEnding: async (ending) => {
      endings.push(ending);
      return { errorEvent: ending.kind === "completed" ? null : errorEvent, postscript: null };
    },
    ...more,
  });
  const opening = stream.open(body);
  return { stream, body, opening, sent: () => Buffer.concat(pieces).toString("utf8"), endings, usages };
}

const chunk = (delta: object) => JSON.stringify({ choices: [{ index: 0, delta }], usage: null });
const usage = { prompt_tokens: 1, completion_tokens: 2 };
const usageChunk = JSON.stringify({ choices: [], usage });
const oddTexts = [
  "[DONE]",
  '"error"',
  '_tokens"',
  'data: {"error":{}}\n\n',
  "\r",
  "\n\n",
  "🙂",
  "",
  '{"usage":{"prompt_tokens":1}}',
];
const text = fc.oneof(fc.constantFrom(...oddTexts), fc.string({ unit: "binary", maxLength: 12 }));
const oneOf = <Kind extends string>(kind: Kind, ...all: readonly string[]) =>
  fc.constantFrom(...all.map((data) => ({ data, kind })));

/** Payloads, and how an event that carries one is to be taken. */
const payload = fc.oneof(
  { weight: 8, arbitrary: text.map((content) => ({ data: chunk({ content }), kind: "content" })) },
  { weight: 1, arbitrary: oneOf("usage", usageChunk) },
  { weight: 1, arbitrary: oneOf("done", "[DONE]", " [DONE] ") },
  { weight: 1, arbitrary: oneOf("error", '{"error":{"message":"x"}}', '{"error":"x"}', '{"object":"error"}') },
  {
    weight: 1,
    arbitrary: oneOf("content", '{"choices":[', "[1]", "plain", '{"error":null}', '{"error":false}', '{"error":""}'),
  },
);
const anyEvent = fc
  .tuple(payload, fc.constantFrom("", ": a comment", "id: 7", "event: x"), fc.boolean())
  .map(([one, before, isSpaced]) => ({
    kind: one.kind,
    lines: [...(before === "" ? [] : [before]), `data:${isSpaced ? " " : ""}${one.data}`, ""],
  }));
const anyStream = fc
  .tuple(fc.array(anyEvent, { maxLength: 10 }), fc.constantFrom("\n", "\r\n"))
  .map(([events, end]) => events.map(({ kind, lines }) => ({ kind, bytes: lines.map((line) => line + end).join("") })));
const cuts = fc.array(fc.nat(), { maxLength: 40 });

/** What a client has to get of these events, worked out event by event. */
function expectedOf(events: readonly { kind: string; bytes: string }[], hidesUsage: boolean) {
  let sent = "";
  for (const { kind, bytes } of events) {
    if (kind === "done") {
      return { sent, ending: "completed", last: bytes };
    }
    if (kind === "error") {
      return { sent, ending: "error_event", last: "" };
    }
    sent += kind === "usage" && hidesUsage ? "" : bytes;
  }
  return { sent, ending: "cut", last: "" };
}

describe("any split of the bytes of an upstream into packets", () => {
  test("gives the client the same bytes and the stream the same ending, and hides the usage only when asked", async () => {
    await fc.assert(
      fc.asyncProperty(anyStream, cuts, fc.boolean(), async (events, places, hidesUsage) => {
        const expected = expectedOf(events, hidesUsage);
        const one = run({ hidesUsage });
        one.body.push(Buffer.from(events.map(({ bytes }) => bytes).join("")), places);
        one.body.end();
        await settlePromises();
        const isBegun = expected.sent !== "" || expected.ending === "completed";
        expect((await one.opening).kind as string).toBe(isBegun ? "open" : expected.ending);
        expect(one.endings.map(({ kind }) => kind as string)).toEqual(isBegun ? [expected.ending] : []);
        expect(one.sent()).toBe(expected.sent + expected.last);
        const last = events.findIndex(({ kind }) => kind === "done" || kind === "error");
        const passed = last === -1 ? events : events.slice(0, last);
        const told = passed.filter(({ kind }) => kind === "usage").map(() => usage);
        expect(one.usages.filter((seen) => seen !== null)).toEqual(told);
      }),
      { numRuns },
    );
  });

  test("every byte by itself is no exception", async () => {
    const events = [chunk({ content: "三 [DONE]" }), usageChunk, "[DONE]"].map((data) => `data: ${data}\r\n\r\n`);
    const bytes = Buffer.from(events.join(""));
    const one = run();
    one.body.push(bytes, [...bytes.keys()]);
    await settlePromises();
    expect(one.sent()).toBe(`${events[0]}${events[2]}`);
  });

  test.each([
    ["data: [DONE]", "data: [DONE]\n\n"],
    ["data: [DONE]\n", "data: [DONE]\n\n"],
    ["\n", "\n"],
  ])("the last event needs no empty line behind it, and a blank line is no event (%p)", async (rest, sent) => {
    const one = run();
    one.body.push(Buffer.from(`data: x\n\n${rest}`), [9, 10]);
    one.body.end();
    await settlePromises();
    expect(one.sent()).toBe(`data: x\n\n${sent}`);
  });
});

describe("the end of a stream", () => {
  const begun = async (more: Partial<StreamOwner> = {}) => {
    const one = run(more);
    one.body.push(Buffer.from(`data: ${chunk({ content: "x" })}\n\n`));
    await one.opening;
    return one;
  };

  test.each([
    ["chat", true, "cut"],
    ["completions", true, "cut"],
    ["responses", true, "cut"],
    ["images", true, "completed"],
    ["images", false, "cut"],
    ["raw", true, "completed"],
    ["raw", false, "cut"],
  ] as const)(
    "of %s without a last event is judged by the framing (%p): %s",
    async (surfaceKind, isDelimited, kind) => {
      const one = await begun({ surfaceKind });
      one.body.end(isDelimited);
      expect(one.endings.map((ending) => ending.kind)).toEqual([kind]);
    },
  );

  test.each([
    ["response.completed", "completed"],
    ["response.incomplete", "completed"],
    ["response.failed", "error_event"],
    ["error", "error_event"],
  ] as const)("of the Responses API is %s: %s", async (type, kind) => {
    const one = await begun({ surfaceKind: "responses" });
    const data = JSON.stringify({ type, response: { usage: { input_tokens: 1 }, error: {} } });
    one.body.push(Buffer.from(`event: ${type}\ndata: ${data}\n\n`));
    expect(one.endings.map((ending) => ending.kind)).toEqual([kind]);
  });

  test("hangs up on an upstream that goes on behind it, but not at once", async () => {
    const one = await begun();
    one.body.push(Buffer.from("data: [DONE]\n\n"));
    one.body.push(Buffer.alloc(10_000));
    expect(one.body.isCancelled).toBe(false);
    one.body.push(Buffer.alloc(10_000));
    expect(one.body.isCancelled).toBe(true);
  });

  test("comes with an event that has no end, and the upstream is hung up on", async () => {
    const one = await begun();
    for (let packet = 0; packet < 5; packet += 1) {
      one.body.push(Buffer.alloc(1_000_000, "x"));
    }
    expect(one.endings).toEqual([{ kind: "cut", error: null }]);
    expect(one.body.isCancelled).toBe(true);
  });

  test("an event in a hundred thousand packets does not take time for each packet before it", async () => {
    const one = await begun();
    const large = Buffer.from(`data: ${"x".repeat(1_000_000)}\n\n`);
    const places = Array.from({ length: 100_000 }, (_, index) => index * 10);
    const startedAt = performance.now();
    one.body.push(large, places);
    // Putting together what waits with each packet would copy fifty thousand megabytes.
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    expect(one.sent().length).toBeGreaterThan(1_000_000);
  });
});

describe("the client's side", () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const content = (length: number) => Buffer.from(`data: ${"x".repeat(length)}\n\n`);
  const readText = async (reader: { read(): Promise<{ value?: Uint8Array | undefined }> }) =>
    Buffer.from((await reader.read()).value ?? []).toString("utf8");

  test("holds the end back until the call is settled", async () => {
    const settled = Promise.withResolvers<void>();
    const one = run({
      onEnding: async () => {
        await settled.promise;
        return { errorEvent: null, postscript: Buffer.from(": for the relay\n\n") };
      },
    });
    one.body.push(Buffer.from("data: a\n\ndata: [DONE]\n\n"));
    const reader = one.stream.stream.getReader();
    expect(await readText(reader)).toBe("data: a\n\n");
    const next = readText(reader);
    await settlePromises();
    expect(one.sent()).toBe("data: a\n\n");
    settled.resolve();
    expect(await next).toBe("data: [DONE]\n\n");
    expect(await readText(reader)).toBe(": for the relay\n\n");
    expect((await reader.read()).done).toBe(true);
  });

  test("pauses the upstream when 64 KB wait, and lets it go on when there is room", async () => {
    const one = run();
    one.body.push(content(60_000));
    expect(one.body.isPaused).toBe(false);
    one.body.push(content(10_000));
    expect(one.body.isPaused).toBe(true);
    await one.stream.stream.getReader().read();
    await settlePromises();
    expect(one.body.isPaused).toBe(false);
  });

  test("a reader that reads nothing is gone after its time, and one that reads now and then is not", async () => {
    const one = run();
    const reader = one.stream.stream.getReader();
    for (let turn = 0; turn < 5; turn += 1) {
      one.body.push(content(70_000));
      jest.advanceTimersByTime(59_000);
      await reader.read();
      await settlePromises();
    }
    expect(one.endings).toEqual([]);
    one.body.push(content(70_000));
    jest.advanceTimersByTime(59_999);
    expect(one.endings).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(one.endings).toEqual([{ kind: "aborted" }]);
    expect(one.body.isCancelled).toBe(true);
    await settlePromises();
    await expect(reader.read()).rejects.toThrow("not whole");
  });

  test("a reader that leaves has the upstream hung up on at once", async () => {
    const one = run();
    one.body.push(content(10));
    await one.opening;
    await one.stream.stream.cancel();
    expect(one.body.isCancelled).toBe(true);
    expect(one.endings).toEqual([{ kind: "aborted" }]);
    await settlePromises();
  });

  test("a stream that broke off ends with the error event, and then not in an orderly way", async () => {
    const one = run();
    one.body.push(Buffer.from("data: a\n\n"));
    one.body.sink.onError(new HttpClientError("reset_in_body", true, "reset"));
    await settlePromises();
    const reader = one.stream.stream.getReader();
    expect(await readText(reader)).toBe("data: a\n\n");
    // As long as the event has not been read, it is not lost to the break.
    jest.advanceTimersByTime(10_000);
    expect(await readText(reader)).toBe(errorEvent.toString("utf8"));
    const end = reader.read();
    await settlePromises();
    jest.advanceTimersByTime(250);
    await expect(end).rejects.toThrow("not whole");
  });

  test("an answer that is no event stream gets no event when it breaks off", async () => {
    const one = run({ surfaceKind: "raw" });
    one.body.push(Buffer.from("ID3"));
    one.body.sink.onError(new HttpClientError("idle_timeout", true, "silent"));
    await settlePromises();
    const reader = one.stream.stream.getReader();
    expect(await readText(reader)).toBe("ID3");
    const end = reader.read();
    await settlePromises();
    jest.advanceTimersByTime(250);
    await expect(end).rejects.toThrow("not whole");
  });
});

import { describe, expect, jest, test } from "bun:test";
import type { StreamOwner } from "@sluice/control-plane/gateway/respond/stream-events/stream-owner.ts";
import { HttpClientError } from "@sluice/http-client/model";
import fc from "fast-check";
import { chunk, runEventStream as run, usage, usageChunk } from "../../../support/calls/event-stream-run.ts";
import { anyCharacter } from "../../../support/values/any-character.ts";
import { passTime, settlePromises } from "../../../support/values/fake-time.ts";
import { processorMsOf } from "../../../support/values/processor-time.ts";

const numRuns = process.env["TEST_FULL"] === "1" ? 20_000 : 200;
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
const text = fc.oneof(fc.constantFrom(...oddTexts), fc.string({ unit: anyCharacter, maxLength: 12 }));
const oneOf = <Kind extends string>(kind: Kind, ...all: readonly string[]) =>
  fc.constantFrom(...all.map((data) => ({ data, kind })));

/** Payloads, and how an event with one has to be handled. */
const payload = fc.oneof(
  { weight: 8, arbitrary: text.map((content) => ({ data: chunk({ content }), kind: "content" })) },
  { weight: 1, arbitrary: oneOf("usage", usageChunk) },
  { weight: 1, arbitrary: oneOf("done", "[DONE]", " [DONE] ") },
  { weight: 1, arbitrary: oneOf("error", '{"error":{"message":"x"}}', '{"error":"x"}', '{"object":"error"}') },
  {
    weight: 1,
    arbitrary: oneOf("content", "[1]", "1", '{"error":null}', '{"error":false}', '{"error":""}'),
  },
  { weight: 1, arbitrary: oneOf("comment", "", " ") },
  { weight: 1, arbitrary: oneOf("broken", '{"choices":[', "plain", '{"choices":[{]}', '{"a":"\u0001"}', "[DONE") },
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
  let isBegun = false;
  for (const { kind, bytes } of events) {
    if (kind === "done") {
      return { sent, ending: "completed", last: bytes, isBegun: true };
    }
    if (kind === "error" || kind === "broken") {
      return { sent: isBegun ? sent : "", ending: `${kind}_event`, last: "", isBegun };
    }
    const isHidden = kind === "usage" && hidesUsage;
    isBegun ||= !isHidden && kind !== "comment";
    sent += isHidden ? "" : bytes;
  }
  return { sent: isBegun ? sent : "", ending: "cut", last: "", isBegun };
}

describe("any split of an upstream's bytes into packets", () => {
  test("gives the client the same bytes and the stream the same ending, and hides the usage only on request", async () => {
    await fc.assert(
      fc.asyncProperty(anyStream, cuts, fc.boolean(), async (events, places, hidesUsage) => {
        const expected = expectedOf(events, hidesUsage);
        const one = run({ hidesUsage });
        one.body.push(Buffer.from(events.map(({ bytes }) => bytes).join("")), places);
        one.body.end();
        await settlePromises();
        const { isBegun } = expected;
        expect((await one.opening).kind as string).toBe(isBegun ? "open" : expected.ending);
        expect(one.endings.map(({ kind }) => kind as string)).toEqual(isBegun ? [expected.ending] : []);
        expect(one.sent()).toBe(expected.sent + expected.last);
        const last = events.findIndex(({ kind }) => ["done", "error", "broken"].includes(kind));
        const passed = last === -1 ? events : events.slice(0, last);
        const told = passed.filter(({ kind }) => kind === "usage").map(() => usage);
        expect(one.usages.filter((seen) => seen !== null)).toEqual(told);
      }),
      { numRuns },
    );
  });

  test("includes single bytes", async () => {
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
  ])("the last event needs no empty line after it, and a blank line is not an event (%p)", async (rest, sent) => {
    const one = run();
    one.body.push(Buffer.from(`data: 1\n\n${rest}`), [9, 10]);
    one.body.end();
    await settlePromises();
    expect(one.sent()).toBe(`data: 1\n\n${sent}`);
  });
});

describe("before the first event", () => {
  const first = `data: ${chunk({ content: "x" })}\n\n`;
  const comment = ": keep-alive\n\n";

  test("comments and other non-events do not begin the response, and are sent with it", async () => {
    const one = run();
    let isOpen = false;
    void one.opening.then(() => {
      isOpen = true;
    });
    const before = [comment, "retry: 1000\n\n", "event: ping\n\n", "data:\n\n", `: more\n${comment}`];
    for (const piece of before) {
      one.body.push(Buffer.from(piece), [3]);
      await settlePromises();
      expect({ isOpen, sent: one.sent() }).toEqual({ isOpen: false, sent: "" });
    }
    one.body.push(Buffer.from(comment + first + comment));
    await settlePromises();
    expect(isOpen).toBe(true);
    one.body.push(Buffer.from(comment));
    expect(one.sent()).toBe(before.join("") + comment + first + comment + comment);
  });

  test.each([
    ["comments", [comment, comment]],
    ["an endless event", ["data: {", '"choi']],
    ["a usage that is not for the client", [`data: ${usageChunk}\n\n`]],
  ])("%s keep nobody waiting: another channel may be tried", async (_what, pieces) => {
    const one = run({ firstEventMs: () => 5 });
    for (const piece of pieces) {
      one.body.push(Buffer.from(piece));
    }
    expect(await one.opening).toMatchObject({
      kind: "cut",
      error: { kind: "first_byte_timeout", isRequestSent: true },
    });
    expect(one.body.isCancelled).toBe(true);
    expect({ sent: one.sent(), endings: one.endings }).toEqual({ sent: "", endings: [] });
  });

  test("the time limit ends once an event came", async () => {
    jest.useFakeTimers();
    const one = run({ firstEventMs: () => 5 });
    one.body.push(Buffer.from(comment));
    one.body.push(Buffer.from(first));
    await passTime(20);
    jest.useRealTimers();
    one.body.push(Buffer.from("data: [DONE]\n\n"));
    expect(one.endings).toEqual([{ kind: "completed" }]);
  });

  test("more comments than a few are not kept", async () => {
    const one = run();
    for (let packet = 0; packet < 1_000; packet += 1) {
      one.body.push(Buffer.from(comment.repeat(100)));
    }
    one.body.push(Buffer.from(first));
    await one.opening;
    expect(one.sent().endsWith(first)).toBe(true);
    expect(one.sent().length).toBeLessThanOrEqual(16_384 + first.length);
  });

  test.each(["choices", "responses", "framed"] as const)(
    "the end of a stream of %s is not a response, however orderly",
    async (form) => {
      for (const before of ["", comment]) {
        const one = run({ form, isWholeAtEof: true });
        one.body.push(Buffer.from(before));
        one.body.end(true);
        expect(await one.opening).toEqual({ kind: "cut", error: null });
      }
    },
  );

  test("an error is reported with the provider's message", async () => {
    const one = run();
    const said = { error: { message: "overloaded" } };
    one.body.push(Buffer.from(`${comment}data: ${JSON.stringify(said)}\n\n`));
    expect(await one.opening).toEqual({ kind: "error_event", payload: said });
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
    ["choices", true, "cut"],
    ["responses", true, "cut"],
    ["framed", true, "completed"],
    ["framed", false, "cut"],
    ["raw", true, "completed"],
    ["raw", false, "cut"],
  ] as const)("of %s without a last event is judged by the framing (%p): %s", async (form, isDelimited, kind) => {
    const one = await begun({ form });
    one.body.end(isDelimited);
    expect(one.endings.map((ending) => ending.kind)).toEqual([kind]);
  });

  test.each([
    ["response.completed", "completed"],
    ["response.incomplete", "completed"],
    ["response.failed", "error_event"],
    ["error", "error_event"],
  ] as const)("of the Responses API is %s: %s", async (type, kind) => {
    const one = await begun({ form: "responses" });
    const data = JSON.stringify({ type, response: { usage: { input_tokens: 1 }, error: {} } });
    one.body.push(Buffer.from(`event: ${type}\ndata: ${data}\n\n`));
    expect(one.endings.map((ending) => ending.kind)).toEqual([kind]);
  });

  const finish = (index = 0) =>
    `data: ${JSON.stringify({ choices: [{ index, delta: {}, finish_reason: "stop" }] })}\n\n`;
  const begin = (index: number) => `data: ${JSON.stringify({ choices: [{ index, delta: { content: "x" } }] })}\n\n`;
  const reset = new HttpClientError("reset_in_body", true, "reset");
  const told = `data: ${usageChunk}\n\n`;
  const done = "data: [DONE]\n\n";

  test.each([
    ["a clean end after the finish reason", finish(), null, "completed"],
    ["a clean end after the usage", finish() + told, null, "completed"],
    ["a break after the usage", finish() + told, reset, "completed"],
    ["a break after the finish reason", finish(), reset, "cut"],
    ["a break after a usage without a finish reason", told, reset, "cut"],
    ["a clean end without a finish reason", told, null, "cut"],
    ["a clean end while another choice continues", begin(1) + finish(), null, "cut"],
    ["a clean end of both choices", begin(1) + finish() + finish(1), null, "completed"],
    ["the beginning of an event after the finish reason", `${finish()}data: [DO`, null, "completed"],
  ])("without [DONE] is judged by its content: %s", async (_what, events, error, kind) => {
    const one = await begun();
    const before = one.sent();
    one.body.push(Buffer.from(events));
    if (error === null) {
      one.body.end(false);
    } else {
      one.body.sink.onError(error);
    }
    await settlePromises();
    expect(one.endings.map((ending) => ending.kind as string)).toEqual([kind]);
    const sent = events.replace(told, "").replace("data: [DO", "");
    expect(one.sent()).toBe(before + sent + (kind === "completed" ? done : ""));
  });

  test.each(["choices", "responses", "framed"] as const)(
    "of %s comes at an event that is not JSON; neither that event nor anything after it is sent",
    async (form) => {
      const one = await begun({ form });
      const before = one.sent();
      one.body.push(Buffer.from(`data: {"choices":[{"delta":{"content":"un\n\n${finish()}${told}${done}`));
      await settlePromises();
      expect(one.endings.map((ending) => ending.kind)).toEqual(["broken_event"]);
      expect(one.sent()).toBe(before);
      expect(one.body.isCancelled).toBe(true);
    },
  );

  test("cuts off an upstream that continues after it, but not at once", async () => {
    const one = await begun();
    one.body.push(Buffer.from("data: [DONE]\n\n"));
    one.body.push(Buffer.alloc(10_000));
    expect(one.body.isCancelled).toBe(false);
    one.body.push(Buffer.alloc(10_000));
    expect(one.body.isCancelled).toBe(true);
  });

  test("comes with an endless event, and the upstream is cut off", async () => {
    const one = await begun();
    for (let packet = 0; packet < 5; packet += 1) {
      one.body.push(Buffer.alloc(1_000_000, "x"));
    }
    expect(one.endings).toEqual([{ kind: "cut", error: null }]);
    expect(one.body.isCancelled).toBe(true);
  });

  test("an event in a hundred thousand packets does not take time for each packet before it", async () => {
    const one = await begun();
    const large = Buffer.from(`data: "${"x".repeat(1_000_000)}"\n\n`);
    const places = Array.from({ length: 100_000 }, (_, index) => index * 10);
    // Joining what waits with each packet would copy fifty thousand megabytes.
    expect(processorMsOf(() => one.body.push(large, places))).toBeLessThan(3_000);
    expect(one.sent().length).toBeGreaterThan(1_000_000);
  });
});

describe("what is sent", () => {
  const event = (content: string) => `data: ${chunk({ content })}\n\n`;
  const events = ["a", "b", "c"].map(event);
  const done = "data: [DONE]\n\n";

  test.each([
    ["is told to the call at the beginning and at the end, and kept in between", {}, [1, 1, 1, 2]],
    ["is told to the call each time if it does more than keep it", { keeper: null }, [1, 2, 3, 4]],
  ])("%s", async (_what, more: Partial<StreamOwner>, told) => {
    const one = run(more);
    const times: number[] = [];
    for (const bytes of [...events, done]) {
      one.body.push(Buffer.from(bytes));
      await settlePromises();
      times.push(one.told());
    }
    expect([times, one.sent()]).toEqual([told, [...events, done].join("")]);
  });

  test("before the first event is told to the call, too", async () => {
    const one = run();
    one.body.push(Buffer.from(`: waiting\n\n${events[0]}`));
    await one.opening;
    expect([one.told(), one.sent()]).toEqual([2, `: waiting\n\n${events[0]}`]);
  });
});

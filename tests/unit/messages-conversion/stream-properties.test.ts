import { describe, expect, test } from "bun:test";
import type { JsonObject } from "@sluice/messages-conversion/json";
import type { MessagesEvent } from "@sluice/messages-conversion/messages";
import { fromServerSentEvent, type StreamInput } from "@sluice/messages-conversion/stream/stream-input";
import fc from "fast-check";
import { bothForms, upstreamData } from "../../support/messages/messages-arbitraries.ts";
import { answerTo, eof, finish, foldEvents, runStream } from "../../support/messages/messages-calls.ts";
import { officialClients } from "../../support/messages/messages-clients.ts";

const { TEST_FULL } = process.env;
const isFull = TEST_FULL === "1";
const runs = isFull ? 5_000 : 150;
/** The official clients cost more than everything else. */
const clientRuns = isFull ? 1_000 : 40;

const facts = fc.record({
  wantsThinking: fc.boolean(),
  isLenientAtEof: fc.boolean(),
  splitsThinkTags: fc.boolean(),
  eagerTools: fc.constantFrom(new Set<string>(), new Set(["f"]), new Set(["f", "g"])),
});

/** The data of an upstream's events, as the events that a client gets. */
function readData(data: readonly string[], settings: Parameters<typeof runStream>[1]): readonly MessagesEvent[] {
  const read = data.map((line) => fromServerSentEvent({ event: "", data: line })).filter((input) => input !== null);
  return runStream([...read, eof], settings).events;
}

const asInput = (chunk: JsonObject): StreamInput => ({ kind: "chunk", chunk });

describe("any upstream stream", () => {
  test("gives events in the one order that clients understand, and ends once", () => {
    fc.assert(
      fc.property(upstreamData, facts, (data, settings) => {
        const events = readData(data, settings);
        const { isStopped, error, usage, stop_reason } = foldEvents(events);
        if (events.length === 0) {
          return;
        }
        expect(isStopped).toBe(error === null);
        expect(isStopped).toBe(usage !== null && stop_reason !== null);
      }),
      { numRuns: runs },
    );
  });

  test("keeps that order when time passes between any two chunks", () => {
    const waits = fc.array(fc.constantFrom(0, 500, 3_000, 20_000), { maxLength: 30 });
    fc.assert(
      fc.property(upstreamData, facts, waits, (data, settings, pauses) => {
        const { stream } = runStream([], settings);
        let nowMs = 0;
        const events = data.flatMap((line, index) => {
          nowMs += pauses[index] ?? 0;
          const input = fromServerSentEvent({ event: "", data: line });
          return [...stream.reduce({ kind: "tick" }, nowMs), ...(input === null ? [] : stream.reduce(input, nowMs))];
        });
        const { isStopped, error } = foldEvents([...events, ...stream.reduce(eof, nowMs)]);
        expect(isStopped || error !== null || stream.phase === "refused").toBe(true);
      }),
      { numRuns: runs },
    );
  });

  test.each(officialClients)("is read by the official client %s, or its error is", async (_name, read) => {
    await fc.assert(
      fc.asyncProperty(upstreamData, facts, async (data, settings) => {
        const events = readData(data, settings);
        if (events.length === 0) {
          return;
        }
        const expected = foldEvents(events);
        const { message, error, blocks } = await read(events);
        if (expected.error !== null) {
          expect(error?.message).toContain(expected.error.message);
          return;
        }
        expect(error).toBeNull();
        if (!expected.isTorn) {
          expect(JSON.parse(JSON.stringify(message?.content))).toEqual(expected.content as never);
        }
        expect(message?.stop_reason).toBe(expected.stop_reason);
        expect(message?.usage).toMatchObject(expected.usage ?? {});
        expect(blocks).toHaveLength(expected.content.length);
      }),
      { numRuns: clientRuns },
    );
  });
});

describe("a response", () => {
  test("is the same as a stream and in one piece, however its calls are mixed", () => {
    fc.assert(
      fc.property(bothForms, fc.boolean(), ({ message, finishReason, chunks }, wantsThinking) => {
        const whole = answerTo(message, { finish_reason: finishReason }, { wantsThinking });
        const inputs = [...chunks.map(asInput), finish(finishReason), { kind: "done" } as const];
        const { content, stop_reason, error } = foldEvents(runStream(inputs, { wantsThinking }).events);
        expect(error).toBeNull();
        expect({ content, stop_reason } as unknown).toEqual({ content: whole.content, stop_reason: whole.stop_reason });
      }),
      { numRuns: runs },
    );
  });

  test("is the same with arguments in deltas", () => {
    fc.assert(
      fc.property(bothForms, ({ message, finishReason, chunks }) => {
        const inputs = [...chunks.map(asInput), finish(finishReason), { kind: "done" } as const];
        const { content } = foldEvents(runStream(inputs, { eagerTools: new Set(["f", "g"]) }).events);
        expect(content as unknown).toEqual(answerTo(message, { finish_reason: finishReason }).content);
      }),
      { numRuns: runs },
    );
  });
});

import { describe, expect, test } from "bun:test";
import type { JsonObject } from "@sluice/messages-conversion/json";
import type { ModelFlags } from "@sluice/messages-conversion/model-flags";
import fc from "fast-check";
import { conversations } from "../../support/messages/messages-arbitraries.ts";
import { upstreamBody } from "../../support/messages/messages-calls.ts";

const { TEST_FULL } = process.env;
const runs = TEST_FULL === "1" ? 3_000 : 100;

/** Flags under which a history must keep its beginning; hoisting system messages necessarily changes it. */
const flags: fc.Arbitrary<Partial<ModelFlags>> = fc.record({
  mid_system: fc.constantFrom("keep", "user"),
  reasoning_history: fc.constantFrom("keep", "drop"),
  empty_content: fc.constantFrom("null", "empty_string"),
});

/** The same history as an agent sends it later: marks for the cache have moved on. */
function withMovedMarks(messages: readonly JsonObject[]): JsonObject[] {
  return messages.map((message) => {
    const { content } = message;
    return typeof content === "string" && message["role"] === "user"
      ? { ...message, content: [{ type: "text", text: content, cache_control: { type: "ephemeral" } }] }
      : message;
  });
}

const linesOf = (messages: readonly JsonObject[], settings: Partial<ModelFlags>): string[] =>
  upstreamBody({ system: "S", messages }, settings).messages.map((message) => JSON.stringify(message));

describe("any history", () => {
  test("B3 keeps its beginning from turn to turn, byte for byte", () => {
    fc.assert(
      fc.property(conversations, flags, (turns, settings) => {
        for (let length = 1; length < turns.length; length += 1) {
          const now = linesOf(turns.slice(0, length).flat(), settings);
          const later = linesOf(withMovedMarks(turns.slice(0, length + 1).flat()), settings);
          expect(later.slice(0, now.length)).toEqual(now);
        }
      }),
      { numRuns: runs },
    );
  });

  test("R8 B26 has results right after every call, once and in order, and no empty messages", () => {
    fc.assert(
      fc.property(conversations, fc.constantFrom(true, false), (turns, merge) => {
        const { messages } = upstreamBody({ messages: turns.flat() }, { merge, mid_system: "user" });
        let waiting: string[] = [];
        for (const message of messages) {
          if (message.role === "tool") {
            expect(message.tool_call_id).toBe(waiting.shift() ?? "no call");
            continue;
          }
          expect(waiting).toEqual([]);
          const calls = message.role === "assistant" ? (message.tool_calls ?? []) : [];
          expect(calls.length + (message.content?.length ?? 0)).toBeGreaterThan(0);
          waiting = calls.map(({ id }) => id);
        }
        expect(waiting).toEqual([]);
        const roles = messages.map(({ role }) => role);
        const isRepeated = roles.some((role, index) => role !== "tool" && role === roles[index - 1]);
        expect(merge && isRepeated).toBe(false);
      }),
      { numRuns: runs },
    );
  });

  test("gives the same body every time", () => {
    fc.assert(
      fc.property(conversations, flags, (turns, settings) => {
        const once = JSON.stringify(upstreamBody({ messages: turns.flat() }, settings));
        expect(JSON.stringify(upstreamBody({ messages: structuredClone(turns.flat()) }, settings))).toBe(once);
      }),
      { numRuns: Math.ceil(runs / 4) },
    );
  });

  test("is not modified", () => {
    fc.assert(
      fc.property(conversations, (turns) => {
        const before = JSON.stringify(turns);
        upstreamBody({ messages: turns.flat() }, { merge: true });
        expect(JSON.stringify(turns)).toBe(before);
      }),
      { numRuns: Math.ceil(runs / 4) },
    );
  });
});

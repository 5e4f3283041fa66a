import { describe, expect, test } from "bun:test";
import { KeptAnswers } from "@sluice/control-plane/gateway/response-cache/kept-answers.ts";
import { type KeptAnswer, sizeOf } from "@sluice/control-plane/gateway/response-cache/model.ts";
import { noUnits } from "@sluice/control-plane/models/units.ts";
import fc from "fast-check";

const answer = (bytes: number, expiresAtMs = 1_000): KeptAnswer => ({
  headers: {},
  body: new Uint8Array(bytes),
  isStream: false,
  units: noUnits,
  keptAtMs: 0,
  expiresAtMs,
});
const size = sizeOf(answer(100));

describe("answers in memory", () => {
  test("make room for new ones in the order of their last use", () => {
    const answers = new KeptAnswers();
    const room = 3 * size;
    for (const name of ["a", "b", "c"]) {
      expect(answers.keep(name, answer(100), room)).toBe(0);
    }
    answers.find("a", 0);
    expect(answers.keep("d", answer(100), room)).toBe(1);
    expect(["a", "b", "c", "d"].map((name) => answers.find(name, 0) !== null)).toEqual([true, false, true, true]);
  });

  test("leave the others alone if one is larger than all room", () => {
    const answers = new KeptAnswers();
    answers.keep("a", answer(100), 2 * size);
    expect(answers.keep("b", answer(10_000), 2 * size)).toBe(0);
    expect([answers.find("a", 0) !== null, answers.find("b", 0)]).toEqual([true, null]);
  });

  test("are gone at the end of their time, and from the memory soon after", () => {
    const answers = new KeptAnswers();
    answers.keep("a", answer(100, 10), 2 * size);
    answers.keep("b", answer(100, 20), 2 * size);
    expect(answers.find("a", 9)).not.toBeNull();
    expect(answers.find("a", 10)).toBeNull();
    answers.sweep(20, 2 * size);
    expect([answers.size, answers.bytes]).toEqual([0, 0]);
  });

  test("fit into a limit that is lowered while they are there", () => {
    const answers = new KeptAnswers();
    answers.keep("a", answer(100), 2 * size);
    answers.keep("b", answer(100), 2 * size);
    expect(answers.sweep(0, size)).toBe(1);
    expect(answers.find("b", 0)).not.toBeNull();
  });

  test("never exceed the limit, and are counted exactly, whatever is done", () => {
    const step = fc.record({
      act: fc.constantFrom("keep", "find", "sweep"),
      name: fc.constantFrom("a", "b", "c", "d", "e"),
      bytes: fc.integer({ min: 0, max: 3_000 }),
      at: fc.integer({ min: 0, max: 100 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1_000, max: 8_000 }), (steps, room) => {
        const answers = new KeptAnswers();
        let now = 0;
        for (const { act, name, bytes, at } of steps) {
          now = Math.max(now, at);
          if (act === "keep") {
            answers.keep(name, answer(bytes, at), room);
          } else if (act === "find") {
            expect(answers.find(name, now)?.expiresAtMs ?? now + 1).toBeGreaterThan(now);
          } else {
            answers.sweep(now, room);
          }
          expect(answers.bytes).toBeLessThanOrEqual(room);
        }
        const left = ["a", "b", "c", "d", "e"].flatMap((name) => answers.find(name, -1) ?? []);
        expect(answers.bytes).toBe(left.reduce((sum, each) => sum + sizeOf(each), 0));
        expect(answers.size).toBe(left.length);
      }),
      { numRuns: 300 },
    );
  });
});

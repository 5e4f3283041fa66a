import { expect, test } from "bun:test";
import { type ProcessorTimes, ProcessorUse } from "../../runner/processor-use.ts";

test("a run says how busy the processors were, also between the ends of the jobs of each kind", () => {
  let times: ProcessorTimes = { allMs: 1_000, idleMs: 500 };
  const pass = (allMs: number, idleMs: number): void => {
    times = { allMs: times.allMs + allMs, idleMs: times.idleMs + idleMs };
  };
  const use = new ProcessorUse(() => times);
  pass(200, 0);
  use.note("unit");
  pass(100, 50);
  use.note("fault");
  pass(100, 10);
  use.note("unit");
  pass(100, 90);
  expect(use.describe()).toBe("70 % (unit 97 %, fault 50 %)");
});

test("the times of this machine are read", () => {
  const use = new ProcessorUse();
  use.note("unit");
  expect(use.describe()).toMatch(/^\d+ % \(unit \d+ %\)$/);
});

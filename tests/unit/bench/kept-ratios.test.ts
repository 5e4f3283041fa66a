import { expect, test } from "bun:test";
import { compare, intervalOf, type KeptRatios, ratiosOf } from "../../bench/relay/kept-ratios.ts";
import type { Measurement } from "../../bench/relay/measure.ts";
import type { Results } from "../../bench/relay/readings.ts";
import { scenarios } from "../../bench/relay/scenarios.ts";

const cpu = (armCpuMs: number): Measurement => ({
  load: { answered: 1000, requestsPerSecond: 1000, latencyMs: { p50: 1, p99: 2, max: 3 }, stream: null },
  armCpuMs,
  threadCpu: {},
  companionCpuMs: {},
  armBusy: 1,
  loadBusy: 0.5,
  foreignBusy: 0,
  peakMemoryMb: 20,
  providerConnections: 64,
  provided: 1000,
  streamsOpenMax: 0,
  books: null,
});

/** Rounds in which nginx takes this much, and Sluice that many times as much. */
function run(times: readonly number[], nginx = (round: number) => 10 + round): Results {
  const rounds = times.map((each, round) => ({ nginx: cpu(nginx(round)), sluice: cpu(nginx(round) * each) }));
  return {
    startedAt: "2026-01-01T00:00:00.000Z",
    jsonLoad: "wrk",
    rounds: rounds.length,
    skipped: {},
    arms: ["nginx", "sluice"].map((name) => ({ name, title: name })),
    scenarios: scenarios.filter(({ name }) => name === "json-64").map((scenario) => ({ scenario, rounds })),
  };
}

const kept: KeptRatios = {
  takenAt: "2026-01-01",
  processor: "test",
  cpuOverNginx: { "sluice json-64": { median: 4, low: 3.9, high: 4.1, rounds: 15 } },
};
const around = (middle: number, spread: number) =>
  Array.from({ length: 15 }, (_, index) => middle * (1 + (spread * (index - 7)) / 7));

test("the interval of fifteen rounds is from the fourth to the twelfth, and of five it has no end", () => {
  expect(intervalOf(Array.from({ length: 15 }, (_, index) => index + 1))).toEqual({ low: 4, high: 12 });
  expect(intervalOf([1, 2, 3, 4, 5, 6])).toEqual({ low: 1, high: 6 });
  expect(intervalOf([1, 2, 3, 4, 5])).toEqual({ low: 0, high: Number.POSITIVE_INFINITY });
});

test("a machine that changes its speed between rounds changes no ratio", () => {
  const slowed = run(around(4, 0), (round) => 10 * 2 ** round);
  expect(ratiosOf(slowed)["sluice json-64"]).toEqual({ median: 4, low: 4, high: 4, rounds: 15 });
});

test("a ratio that is more than 5 % worse in the whole interval is a regression", () => {
  expect(compare(kept, run(around(4.4, 0.02)))).toMatchObject({ code: 1 });
  expect(compare(kept, run(around(4.1, 0.01)))).toMatchObject({ code: 0 });
  expect(compare(kept, run(around(3, 0.5)))).toMatchObject({ code: 0 });
});

test("rounds that differ too much from each other decide nothing", () => {
  expect(compare(kept, run(around(4.4, 0.5)))).toMatchObject({ code: 3 });
  expect(compare(kept, run([4.4, 4.4, 4.4]))).toMatchObject({ code: 3 });
});

test("a run without any of the kept ratios decides nothing", () => {
  expect(compare({ ...kept, cpuOverNginx: {} }, run(around(4, 0)))).toMatchObject({ code: 3 });
});

import { expect, test } from "bun:test";
import type { Measurement } from "../../bench/relay/measure.ts";
import { readOptions } from "../../bench/relay/options.ts";
import type { Results } from "../../bench/relay/readings.ts";
import { renderReport } from "../../bench/relay/report.ts";
import { conversionScenarios, scenarios } from "../../bench/relay/scenarios.ts";

function measurement(requestsPerSecond: number, changes: Partial<Measurement> = {}): Measurement {
  return {
    load: {
      answered: 2000,
      requestsPerSecond,
      latencyMs: { p50: 1000 / requestsPerSecond, p99: 9, max: 9 },
      stream: null,
    },
    armCpuMs: 106,
    threadCpu: {},
    companionCpuMs: {},
    armBusy: 1,
    loadBusy: 0.5,
    foreignBusy: 0,
    peakMemoryMb: 20,
    providerConnections: 64,
    provided: 2000,
    streamsOpenMax: 0,
    books: null,
    ...changes,
  };
}

function report(rounds: Record<string, Measurement>[]): string {
  const scenario = scenarios.find(({ name }) => name === "json-64");
  const results: Results = {
    startedAt: "2026-01-01T00:00:00.000Z",
    jsonLoad: "wrk",
    rounds: rounds.length,
    skipped: { "Portkey 1.15.2": "node is not installed" },
    arms: ["direct", "nginx", "sluice"].map((name) => ({ name, title: name })),
    scenarios: scenario === undefined ? [] : [{ scenario, rounds }],
  };
  return renderReport(results);
}

function cells(text: string, arm: string): string[] {
  const line = text.split("\n").find((each) => each.startsWith(`| ${arm} `)) ?? "";
  return line.split("|").map((cell) => cell.trim());
}

const steadyRounds = [30_000, 20_000, 10_000].map((rate) => ({
  direct: measurement(4 * rate, { armCpuMs: null, peakMemoryMb: null, armBusy: null }),
  nginx: measurement(rate),
  sluice: measurement(rate / 2, { armCpuMs: 212 }),
}));

test("a ratio is computed within each round, so that a machine that slows down does not change it", () => {
  expect(cells(report(steadyRounds), "sluice").slice(2, 5)).toEqual(["10,000 (5,000-15,000)", "0.500", "-"]);
});

test("CPU is reported per 1,000 calls, and as a ratio to nginx", () => {
  expect(cells(report(steadyRounds), "nginx").slice(7, 9)).toEqual(["53.0", "1.000"]);
  expect(cells(report(steadyRounds), "sluice").slice(7, 9)).toEqual(["106.0", "2.000"]);
});

test("the added latency is the distance to the direct run of the same round", () => {
  expect(cells(report(steadyRounds.slice(1, 2)), "sluice")[6]).toBe("0.09 / 0.00");
});

test("an arm that did not run is named with its reason", () => {
  expect(report(steadyRounds)).toContain("Not measured: Portkey 1.15.2: node is not installed.");
});

test("rounds in which others used the machine are reported", () => {
  expect(report(steadyRounds)).not.toContain("Disturbed");
  const disturbed = [{ ...steadyRounds[0], nginx: measurement(1, { foreignBusy: 0.2 }) }];
  expect(report(disturbed)).toContain("in 1 of 3 measurements others used more than 3 % of the machine");
});

test("dropped payloads are reported beside stored ones", () => {
  const books = { usageRows: 2000, traceRecords: 2000, payloadsStored: 1990, payloadsDropped: 10 };
  const text = report([{ sluice: measurement(100, { books, companionCpuMs: { Postgres: 40 } }) }]);
  expect(text).toContain("2,000 calls answered, 2,000 usage rows, 1,990 payloads stored, 10 dropped and counted");
  expect(text).toContain("Postgres used 20.0 CPU ms per 1,000 calls");
});

test("what each thread takes of a call is reported for arms with several, the largest first", () => {
  const threadCpu = { Worker: { userMs: 8, systemMs: 2 }, "first thread": { userMs: 60, systemMs: 40 } };
  const rest = { timer: { userMs: 0.1, systemMs: 0 } };
  const text = report([{ nginx: measurement(1), sluice: measurement(1, { threadCpu: { ...threadCpu, ...rest } }) }]);
  expect(text).toContain("sluice, user and system us a call: first thread 30.0 + 20.0, Worker 4.0 + 1.0.");
  expect(text).not.toContain("nginx, user");
});

test("another checkout is measured beside nginx and this one, or beside the arms that are named", () => {
  const arms = (...args: string[]) => {
    const options = readOptions(args);
    return options === "help" ? [] : [options.against, ...options.arms];
  };
  expect(arms("--against", "/before")).toEqual(["/before", "before", "nginx", "front"]);
  expect(arms("--against", "/before", "--arms", "front")).toEqual(["/before", "before", "front"]);
  expect(arms("--arms", "front")).toEqual([null, "front"]);
});

test("a conversion is compared with the chat call of its own round", () => {
  const named = (name: string) => conversionScenarios.filter((scenario) => scenario.name === name);
  const roundsOf = (cpus: number[]) => cpus.map((armCpuMs) => ({ sluice: measurement(100, { armCpuMs }) }));
  const text = renderReport({
    startedAt: "2026-01-01T00:00:00.000Z",
    jsonLoad: "wrk",
    rounds: 3,
    skipped: {},
    arms: [{ name: "sluice", title: "Sluice" }],
    scenarios: [
      ...named("convert-chat-chat").map((scenario) => ({ scenario, rounds: roundsOf([200, 400, 800]) })),
      ...named("convert-messages-chat").map((scenario) => ({ scenario, rounds: roundsOf([300, 600, 1200]) })),
      ...named("convert-stream-messages-chat").map((scenario) => ({ scenario, rounds: roundsOf([2000]) })),
    ],
  });
  expect(cells(text, "chat from chat").slice(2, 6)).toEqual(["200.0", "1.00", "-", "-"]);
  expect(cells(text, "messages from chat").slice(2, 6)).toEqual(["300.0", "1.50", "1,000.0", "-"]);
  expect(text).not.toContain("requests/s");
});

test("conversions are measured only when they are asked for", () => {
  const chosen = (...args: string[]) => {
    const options = readOptions(args);
    return options === "help" ? [] : options.scenarios;
  };
  expect(
    chosen()
      .concat(chosen("--quick"))
      .filter(({ conversion }) => conversion !== null),
  ).toEqual([]);
  expect(chosen("--scenarios", "conversions")).toEqual([...conversionScenarios]);
  const named = chosen("--scenarios", "json-64,convert-messages-chat");
  expect(named.map(({ name }) => name)).toEqual(["json-64", "convert-messages-chat"]);
});

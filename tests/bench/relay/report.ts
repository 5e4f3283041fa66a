/** Turns the numbers of all rounds into tables: medians, and ratios against the same round of the other arm. */
import { arch, cpus, release } from "node:os";
import { type Conversion, conversions } from "./load/call.ts";
import { median } from "./load/samples.ts";
import type { Measurement } from "./measure.ts";
import type { ThreadCpu } from "./process-cost.ts";
import {
  callRate,
  cpuOfCall,
  cpuOfChunk,
  difference,
  firstByteMs,
  type Pair,
  pairsOf,
  peakMb,
  type Reading,
  type Results,
  ratio,
  type ScenarioResult,
} from "./readings.ts";
import { chunksPerSecondAsked, type Scenario } from "./scenarios.ts";

type Column = { readonly title: string; cell(arm: string): string };

const DISTURBED_FROM = 0.03;

/** The report as Markdown. */
export function renderReport(results: Results): string {
  const parts = [
    `Bun ${Bun.version}, Linux ${release()} ${arch()}, ${cpus()[0]?.model ?? "unknown processor"}, ` +
      `${results.rounds} interleaved round(s), medians; JSON load by ${results.jsonLoad}.`,
    ...Object.entries(results.skipped).map(([title, reason]) => `Not measured: ${title}: ${reason}.`),
    ...results.scenarios
      .filter(({ scenario }) => scenario.conversion === null)
      .map((result) => renderScenario(results, result)),
    ...results.arms.flatMap((arm) => [...renderConversions(results, arm)]),
    ...renderSummary(results),
  ];
  return parts.join("\n\n");
}

function renderScenario(results: Results, result: ScenarioResult): string {
  const { scenario } = result;
  const columns = scenario.kind === "json" ? jsonColumns(result) : streamColumns(result);
  const table = renderTable([
    [scenario.title, ...columns.map((column) => column.title)],
    ...results.arms.map(({ name, title }) => [title, ...columns.map((column) => column.cell(name))]),
  ]);
  return [table, ...renderThreads(results, result), ...notes(results, result)].join("\n");
}

/** What a thread has to take of a call, or of a chunk, to be shown, in microseconds. */
const SHOWN_FROM_US = 0.1;

/** User and system time by thread, of arms with more than one. */
function* renderThreads(results: Results, result: ScenarioResult): Generator<string> {
  const isStream = result.scenario.kind === "stream";
  for (const { name, title } of results.arms) {
    const measurements = readings(result, name);
    const names = [...new Set(measurements.flatMap(({ threadCpu }) => Object.keys(threadCpu)))];
    const used = (thread: string, part: keyof ThreadCpu): number =>
      median(
        measurements.map(
          ({ threadCpu, load }) => ((threadCpu[thread]?.[part] ?? 0) * 1000) / (load.stream?.chunks ?? load.answered),
        ),
      );
    const rows = names
      .map((thread) => ({ thread, user: used(thread, "userMs"), system: used(thread, "systemMs") }))
      .filter(({ user, system }) => user + system >= SHOWN_FROM_US)
      .toSorted((left, right) => right.user + right.system - left.user - left.system)
      .map(({ thread, user, system }) => `${thread} ${format(user, 1)} + ${format(system, 1)}`);
    if (names.length > 1) {
      yield `\n${title}, user and system us a ${isStream ? "chunk" : "call"}: ${rows.join(", ")}.`;
    }
  }
}

/** Every conversion beside the chat call of the same round that is not converted, in one table. */
function* renderConversions(results: Results, { name, title }: Results["arms"][number]): Generator<string> {
  const measured = results.scenarios.filter(
    (result) => result.scenario.conversion !== null && readings(result, name).length > 0,
  );
  if (measured.length === 0) {
    return;
  }
  const cellsOf = (conversion: Conversion, kind: Scenario["kind"]): string[] => {
    const find = (wanted: Conversion | undefined) =>
      measured.find(({ scenario }) => scenario.kind === kind && scenario.conversion === wanted);
    const [own, same] = [find(conversion), find(conversions[0])];
    if (own === undefined) {
      return ["-", "-"];
    }
    const rounds = own.rounds.map((round, index) => ({
      ...(round[name] ? { own: round[name] } : {}),
      ...(same?.rounds[index]?.[name] ? { same: same.rounds[index][name] } : {}),
    }));
    const paired = { scenario: own.scenario, rounds };
    return [cell(paired, "own", cpuOfCall, 1), ratioCell(paired, cpuOfCall, ["own", "same"], 2)];
  };
  const same = "x chat from chat";
  yield renderTable([
    [`${title}: client from provider`, "CPU us per JSON call", same, "CPU us per stream", same],
    ...conversions
      .filter((conversion) => measured.some(({ scenario }) => scenario.conversion === conversion))
      .map((conversion) => [
        `${conversion.client} from ${conversion.upstream}`,
        ...cellsOf(conversion, "json"),
        ...cellsOf(conversion, "stream"),
      ]),
  ]);
  const measurements = measured.flatMap((result) => readings(result, name));
  yield* [...disturbedNotes(measurements), ...bookNotes(title, measurements)];
}

/** The table that the documentation shows, as far as its scenarios were measured: a line for each gateway. */
function* renderSummary(results: Results): Generator<string> {
  const of = (name: string) => results.scenarios.find(({ scenario }) => scenario.name === name);
  const xNginx = (name: string, title: string, reading: Reading) => {
    const result = of(name);
    return result === undefined
      ? []
      : [{ title, cell: (arm: string) => ratioCell(result, reading, [arm, "nginx"], 2) }];
  };
  const [streams, manyStreams] = [of("stream-200"), of("stream-1000")];
  const columns: Column[] = [
    ...xNginx("json-64", "64 connections, x nginx", callRate),
    ...xNginx("json-64", "CPU a call, x nginx", cpuOfCall),
    ...xNginx("json-256", "256 connections, x nginx", callRate),
    ...xNginx("json-256", "CPU a call, x nginx", cpuOfCall),
    ...xNginx("stream-200", "CPU a chunk, x nginx", cpuOfChunk),
    ...(streams === undefined
      ? []
      : [{ title: "first byte of 200 streams, ms more", cell: (arm: string) => addedCell(streams, arm, firstByteMs) }]),
    ...(manyStreams === undefined
      ? []
      : [{ title: "MB at 1,000 streams", cell: (arm: string) => cell(manyStreams, arm, peakMb, 0) }]),
  ];
  const arms = results.arms.filter(({ name }) => name !== "direct");
  if (columns.length > 0 && arms.length > 0) {
    const head = ["everything on", ...columns.map(({ title }) => title)];
    yield renderTable([head, ...arms.map(({ name, title }) => [title, ...columns.map((each) => each.cell(name))])]);
  }
}

function jsonColumns(result: ScenarioResult): Column[] {
  return [
    { title: "requests/s", cell: (arm) => rangeCell(result, arm, callRate) },
    { title: "x nginx", cell: (arm) => ratioCell(result, callRate, [arm, "nginx"]) },
    { title: "x Portkey", cell: (arm) => ratioCell(result, callRate, [arm, "portkey"]) },
    ...latencyColumns(result, ""),
    { title: "CPU ms per 1,000", cell: (arm) => cell(result, arm, cpuOfCall, 1) },
    { title: "CPU x nginx", cell: (arm) => ratioCell(result, cpuOfCall, [arm, "nginx"]) },
    {
      title: "new connections per call",
      cell: (arm) => cell(result, arm, (each) => each.providerConnections / each.provided, 3),
    },
    ...commonColumns(result),
    { title: "load core", cell: (arm) => percentCell(result, arm, (each) => each.loadBusy) },
  ];
}

function streamColumns(result: ScenarioResult): Column[] {
  const isPaced = result.scenario.paceMicroseconds > 0;
  const rate: Reading = ({ load }) => load.stream?.chunksPerSecond ?? null;
  return [
    { title: "chunks/s", cell: (arm) => rangeCell(result, arm, rate) },
    ...latencyColumns(result, "first byte "),
    {
      title: "chunk p50 / p99 ms",
      cell: (arm) =>
        `${cell(result, arm, ({ load }) => load.stream?.chunkLatencyMs.p50 ?? null, 2)} / ` +
        cell(result, arm, ({ load }) => load.stream?.chunkLatencyMs.p99 ?? null, 2),
    },
    { title: "CPU us per chunk", cell: (arm) => cell(result, arm, cpuOfChunk, 1) },
    { title: "CPU x nginx", cell: (arm) => ratioCell(result, cpuOfChunk, [arm, "nginx"]) },
    {
      title: "streams at once",
      cell: (arm) => (isPaced ? cell(result, arm, ({ streamsOpenMax }) => streamsOpenMax, 0) : "-"),
    },
    ...commonColumns(result),
  ];
}

function latencyColumns(result: ScenarioResult, prefix: string): Column[] {
  const p50 = firstByteMs;
  const p99: Reading = ({ load }) => load.latencyMs.p99;
  return [
    {
      title: `${prefix}p50 / p99 ms`,
      cell: (arm) => `${cell(result, arm, p50, 2)} / ${cell(result, arm, p99, 2)}`,
    },
    {
      title: "added p50 / p99 ms",
      cell: (arm) => (arm === "direct" ? "-" : `${addedCell(result, arm, p50)} / ${addedCell(result, arm, p99)}`),
    },
  ];
}

function commonColumns(result: ScenarioResult): Column[] {
  return [
    { title: "peak MB", cell: (arm) => cell(result, arm, peakMb, 0) },
    { title: "its core", cell: (arm) => percentCell(result, arm, ({ armBusy }) => armBusy) },
  ];
}

function notes(results: Results, result: ScenarioResult): string[] {
  const { scenario, rounds } = result;
  const asked = chunksPerSecondAsked(scenario);
  const measurements = rounds.flatMap((round) => Object.values(round));
  return [
    ...(asked === null ? [] : [`The provider offers ${format(asked, 0)} chunks/s.`]),
    ...disturbedNotes(measurements),
    ...results.arms.flatMap(({ name, title }) => [...bookNotes(title, readings(result, name))]),
  ].map((note) => `\n${note}`);
}

function disturbedNotes(measurements: readonly Measurement[]): string[] {
  const disturbed = measurements.filter(({ foreignBusy }) => foreignBusy > DISTURBED_FROM).length;
  return disturbed === 0
    ? []
    : [`Disturbed: in ${disturbed} of ${measurements.length} measurements others used more than 3 % of the machine.`];
}

/** What an arm that keeps books recorded, and the work done for it by others. */
function* bookNotes(title: string, measurements: readonly Measurement[]): Generator<string> {
  const books = measurements.flatMap((each) => (each.books === null ? [] : [each.books]));
  if (books.length > 0) {
    const sum = (counts: number[]) =>
      format(
        counts.reduce((left, right) => left + right, 0),
        0,
      );
    yield `${title}: ${sum(measurements.map(({ load }) => load.answered))} calls answered, ` +
      `${sum(books.map(({ usageRows }) => usageRows))} usage rows, ` +
      `${sum(books.map(({ payloadsStored }) => payloadsStored))} payloads stored, ` +
      `${sum(books.map(({ payloadsDropped }) => payloadsDropped))} dropped and counted.`;
  }
  for (const companion of Object.keys(measurements[0]?.companionCpuMs ?? {})) {
    const costs = measurements.map(
      ({ companionCpuMs, load }) => ((companionCpuMs[companion] ?? 0) * 1000) / load.answered,
    );
    yield `${title}: ${companion} used ${format(median(costs), 1)} CPU ms per 1,000 calls on the core of the load.`;
  }
}

function readings(result: ScenarioResult, arm: string): Measurement[] {
  return result.rounds.flatMap((round) => round[arm] ?? []);
}

function numbers(result: ScenarioResult, arm: string, reading: Reading): number[] {
  return readings(result, arm).flatMap((measurement) => reading(measurement) ?? []);
}

function cell(result: ScenarioResult, arm: string, reading: Reading, digits: number): string {
  const all = numbers(result, arm, reading);
  return all.length === 0 ? "-" : format(median(all), digits);
}

function percentCell(result: ScenarioResult, arm: string, reading: Reading): string {
  const all = numbers(result, arm, reading);
  return all.length === 0 ? "-" : `${Math.round(median(all) * 100)} %`;
}

function rangeCell(result: ScenarioResult, arm: string, reading: Reading): string {
  const all = numbers(result, arm, reading);
  if (all.length < 2) {
    return cell(result, arm, reading, 0);
  }
  return `${format(median(all), 0)} (${format(Math.min(...all), 0)}-${format(Math.max(...all), 0)})`;
}

/** The median of the differences to the direct run of the same round. */
function addedCell(result: ScenarioResult, arm: string, reading: Reading): string {
  return pairedCell(result, reading, { arm, other: "direct", digits: 2, combine: difference });
}

/** The median of the ratios to the other arm in the same round. */
function ratioCell(result: ScenarioResult, reading: Reading, [arm, other]: [string, string], digits = 3): string {
  return pairedCell(result, reading, { arm, other, digits, combine: ratio });
}

function pairedCell(
  result: ScenarioResult,
  reading: Reading,
  { digits, combine, ...pair }: Pair & { readonly digits: number; combine(mine: number, theirs: number): number },
): string {
  const pairs = pairsOf(result, reading, pair, combine);
  return pairs.length === 0 ? "-" : format(median(pairs), digits);
}

function format(number: number, digits: number): string {
  return number.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function renderTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((text, column) => (column === 0 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0))).join(" | ")} |`;
  const [head = [], ...body] = rows;
  const rule = `|${widths.map((width, column) => (column === 0 ? "-".repeat(width + 2) : `${"-".repeat(width + 1)}:`)).join("|")}|`;
  return [line(head), rule, ...body.map(line)].join("\n");
}

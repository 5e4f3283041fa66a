/** Turns the numbers of all rounds into tables: medians, and ratios against the same round of the other arm. */
import { arch, cpus, release } from "node:os";
import { type Conversion, conversions } from "./load/call.ts";
import { median } from "./load/samples.ts";
import type { Measurement } from "./measure.ts";
import { chunksPerSecondAsked, type Scenario } from "./scenarios.ts";

export type Results = {
  readonly startedAt: string;
  readonly jsonLoad: "wrk" | "bun";
  readonly rounds: number;
  /** Title of an arm and why it could not run. */
  readonly skipped: Record<string, string>;
  readonly arms: readonly { readonly name: string; readonly title: string }[];
  readonly scenarios: ScenarioResult[];
};

type ScenarioResult = { readonly scenario: Scenario; readonly rounds: readonly Record<string, Measurement>[] };
type Column = { readonly title: string; cell(arm: string): string };
type Reading = (measurement: Measurement) => number | null;

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
  return [table, ...notes(results, result)].join("\n");
}

/** CPU per 1,000 calls in ms, which is that of one call in us. */
const cpuOfCall: Reading = ({ armCpuMs, load }) => (armCpuMs === null ? null : (armCpuMs * 1000) / load.answered);

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

function jsonColumns(result: ScenarioResult): Column[] {
  const rate: Reading = ({ load }) => load.requestsPerSecond;
  return [
    { title: "requests/s", cell: (arm) => rangeCell(result, arm, rate) },
    { title: "x nginx", cell: (arm) => ratioCell(result, rate, [arm, "nginx"]) },
    { title: "x Portkey", cell: (arm) => ratioCell(result, rate, [arm, "portkey"]) },
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
  const cpu: Reading = ({ armCpuMs, load }) =>
    armCpuMs === null || load.stream === null ? null : (armCpuMs * 1000) / load.stream.chunks;
  return [
    { title: "chunks/s", cell: (arm) => rangeCell(result, arm, rate) },
    ...latencyColumns(result, "first byte "),
    {
      title: "chunk p50 / p99 ms",
      cell: (arm) =>
        `${cell(result, arm, ({ load }) => load.stream?.chunkLatencyMs.p50 ?? null, 2)} / ` +
        cell(result, arm, ({ load }) => load.stream?.chunkLatencyMs.p99 ?? null, 2),
    },
    { title: "CPU us per chunk", cell: (arm) => cell(result, arm, cpu, 1) },
    { title: "CPU x nginx", cell: (arm) => ratioCell(result, cpu, [arm, "nginx"]) },
    {
      title: "streams at once",
      cell: (arm) => (isPaced ? cell(result, arm, ({ streamsOpenMax }) => streamsOpenMax, 0) : "-"),
    },
    ...commonColumns(result),
  ];
}

function latencyColumns(result: ScenarioResult, prefix: string): Column[] {
  const p50: Reading = ({ load }) => load.latencyMs.p50;
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
    { title: "peak MB", cell: (arm) => cell(result, arm, ({ peakMemoryMb }) => peakMemoryMb, 0) },
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
  return pairedCell(result, reading, { arm, other: "direct", digits: 2, combine: (mine, theirs) => mine - theirs });
}

/** The median of the ratios to the other arm in the same round. */
function ratioCell(result: ScenarioResult, reading: Reading, [arm, other]: [string, string], digits = 3): string {
  return pairedCell(result, reading, { arm, other, digits, combine: (mine, theirs) => mine / theirs });
}

type Pairing = {
  readonly arm: string;
  readonly other: string;
  readonly digits: number;
  combine(mine: number, theirs: number): number;
};

function pairedCell(result: ScenarioResult, reading: Reading, pairing: Pairing): string {
  const pairs = result.rounds.flatMap((round) => {
    const [mine, theirs] = [round[pairing.arm], round[pairing.other]].map((each) => (each ? reading(each) : null));
    return mine == null || theirs == null ? [] : pairing.combine(mine, theirs);
  });
  return pairs.length === 0 ? "-" : format(median(pairs), pairing.digits);
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

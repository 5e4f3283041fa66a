/** `bun run bench settle`: what it costs to make the rows of a call durable and to commit them. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import {
  type CallRows,
  type CallSpool,
  type CallsSummary,
  callForms,
} from "@sluice/control-plane/compose/call-rows.ts";
import type { DrainOptions } from "@sluice/control-plane/platform/spool/drain.ts";
import type { SpoolEntry } from "@sluice/control-plane/platform/spool/model.ts";
import { openSpool } from "@sluice/control-plane/platform/spool/spool.ts";
import { startTestCluster } from "../../support/postgres/test-cluster.ts";
import { createDatabaseOn } from "../../support/postgres/test-database.ts";
import { ARM_CORE, moveToCore, moveToLoadCore, reasonAgainstMachine } from "../relay/cores.ts";
import { type Books, openBooks } from "./books.ts";

const usage = `usage: bun run bench settle [options]
  --calls <n>     calls of each round (default 50000)
  --rounds <n>    (default 5)
  --groups <ns>   calls that end in one turn of the event loop (default 1,8,32)`;

const backlogMax = 6_000;
const flushMs = 60_000;
const paceMs = 5_000;
const callsPerTick = 10;

/** CPU of this process with all its threads, in us for each call. */
type Cost = { readonly rows: number; readonly recorded: number; readonly committed: number };

export async function runSettleBench(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      calls: { type: "string", default: "50000" },
      rounds: { type: "string", default: "5" },
      groups: { type: "string", default: "1,8,32" },
      help: { type: "boolean", default: false },
    },
  });
  const reason = reasonAgainstMachine();
  if (values.help || reason !== null) {
    console.log(reason ?? usage);
    return reason === null ? 0 : 1;
  }
  const directory = await mkdtemp(join(tmpdir(), "sluice-bench-"));
  moveToLoadCore();
  const cluster = await startTestCluster({ isDurable: true });
  moveToCore(ARM_CORE);
  try {
    await using books = await openBooks((await createDatabaseOn(cluster.url)).url);
    const settings = { directory, rounds: Number(values.rounds) };
    console.log("CPU us per call (a usage row and a trace row): median of the rounds, and the best\n");
    console.log("| calls a turn | recorded on disk | committed to Postgres | both | best | calls/s | commits of |");
    console.log("| --- | --- | --- | --- | --- | --- | --- |");
    for (const group of values.groups.split(",").map(Number)) {
      // Whole ticks, so that no group is smaller than stated.
      const calls = Math.ceil(Number(values.calls) / group) * group;
      console.log(await measureGroup(books, { ...settings, calls }, group));
    }
    console.log(`\n${await measureStalls(books, directory)}`);
    return 0;
  } finally {
    await cluster.destroy();
    await rm(directory, { recursive: true, force: true });
  }
}

type Settings = { readonly directory: string; readonly calls: number; readonly rounds: number };

async function measureGroup(books: Books, settings: Settings, group: number): Promise<string> {
  const costs: Cost[] = [];
  let seconds = 0;
  let commits = 0;
  const counted: DrainOptions<CallRows, CallsSummary> = {
    ...books.drain,
    commit: (batch) => {
      commits += 1;
      return books.drain.commit(batch);
    },
  };
  const before = await books.count();
  for (let round = 0; round < settings.rounds; round += 1) {
    const rows = await cpuOf(settings.calls, () => makeRows(books, settings.calls, group));
    const discarded = { ...books.drain, commit: async () => undefined };
    const recorded = await cpuOf(settings.calls, () => settleCalls(books, settings, group, discarded));
    const started = performance.now();
    const committed = await cpuOf(settings.calls, () => settleCalls(books, settings, group, counted));
    seconds += (performance.now() - started) / 1_000;
    costs.push({ rows, recorded: recorded - rows, committed: committed - recorded });
  }
  const total = settings.calls * settings.rounds;
  if ((await books.count()) - before !== total) {
    throw new Error("not every call has its row");
  }
  const both = costs.map(({ recorded, committed }) => recorded + committed);
  const cells = [
    median(costs.map(({ recorded }) => recorded)).toFixed(2),
    median(costs.map(({ committed }) => committed)).toFixed(2),
    median(both).toFixed(2),
    Math.min(...both).toFixed(2),
    Math.round(total / seconds),
    `${Math.round(total / commits)} calls`,
  ];
  return `| ${[group, ...cells].join(" | ")} |`;
}

async function cpuOf(calls: number, work: () => Promise<void>): Promise<number> {
  Bun.gc(true);
  const before = process.cpuUsage();
  await work();
  const used = process.cpuUsage(before);
  return (used.user + used.system) / calls;
}

/** What every arm does in addition: the rows themselves, and ticks of the event loop. */
async function makeRows(books: Books, calls: number, group: number): Promise<void> {
  for (let made = 0; made < calls; made += group) {
    for (let each = 0; each < group; each += 1) {
      books.call();
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function settleCalls(
  books: Books,
  settings: Settings,
  group: number,
  drain: DrainOptions<CallRows, CallsSummary>,
): Promise<void> {
  let waiting = 0;
  let relieve: () => void = () => undefined;
  const spool = await openSpool<CallRows, CallsSummary>({
    directory: settings.directory,
    ...callForms,
    reserveBytes: 0,
    onWarning: (warning) => console.log(warning),
  });
  spool.drain({
    ...drain,
    commit: async (batch) => {
      await drain.commit(batch);
      waiting -= batch.count;
      relieve();
    },
  });
  for (let made = 0; made < settings.calls; made += group) {
    const recordings: Promise<void>[] = [];
    for (let each = 0; each < group; each += 1) {
      recordings.push(...record(spool, books.call()));
    }
    waiting += recordings.length;
    await Promise.all(recordings);
    while (waiting > backlogMax) {
      await new Promise<void>((resolve) => {
        relieve = resolve;
      });
    }
  }
  await spool.flush(flushMs);
  await spool.close(true);
}

function record(spool: CallSpool, rows: readonly SpoolEntry<CallRows>[]): Promise<void>[] {
  return rows.map((entry) => spool.append(entry));
}

/** How late a timer fires while calls end at a steady pace, with and without a spool. */
async function measureStalls(books: Books, directory: string): Promise<string> {
  const idle = await paced((call) => [call], books);
  const spool = await openSpool<CallRows, CallsSummary>({
    directory,
    ...callForms,
    reserveBytes: 0,
    onWarning: (warning) => console.log(warning),
  });
  spool.drain(books.drain);
  const busy = await paced((call) => record(spool, call), books);
  await spool.flush(flushMs);
  await spool.close(true);
  const text = ({ calls, latenessMs }: Pace) =>
    `${Math.round((calls / paceMs) * 1_000)} calls/s, a timer is late by ${quantile(latenessMs, 0.5)} ms (p50), ` +
    `${quantile(latenessMs, 0.99)} (p99), ${quantile(latenessMs, 0.999)} (p99.9), ${quantile(latenessMs, 1)} (most)`;
  return `without a spool: ${text(idle)}\nwith the spool:  ${text(busy)}`;
}

type Pace = { readonly calls: number; readonly latenessMs: number[] };

async function paced(use: (call: SpoolEntry<CallRows>[]) => unknown, books: Books): Promise<Pace> {
  const latenessMs: number[] = [];
  let calls = 0;
  const end = performance.now() + paceMs;
  while (performance.now() < end) {
    const due = performance.now() + 1;
    await Bun.sleep(1);
    latenessMs.push(performance.now() - due);
    for (let each = 0; each < callsPerTick; each += 1) {
      use(books.call());
      calls += 1;
    }
  }
  return { calls, latenessMs };
}

function quantile(values: readonly number[], share: number): string {
  const sorted = values.toSorted((left, right) => left - right);
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(2);
}

function median(values: readonly number[]): number {
  return Number(quantile(values, 0.5));
}

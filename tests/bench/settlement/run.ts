/**
 * `bun run bench settlement`: how many usage rows a second are settled and summed, what that costs the server, and how
 * much it delays calls in flight.
 */
import { parseArgs } from "node:util";
import type { ReplicaId, RequestId } from "@sluice/contracts/ids";
import type { Decimal, Quota } from "@sluice/contracts/money";
import { createMissingPartitions } from "@sluice/control-plane/db/partitions.ts";
import { systemClock, utcDay } from "@sluice/control-plane/platform/clock.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { commitUsage, toUsageOrder } from "@sluice/control-plane/usage/log/commit-usage.ts";
import { rollUsageUp } from "@sluice/control-plane/usage/rollup/roll-up.ts";
import { settleNextRows } from "@sluice/control-plane/usage/settlement/settlement-store.ts";
import { workOnShards } from "@sluice/control-plane/usage/shards.ts";
import { startTestCluster } from "../../support/postgres/test-cluster.ts";
import { createDatabaseOn } from "../../support/postgres/test-database.ts";
import { type Customer, createCustomer, encoded, usageRow } from "../../support/usage/usage-rows.ts";

const usage = `usage: bun run bench settlement [options]
  --rows <n>      rows of each round (default 40000)
  --users <ns>    users they belong to (default 1,20,500)
  --steps <ns>    rows of one transaction (default 500,2000)
  --multipliers <ns>  what the rows carry in turn (default 1,0.5,1.1,2.75)
  --rate <n>      calls that end in a minute; they are as old as they would then be (default: all end now)
  --streams <share>  with a rate: those that take up to --stream-minutes, others take up to 3 s (default 0)
  --stream-minutes <n>  (default 5)
  --labels <n>    each call has one of n end users and one of n tags (default 0: none)`;

const granted = 10n ** 15n;
const rowsOfCommit = 1_000;
const paceMs = 4_000;
const replica = "bench" as ReplicaId;

export async function runSettlementBench(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      rows: { type: "string", default: "40000" },
      users: { type: "string", default: "1,20,500" },
      steps: { type: "string", default: "500,2000" },
      multipliers: { type: "string", default: "1,0.5,1.1,2.75" },
      rate: { type: "string", default: "0" },
      streams: { type: "string", default: "0" },
      "stream-minutes": { type: "string", default: "5" },
      labels: { type: "string", default: "0" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const numbers = (text: string): number[] => text.split(",").map(Number);
  const multipliers = values.multipliers.split(",").map((each) => Number(each).toFixed(4) as Decimal);
  const times: CallForm = {
    labels: Number(values.labels),
    rate: Number(values.rate),
    streams: Number(values.streams),
    streamMs: Number(values["stream-minutes"]) * 60_000,
  };
  const cluster = await startTestCluster({ isDurable: true });
  try {
    const { url } = await createDatabaseOn(cluster.url);
    const db = openDatabase({
      url,
      poolMax: 4,
      applicationName: "bench",
      role: "sluice_app",
      statementTimeoutMs: 60_000,
    });
    await createMissingPartitions(db, "usage_log", [utcDay(Date.now() - 86_400_000), utcDay(Date.now())]);
    await db.sql`insert into replica (id) values (${replica})`;
    await settleAll(db, 500);
    console.log(`rows with multipliers ${multipliers.join(", ")} in turn; fsync on\n`);
    console.log(
      "| users | rows a step | rows/s | CPU µs a row | ms a step: p50 | p99 | sums: rows/s | CPU µs a row | WAL bytes a row |",
    );
    console.log("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (const users of numbers(values.users)) {
      const customers = await createCustomers(db, users);
      for (const step of numbers(values.steps)) {
        await fill(db, rowsOf(customers, multipliers, times), Number(values.rows));
        console.log(`| ${users} | ${step} | ${await measure(db, step)} |`);
      }
    }
    const customers = await createCustomers(db, 20);
    console.log(`\none row a transaction beside it, of 20 users whose budgets are settled, ms:`);
    console.log(`without a settlement: ${await chargeLatency(db, rowsOf(customers, multipliers), null)}`);
    for (const step of numbers(values.steps)) {
      console.log(`with steps of ${step}: ${await chargeLatency(db, rowsOf(customers, multipliers), step)}`);
    }
    const violations = await db.sql`select * from check_money()`;
    await db.close(1_000);
    if (violations.length > 0) {
      throw new Error(`the books are wrong: ${JSON.stringify(violations)}`);
    }
    return 0;
  } finally {
    await cluster.destroy();
  }
}

async function createCustomers(db: Database, count: number): Promise<Customer[]> {
  const customers: Customer[] = [];
  while (customers.length < count) {
    customers.push(await createCustomer(db, granted));
  }
  return customers;
}

type MakeRows = (from: number, count: number) => ReturnType<typeof encoded>;

/** When calls end, how long they take, and how many labels they have between them. */
type CallForm = {
  readonly labels: number;
  /** Calls in a minute; 0 if all end now. */
  readonly rate: number;
  /** The share of streams. */
  readonly streams: number;
  /** The longest stream. */
  readonly streamMs: number;
};

const shortMs = 3_000;
const hourMs = 3_600_000;

/** Rows of the customers in turn, with the multipliers in turn. */
function rowsOf(
  customers: readonly Customer[],
  multipliers: readonly Decimal[],
  { rate, streams, streamMs, labels }: CallForm = { rate: 0, streams: 0, streamMs: 0, labels: 0 },
): MakeRows {
  const beganAt = Date.now() - hourMs;
  const startOf = (place: number): number => {
    const durationMs = Math.random() * (Math.random() < streams ? streamMs : shortMs);
    return rate === 0 ? Date.now() : Math.floor(beganAt + (place * 60_000) / rate - durationMs);
  };
  return (from, count) =>
    encoded(
      ...Array.from({ length: count }, (_, index) => {
        const customer = customers[(from + index) % customers.length] as Customer;
        const rateMultiplier = multipliers[(from + index) % multipliers.length] as Decimal;
        const startedAtMs = startOf(from + index);
        const requestId = Bun.randomUUIDv7("hex", startedAtMs) as RequestId;
        const label = labels === 0 ? null : (from + index * 7) % labels;
        const named = label === null ? {} : { endUser: `user ${label}`, tags: [`team=${label}`] };
        return usageRow(customer, {
          rateMultiplier,
          quota: BigInt(index % 997) as Quota,
          startedAtMs,
          requestId,
          ...named,
        });
      }),
    );
}

async function fill(db: Database, makeRows: MakeRows, rows: number): Promise<void> {
  for (let from = 0; from < rows; from += rowsOfCommit) {
    await db.withTransaction((tx) => commitUsage(tx, replica, toUsageOrder(makeRows(from, rowsOfCommit))));
  }
}

async function settleAll(db: Database, rowsMax: number): Promise<{ rows: number; stepsMs: number[] }> {
  const stepsMs: number[] = [];
  let rows = 0;
  await workOnShards(
    async (shard) => {
      const started = performance.now();
      const step = await settleNextRows(db, { rowsMax, isReconciled: false, shard });
      if (step.rowsSettled > 0) {
        stepsMs.push(performance.now() - started);
      }
      rows += step.rowsSettled;
      return step.outcome;
    },
    () => false,
  );
  return { rows, stepsMs };
}

async function measure(db: Database, step: number): Promise<string> {
  let stepsMs: number[] = [];
  const settling = await costOf(db, async () => {
    const done = await settleAll(db, step);
    stepsMs = done.stepsMs;
    return done.rows;
  });
  const before = await walBytes(db);
  let summed = 0;
  const summing = await costOf(db, async () => {
    summed = Number((await rollUsageUp(db, systemClock)).rowsAdded);
    return summed;
  });
  const wal = ((await walBytes(db)) - before) / summed;
  return `${settling} | ${quantile(stepsMs, 0.5)} | ${quantile(stepsMs, 0.99)} | ${summing} | ${wal.toFixed(0)}`;
}

async function walBytes(db: Database): Promise<number> {
  const [row] = await db.sql<{ bytes: number }>`select (pg_current_wal_insert_lsn() - '0/0')::float8 as bytes`;
  return row?.bytes ?? 0;
}

/** Rows a second, and what a row cost the processes of the server that work for clients. */
async function costOf(db: Database, work: () => Promise<number>): Promise<string> {
  const before = await serverCpuUs(db);
  const started = performance.now();
  const rows = await work();
  const seconds = (performance.now() - started) / 1_000;
  return `${Math.round(rows / seconds)} | ${(((await serverCpuUs(db)) - before) / rows).toFixed(1)}`;
}

const usOfTick = 10_000;

async function serverCpuUs(db: Database): Promise<number> {
  const processes = await db.sql<{ pid: number }>`
    select pid from pg_stat_activity where datname = current_database()`;
  let ticks = 0;
  for (const { pid } of processes) {
    const stat = await Bun.file(`/proc/${pid}/stat`).text();
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks * usOfTick;
}

/** How long it takes to write a row and charge it, one after the other, while a backlog is settled without a pause. */
async function chargeLatency(db: Database, makeRows: MakeRows, step: number | null): Promise<string> {
  await fill(db, makeRows, step === null ? rowsOfCommit : 40 * rowsOfCommit);
  let isOver = false;
  const settling = (async () => {
    if (step !== null) {
      await workOnShards(
        async (shard) => (await settleNextRows(db, { rowsMax: step, isReconciled: false, shard })).outcome,
        () => isOver,
      );
      isOver = true;
    }
  })();
  const latenciesMs: number[] = [];
  const end = performance.now() + paceMs;
  for (let each = 0; performance.now() < end && !isOver; each += 1) {
    const started = performance.now();
    await db.withTransaction((tx) => commitUsage(tx, replica, toUsageOrder(makeRows(each, 1))));
    latenciesMs.push(performance.now() - started);
  }
  isOver = true;
  await settling;
  await settleAll(db, 2_000);
  return `p50 ${quantile(latenciesMs, 0.5)}, p99 ${quantile(latenciesMs, 0.99)}, most ${quantile(latenciesMs, 1)} of ${latenciesMs.length}`;
}

function quantile(values: readonly number[], share: number): string {
  const sorted = values.toSorted((left, right) => left - right);
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
}

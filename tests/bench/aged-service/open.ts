import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { migrate } from "@sluice/control-plane/db/migrate.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { startEmbeddedPostgres } from "@sluice/deploy/start/embedded-postgres";
import { startTestCluster } from "../../support/postgres/test-cluster.ts";
import { createDatabaseOn } from "../../support/postgres/test-database.ts";
import { cpuMsOfTree } from "../relay/process-cost.ts";
import { businessSteps, fillLedger } from "./fill-business.ts";
import { fillDay, fillTraces } from "./fill-calls.ts";
import { repeatSums } from "./repeat-sums.ts";
import type { AgedSizes } from "./sizes.ts";

export type AgedService = {
  readonly url: string;
  /** The owner's connection, with long statement timeouts. */
  readonly owner: Database;
  /** CPU milliseconds that this process and the server have used so far. Only available on Linux. */
  cpuMs(): number;
  /** Stops the server; deletes its files unless they are kept. */
  close(): Promise<void>;
};

export type AgedOptions = {
  readonly sizes: AgedSizes;
  /** A folder for the server and its data, to be reused by other runs; without it all is deleted at the end. */
  readonly keptIn: string | null;
  /** The usage sums are of another version of the program: all are recomputed. */
  readonly isResummed: boolean;
  readonly tell: (line: string) => void;
};

const statementTimeoutMs = 1_800_000;
const batchBehindAll = 9_000_000_000;

/**
 * The database of a service that has run for a while: newly filled, or as another run has left it. An interrupted fill
 * continues where it was.
 */
export async function openAgedService({ sizes, keptIn, isResummed, tell }: AgedOptions): Promise<AgedService> {
  const { url, pid, end } = await startServer(keptIn);
  const owner = openDatabase({ url, poolMax: 2, applicationName: "bench", statementTimeoutMs });
  const close = async (): Promise<void> => {
    await owner.close(1_000);
    await end();
  };
  try {
    const started = performance.now();
    const seconds = (): string => ((performance.now() - started) / 1_000).toFixed(0);
    const timed = (line: string): void => tell(`${seconds()} s: ${line}`);
    if (await fillAged(owner, { sizes, isResummed, tell: timed })) {
      timed("statistics");
      await owner.query("vacuum analyze", []);
    }
    return { url, owner, close, cpuMs: () => cpuMsOfTree(pid) + cpuMsOfOurs() };
  } catch (error) {
    await close();
    throw error;
  }
}

function cpuMsOfOurs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

type Server = { readonly url: string; readonly pid: number; readonly end: () => Promise<void> };

async function startServer(keptIn: string | null): Promise<Server> {
  if (keptIn === null) {
    const cluster = await startTestCluster();
    const { url } = await createDatabaseOn(cluster.url);
    return { url, pid: cluster.pid ?? 0, end: () => cluster.destroy() };
  }
  const home = resolve(keptIn);
  await mkdir(home, { recursive: true, mode: 0o711 });
  const kept = await startEmbeddedPostgres({ home, isDurable: false });
  await migrate(kept.url, () => undefined);
  return { url: kept.url, pid: kept.pid ?? 0, end: () => kept.stop() };
}

type FillDeps = Pick<AgedOptions, "sizes" | "isResummed" | "tell">;

/** Fills a migrated database. Returns whether anything was left to do. */
export async function fillAged(db: Database, { sizes, isResummed, tell }: FillDeps): Promise<boolean> {
  await db.query("create table if not exists bench_step (name text primary key, is_of_sums boolean not null)", []);
  if (isResummed) {
    await db.query("delete from bench_step where is_of_sums", []);
  }
  let stepsDone = 0;
  /** Does what was not done yet; a step and its record are one transaction. */
  const once = async (
    name: string,
    isOfSums: boolean,
    work: (tx: Parameters<typeof fillDay>[0]) => Promise<unknown>,
  ) => {
    const [noted] = await db.sql`select 1 from bench_step where name = ${name}`;
    if (noted !== undefined) {
      return;
    }
    tell(name);
    stepsDone += 1;
    await db.withTransaction(
      async (tx) => {
        await work(tx);
        await tx.sql`insert into bench_step (name, is_of_sums) values (${name}, ${isOfSums})`;
      },
      { statementTimeoutMs },
    );
  };
  const sized = `sizes ${JSON.stringify(sizes)}`;
  const [other] = await db.sql<{ name: string }>`
    select name from bench_step where name like 'sizes %' and name <> ${sized}`;
  if (other !== undefined) {
    throw new Error(`This data has ${other.name}. Name another folder, or ask for the same sizes.`);
  }
  await once(sized, false, async () => undefined);
  for (const [name, statement] of businessSteps(sizes)) {
    await once(name, false, (tx) => tx.query(statement, []));
  }
  await once("the ledger", false, (tx) => fillLedger(tx, sizes, tell));
  await once("how far the sums are", false, (tx) =>
    tx.query(
      `insert into usage_rollup_checkpoint (source, batch_id)
       select source, $1::bigint from unnest('{usage_settlement:0,usage_user_sum:0,usage_label_sum:0}'::text[]) source`,
      [BigInt(batchBehindAll)],
    ),
  );
  // Nothing is settled without a checkpoint.
  await once("the shards of the settlement", false, (tx) => tx.sql`select open_settlement_shards()`);
  const days = daysOf(await firstDay(db), sizes.days);
  for (const [index, day] of days.entries()) {
    await once(`calls of ${day}`, false, (tx) => fillDay(tx, sizes, day, index));
    await once(`traces of ${day}`, false, (tx) => fillTraces(tx, day));
  }
  await once("how far the settlement is", false, (tx) =>
    tx.query(
      `update settlement_checkpoint set xid = pg_current_xact_id(), request_id = 'ffffffff-ffff-ffff-ffff-ffffffffffff',
          system_identifier = (select system_identifier::text from pg_control_system()), updated_at = now()`,
      [],
    ),
  );
  for (const day of days) {
    await once(`sums of ${day}`, true, (tx) => tx.sql`select rebuild_usage_day(${day}::text::date)`);
  }
  for (let span = 1; span < sizes.spans; span += 1) {
    await once(`sums from before the log, ${span}`, true, (tx) => repeatSums(tx, days, span));
  }
  await db.sql`update usage_rollup_checkpoint set caught_up_at = now()`;
  return stepsDone > 0;
}

const dayMs = 86_400_000;

/** The day of the oldest calls, which stay when the data is reused on another day. */
async function firstDay(db: Database): Promise<number | null> {
  const [row] = await db.sql<{ day: string | null }>`
    select min(substr(name, 10)) as day from bench_step where name like 'calls of %'`;
  return row?.day == null ? null : Date.parse(`${row.day}T00:00:00Z`);
}

function daysOf(first: number | null, count: number): string[] {
  const begin = first ?? Date.now() - (count - 1) * dayMs;
  return Array.from({ length: count }, (_, index) => new Date(begin + index * dayMs).toISOString().slice(0, 10));
}

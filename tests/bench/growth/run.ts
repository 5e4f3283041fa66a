/**
 * `bun run bench growth`: what a call leaves in the database for ever and until its retention ends, table by table and
 * index by index, and in the log of the database.
 */
import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import type { ChannelId, ReplicaId, UserId } from "@sluice/contracts/ids";
import type { Quota } from "@sluice/contracts/money";
import { callForms } from "@sluice/control-plane/compose/call-rows.ts";
import { commitCalls } from "@sluice/control-plane/compose/commit-work.ts";
import { createPartitions } from "@sluice/control-plane/db/partitions.ts";
import { utcDay } from "@sluice/control-plane/platform/clock.ts";
import { SealingKey } from "@sluice/control-plane/platform/crypto/sealing-key.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { RowCollector } from "@sluice/control-plane/platform/spool/model.ts";
import { groupBytesMax } from "@sluice/control-plane/trace/payload-group.ts";
import { PayloadSegments } from "@sluice/control-plane/trace/payload-segments.ts";
import { insertSegment } from "@sluice/control-plane/trace/write-store.ts";
import { settleNextRows } from "@sluice/control-plane/usage/settlement/settlement-store.ts";
import { workOnShards } from "@sluice/control-plane/usage/shards.ts";
import { startTestCluster } from "../../support/postgres/test-cluster.ts";
import { createDatabaseOn } from "../../support/postgres/test-database.ts";
import { groupOf, payloadOf } from "../../support/trace/trace-fixtures.ts";
import { traceOfCall } from "../../support/trace/trace-of-call.ts";
import { recordedRows } from "../../support/usage/recorded-calls.ts";
import { type Customer, createCustomer, usageRow } from "../../support/usage/usage-rows.ts";

const usage = `usage: bun run bench growth [options]
  --calls <n>   calls (default 20000)
  --users <n>   users they belong to (default 200)
  --batch <n>   calls of one transaction (default 500)
  --body <n>    bytes of a call's packed bodies (default 1000)
  --checkpoint <n>  calls between checkpoints of the database, a multiple of the batch (default: one before all)`;

const granted = 10n ** 15n;
const replica = "bench" as ReplicaId;
const key = new SealingKey("0badcafe", randomBytes(32));
const models = Array.from({ length: 20 }, (_, index) => `vendor/model-${index}`);
const channels = 6;

export async function runGrowthBench(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      calls: { type: "string", default: "20000" },
      users: { type: "string", default: "200" },
      batch: { type: "string", default: "500" },
      body: { type: "string", default: "1000" },
      checkpoint: { type: "string", default: "0" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const cluster = await startTestCluster({ isDurable: true });
  try {
    const { url } = await createDatabaseOn(cluster.url);
    const db = openDatabase({ url, poolMax: 2, applicationName: "bench", statementTimeoutMs: 60_000 });
    await createPartitions(db, [utcDay(Date.now())]);
    await db.query(relations, []);
    await db.sql`insert into replica (id) values (${replica})`;
    await report(db, {
      calls: Number(values.calls),
      users: Number(values.users),
      batch: Number(values.batch),
      body: Number(values.body),
      checkpoint: Number(values.checkpoint),
    });
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

/** Tables and indexes; the partitions of one have its name. Bodies are what `payload_segment` has out of line. */
const relations = `
  create view bench_relation as
  select c.oid, c.relfilenode, case when t.oid is null then regexp_replace(coalesce(p.relname, c.relname), '_y\\d+m\\d+d\\d+', '')
    when t.relname ~ '^payload_segment' then 'bodies, out of line' else t.relname || ', out of line' end as name
  from pg_class c left join pg_inherits i on i.inhrelid = c.oid left join pg_class p on p.oid = i.inhparent
  left join pg_class t on t.oid = substring(c.relname from '^pg_toast_(\\d+)')::oid
  where c.relkind in ('r', 'i', 't') and (c.relnamespace = 'public'::regnamespace or t.relnamespace = 'public'::regnamespace)`;

type Load = Readonly<Record<"calls" | "users" | "batch" | "body" | "checkpoint", number>>;

async function report(db: Database, load: Load): Promise<void> {
  const customers: Customer[] = [];
  while (customers.length < load.users) {
    customers.push(await createCustomer(db, granted));
  }
  // Half of the calls come first, so that only pages that a running service has are counted.
  const first = Math.floor(load.calls / 2);
  await write(db, customers, { ...load, calls: first });
  await settle(db);
  await db.sql`checkpoint`;
  const sizes = await readSizes(db);
  const steps: [string, () => Promise<void>][] = [
    ["rows of calls and their bodies", () => write(db, customers, load)],
    ["settlement", () => settle(db)],
  ];
  console.log("| log of the database | bytes a call | of these whole pages |\n| --- | ---: | ---: |");
  await db.sql`create extension if not exists pg_walinspect`;
  // Nothing of the log is removed by a checkpoint before it was read.
  await db.sql`alter system set wal_keep_size = '8GB'`;
  await db.sql`select pg_reload_conf()`;
  const begin = await readLogEnd(db);
  for (const [name, work] of steps) {
    const before = await readLogEnd(db);
    await work();
    console.log(line(name, await readLog(db, before, await readLogEnd(db)), load.calls));
  }
  const end = await readLogEnd(db);
  console.log(line("together", await readLog(db, begin, end), load.calls));
  console.log("\n| log of the database, by table or index | bytes a call |\n| --- | ---: |");
  for (const { name, bytes } of await readLogByTable(db, begin, end)) {
    if (bytes / load.calls >= 5) {
      console.log(line(name, [bytes], load.calls));
    }
  }
  console.log("\n| table or index | bytes a call |\n| --- | ---: |");
  const grown = [...(await readSizes(db))].map(([name, bytes]): [string, number] => [
    name,
    bytes - (sizes.get(name) ?? 0),
  ]);
  for (const [name, bytes] of grown.filter(([, more]) => more / load.calls >= 0.5)) {
    console.log(line(name, [bytes], load.calls));
  }
  console.log(line("together", [grown.reduce((sum, [, bytes]) => sum + bytes, 0)], load.calls));
}

const line = (name: string, numbers: readonly number[], calls: number): string =>
  `| ${[name, ...numbers.map((each) => (each / calls).toFixed(0))].join(" | ")} |`;

async function write(db: Database, customers: readonly Customer[], load: Load): Promise<void> {
  const segments = new PayloadSegments();
  // As many as share a group of the service.
  const together = Math.max(1, Math.floor(groupBytesMax / (load.body + 100)));
  const day = utcDay(Date.now());
  for (let from = 0; from < load.calls; from += load.batch) {
    const calls = Array.from({ length: Math.min(load.batch, load.calls - from) }, () => {
      // Neither users nor models come in turn.
      const customer = customers[Math.floor(customers.length * Math.random() ** 2)] as Customer;
      const model = models[Math.floor(models.length * Math.random() ** 2)] as string;
      const channelId = BigInt(1 + Math.floor(channels * Math.random())) as ChannelId;
      const durationMs = 200 + Math.floor(2_000 * Math.random());
      const quota = BigInt(1 + Math.floor(900 * Math.random())) as Quota;
      const attempts = [
        {
          channelId: String(channelId),
          channel: "primary",
          startedAtMs: 1,
          durationMs,
          status: 200,
          result: "answered",
        },
      ];
      return usageRow(customer, { day, model, channelId, durationMs, quota, attempts });
    });
    const collector = new RowCollector(callForms);
    for (const row of calls) {
      for (const entry of recordedRows(row, traceOfCall(row, { userId: BigInt(row.gatewayUserId) as UserId }))) {
        collector.add(entry);
      }
    }
    const { text, summary } = collector;
    await commitCalls(db, {
      replicaId: replica,
      texts: [text],
      usage: { sums: summary.charges.list, days: [...summary.usageDays] },
      traceDays: [...summary.traceDays],
      isNew: true,
    });
    const payloads = calls.map(({ requestId, gatewayUserId }) => ({
      ...payloadOf({ day, request: randomBytes(load.body), response: "" }),
      requestId,
      gatewayUserId,
    }));
    for (let at = 0; at < payloads.length; at += together) {
      segments.add({ day, key }, groupOf(payloads.slice(at, at + together)));
    }
    for (let segment = segments.take(); segment !== null; segment = segments.take()) {
      await insertSegment(db, segment);
    }
    if (load.checkpoint > 0 && (from + load.batch) % load.checkpoint === 0) {
      await db.sql`checkpoint`;
    }
  }
}

async function settle(db: Database): Promise<void> {
  await workOnShards(
    async (shard) => (await settleNextRows(db, { rowsMax: 2_000, isReconciled: false, shard })).outcome,
    () => false,
  );
}

async function readLogEnd(db: Database): Promise<string> {
  const [row] = await db.sql<{ end: string }>`select pg_current_wal_flush_lsn()::text as end`;
  if (row === undefined) {
    throw new Error("the database did not say where its log ends");
  }
  return row.end;
}

/** Bytes of the log between two ends, and how many of these are whole pages. */
async function readLog(db: Database, begin: string, end: string): Promise<[number, number]> {
  const [row] = await db.sql<{ bytes: number; images: number }>`
    select pg_wal_lsn_diff(${end}::pg_lsn, ${begin}::pg_lsn)::float8 as bytes, coalesce(sum(fpi_length), 0)::float8 as images
    from pg_get_wal_records_info(${begin}::pg_lsn, ${end}::pg_lsn)`;
  return [row?.bytes ?? 0, row?.images ?? 0];
}

/** Bytes of the log between two ends by the table or index that they change; what changes none is `others`. */
async function readLogByTable(db: Database, begin: string, end: string): Promise<{ name: string; bytes: number }[]> {
  return await db.sql<{ name: string; bytes: number }>`
    select coalesce(n.name, 'others') as name, sum(r.record_length)::float8 as bytes
    from pg_get_wal_records_info(${begin}::pg_lsn, ${end}::pg_lsn) r
    left join bench_relation n on n.relfilenode = substring(r.block_ref from 'rel \\d+/\\d+/(\\d+)')::oid
    group by 1 order by 2 desc`;
}

/** Bytes by table or index. */
async function readSizes(db: Database): Promise<Map<string, number>> {
  const rows = await db.sql<{ name: string; bytes: number }>`
    select name, sum(pg_relation_size(oid))::float8 as bytes from bench_relation group by 1 order by 2 desc`;
  return new Map(rows.map(({ name, bytes }) => [name, bytes]));
}

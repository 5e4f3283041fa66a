/** `bun run bench overview`: how long the first page of admins takes beside millions of usage rows. */
import { parseArgs } from "node:util";
import { createMissingPartitions } from "@sluice/control-plane/db/partitions.ts";
import { type Database, openDatabase } from "@sluice/control-plane/platform/db.ts";
import { readDashboard, readOverview } from "@sluice/control-plane/reports/overview.ts";
import { startTestCluster } from "../../support/test-cluster.ts";
import { createDatabaseOn } from "../../support/test-database.ts";

const usage = `usage: bun run bench overview [options]
  --rows <n>      usage rows (default 10000000)
  --days <n>      over which they are spread, the last of them today (default 30)
  --users <n>     whose they are (default 5000)
  --models <n>    (default 20)
  --channels <n>  (default 6)
  --reads <n>     how often each page is read (default 30)`;

const dayMs = 86_400_000;
const rowsOfBatch = 2_000;

type Size = { rows: number; days: number; users: number; models: number; channels: number; reads: number };

export async function runOverviewBench(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      rows: { type: "string", default: "10000000" },
      days: { type: "string", default: "30" },
      users: { type: "string", default: "5000" },
      models: { type: "string", default: "20" },
      channels: { type: "string", default: "6" },
      reads: { type: "string", default: "30" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const size = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, Number(value)]),
  ) as unknown as Size;
  const cluster = await startTestCluster({ isDurable: false });
  try {
    const { url } = await createDatabaseOn(cluster.url);
    const owner = openDatabase({ url, poolMax: 2, applicationName: "bench", statementTimeoutMs: 1_800_000 });
    const db = openDatabase({ url, poolMax: 4, applicationName: "bench", role: "sluice_app" });
    await fill(owner, size);
    await measure(db, size);
    await Promise.all([db.close(1_000), owner.close(1_000)]);
    return 0;
  } finally {
    await cluster.destroy();
  }
}

const dayText = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

async function fill(owner: Database, size: Size): Promise<void> {
  const started = performance.now();
  const now = Date.now();
  const days = Array.from({ length: size.days }, (_, index) => dayText(now - index * dayMs)).reverse();
  await owner.sql`insert into gateway_user (group_name) select 'default' from generate_series(1, ${size.users}::integer)`;
  await owner.sql`
    insert into channel (name, base_url) select 'channel ' || n, 'https://provider.example/v1'
    from generate_series(1, ${size.channels}::integer) n`;
  await owner.sql`insert into usage_rollup_checkpoint (source, batch_id) values ('usage_settlement', 9000000000)`;
  // Other pages read the log by these; this one does not read the log, and they would take most of the time of filling it.
  for (const name of [
    "usage_log_model",
    "usage_log_channel",
    "usage_log_trouble",
    "usage_log_user",
    "usage_log_cursor",
  ]) {
    await owner.query(`drop index if exists ${name}`, []);
  }
  const perDay = Math.ceil(size.rows / size.days);
  for (const [index, day] of days.entries()) {
    await createMissingPartitions(owner, "usage_log", [day]);
    await createMissingPartitions(owner, "usage_settlement", [day]);
    await fillDay(owner, size, { day, count: perDay, firstBatch: index * 1_000_000 });
    await owner.sql`select rebuild_usage_day(${day}::text::date)`;
    const seconds = Math.round((performance.now() - started) / 1_000);
    console.log(`${day}: ${(index + 1) * perDay} rows after ${seconds} s`);
  }
  await owner.sql`update usage_rollup_checkpoint set caught_up_at = now()`;
  await owner.query("vacuum analyze usage_rollup, usage_user", []);
}

async function fillDay(
  owner: Database,
  { users, models, channels }: Size,
  { day, count, firstBatch }: { readonly day: string; readonly count: number; readonly firstBatch: number },
): Promise<void> {
  // Few users make most of the calls; one in fifty goes wrong.
  await owner.sql`
    with call as (
      select n, gen_random_uuid() as id, ${day}::text::date::timestamp at time zone 'UTC'
          + n * interval '86400 seconds' / ${count}::integer as at,
        1 + floor(${users}::integer * random() * random())::bigint as user_id, n % 50 = 0 as has_failed, random() as chance
      from generate_series(0, ${count}::integer - 1) n
    ), logged as (
      insert into usage_log (day, request_id, gateway_user_id, api_key_id, user_budget_id, group_name, path, model, channel_id,
        outcome, http_status, error_code, is_stream, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens,
        reasoning_tokens, images, audio_ms, usage_source, price_version, rate_multiplier, quota, quota_held, attempts,
        duration_ms, started_at)
      select ${day}::text::date, id, user_id, user_id, user_id, 'default', '/v1/chat/completions',
        'model ' || floor(chance * chance * ${models}::integer), 1 + n % ${channels}::integer,
        case when has_failed then 'failed' else 'completed' end, case when has_failed then 502 else 200 end,
        case when has_failed then (array['upstream_error', 'upstream_timeout', 'no_upstream'])[1 + n % 3] end, true,
        (chance * 4000)::bigint, (chance * 900)::bigint, 0, 0, 0, 0, 0, 'provider', 1, 1, (chance * 900)::bigint, 2000, '[]',
        800, at
      from call returning day, request_id, gateway_user_id, quota
    )
    insert into usage_settlement (day, request_id, batch_id, gateway_user_id, base_quota, rate_multiplier, settled_quota,
      quota_delta)
    select day, request_id, ${firstBatch}::bigint + row_number() over () / ${rowsOfBatch}::integer + 1, gateway_user_id, quota, 1,
      quota, 0
    from logged`;
}

async function measure(db: Database, { days, reads }: Size): Promise<void> {
  const [counts] = await db.sql<{ rows: bigint; sums: bigint }>`
    select (select count(*) from usage_log) as rows, (select count(*) from usage_rollup) as sums`;
  console.log(`\n${counts?.rows} usage rows, ${counts?.sums} sums of them; ms, warm, over ${reads} reads\n`);
  console.log("| page | p50 | p99 | most |\n| --- | --- | --- | --- |");
  const clock = { now: () => Date.now() };
  const ofDays = (count: number, zone: string) => {
    const now = Date.now();
    return { from_day: dayText(now - (count - 1) * dayMs), to_day: dayText(now), zone };
  };
  for (const zone of ["UTC", "Asia/Shanghai", "Asia/Kolkata"]) {
    for (const count of [1, 7, Math.ceil(days / 2)]) {
      await show(`overview, ${count} days of ${zone}`, reads, () => readOverview(db, clock, ofDays(count, zone)));
    }
  }
  const input = ofDays(Math.ceil(days / 2), "UTC");
  await show(`dashboard, ${Math.ceil(days / 2)} days of UTC`, reads, () => readDashboard(db, clock, input));
}

async function show(name: string, reads: number, read: () => Promise<unknown>): Promise<void> {
  await read();
  const takenMs: number[] = [];
  for (let each = 0; each < reads; each += 1) {
    const started = performance.now();
    await read();
    takenMs.push(performance.now() - started);
  }
  const sorted = takenMs.toSorted((left, right) => left - right);
  const at = (share: number): string => (sorted[Math.ceil(share * sorted.length) - 1] ?? 0).toFixed(1);
  console.log(`| ${name} | ${at(0.5)} | ${at(0.99)} | ${at(1)} |`);
}

/** `bun run bench trace-search`: how long a page of the search of traces takes, the first and one deep in the log. */
import { parseArgs } from "node:util";
import { type TraceListInput, traceListInput } from "@sluice/contracts/traces";
import { createMissingPartitions } from "@sluice/control-plane/db/partitions.ts";
import { systemClock, utcDay } from "@sluice/control-plane/platform/clock.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { TraceSearching } from "@sluice/control-plane/trace/search.ts";
import { startTestCluster } from "../../support/postgres/test-cluster.ts";
import { createDatabaseOn } from "../../support/postgres/test-database.ts";

const usage = `usage: bun run bench trace-search [options]
  --rows <n>    calls in the log (default 10000000)
  --days <n>    days over which they are spread (default 30)
  --times <n>   how often each question is asked (default 30)`;

const dayMs = 86_400_000;
const rules = { payloadRetentionDays: 7, metadataRetentionDays: 90, readsPerHour: 1 };

/** User 1 makes a tenth of all calls, and most of the others few. */
const questions: Readonly<Record<string, Record<string, string>>> = {
  "no condition": {},
  "a user with a tenth of all calls": { gateway_user_id: "1" },
  "a user with few calls": { gateway_user_id: "20001" },
  "a user without a call": { gateway_user_id: "99999999" },
  "a model": { model: "model-1" },
  "a model that is rare": { model: "model-rare" },
  "a model that nobody asked for": { model: "no-such-model" },
  "a status": { status: "failed" },
  "the usual status": { status: "completed" },
  "a status of HTTP": { http_status: "429" },
  "a user and a model": { gateway_user_id: "1", model: "model-2" },
  "a user and a rare model": { gateway_user_id: "1", model: "model-rare" },
  "a user and a status": { gateway_user_id: "1", status: "aborted" },
  "a rare model and a status": { model: "model-rare", status: "failed" },
  "three hours, twelve days ago": {},
  "a user, a model, a status, five days": { gateway_user_id: "1", model: "model-1", status: "failed" },
};

export async function runTraceSearchBench(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      rows: { type: "string", default: "10000000" },
      days: { type: "string", default: "30" },
      times: { type: "string", default: "30" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const cluster = await startTestCluster();
  try {
    const { url } = await createDatabaseOn(cluster.url);
    const db = openDatabase({ url, poolMax: 2, applicationName: "bench", statementTimeoutMs: 600_000 });
    await fill(db, Number(values.rows), Number(values.days));
    const [size] = await db.sql<{ rows: bigint; megabytes: bigint }>`
      select count(*) as rows, (select sum(pg_total_relation_size(inhrelid)) / 1048576 from pg_inherits
        where inhparent = 'trace_record'::regclass)::bigint as megabytes from trace_record`;
    console.log(`${size?.rows} calls of ${values.days} days, ${size?.megabytes} MB with indexes; ms of a page of 50\n`);
    console.log("| question | first page: p50 | worst | deep page: p50 | worst |\n| --- | --- | --- | --- | --- |");
    for (const [name, query] of Object.entries(questions)) {
      console.log(`| ${name} | ${await measure(db, { ...query, ...timesOf(name) }, Number(values.times))} |`);
    }
    await db.close(1_000);
    return 0;
  } finally {
    await cluster.destroy();
  }
}

function timesOf(name: string): Record<string, string> {
  const ago = (days: number): string => new Date(Date.now() - days * dayMs).toISOString();
  if (name.startsWith("three hours")) {
    return { from: ago(12), to: ago(11.875) };
  }
  return name.endsWith("five days") ? { from: ago(20), to: ago(15) } : {};
}

/** Request ids as the relay makes them: their first 48 bits are the moment. */
async function fill(db: Database, rows: number, days: number): Promise<void> {
  const rowsOfDay = Math.ceil(rows / days);
  for (let ago = days - 1; ago >= 0; ago -= 1) {
    const startMs = Math.floor(Date.now() / dayMs) * dayMs - ago * dayMs;
    const day = utcDay(startMs);
    await createMissingPartitions(db, "trace_record", [day]);
    await db.sql`
      insert into trace_record (day, request_id, user_id, gateway_user_id, api_key_id, method, path, model, status,
        error_code, http_status, is_stream, input_tokens, output_tokens, first_token_ms, duration_ms, client_ip, user_agent,
        payload, started_at)
      select ${day}::text::date, (lpad(to_hex(ms), 12, '0') || '7' || substr(md5(n::text || ms::text), 1, 3) || '8'
          || substr(md5(ms::text || n::text), 1, 15))::uuid, user_number, user_number, user_number, 'POST',
        '/v1/chat/completions', case when n % 5000 = 0 then 'model-rare' else 'model-' || n % 7 end,
        case when n % 100 = 0 then 'failed' when n % 100 = 1 then 'aborted' when n % 100 < 4 then 'refused' else 'completed' end,
        null, case when n % 100 = 0 then 502 when n % 100 = 2 then 429 when n % 100 = 3 then 400 else 200 end,
        n % 2 = 0, 100, 200, 300, 400, '203.0.113.7', 'bench', 'none', timestamptz 'epoch' + ms * interval '1 millisecond'
      from (
        select n, (${startMs}::bigint + n * ${dayMs}::bigint / ${rowsOfDay}::bigint) as ms,
          case when n % 10 = 0 then 1 else (n * 7919 % 50000) + 2 end as user_number
        from generate_series(0, ${rowsOfDay}::bigint - 1) as n
      ) as made`;
    console.error(`${day}: ${rowsOfDay} calls`);
  }
  await db.sql`vacuum analyze trace_record`;
}

async function measure(db: Database, query: Record<string, string>, times: number): Promise<string> {
  const search = new TraceSearching({ db, clock: systemClock, rules: () => rules });
  const input = traceListInput.parse(query);
  const first = await timePages(search, input, times);
  // Half way through the log.
  const middle = { day: utcDay(Date.now() - 15 * dayMs), requestId: "80000000-0000-7000-8000-000000000000" };
  const deep = await timePages(search, { ...input, cursor: middle }, times);
  return `${first} | ${deep}`;
}

async function timePages(search: TraceSearching, input: TraceListInput, times: number): Promise<string> {
  const taken: number[] = [];
  for (let time = 0; time < times; time += 1) {
    const startedAt = performance.now();
    await search.list(input);
    taken.push(performance.now() - startedAt);
  }
  taken.sort((a, b) => a - b);
  return `${taken[Math.floor(times / 2)]?.toFixed(1)} | ${taken.at(-1)?.toFixed(1)}`;
}

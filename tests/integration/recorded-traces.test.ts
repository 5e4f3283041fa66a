import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ChannelId, ReplicaId, RequestId } from "@sluice/contracts/ids";
import { type TraceListInput, traceListInput } from "@sluice/contracts/traces";
import { type CallRows, type CallsSummary, callForms } from "@sluice/control-plane/compose/call-rows.ts";
import { commitCalls } from "@sluice/control-plane/compose/commit-work.ts";
import { createPartitions } from "@sluice/control-plane/db/partitions.ts";
import { systemClock, utcDay } from "@sluice/control-plane/platform/clock.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { readListRequest } from "@sluice/control-plane/platform/list-query/endpoints.ts";
import { countRows, selectPage } from "@sluice/control-plane/platform/list-query/list-store.ts";
import { RowCollector } from "@sluice/control-plane/platform/spool/model.ts";
import type { TraceRow } from "@sluice/control-plane/trace/model.ts";
import { TraceSearching } from "@sluice/control-plane/trace/search.ts";
import { traceFiles } from "@sluice/control-plane/trace/trace-file-store.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.ts";
import { traceOfCall } from "../support/trace/trace-of-call.ts";
import { requestIdAt } from "../support/trace/trace-scene.ts";
import { recordedRows } from "../support/usage/recorded-calls.ts";
import { type Customer, createCustomer, usageRow } from "../support/usage/usage-rows.ts";

const replicaId = "traces" as ReplicaId;
const hourMs = 3_600_000;
const rules = { payloadRetentionDays: 7, metadataRetentionDays: 30, readsPerHour: 1 };

let server: TestDatabase;
let db: Database;
let search: TraceSearching;
let customers: Customer[];
/** From the oldest to the newest, over three days: some copied, some inserted, some apart, and some without a usage row. */
const traces: TraceRow[] = [];

beforeAll(async () => {
  server = await createTestDatabase();
  db = openDatabase({ url: server.url, poolMax: 2, applicationName: "test" });
  search = new TraceSearching({ db, clock: systemClock, rules: () => rules });
  await db.sql`insert into replica (id) values (${replicaId})`;
  customers = [await createCustomer(db, 10n ** 12n), await createCustomer(db, 10n ** 12n)];
  const start = Date.now() - 60 * hourMs;
  await createPartitions(
    db,
    [0, 20, 40, 60].map((hours) => utcDay(start + hours * hourMs)),
  );
  const calls = Array.from({ length: 360 }, (_, i) => {
    // Several calls share a minute.
    const startedAtMs = start + Math.floor(i / 6) * hourMs + (i % 6) * 1_000;
    const usage = usageRow(customers[i % 2] as Customer, {
      startedAtMs,
      requestId: requestIdAt(startedAtMs) as RequestId,
      model: i % 3 === 0 ? "traced-a" : "traced-b",
      channelId: BigInt(1 + (i % 4)) as ChannelId,
      durationMs: (i * 7) % 50,
      ...(i % 10 === 0 ? { outcome: "failed" as const, httpStatus: 502, errorCode: "upstream_error" } : {}),
    });
    // Where a trace differs from its usage row, that is on a line of its own.
    const trace = traceOfCall(usage, i % 5 === 1 ? { model: "traced-a", path: "/v1/messages" } : {});
    traces.push(trace);
    const rows = recordedRows(usage, trace);
    return i % 12 === 7 ? rows.slice(1) : rows;
  });
  await commit(calls.slice(0, 300), true);
  await commit(calls.slice(300, 330), true);
  await commit(calls.slice(330), false);
});

async function commit(calls: readonly ReturnType<typeof recordedRows>[], isNew: boolean): Promise<void> {
  const collector = new RowCollector<CallRows, CallsSummary>(callForms);
  for (const entry of calls.flat()) {
    collector.add(entry);
  }
  const { text, summary } = collector;
  const usage = { sums: summary.charges.list, days: [...summary.usageDays] };
  await commitCalls(db, { replicaId, texts: [text], usage, traceDays: [...summary.traceDays], isNew });
}

afterAll(async () => {
  expect([...(await db.sql`select * from check_money()`)]).toEqual([]);
  await db.close(1_000);
  await server.drop();
});

async function walk(query: Record<string, string>): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | null = null;
  do {
    const input: TraceListInput = traceListInput.parse({ limit: "7", ...query, ...(cursor && { cursor }) });
    const page = await search.list(input);
    found.push(...page.rows.map(({ request_id: id }) => id));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return found;
}

type Ask = Readonly<Record<string, string>>;
const first = (): string => String(customers[0]?.gatewayUserId);
const idsOf = (isMeant: (trace: TraceRow) => boolean): string[] =>
  traces.filter(isMeant).map(({ requestId }) => requestId);
const isOfFirst = (trace: TraceRow): boolean => trace.gatewayUserId === customers[0]?.gatewayUserId;

const questions: [string, () => Ask, (trace: TraceRow) => boolean][] = [
  ["user", () => ({ gateway_user_id: first() }), isOfFirst],
  ["model", () => ({ model: "traced-a" }), ({ model }) => model === "traced-a"],
  [
    "user and model",
    () => ({ gateway_user_id: first(), model: "traced-b" }),
    (trace) => isOfFirst(trace) && trace.model === "traced-b",
  ],
  ["key", () => ({ key_id: String(customers[0]?.apiKeyId) }), isOfFirst],
  [
    "user and outcome",
    () => ({ gateway_user_id: first(), status: "completed" }),
    (trace) => isOfFirst(trace) && trace.status === "completed",
  ],
  [
    "model and a failure",
    () => ({ model: "traced-a", status: "failed" }),
    ({ model, status }) => model === "traced-a" && status === "failed",
  ],
];

describe("traces of calls that were recorded with their usage rows", () => {
  test.each(questions)(
    "are found by %s among those that are apart, in both orders, each once",
    async (_, ask, isMeant) => {
      const meant = idsOf(isMeant);
      expect(meant.length).toBeGreaterThan(10);
      expect(await walk(ask())).toEqual(meant.toReversed());
      expect(await walk({ ...ask(), sort: "time" })).toEqual(meant);
    },
  );

  test("are found by channel and within times", async () => {
    const [from, to] = [traces[60], traces[260]].map((trace) => new Date(trace?.startedAtMs ?? 0));
    const isWithin = ({ startedAtMs }: TraceRow): boolean =>
      startedAtMs >= (from?.getTime() ?? 0) && startedAtMs < (to?.getTime() ?? 0);
    const times = { from: from?.toISOString() ?? "", to: to?.toISOString() ?? "" };
    const meant = idsOf((trace) => isOfFirst(trace) && isWithin(trace));
    expect(await walk({ gateway_user_id: first(), ...times })).toEqual(meant.toReversed());
    const [{ ids }] = (await db.sql<{ ids: string[] }>`
      select array_agg(request_id::text order by request_id desc) as ids from usage_log
      where channel_id = 3 and gateway_user_id = ${customers[0]?.gatewayUserId ?? 0n}`) as [{ ids: string[] }];
    expect(await walk({ gateway_user_id: first(), channel_id: "3" })).toEqual(ids);
  });

  test("are sorted by duration", async () => {
    const latest = traces.filter((trace) => isOfFirst(trace) && trace.startedAtMs >= Date.now() - 24 * hourMs);
    const longest = latest.sort((a, b) => b.durationMs - a.durationMs || (a.requestId < b.requestId ? 1 : -1));
    expect(await walk({ gateway_user_id: first(), sort: "-duration_ms" })).toEqual(
      longest.map(({ requestId }) => requestId as string),
    );
  });

  test.each(questions)("are in an export by %s", async (_, ask, isMeant) => {
    const query = traceFiles.contract.exportInput.parse({ ...ask(), format: "csv" });
    const request = readListRequest(traceFiles, query as Parameters<typeof readListRequest>[1], Date.now());
    const meant = idsOf(isMeant).toReversed();
    const { rows, cursors } = await selectPage(db, traceFiles, request, { after: null, limit: 5 });
    const rest = await selectPage(db, traceFiles, request, { after: cursors.at(-1) ?? null, limit: 1_000 });
    expect([...rows, ...rest.rows].map(({ request_id: id }) => String(id))).toEqual(meant);
    expect(await countRows(db, { source: traceFiles, request }, 1_000, 10_000)).toBe(meant.length);
  });

  test("are in no index by user and model, however they were written", async () => {
    const [row] = await db.sql<{ apart: number; recorded: number }>`
      select count(*) filter (where is_apart)::integer as apart, count(*) filter (where is_apart is null)::integer as recorded
      from trace_record`;
    const apart = traces.filter((_, i) => i % 5 === 1 || i % 12 === 7).length;
    expect(row).toEqual({ apart, recorded: traces.length - apart });
  });
});

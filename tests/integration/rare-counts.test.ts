import { afterAll, beforeAll, expect, test } from "bun:test";
import type { ReplicaId } from "@sluice/contracts/ids";
import { usage as usageSource } from "@sluice/control-plane/admin/lists/gateway-lists-store.ts";
import { callForms } from "@sluice/control-plane/compose/call-rows.ts";
import { commitCalls } from "@sluice/control-plane/compose/commit-work.ts";
import { createPartitions } from "@sluice/control-plane/db/partitions.ts";
import { noUnits } from "@sluice/control-plane/models/units.ts";
import { systemClock, utcDay } from "@sluice/control-plane/platform/clock.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { readFirstPage } from "@sluice/control-plane/platform/list-query/endpoints.ts";
import { RowCollector } from "@sluice/control-plane/platform/spool/model.ts";
import { findCallUsage } from "@sluice/control-plane/trace/search-store.ts";
import type { UsageRow } from "@sluice/control-plane/usage/log/model.ts";
import { sumTags } from "@sluice/control-plane/usage/reports/tag-sums-store.ts";
import { settleNextRows } from "@sluice/control-plane/usage/settlement/settlement-store.ts";
import { sumLabels } from "@sluice/control-plane/usage/views/labels-store.ts";
import type { UsageFilter } from "@sluice/control-plane/usage/views/model.ts";
import { listUsage } from "@sluice/control-plane/usage/views/views-store.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.ts";
import { silentLog } from "../support/trace/trace-fixtures.ts";
import { traceOfCall } from "../support/trace/trace-of-call.ts";
import { recordedRows } from "../support/usage/recorded-calls.ts";
import { waitUntilSettleable } from "../support/usage/settlement-scene.ts";
import { type Customer, createCustomer, usageRow } from "../support/usage/usage-rows.ts";

const replicaId = "counts" as ReplicaId;
/** Of all calls, so that they are of one day and one quarter of an hour whenever the tests run. */
const startedAtMs = Date.now();
const today = utcDay(startedAtMs);

let server: TestDatabase;
let db: Database;
let customer: Customer;

beforeAll(async () => {
  server = await createTestDatabase();
  db = openDatabase({ url: server.url, poolMax: 2, applicationName: "test" });
  await createPartitions(db, [today]);
  await db.sql`insert into replica (id) values (${replicaId})`;
  customer = await createCustomer(db, 10n ** 12n);
});

afterAll(async () => {
  await db.close(1_000);
  await server.drop();
});

async function commit(rows: readonly UsageRow[], isNew: boolean): Promise<void> {
  const collector = new RowCollector(callForms);
  for (const row of rows) {
    for (const entry of recordedRows(row, traceOfCall(row, {}))) {
      collector.add(entry);
    }
  }
  const { text, summary } = collector;
  const usage = { sums: summary.charges.list, days: [...summary.usageDays] };
  await commitCalls(db, { replicaId, texts: [text], usage, traceDays: [...summary.traceDays], isNew });
}

const callOf = (units: Partial<UsageRow["units"]> = {}): UsageRow =>
  usageRow(customer, { startedAtMs, units: { ...noUnits, inputTokens: 5, ...units } });

/** The calls of the customer. */
function ownCalls(): UsageFilter {
  const anything = { keyId: null, model: null, outcome: null, askedModel: null, memberId: null, projectId: null };
  const labels = { endUser: null, tag: null };
  return { ...anything, ...labels, gatewayUserId: customer.gatewayUserId, fromDay: today, toDay: today, zone: "UTC" };
}

test("a count that hardly any call has is null where it is none, and shown and summed as 0", async () => {
  // So many that they are copied.
  const copied = Array.from({ length: 400 }, () => callOf());
  const inserted = [callOf(), callOf({ images: 2 })];
  const counted = callOf({ cacheWrite1hTokens: 7, searches: 3 });
  const older = callOf();
  await commit(copied, true);
  await commit([...inserted, counted, older], false);
  // As the release before has written it.
  await db.sql`update usage_log set cache_write_1h_tokens = 0, searches = 0 where request_id = ${older.requestId}::uuid`;
  const stored = await db.sql`
    select cache_write_1h_tokens as tokens, searches, count(*)::integer as calls from usage_log group by 1, 2 order by 3`;
  expect([...stored]).toEqual(
    expect.arrayContaining([
      { tokens: null, searches: null, calls: copied.length + inserted.length },
      { tokens: 7n, searches: 3, calls: 1 },
      { tokens: 0n, searches: 0, calls: 1 },
    ]),
  );
  const shown = await listUsage(db, ownCalls(), { cursor: null, limit: 1_000 });
  const countsOf = new Map(shown.map((row) => [row.request_id, [row.cache_write_1h_tokens, row.searches]]));
  const expected: readonly (readonly [UsageRow | undefined, readonly [bigint, number]])[] = [
    ...[copied[0], ...inserted, older].map((row) => [row, [0n, 0]] as const),
    [counted, [7n, 3]],
  ];
  for (const [row, counts] of expected) {
    const requestId = row?.requestId ?? "";
    expect(countsOf.get(requestId)).toEqual([...counts]);
    const found = await findCallUsage(db, { day: today, requestId });
    expect([found?.["cache_write_1h_tokens"], found?.["searches"]]).toEqual([...counts]);
  }
  await waitUntilSettleable(db);
  for (let shard = 0; shard < 16; shard += 1) {
    await settleNextRows(db, { rowsMax: 2_000, isReconciled: false, shard });
    await db.sql`select * from roll_usage_up(10000, ${shard}::integer)`;
  }
  const [sums] = await db.sql`
    select calls, cache_write_1h_tokens as tokens, searches from usage_rollup where slice = 'total'`;
  expect(sums).toEqual({ calls: BigInt(shown.length), tokens: 7n, searches: 3n });
  expect([...(await db.sql`select * from check_money()`)]).toEqual([]);
});

test("lists of admins and sums by label show 0 where all calls have none", async () => {
  const labelled = { ...callOf(), model: "quiet", endUser: "somebody", tags: ["team=quiet"] };
  await commit([labelled], false);
  const deps = { db, clock: systemClock, log: silentLog, recordExport: () => Promise.resolve() };
  const page = await readFirstPage(deps, usageSource, { model: "quiet" });
  expect(page.rows).toMatchObject([{ request_id: labelled.requestId, cache_write_1h_tokens: 0n, searches: 0 }]);
  const labels = await sumLabels(db, ownCalls(), 10);
  expect([...labels]).toMatchObject([
    { kind: "end_user", label: "somebody", calls: 1n, cache_write_1h_tokens: 0n },
    { kind: "tag", label: "team=quiet", calls: 1n, cache_write_1h_tokens: 0n },
  ]);
  const span = { from: new Date(Date.now() - 86_400_000), to: new Date(Date.now() + 86_400_000) };
  const tags = await sumTags(db, span);
  expect([...tags]).toMatchObject([{ tag: "team=quiet", calls: 1n, cache_write_1h_tokens: 0n }]);
});

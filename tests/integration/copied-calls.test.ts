import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BudgetId, ChannelId, ReplicaId, RequestId, UserId } from "@sluice/contracts/ids";
import { parseDecimal, type Quota } from "@sluice/contracts/money";
import { type CallRows, type CallsSummary, callForms } from "@sluice/control-plane/compose/call-rows.ts";
import { commitCalls } from "@sluice/control-plane/compose/commit-work.ts";
import { findAppRole } from "@sluice/control-plane/db/app-role.ts";
import { ownSource } from "@sluice/control-plane/db/migrate.ts";
import { createPartitions } from "@sluice/control-plane/db/partitions.ts";
import { noUnits } from "@sluice/control-plane/models/units.ts";
import { utcDay } from "@sluice/control-plane/platform/clock.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { RowCollector } from "@sluice/control-plane/platform/spool/model.ts";
import { openSpool } from "@sluice/control-plane/platform/spool/spool.ts";
import type { TraceRow } from "@sluice/control-plane/trace/model.ts";
import type { UsageRow } from "@sluice/control-plane/usage/log/model.ts";
import fc from "fast-check";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.ts";
import { traceOfCall } from "../support/trace/trace-of-call.ts";
import { recordedRows } from "../support/usage/recorded-calls.ts";
import { type Customer, createCustomer, usageRow } from "../support/usage/usage-rows.ts";

const replicaId = "copies" as ReplicaId;
const granted = 10n ** 15n;
const dayMs = 86_400_000;
const today = utcDay(Date.now());
const startedAtMs = Date.parse(`${today}T01:02:03.456Z`);
const suffix = `_y${today.slice(0, 4)}m${today.slice(5, 7)}d${today.slice(8)}`;
const partitions = [`trace_record${suffix}`, `usage_log${suffix}`];

let server: TestDatabase;
/** Acts with the rights of the application. */
let db: Database;
let owner: Database;
let customer: Customer;
/** The tables that were copied to. */
const copies: string[] = [];

beforeAll(async () => {
  server = await createTestDatabase();
  owner = openDatabase({ url: server.url, poolMax: 1, applicationName: "test" });
  const role = await findAppRole(server.url);
  const opened = openDatabase({ url: server.url, poolMax: 2, applicationName: "test", role });
  db = {
    ...opened,
    withTransaction: (work, options) =>
      opened.withTransaction((tx) => {
        const copyIn: typeof tx.copyIn = async (text, bytes) => {
          copies.push(/copy (\w+)/.exec(text)?.[1] ?? "");
          await tx.copyIn(text, bytes);
        };
        return work(Object.assign(Object.create(tx), { copyIn }));
      }, options),
  };
  await createPartitions(db, [today]);
  await db.sql`insert into replica (id) values (${replicaId})`;
});

beforeEach(async () => {
  copies.length = 0;
  customer = await createCustomer(db, granted);
});

afterAll(async () => {
  expect([...(await db.sql`select * from check_money()`)]).toEqual([]);
  await db.close(1_000);
  await owner.close(1_000);
  await server.drop();
});

type Changes = { readonly usage: Partial<UsageRow>; readonly trace: Partial<TraceRow> | null };

const words = fc.constantFrom("plain", 'a "quoted" \\ one', "日本", "");
const count = fc.bigInt({ min: 0n, max: 2n ** 40n });
const decimal = fc
  .tuple(fc.nat(), fc.integer({ min: 0, max: 12 }), fc.nat({ max: 10 ** 9 }))
  .map(([whole, digits, rest]) =>
    parseDecimal(
      digits === 0 ? `${whole % 100_000}` : `${whole % 100_000}.${`${rest}`.padStart(12, "0").slice(-digits)}`,
    ),
  );
const attempt = fc.record({
  channelId: fc.constantFrom("3", "17"),
  channel: words,
  startedAtMs: fc.constantFrom(startedAtMs, startedAtMs + 1),
  durationMs: fc.nat({ max: 90_000 }),
  status: fc.option(fc.constantFrom(200, 503)),
  result: fc.constantFrom("answered", "timeout"),
});
const calls = fc.record({
  usage: fc.record({
    path: fc.constantFrom("/v1/chat/completions", "/v1/messages"),
    model: fc.constantFrom("gpt-4o-mini", "vendor/model", "模型"),
    channelId: fc.option(fc.constantFrom(3n as ChannelId, (2n ** 60n) as ChannelId)),
    outcome: fc.constantFrom("completed" as const, "failed" as const),
    httpStatus: fc.constantFrom(200, 504),
    errorCode: fc.option(fc.constantFrom("upstream_error", "rate_limited")),
    isStream: fc.boolean(),
    isImplausible: fc.boolean(),
    cacheBasisPoints: fc.option(fc.nat({ max: 10_000 })),
    providerCost: fc.option(decimal),
    rateMultiplier: fc.constantFrom("1", "1.0000", "0.25", "1.3333", "20000.00010", "0").map(parseDecimal),
    quota: fc.bigInt({ min: 0n, max: 10n ** 6n }).map((quota) => quota as Quota),
    quotaHeld: fc.constantFrom(0n as Quota, (2n ** 53n - 1n) as Quota, (2n ** 61n) as Quota),
    firstByteMs: fc.option(fc.nat()),
    durationMs: fc.nat(),
    attempts: fc.array(attempt, { minLength: 1, maxLength: 2 }),
    units: fc
      .record({ inputTokens: count, outputTokens: count, cacheReadTokens: count, reasoningTokens: count })
      .map((units) => ({ ...noUnits, ...units })),
  }),
  trace: fc.option(
    fc.record({
      userId: fc.option(fc.constantFrom(9n as UserId, 9_007_199_254_740_993n as UserId)),
      userAgent: words,
      payload: fc.constantFrom("stored" as const, "off" as const),
    }),
    { freq: 6 },
  ),
});

/** What a replica commits of such calls, each with an id of its own. */
function orderOf(changes: readonly Changes[], of: Customer = customer) {
  const collector = new RowCollector<CallRows, CallsSummary>(callForms);
  const ids: RequestId[] = [];
  for (const { usage, trace } of changes) {
    const row = usageRow(of, { startedAtMs, ...usage });
    ids.push(row.requestId);
    const entries = recordedRows(row, traceOfCall(row, trace ?? {}));
    for (const entry of trace === null ? entries.slice(0, 1) : entries) {
      collector.add(entry);
    }
  }
  const { text: lines, summary } = collector;
  const usage = { sums: summary.charges.list, days: [...summary.usageDays] };
  const traceDays = [...summary.traceDays];
  return { ids, order: { replicaId, texts: [new Uint8Array(lines)], usage, traceDays, isNew: true } };
}

async function written(ids: readonly RequestId[]): Promise<unknown[]> {
  return await db.sql`
    select to_jsonb(u) - '{request_id,xid,gateway_user_id,api_key_id,user_budget_id,key_budget_id,attempts}'::text[] as usage,
      usage_attempts(u.attempts) as attempts, u.rate_multiplier::text as multiplier, u.provider_cost_usd::text as cost,
      to_jsonb(t) - '{request_id,gateway_user_id,api_key_id}'::text[] as trace
    from unnest(${`{${ids.join(",")}}`}::uuid[]) with ordinality as list (id, place)
    join usage_log u on u.request_id = id left join trace_record t on t.request_id = id order by place`;
}

const spent = async (of: Customer) =>
  await db.sql<{
    day: string;
    spent: bigint;
  }>`select day::text as day, spent::bigint as spent from account_spend where gateway_user_id = ${of.gatewayUserId}`;
const unexpected = (what: unknown): never => {
  throw new Error("nothing like this may happen", { cause: what });
};
const plain: Changes = { usage: {}, trace: {} };
const many = (changes: Changes, length = 150): Changes[] => Array.from({ length }, () => changes);

describe("new calls that are copied to the database", () => {
  test("have the same rows, and are charged and counted as spent the same, as calls that are inserted", async () => {
    const changes = fc.sample(calls, 600);
    const other = await createCustomer(db, granted);
    const copied = orderOf(changes);
    const inserted = orderOf(changes, other);
    const charges = await commitCalls(db, copied.order);
    expect(copies).toEqual(partitions);
    const expected = await commitCalls(db, { ...inserted.order, isNew: false });
    expect(copies).toHaveLength(2);
    expect(await written(copied.ids)).toEqual([...(await written(inserted.ids))]);
    expect(charges.map(({ charged }) => charged)).toEqual(expected.map(({ charged }) => charged));
    expect([...(await spent(customer))]).toEqual([...(await spent(other))]);
  });

  test("have an answered attempt as short as it can be said, and all others as they are", async () => {
    const answered = {
      channelId: "17",
      channel: 'a "quoted" one',
      startedAtMs: 5,
      durationMs: 7,
      status: 200,
      result: "answered",
    } as const;
    const others = [{ status: 204 }, { result: "timeout" as const }, { credential: "second" }];
    const attempts = [{}, ...others].map((changes) => [{ ...answered, ...changes }]);
    const { ids, order } = orderOf(attempts.flatMap((some) => many({ usage: { attempts: some }, trace: {} }, 40)));
    await commitCalls(db, order);
    expect(copies).toEqual(partitions);
    const stored = await db.sql<{ text: string; attempts: unknown; calls: number }>`
      select attempts #>> '{}' as text, usage_attempts(attempts) as attempts, count(*)::integer as calls from usage_log
      where request_id = any (${`{${ids.join(",")}}`}::uuid[]) group by 1, 2 order by min(request_id::text)`;
    expect(stored.map(({ attempts: some, calls: rows }) => ({ some, rows }))).toEqual(
      attempts.map((some) => ({ some, rows: 40 })),
    );
    const isShort = stored.map(({ text }) => text === '[["17",5,7,"a \\"quoted\\" one"]]');
    expect(isShort).toEqual([true, false, false, false]);
  });

  test("are written once if some of them are there already, and only the others are charged", async () => {
    const known = orderOf(many(plain));
    await commitCalls(db, known.order);
    const fresh = orderOf(many(plain));
    const both = {
      ...fresh.order,
      texts: [...known.order.texts, ...fresh.order.texts],
      usage: { ...fresh.order.usage, sums: [] },
    };
    const charges = await commitCalls(db, both);
    expect(charges.map(({ charged }) => charged)).toEqual([1_500n as Quota, 1_500n as Quota]);
    expect(await written([...known.ids, ...fresh.ids])).toHaveLength(300);
    expect(copies).toHaveLength(3);
  });

  test("get the partition of their day, and days can be mixed", async () => {
    const old = { usage: { startedAtMs: startedAtMs - 50 * dayMs }, trace: {} };
    const { ids, order } = orderOf([...many(old), ...many(plain)]);
    await commitCalls(db, order);
    expect(await written(ids)).toHaveLength(300);
    const again = orderOf([...many(old), ...many(plain)]);
    await commitCalls(db, again.order);
    expect(copies).toEqual(["trace_record", "trace_record", "usage_log"]);
    expect(await written(again.ids)).toHaveLength(300);
  });

  test("are refused as inserted ones are if a value is none of its column, or a check says no", async () => {
    const wrong: Partial<UsageRow>[] = [
      { durationMs: 2 ** 31 },
      { httpStatus: 2 ** 31 },
      { requestId: "00000000-0000-7000-8000-00000000000x" as RequestId },
    ];
    for (const usage of wrong) {
      const { order } = orderOf([...many(plain), { usage, trace: null }]);
      const stateOf = (isNew: boolean) =>
        commitCalls(db, { ...order, isNew }).then(
          () => null,
          (error: { errno?: string }) => error.errno,
        );
      const state = await stateOf(true);
      expect(state).toMatch(/^22/);
      expect(await stateOf(false)).toBe(state ?? "");
    }
    expect((await db.sql`select 1 from usage_log where gateway_user_id = ${customer.gatewayUserId}`).length).toBe(0);
  });

  test("of one day are copied into its partitions once these count what is spent, and until then through the log", async () => {
    await owner.drizzle.execute(`drop trigger usage_log_spend on usage_log${suffix}`);
    // A process that has not looked for the partitions yet.
    const fresh = { ...db };
    await commitCalls(fresh, orderOf(many(plain)).order);
    expect(copies).toEqual(["trace_record", "usage_log"]);
    const [earlier] = await spent(customer);
    const migration = new URL("migrations/0069_copied_partitions.sql", ownSource.folder);
    await owner.drizzle.execute(await Bun.file(migration).text());
    await commitCalls(fresh, orderOf(many(plain)).order);
    expect(copies.slice(2)).toEqual(partitions);
    const [both] = await spent(customer);
    expect(both?.spent).toBe(2n * (earlier?.spent ?? 0n));
  });

  test("are copied and charged the same from a backlog that only the disk has", async () => {
    const directory = await mkdtemp(join(tmpdir(), "sluice-backlog-"));
    const spool = await openSpool<CallRows, CallsSummary>({
      ...{ directory, reserveBytes: 0, onWarning: unexpected, cachedEntriesMax: 0 },
      ...callForms,
    });
    try {
      for (let group = 0; group < 30; group += 1) {
        const rows = Array.from({ length: 10 }, () => usageRow(customer, { startedAtMs }));
        const entries = rows.flatMap((row) => recordedRows(row, traceOfCall(row)));
        await Promise.all(entries.map((entry) => spool.append(entry)));
      }
      const charged: bigint[] = [];
      spool.drain({
        batchMax: 300,
        commit: async ({ texts, summary: { charges, usageDays, traceDays }, isReplay, isRetry }) => {
          const usage = { sums: charges.list, days: [...usageDays] };
          const isNew = !(isReplay || isRetry);
          const order = { replicaId, texts, usage, traceDays: [...traceDays], isNew };
          charged.push(...(await commitCalls(db, order)).map((each) => each.charged));
        },
        isPoison: () => false,
        onQuarantine: unexpected,
      });
      expect(await spool.flush(60_000)).toBe(true);
      expect(copies).toEqual([...partitions, ...partitions]);
      expect(charged).toEqual([1_500n, 1_500n, 1_500n, 1_500n]);
      const [budget] = await db.sql<{ used: bigint; rows: bigint }>`
        select used, (select count(*) from usage_log u where u.user_budget_id = b.id) as rows from budget b
        where id = ${customer.userBudgetId}::bigint`;
      expect(budget).toEqual({ used: 3_000n, rows: 300n });
    } finally {
      await spool.close(true);
      await rm(directory, { recursive: true });
    }
  });

  test("are inserted where they are few", async () => {
    await commitCalls(db, orderOf(many(plain, 5)).order);
    expect(copies).toEqual([]);
  });

  test("leave what follows in their transaction undone if they fail", async () => {
    const { order, ids } = orderOf(many(plain));
    const stray = { budgetId: 999_999n as BudgetId, charge: 1n as Quota, reserve: 0n as Quota };
    const broken = { ...order, usage: { ...order.usage, sums: [stray] } };
    await expect(commitCalls(db, broken)).rejects.toThrow(/budget 999999/);
    expect(await written(ids)).toEqual([]);
    await commitCalls(db, order);
    expect(await written(ids)).toHaveLength(150);
  });
});

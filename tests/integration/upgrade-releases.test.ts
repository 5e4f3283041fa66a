import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ReplicaId } from "@sluice/contracts/ids";
import type { Quota } from "@sluice/contracts/money";
import { migrate, ownSource } from "@sluice/control-plane/db/migrate.ts";
import { createMissingPartitions } from "@sluice/control-plane/db/partitions.ts";
import { systemClock, utcDay } from "@sluice/control-plane/platform/clock.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { commitUsage, toUsageOrder } from "@sluice/control-plane/usage/log/commit-usage.ts";
import { rebuildRollup, rollUsageUp } from "@sluice/control-plane/usage/rollup/roll-up.ts";
import { UsageSettlement } from "@sluice/control-plane/usage/settlement/usage-settlement.ts";
import { Registry } from "prom-client";
import { listReleases, loadRelease } from "../releases/stored-releases.ts";
import { createEmptyDatabase } from "../support/postgres/empty-database.ts";
import { schemaFacts } from "../support/postgres/schema-facts.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.ts";
import { silentLog } from "../support/trace/trace-fixtures.ts";
import { waitUntilSettleable } from "../support/usage/settlement-scene.ts";
import { type Customer, encoded, usageRow } from "../support/usage/usage-rows.ts";

/** Functions that the program of the newest stored release does not call, as `name(types)`: they may go, or change. */
const uncalled: readonly string[] = [
  "post_settlement(bigint,bigint,bigint[],bigint[],uuid[],bigint[],bigint[])",
  "sum_usage(bigint,bigint,date,date)",
];

const releases = await listReleases();
const newest = releases.at(-1);

let fresh: TestDatabase;

beforeAll(async () => {
  fresh = await createTestDatabase();
});

afterAll(() => fresh.drop());

type Signature = {
  readonly name: string;
  readonly types: readonly string[];
  /** How many trailing parameters may be omitted. */
  readonly defaults: number;
  readonly result: string;
};

async function signatures(sql: Bun.SQL): Promise<Signature[]> {
  return await sql`
    select proname as name, array(select t::regtype::text from unnest(proargtypes) t) as types, pronargdefaults::int as defaults,
      pg_get_function_result(oid) as result
    from pg_proc where pronamespace = 'public'::regnamespace order by 1`;
}

/** Whether callers of the one can call the other. */
function answersFor(one: Signature, other: Signature): boolean {
  const isPrefix = one.types.every((type, index) => other.types[index] === type);
  const leftOut = other.types.length - (one.types.length - one.defaults);
  return one.name === other.name && one.result === other.result && isPrefix && leftOut <= other.defaults;
}

const newCalls = 12;

/** Calls of a user with a multiplier of one, which this program settles in lists. */
async function commitNewCalls(db: Database): Promise<void> {
  const replica = "upgraded" as ReplicaId;
  await createMissingPartitions(db, "usage_log", [utcDay(Date.now())]);
  await db.sql`insert into replica (id) values (${replica})`;
  const [customer] = await db.sql<Customer>`
    select b.gateway_user_id as "gatewayUserId", k.id as "apiKeyId", b.id as "userBudgetId"
    from budget b join lateral (select id from api_key where gateway_user_id = b.gateway_user_id limit 1) k on true
    order by b.granted - b.used desc limit 1`;
  const startedAtMs = Date.now();
  const rows = Array.from({ length: newCalls }, () =>
    usageRow(customer as Customer, { startedAtMs, keyBudgetId: null, quota: 1n as Quota }),
  );
  await db.withTransaction((tx) => commitUsage(tx, replica, toUsageOrder(encoded(...rows))));
}

/** How many calls are settled in lists and as rows, and how many different ones. */
async function settledKinds(sql: Bun.SQL): Promise<unknown> {
  const [kinds] = await sql`
    select (select coalesce(sum(cardinality(calls)), 0)::int from settled_calls) as listed, count(distinct request_id)::int as different,
      (select count(*)::int from usage_settlement) as rows
    from settled_call`;
  return kinds;
}

describe.each(releases)("a database of release %s", (release) => {
  test("is brought up to date with its data, and then has the schema of a fresh one", async () => {
    await using database = await createEmptyDatabase(fresh.url);
    await using sql = new Bun.SQL(database.url, { max: 1 });
    await using freshSql = new Bun.SQL(fresh.url, { max: 1 });
    await loadRelease(database.url, release);
    const count = () => sql`
      select (select count(*)::int from usage_log) as calls, (select count(*)::int from ledger_entry) as entries,
        (select count(*)::int from sales_order) as orders, (select count(*)::int from user_profile) as users`;
    const before = await count();
    expect(Object.values(before[0]).every((rows) => Number(rows) > 3)).toBeTrue();
    const callable = await signatures(sql);

    await migrate(database.url, () => undefined);

    expect(await sql`select * from check_money()`).toEqual([] as never);
    expect(await schemaFacts(sql)).toEqual(await schemaFacts(freshSql));
    expect(await count()).toEqual(before);
    // Batches of that release name no span of the log.
    const unindexed = await sql`
      select i.inhrelid::regclass::text as partition from pg_inherits i
      where i.inhparent = 'usage_settlement'::regclass and not exists (
        select 1 from pg_index x join pg_attribute a on a.attrelid = x.indrelid and a.attnum = x.indkey[0]
        where x.indrelid = i.inhrelid and a.attname = 'batch_id')`;
    expect(unindexed).toEqual([] as never);
    if (release === newest) {
      const now = await signatures(sql);
      const lost = callable.filter((one) => !now.some((other) => answersFor(one, other)));
      expect(lost.map(({ name, types }) => `${name}(${types})`)).toEqual([...uncalled]);
    }
  });

  test("settles the calls that it had not settled and lists new ones, and has and sums each once", async () => {
    await using database = await createEmptyDatabase(fresh.url);
    await using sql = new Bun.SQL(database.url, { max: 1 });
    await loadRelease(database.url, release);
    await migrate(database.url, () => undefined);
    const db = openDatabase({ url: database.url, poolMax: 2, applicationName: "test", role: "sluice_app" });
    try {
      const settlement = new UsageSettlement({ db, clock: systemClock, log: silentLog, registry: new Registry() });
      await settlement.run();
      await settlement.run();
      expect(await settledKinds(sql)).toMatchObject({ listed: 0 });
      await commitNewCalls(db);
      await waitUntilSettleable(db);
      await settlement.run();
      await settlement.run({ isReconciled: true });
      await rollUsageUp(db, systemClock);
      const faults: unknown[] = [];
      for await (const day of rebuildRollup(db, { isForced: false, isChecked: true })) {
        // Attempts count only since a later release.
        faults.push(...day.faults.filter(({ slice }) => !slice.startsWith("attempt")));
      }
      expect(faults).toEqual([]);
    } finally {
      await db.close(1_000);
    }
    const [rows] = await sql`
      select (select count(*)::int from usage_log) as calls, (select count(*)::int from settled_call) as settled,
        (select sum(calls)::int from usage_rollup where slice = 'total') as summed`;
    expect([rows.settled, rows.summed]).toEqual([rows.calls, rows.calls]);
    const kinds = await settledKinds(sql);
    expect(kinds).toEqual({ listed: newCalls, rows: rows.calls - newCalls, different: rows.calls });
    expect(await sql`select * from check_money()`).toEqual([] as never);
  });
});

test("there is a stored release, and none is later than this program", () => {
  expect(releases.length).toBeGreaterThan(0);
  expect(releases.filter((release) => Bun.semver.order(release, ownSource.release) > 0)).toEqual([]);
});

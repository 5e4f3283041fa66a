import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { GatewayUserId } from "@sluice/contracts/ids";
import { countCallsOfKey } from "@sluice/control-plane/admin/change-preview/consequences-store.ts";
import { selectDays } from "@sluice/control-plane/gateway/account-figures/store.ts";
import type { Database, Queryable, SqlValue } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { listMismatches } from "@sluice/control-plane/usage/reports/reconciliation-store.ts";
import { sumUsersByBar } from "@sluice/control-plane/usage/reports/usage-sums-store.ts";
import type { UsageFilter } from "@sluice/control-plane/usage/views/model.ts";
import { readOwnPerformance } from "@sluice/control-plane/usage/views/performance-store.ts";
import { sumUsage } from "@sluice/control-plane/usage/views/views-store.ts";
import { blocksRead } from "../support/postgres/blocks-read.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.ts";

const users = 120;
const days = 6;
const dayMs = 86_400_000;
const today = Math.floor(Date.now() / dayMs) * dayMs;
const first = today - (days - 1) * dayMs;
const dayText = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const user = 7n as GatewayUserId;

let database: TestDatabase;
let db: Database;

beforeAll(async () => {
  database = await createTestDatabase();
  // On a busy machine the data take more than a page may.
  db = openDatabase({ url: database.url, poolMax: 1, applicationName: "test", statementTimeoutMs: 600_000 });
  const quarters = `generate_series($1::timestamptz, $1::timestamptz + interval '${days} days' - interval '15 minutes', interval '15 minutes') at`;
  const sums = "1, 1, 0, 0, 0, 10, 1, 0, 0, 0, 0, 0, 2, 3";
  const columns = `calls, completed, aborted, failed, refused, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens,
    reasoning_tokens, images, audio_ms, quota, settled_quota`;
  const from = new Date(first);
  await db.query(
    `insert into usage_rollup (slice, starts_at, gateway_user_id, model, channel_id, error_code, ${columns}, first_at, last_at)
     select 'user', at, u, '', 0, '', ${sums}, at, at from ${quarters}, generate_series(1, ${users}) u order by at, u`,
    [from],
  );
  await db.query(
    `insert into usage_rollup (slice, starts_at, gateway_user_id, model, channel_id, error_code, ${columns}, first_at, last_at)
     select 'user_day', date_trunc('day', starts_at, 'UTC'), gateway_user_id, '', 0, '', ${columns
       .split(/,\s+/)
       .map((name) => `sum(${name})`)
       .join(", ")}, min(first_at), max(last_at)
     from usage_rollup group by 2, 3 order by 2, 3`,
    [],
  );
  await db.query(`insert into gateway_user (created_at) select now() from generate_series(1, ${users})`, []);
  await db.query(
    `insert into api_key (gateway_user_id, key_hash, key_prefix, key_last_four, name)
     select id, sha256(id::text::bytea), 'sk-', 'abcd', 'key' from gateway_user order by id`,
    [],
  );
  await db.query(
    `insert into usage_user_sum (gateway_user_id, grain, starts_at, api_key_id, model, outcome, calls, input_tokens, output_tokens,
       cache_read_tokens, cache_write_tokens, reasoning_tokens, cache_write_1h_tokens, quota, settled_quota)
     select k.gateway_user_id, 'hours', at, k.id, 'model', 'completed', 1, 10, 1, 0, 0, 0, 0, 2, 3
     from generate_series($1::timestamptz, $1::timestamptz + interval '${days - 1} days', interval '2 hours') at, api_key k order by at, k.id`,
    [from],
  );
  await db.query(
    `insert into usage_key_performance (api_key_id, starts_at, model, kind, bucket, calls, output_tokens, output_ms)
     select k.id, at, 'model', 'total', b, 1, 10, 100
     from generate_series($1::timestamptz, $1::timestamptz + interval '${days - 1} days', interval '1 day') at, api_key k, generate_series(1, 20) b
     order by at, k.id, b`,
    [from],
  );
  // Many other accounts, which have no sums.
  await db.query(
    `with other as (insert into gateway_user (created_at) select now() from generate_series(1, 10000) returning id)
     insert into api_key (gateway_user_id, key_hash, key_prefix, key_last_four, name)
     select id, sha256(id::text::bytea), 'sk-', 'abcd', 'key' from other`,
    [],
  );
  await db.query("vacuum analyze", []);
});

afterAll(async () => {
  await db.close(1_000);
  await database.drop();
});

/** Even a planner that expects many rows looks them up. */
const lookedUp = (read: (tx: Queryable) => Promise<unknown>): Promise<number> =>
  blocksRead(db, async (tx) => {
    await tx.sql`select set_config(name, 'off', true) from unnest('{enable_nestloop,enable_mergejoin}'::text[]) name`;
    return await read(tx);
  });

const filter: UsageFilter = {
  ...{ gatewayUserId: user, fromDay: dayText(first), toDay: dayText(today), zone: "UTC" },
  ...{
    keyId: null,
    model: null,
    askedModel: null,
    outcome: null,
    memberId: null,
    projectId: null,
    endUser: null,
    tag: null,
  },
};

describe("what is read of the sums", () => {
  test("for the days of an account is a sum a day, not one a quarter hour", async () => {
    const range = { fromDay: dayText(first), toDay: dayText(today) };
    const found = await selectDays(db, user, range);
    expect(found).toHaveLength(days);
    expect(found[0]).toEqual({
      day: dayText(first),
      ...{ calls: 96n, input_tokens: 960n, output_tokens: 96n, settled_quota: 288n },
    });
    expect(await blocksRead(db, (tx) => selectDays(tx, user, range))).toBeLessThanOrEqual(days * 6);
  });

  test.each([
    ["whole days of UTC", 0, 6],
    ["days of another zone", 5.5, 120],
  ])("for the course of some users are theirs alone, by %s", async (_what, hours, blocksMax) => {
    const at = (day: number): Date => new Date(first + day * dayMs - hours * 3_600_000);
    const bars = Array.from({ length: days - 1 }, (_, index) => ({ from: at(index + 1), to: at(index + 2) }));
    const found = await sumUsersByBar(db, [user, 8n], bars);
    expect(found.map(({ bar, gateway_user_id: id, calls }) => [bar, id, calls]).sort()).toEqual(
      bars.flatMap((_, bar) => [
        [bar, 7n, 96n],
        [bar, 8n, 96n],
      ]),
    );
    expect(await blocksRead(db, (tx) => sumUsersByBar(tx, [user, 8n], bars))).toBeLessThanOrEqual(
      bars.length * 2 * blocksMax,
    );
  });

  test("for the calls of a key are those of its account alone", async () => {
    const [key] = await db.sql<{ id: bigint; account: bigint }>`
      select id, gateway_user_id as account from api_key order by id offset 6 limit 1`;
    const id = key?.id ?? 0n;
    expect(await countCallsOfKey(db, id)).toMatchObject({ callers: 1n, keys: 1n });
    expect(await blocksRead(db, (tx) => countCallsOfKey(tx, id))).toBeLessThanOrEqual(80);
  });

  test("for how soon the keys of an account were answered are those of its keys alone", async () => {
    expect(await readOwnPerformance(db, filter)).toHaveLength(1);
    expect(await lookedUp((tx) => readOwnPerformance(tx, filter))).toBeLessThanOrEqual(60);
  });

  test("for a project is looked up among its keys, however many they are, not compared with each", async () => {
    const explained = { query: (text: string, values: SqlValue[]) => db.query(`explain ${text}`, values) } as Queryable;
    const plan = await sumUsage(explained, { ...filter, projectId: 1n });
    expect(JSON.stringify(plan)).toContain("hashed SubPlan");
  });

  test("for the names of an account's keys are no keys of others", async () => {
    await db.sql`select open_settlement_shards()`;
    await db.sql`
      update settlement_checkpoint set xid = pg_current_xact_id(),
        system_identifier = (select system_identifier::text from pg_control_system())`;
    await db.sql`insert into usage_rollup_checkpoint (source, batch_id) values ('usage_user_sum:0', 0)`;
    const keys = (await sumUsage(db, filter)).flatMap((part) => (part.kind === "key" ? [part.key_name] : []));
    expect(keys).toEqual(["key"]);
    expect(await lookedUp((tx) => sumUsage(tx, filter))).toBeLessThanOrEqual(200);
  });
});

test("for the refunds of a reconciliation the ledger's entries of each are looked up", async () => {
  await db.query(
    "insert into user_profile (gateway_user_id, email) select id, id || '@example.org' from gateway_user limit 1",
    [],
  );
  const refunds = 3_000;
  await db.query(
    `with ordered as (
       insert into sales_order (order_no, plan_code, plan_name, plan_kind, quota, amount_usd, user_id, expires_at, status, pay_channel, settled_at,
         credited_at)
       select 'S' || i, 'credit', 'Credit', 'wallet_balance', 10, 1, (select min(id) from user_profile), now(), 'settled', 'cardpay', now(), now()
       from generate_series(1, ${refunds}) i returning id, order_no
     ), refunded as (
       insert into refund (refund_no, order_id, amount_usd, quota, status, reason)
       select 'R' || order_no, id, 1, 1, 'done', 'test' from ordered returning refund_no
     )
     insert into ledger_posting (change_type, reference) select 'refund', 'refund:' || refund_no from refunded`,
    [],
  );
  await db.query(
    `with account as (
       insert into ledger_account (code, gateway_user_id) values ('user:7', 7), ('house:test', null) returning id, gateway_user_id
     )
     insert into ledger_entry (posting_id, account_id, amount, balance_after)
     select p.id, a.id, case when a.gateway_user_id is null then 1 else -1 end, 0 from ledger_posting p, account a`,
    [],
  );
  await db.query("vacuum analyze", []);
  const range = { from: new Date(Date.now() - dayMs), to: new Date(Date.now() + dayMs) };
  const read = await blocksRead(db, (tx) => listMismatches(tx, range, 10));
  expect(read / refunds).toBeLessThan(25);
});

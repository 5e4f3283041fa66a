import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { RequestId } from "@sluice/contracts/ids";
import { createMissingPartitions } from "@sluice/control-plane/db/partitions.ts";
import { systemClock, utcDay } from "@sluice/control-plane/platform/clock.ts";
import type { Queryable } from "@sluice/control-plane/platform/db.ts";
import { sqlStateOf } from "@sluice/control-plane/platform/db-errors.ts";
import type { UsageRow } from "@sluice/control-plane/usage/log/model.ts";
import { encodeUsageRow } from "@sluice/control-plane/usage/log/row-codec.ts";
import { rollUsageUp } from "@sluice/control-plane/usage/rollup/roll-up.ts";
import { settleNextRows } from "@sluice/control-plane/usage/settlement/settlement-store.ts";
import { holdLock } from "../support/postgres/held-lock.ts";
import { insertUsageRows } from "../support/usage/insert-rows.ts";
import { SettlementScene, waitUntilSettleable } from "../support/usage/settlement-scene.ts";
import { failureOf } from "../support/values/failure-of.ts";

const dayMs = 86_400_000;
const uniqueViolation = "23505";

let scene: SettlementScene;

beforeEach(async () => {
  scene = await SettlementScene.create(3);
});

afterEach(async () => {
  await scene[Symbol.asyncDispose]();
});

/** Calls of three users, with a multiplier of one. */
const rows = (count: number): UsageRow[] =>
  Array.from({ length: count }, (_, index) => scene.row(index, BigInt(index + 1), "1.0000"));

type List = { readonly calls: readonly UsageRow[]; readonly batch: number; readonly minute?: string };

const list = (db: Queryable, { calls, batch, minute }: List) => db.sql`
  insert into settled_calls (day, shard, minute, batch_id, calls)
  select ${calls[0]?.day ?? ""}::text::date, ${String((calls[0]?.gatewayUserId ?? 0n) & 15n)}::text::smallint,
    ${minute ?? calls[0]?.requestId.slice(0, 8) ?? ""}, ${String(batch)}::text::bigint,
    array(select jsonb_array_elements_text(${JSON.stringify(calls.map(({ requestId }) => requestId))}::text::jsonb)::uuid)`;

const settleAsRow = (db: Queryable, { day, requestId, gatewayUserId }: UsageRow) => db.sql`
  insert into usage_settlement (day, request_id, batch_id, gateway_user_id, settled_quota)
  values (${day}::text::date, ${requestId}::text::uuid, 999, ${gatewayUserId}::bigint, 1)`;

const setBack = () => scene.owner.sql`
  update settlement_checkpoint set xid = '0', request_id = '00000000-0000-0000-0000-000000000000' where source like 'usage_log:%'`;

test("calls with a multiplier of one are a sorted list of their minute, and only others have rows", async () => {
  const listedAs = (minute: number, last: number, base: bigint) =>
    scene.row(0, base, "1.0000", { requestId: `0000000${minute}-0000-7000-8000-00000000000${last}` as RequestId });
  const listed = [listedAs(2, 1, 10n), listedAs(2, 2, 0n)];
  const other = listedAs(1, 3, 30n);
  await scene.commit(...listed.toReversed(), other, scene.row(0, 20n, "1.0001"));
  await scene.run();
  const settled = await scene.db
    .sql`select settled_quota, base_quota, quota_delta, rate_multiplier from usage_settlement`;
  expect([...settled]).toEqual([{ settled_quota: 21n, base_quota: 20n, quota_delta: 1n, rate_multiplier: "1.0001" }]);
  const lists = await scene.db.sql<{ minute: string; shard: number; calls: string[] }>`
    select minute, shard, calls::text[] as calls from settled_calls order by minute`;
  const shard = Number(scene.customer(0).gatewayUserId & 15n);
  expect([...lists]).toEqual(
    [[other], listed].map((calls) => ({
      minute: calls[0]?.requestId.slice(0, 8) ?? "",
      shard,
      calls: calls.map(({ requestId }) => String(requestId)),
    })),
  );
  expect(await scene.faults()).toEqual([]);
});

describe("the database settles a listed call once", () => {
  test("and refuses a second list with it, and a row of it", async () => {
    const rowOf = (last: number, multiplier: string) =>
      scene.row(0, 10n, multiplier, { requestId: `00000000-0000-7000-8000-00000000000${last}` as RequestId });
    const [call, multiplied, other] = [rowOf(1, "1.0000"), rowOf(2, "1.5000"), rowOf(3, "1.0000")];
    await scene.commit(call, multiplied);
    await scene.run();
    await scene.commit(other);
    for (const db of [scene.db, scene.owner]) {
      for (const calls of [[call], [call, other]]) {
        expect(sqlStateOf(await failureOf(list(db, { calls, batch: 999 })))).toBe(uniqueViolation);
      }
      expect(String(await failureOf(list(db, { calls: [multiplied], batch: 999 })))).toContain("multiplier of one");
      expect(sqlStateOf(await failureOf(settleAsRow(db, call)))).toBe(uniqueViolation);
    }
    await scene.run();
    expect(await scene.faults()).toEqual([]);
  });

  test("also when another transaction lists it at the same time", async () => {
    const call = scene.row(0, 10n, "1.0000");
    await scene.commit(call);
    await using held = await holdLock(scene.db, (tx) => list(tx, { calls: [call], batch: 998 }));
    const second = failureOf(list(scene.db, { calls: [call], batch: 999 }));
    await held.waitForWaiters(1);
    await held.release();
    expect(sqlStateOf(await second)).toBe(uniqueViolation);
  });

  test("in a list of different calls of one minute, which nobody can change", async () => {
    const call = scene.row(0, 10n, "1.0000");
    await scene.commit(call);
    for (const wrong of [{ calls: [call, call] }, { calls: [call], minute: "of another" }]) {
      expect(String(await failureOf(list(scene.owner, { batch: 999, ...wrong })))).toContain("are not different ones");
    }
    await scene.run();
    for (const change of [
      "update settled_calls set calls = '{}'",
      "delete from settled_calls",
      "truncate settled_calls",
    ]) {
      expect(sqlStateOf(await failureOf(scene.db.query(change, [])))).toBe("42501");
      expect(await failureOf(scene.owner.query(change, []))).toBeInstanceOf(Error);
    }
    expect(await scene.faults()).toEqual([]);
  });
});

describe("calls that were listed are passed", () => {
  test("by a cursor that is set back, with the new ones behind them settled", async () => {
    await scene.commit(...rows(30));
    expect(await scene.run()).toMatchObject({ rowsSettled: 30 });
    await setBack();
    await scene.commit(...rows(7));
    expect(await scene.run()).toMatchObject({ outcome: "caught_up", rowsSettled: 7, rowsQuarantined: 0 });
    expect(await scene.faults()).toEqual([]);
  });

  test("when the log is read again, and so are those of an earlier release, which have rows", async () => {
    await scene.commit(...rows(10), scene.row(0, 5n, "1.5000"));
    await scene.run();
    await createMissingPartitions(scene.db, "usage_settlement", [utcDay(Date.now()), utcDay(Date.now() + dayMs)]);
    await scene.forgetLists();
    await scene.commit(...rows(10));
    await scene.run();
    const [kinds] = await scene.db.sql<{ rows: number; lists: number }>`
      select (select count(*)::int from usage_settlement) as rows, (select sum(cardinality(calls))::int from settled_calls) as lists`;
    expect(kinds).toEqual({ rows: 11, lists: 10 });
    expect(await scene.run({ isReconciled: true })).toMatchObject({ outcome: "caught_up", rowsSettled: 0 });
    await setBack();
    expect(await scene.run()).toMatchObject({ outcome: "caught_up", rowsSettled: 0 });
    expect(await scene.faults()).toEqual([]);
  });

  test("in the sums of their user, while the cursor is still before what was settled when the log was read again", async () => {
    const startedAtMs = Date.now() - 60_000;
    await rollUsageUp(scene.db, systemClock);
    const calls = Array.from({ length: 5 }, () => scene.row(0, 3n, "1.0000", { startedAtMs }));
    await scene.commit(...calls, scene.row(0, 3n, "1.5000", { startedAtMs }));
    const { gatewayUserId } = scene.customer(0);
    await waitUntilSettleable(scene.db);
    const shard = Number(gatewayUserId & 15n);
    // The step after it would move the cursor.
    expect(await settleNextRows(scene.db, { rowsMax: 100, isReconciled: true, shard })).toMatchObject({
      rowsSettled: 6,
    });
    const unsummed = await scene.db.sql`
      select 1 from unsummed_usage(${gatewayUserId}::bigint, now() - interval '1 hour', now() + interval '1 hour')`;
    expect(unsummed).toHaveLength(6);
    expect(await scene.settlement.measureLag()).toEqual({ seconds: 0, rowsQuarantined: 0 });
  });

  test("on another server, whose new calls have the transaction numbers of old batches", async () => {
    await scene.commit(...rows(12));
    await scene.run();
    const late = rows(9);
    await scene.commit(...late);
    await scene.withoutTriggers(
      ...late.map(
        ({ requestId, gatewayUserId }) => `update usage_log set xid = (select first_xid from settlement_batch
          where shard = ${gatewayUserId & 15n} order by id limit 1) where request_id = '${requestId}'`,
      ),
    );
    await scene.owner.sql`update settlement_checkpoint set system_identifier = 'of the server it was dumped on'`;
    expect(await scene.run()).toMatchObject({ outcome: "caught_up", rowsSettled: 9 });
    expect(await scene.faults()).toEqual([]);
    await rollUsageUp(scene.db, systemClock);
    const [sums] = await scene.db.sql<{ calls: number; quota: number }>`
      select sum(calls)::int as calls, sum(settled_quota)::int as quota from usage_rollup where slice = 'total'`;
    expect(sums).toEqual({ calls: 21, quota: (12 * 13) / 2 + (9 * 10) / 2 });
  });
});

test("a call in quarantine is not reported once it is listed", async () => {
  const row = scene.row(0, 0n, "-1.0000");
  await insertUsageRows(scene.db, [{ row, json: encodeUsageRow(row) }]);
  expect(await scene.run()).toMatchObject({ rowsQuarantined: 1 });
  await scene.owner.sql`update usage_log set rate_multiplier = 1 where request_id = ${row.requestId}::uuid`;
  expect(await scene.run({ isReconciled: true })).toMatchObject({ rowsSettled: 1 });
  expect(await scene.settlement.measureLag()).toEqual({ seconds: 0, rowsQuarantined: 0 });
});

describe("the check of money notices", () => {
  const listed =
    "what is in a list of settled calls is a usage row of its shard, minute and span, with a multiplier of one";
  test.each([
    [
      "a call that is taken from a list",
      "update settled_calls set calls = calls[2:]",
      "a batch says what its rows say",
    ],
    [
      "a call that is in a list twice",
      "update settled_calls set calls = calls || calls[1]",
      "a usage row is settled once",
    ],
    ["a listed call that is in no log", "update settled_calls set calls = calls || gen_random_uuid()", listed],
    ["a listed call with another multiplier", "update usage_log set rate_multiplier = 2", listed],
    ["a list of another shard", "update settled_calls set shard = (shard + 1) % 16", listed],
    ["a list of another minute", "update settled_calls set minute = '00000000'", listed],
    ["another cost of a listed call", "update usage_log set quota = quota + 1", "what a user settled is in the ledger"],
    ["a list of other transactions", "update settled_calls set first_xid = '0', last_xid = '1'", listed],
    ["a list without a batch", "update settled_calls set batch_id = batch_id + 1000", "a batch says what its rows say"],
    ["a list that is gone", "delete from settled_calls", "no unsettled row is out of the reach of the cursor"],
  ])("%s", async (_what, change, invariant) => {
    await scene.commit(...rows(6));
    await scene.run();
    expect(await scene.checkMoney()).toEqual([]);
    await scene.withoutTriggers(change);
    expect((await scene.checkMoney()).map((violation) => (violation as { invariant: string }).invariant)).toContain(
      invariant,
    );
  });
});

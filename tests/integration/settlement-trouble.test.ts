import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { RequestId } from "@sluice/contracts/ids";
import { createMissingPartitions } from "@sluice/control-plane/db/partitions.ts";
import { utcDay } from "@sluice/control-plane/platform/clock.ts";
import type { UsageRow } from "@sluice/control-plane/usage/log/model.ts";
import { encodeUsageRow } from "@sluice/control-plane/usage/log/row-codec.ts";
import { settlementEndpoints } from "@sluice/control-plane/usage/settlement/routes.ts";
import { settleNextRows } from "@sluice/control-plane/usage/settlement/settlement-store.ts";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { holdLock } from "../support/postgres/held-lock.ts";
import { serveEndpoints } from "../support/service/endpoint-server.ts";
import { insertUsageRows } from "../support/usage/insert-rows.ts";
import { SettlementScene, waitUntilSettleable } from "../support/usage/settlement-scene.ts";

const minuteMs = 60_000;
const dayMs = 86_400_000;

let scene: SettlementScene;

beforeEach(async () => {
  scene = await SettlementScene.create(3);
});

afterEach(async () => {
  await scene[Symbol.asyncDispose]();
});

/** A row that none of our programs would write: it is in the log, but nobody was charged. */
async function insertUncharged(row: UsageRow): Promise<void> {
  await insertUsageRows(scene.db, [{ row, json: encodeUsageRow(row) }]);
}

async function quarantine(): Promise<{ id: string; reason: string }[]> {
  return [
    ...(await scene.db.sql<{ id: string; reason: string }>`
      select request_id::text as id, reason from settlement_quarantine order by created_at, reason`),
  ];
}

/** Statements of a table with this trigger fail in the way that `failure` names. */
const failingTrigger = `
  create table failure (state text not null);
  insert into failure values ('');
  grant select on failure to public;
  create function fail_step() returns trigger language plpgsql security definer as $$
  declare
    v_state text := (select state from failure);
  begin
    if v_state = 'lost connection' then
      perform pg_terminate_backend(pg_backend_pid()), pg_sleep(10);
    end if;
    raise exception 'on purpose' using errcode = v_state;
  end
  $$`;

/** A row with this trigger cannot be settled. The second attempt waits for an advisory lock before it fails. */
const waitingTrigger = `
  create sequence attempt;
  create function wait_and_fail() returns trigger language plpgsql security definer set lock_timeout = 0 as $$
  begin
    if nextval('attempt') = 2 then
      perform pg_advisory_xact_lock(1);
    end if;
    raise exception 'on purpose' using errcode = '22003';
  end
  $$`;

const rows = (count: number, multiplier = "1.5000"): UsageRow[] =>
  Array.from({ length: count }, (_, index) => scene.row(index, BigInt(index), multiplier));

describe("an invalid row", () => {
  test("is quarantined with its reason and an alarm, and the rows around it are settled", async () => {
    const foreign = { userBudgetId: scene.customer(1).userBudgetId };
    const poison = [scene.row(0, 0n, "1.0000", foreign), scene.row(0, 0n, "-1.0000")];
    await scene.commit(...rows(20));
    for (const row of poison) {
      await insertUncharged(row);
      await scene.commit(...rows(20, "0.5000"));
    }
    expect(await scene.run()).toMatchObject({ outcome: "caught_up", rowsSettled: 60, rowsQuarantined: 2 });
    expect((await quarantine()).map(({ reason }) => reason)).toEqual([
      "it names a budget that its user does not have",
      "its multiplier is not a number of at least zero",
    ]);
    expect(await scene.faults()).toEqual([]);
    expect(scene.lines.filter(({ event }) => event === "settlement.quarantined")).toHaveLength(1);
    expect(await scene.settlement.measureLag()).toEqual({ seconds: 0, rowsQuarantined: 2 });
  });

  test("is recognized by a multiplier that is not a number", async () => {
    await scene.commit(...rows(3));
    await insertUncharged(scene.row(0, 0n, "NaN"));
    expect(await scene.run()).toMatchObject({ outcome: "caught_up", rowsSettled: 3, rowsQuarantined: 1 });
    expect((await quarantine()).map(({ reason }) => reason)).toEqual([
      "its multiplier is not a number of at least zero",
    ]);
  });

  test("is found when only the database notices, and costs no other row its settlement", async () => {
    const huge = 4n * 10n ** 18n;
    await scene.db
      .sql`select grant_quota(${scene.customer(2).userBudgetId}::bigint, ${huge}::bigint, 'manual_adjust', 'huge')`;
    const poison = scene.row(2, huge, "3.0000", { keyBudgetId: null });
    await scene.commit(...rows(2).slice(0, 2), ...Array.from({ length: 250 }, () => scene.row(0, 3n, "1.1000")));
    await insertUncharged(poison);
    await scene.commit(...Array.from({ length: 250 }, () => scene.row(1, 3n, "1.1000")));
    expect(await scene.run()).toMatchObject({ outcome: "caught_up", rowsSettled: 502, rowsQuarantined: 1 });
    expect(await quarantine()).toEqual([{ id: poison.requestId, reason: "bigint out of range" }]);
    expect(await scene.countSettled()).toBe(502);
    expect(await scene.run()).toMatchObject({ outcome: "caught_up", rowsQuarantined: 0 });
    const violations = await scene.checkMoney();
    // The only violations: the row was never charged, and nothing was reserved for it.
    expect(violations.map((violation) => (violation as { subject: string }).subject)).toEqual(
      Array(2).fill(`budget ${scene.customer(2).userBudgetId}`),
    );
  });

  test("with a day so old that no partition may be created for it holds nobody up", async () => {
    const startedAtMs = Date.now() - 500 * dayMs;
    const day = utcDay(startedAtMs);
    await scene.owner.query(
      `create table usage_log_old partition of usage_log for values from ('${day}') to ('${utcDay(startedAtMs + dayMs)}')`,
      [],
    );
    const old = scene.row(0, 0n, "1.5000", { startedAtMs });
    // Whose list needs no partition.
    const listed = scene.row(0, 0n, "1.0000", { startedAtMs });
    await insertUncharged(listed);
    scene.expect(listed);
    await insertUncharged(old);
    await scene.commit(...rows(5));
    expect(await scene.run()).toMatchObject({ outcome: "caught_up", rowsSettled: 6, rowsQuarantined: 1 });
    expect(await quarantine()).toEqual([{ id: old.requestId, reason: `day ${day} is too far from today` }]);
    expect(await scene.faults()).toEqual([]);
  });

  /** A step of the shard of the first customer. */
  const settleNext = ({ rowsMax = 100, isReconciled = false } = {}) =>
    settleNextRows(scene.db, { rowsMax, isReconciled, shard: Number(scene.customer(0).gatewayUserId & 15n) });
  const rowsOfFirst = Array.from({ length: 5 }, (_, index) => () => scene.row(0, BigInt(index), "1.5000"));

  test("is not blamed when a batch number is taken: the step fails, and the next one settles it", async () => {
    await scene.commit(...rows(1));
    await scene.run();
    const [taken] = await scene.owner.sql<{ id: bigint }>`
      insert into settlement_batch (rows, base_quota, settled_quota) values (0, 0, 0) returning id`;
    await scene.owner.sql`
      select setval(pg_get_serial_sequence('settlement_batch', 'id'), ${taken?.id ?? 0n}::bigint, false)`;
    await scene.commit(...rowsOfFirst.map((row) => row()));
    await waitUntilSettleable(scene.db);
    expect(await settleNext().catch((error: Error) => error.message)).toContain("settlement_batch_pkey");
    expect([await scene.countSettled(), await quarantine()]).toEqual([1, []]);
    expect(await settleNext()).toMatchObject({ outcome: "done", rowsSettled: 5 });
    await scene.owner.sql`delete from settlement_batch where id = ${taken?.id ?? 0n}::bigint`;
    expect(await scene.faults()).toEqual([]);
  });

  test("is not blamed when the ledger has a posting of the batch: nothing is settled without one", async () => {
    await scene.commit(...rows(1));
    await scene.run();
    await scene.owner.sql`
      insert into ledger_posting (change_type, reference)
      select 'usage_quota', 'settlement:' || (nextval(pg_get_serial_sequence('settlement_batch', 'id')) + 1)`;
    await scene.commit(...rowsOfFirst.map((row) => row()));
    await waitUntilSettleable(scene.db);
    expect(await settleNext().catch((error: Error) => error.message)).toContain("in the ledger already");
    expect([await scene.countSettled(), await quarantine()]).toEqual([1, []]);
    expect(await settleNext()).toMatchObject({ outcome: "done", rowsSettled: 5 });
  });

  test("is not blamed for the partition of its day: another transaction that creates it delays it, nothing more", async () => {
    const startedAtMs = Date.now() - 300 * dayMs;
    const day = utcDay(startedAtMs);
    await createMissingPartitions(scene.db, "usage_log", [day]);
    const late = Array.from({ length: 3 }, () => scene.row(0, 9n, "1.5000", { startedAtMs }));
    await scene.commit(...late);
    await waitUntilSettleable(scene.db);
    // What another process may see of a new partition before it can write rows to it.
    const partition = `usage_settlement_y${day.replace("-", "m").replace("-", "d")}`;
    await scene.owner.query(`create table ${partition} (like usage_settlement including all)`, []);
    expect(await settleNext().catch((error: Error) => error.message)).toContain("is not a partition");
    expect([await scene.countSettled(), await quarantine()]).toEqual([0, []]);
    await scene.owner.query(
      `alter table usage_settlement attach partition ${partition} for values from ('${day}') to ('${utcDay(startedAtMs + dayMs)}')`,
      [],
    );
    expect(await settleNext()).toMatchObject({ outcome: "done", rowsSettled: 3, rowsQuarantined: 0 });
    expect(await scene.faults()).toEqual([]);
  });

  test("of a day that comes up after the partitions of the others were created is settled in the same step", async () => {
    const startedAtMs = Date.now() - 301 * dayMs;
    await createMissingPartitions(scene.db, "usage_log", [utcDay(startedAtMs)]);
    await scene.commit(scene.row(0, 9n, "1.5000", { startedAtMs }));
    await waitUntilSettleable(scene.db);
    // As if the row were not there yet when partitions are created for the first time.
    await scene.owner.query("create sequence made", []);
    await scene.owner.query("grant usage on sequence made to sluice_app", []);
    await scene.owner.query("alter function make_settlement_partitions rename to make_partitions_then", []);
    await scene.owner.query(
      `create function make_settlement_partitions(p_from settlement_checkpoint, p_limit integer) returns void language plpgsql as $$
       begin if nextval('made') > 1 then perform make_partitions_then(p_from, p_limit); end if; end $$`,
      [],
    );
    expect(await settleNext()).toMatchObject({ outcome: "done", rowsSettled: 1, rowsQuarantined: 0 });
    expect(await scene.faults()).toEqual([]);
  });

  test("is not blamed for a lost connection, a deadlock or a limit, at whatever table its step comes to that", async () => {
    await scene.owner.query(failingTrigger, []);
    await scene.commit(...rowsOfFirst.map((row) => row()));
    await waitUntilSettleable(scene.db);
    const tables = [
      ...["usage_settlement", "settlement_batch", "budget", "quota_grant", "ledger_posting", "ledger_account"],
      ...["ledger_entry", "settlement_checkpoint"],
    ];
    const states = ["lost connection", "40P01", "40001", "55P03", "57014", "53100", "53200", "XX000"];
    // Each table and each state; with TEST_FULL=1 each table in each state.
    const isFull = process.env["TEST_FULL"] === "1";
    const statesOf = (index: number) => states.filter((_, at) => isFull || at % 4 === index % 4);
    for (const [index, table] of tables.entries()) {
      await scene.owner.query(
        `create trigger fail before insert or update on ${table} for each statement execute function fail_step()`,
        [],
      );
      for (const state of statesOf(index)) {
        await scene.owner.sql`update failure set state = ${state}`;
        let step: unknown = null;
        // A connection that is lost holds the checkpoint for a moment longer.
        await waitUntil(async () => {
          step = await settleNext().catch((error: unknown) => error);
          return (step as { outcome?: unknown }).outcome !== "busy";
        });
        expect([table, state, step]).toEqual([table, state, expect.any(Error)]);
        expect([await scene.countSettled(), await quarantine()]).toEqual([0, []]);
      }
      await scene.owner.query(`drop trigger fail on ${table}`, []);
    }
    expect(await settleNext()).toMatchObject({ outcome: "done", rowsSettled: 5, rowsQuarantined: 0 });
    expect(await scene.faults()).toEqual([]);
  });

  test("is quarantined itself, and not a row that comes in before it while the log is read again", async () => {
    await createMissingPartitions(scene.db, "usage_settlement", [utcDay(Date.now()), utcDay(Date.now() + dayMs)]);
    const requestId = (last: number) => `00000000-0000-7000-8000-00000000000${last}` as RequestId;
    const early = scene.row(0, 7n, "1.5000", { requestId: requestId(1) });
    const poison = scene.row(0, 0n, "1.5000", { requestId: requestId(2) });
    await insertUncharged(poison);
    await scene.owner.query(waitingTrigger, []);
    await scene.owner.query(
      `create trigger wait before insert on usage_settlement for each row
        when (new.request_id = '${poison.requestId}') execute function wait_and_fail()`,
      [],
    );
    await using held = await holdLock(scene.owner, (tx) => tx.sql`select pg_advisory_xact_lock(1)`);
    const step = settleNext({ rowsMax: 1, isReconciled: true });
    await held.waitForWaiters(1);
    await scene.commit(early);
    await held.release();
    expect(await step).toMatchObject({ rowsSettled: 1, rowsQuarantined: 0 });
    expect(await quarantine()).toEqual([]);
    expect(await settleNext()).toMatchObject({ rowsSettled: 0, rowsQuarantined: 1 });
    expect(await quarantine()).toEqual([{ id: poison.requestId, reason: "on purpose" }]);
    expect(await scene.faults()).toEqual([]);
  });

  test("is settled once it is fixed and the log is read again", async () => {
    const row = scene.row(0, 0n, "-1.0000");
    await insertUncharged(row);
    await scene.run();
    await scene.owner.sql`update usage_log set rate_multiplier = 1.5 where request_id = ${row.requestId}::uuid`;
    expect(await scene.run()).toMatchObject({ rowsSettled: 0 });
    expect(await scene.run({ isReconciled: true })).toMatchObject({ rowsSettled: 1, rowsQuarantined: 0 });
    expect(await scene.settlement.measureLag()).toEqual({ seconds: 0, rowsQuarantined: 0 });
    scene.expect({ ...row, rateMultiplier: "1.5000" as UsageRow["rateMultiplier"] });
    expect(await scene.faults()).toEqual([]);
  });
});

describe("a database that was restored", () => {
  /** The numbers of its transactions were far ahead of this server's. */
  async function pretendRestore(): Promise<void> {
    await scene.owner.sql`
      update usage_log set xid = ((xid::text::bigint % 7 + 1) * 1000000)::text::xid8`;
    await scene.owner.sql`
      update settlement_checkpoint set xid = '5000000', system_identifier = 'of the server it was dumped on'`;
  }

  test("on another server has each row settled once: old ones whatever their numbers, and new ones", async () => {
    for (let each = 0; each < 14; each += 1) {
      await scene.commit(...rows(3));
    }
    await scene.run();
    for (let each = 0; each < 700; each += 1) {
      await scene.commit(scene.row(each, 7n, "2.7500"));
    }
    await pretendRestore();
    await scene.commit(...rows(30, "0.5000"));
    expect(await scene.run()).toMatchObject({ outcome: "caught_up", rowsSettled: 730 });
    expect(await scene.faults()).toEqual([]);
    await scene.commit(...rows(30, "1.1000"));
    expect(await scene.run()).toMatchObject({ outcome: "caught_up", rowsSettled: 30 });
    expect(await scene.settlement.measureLag()).toEqual({ seconds: 0, rowsQuarantined: 0 });
    expect(await scene.faults()).toEqual([]);
  });

  test("is settled completely although a transaction is open while it is read again", async () => {
    // Multiplied by one, so that the settlement does not need the budget that the open transaction has locked.
    await scene.commit(...rows(5, "1.0000"));
    await pretendRestore();
    const late = scene.row(0, 9n, "1.5000");
    await scene.db.withTransaction(async (tx) => {
      await scene.write(tx, late);
      await scene.commit(scene.row(1, 9n, "1.5000"));
      expect(await scene.settlement.run()).toMatchObject({ outcome: "caught_up", rowsSettled: 6 });
    });
    scene.expect(late);
    expect(await scene.run()).toMatchObject({ outcome: "caught_up", rowsSettled: 1 });
    expect(await scene.faults()).toEqual([]);
  });

  test("has its invariants checked: a row that the cursor would skip is reported", async () => {
    await scene.commit(...rows(3));
    await scene.owner.sql`update settlement_checkpoint set xid = '5000000'`;
    expect(await scene.checkMoney()).toMatchObject(
      Array(3).fill({ invariant: "no unsettled row is out of the reach of the cursor" }),
    );
  });
});

test("without a checkpoint everything is read, and settled rows stay as they are", async () => {
  await scene.commit(...rows(10));
  await scene.run();
  await scene.commit(...rows(10));
  await scene.db.sql`delete from settlement_checkpoint where source <> ''`;
  expect(await scene.run()).toMatchObject({ outcome: "caught_up", rowsSettled: 10 });
  expect(await scene.faults()).toEqual([]);
});

describe("the lag", () => {
  test("is that of the oldest waiting row, is in the metrics, and above five minutes raises an alarm", async () => {
    const isLate = ({ event }: { readonly event?: unknown }) => event === "settlement.lags";
    await scene.commit(scene.row(0, 3n, "1.5000", { startedAtMs: Date.now() - 4 * minuteMs }));
    await scene.settlement.measureLag();
    expect(scene.lines.filter(isLate)).toEqual([]);
    await scene.run();
    await scene.commit(scene.row(0, 3n, "1.5000", { startedAtMs: Date.now() - 6 * minuteMs }), ...rows(3));
    const { seconds } = await scene.settlement.measureLag();
    expect(Math.abs(seconds - 360)).toBeLessThan(10);
    expect(scene.lines.filter(isLate)).toMatchObject([{ level: "error", seconds: Math.round(seconds) }]);
    expect(await scene.registry.metrics()).toMatch(/^sluice_settlement_lag_seconds 3[56]\d/m);
    await waitUntilSettleable(scene.db);
    await scene.settlement.runJob();
    expect(await scene.registry.metrics()).toMatch(/^sluice_settlement_lag_seconds 0$/m);
    expect(await scene.faults()).toEqual([]);
  });
});

describe("POST /backend/admin/usage-settle/", () => {
  test("settles and reports what it did, for admins only, and is recorded", async () => {
    await using stack = new AsyncDisposableStack();
    const server = serveEndpoints(settlementEndpoints({ db: scene.db, settlement: scene.settlement }));
    stack.defer(() => server.stop());
    const post = (body: object, headers: Record<string, string> = {}) =>
      fetch(`${server.url}/backend/admin/usage-settle/`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      });
    const admin = { "x-test-admin": "plain" };
    await scene.commit(...rows(4));
    expect((await post({})).status).toBe(401);
    expect((await post({ limit: 3 }, admin)).status).toBe(400);
    expect(await scene.countSettled()).toBe(0);
    await waitUntilSettleable(scene.db);
    const [last] = await scene.db.sql<{ xid: string }>`
      select xid::text as xid from usage_log as u order by u.xid desc limit 1`;
    const answer = {
      rows_settled: 4,
      base_quota: 6,
      settled_quota: 10,
      quota_delta: 4,
      rows_quarantined: 0,
      // One for each user.
      batches: 3,
      checkpoint: last?.xid,
      outcome: "caught_up",
      lag_seconds: 0,
    };
    expect(await (await post({}, admin)).json()).toEqual({ ok: true, settlement: answer });
    expect(await (await post({ reconcile: true }, admin)).json()).toMatchObject({ settlement: { rows_settled: 0 } });
    const audit = await scene.db.sql`select action, after from audit_log order by id`;
    expect([...audit]).toMatchObject([
      { action: "usage.settle" },
      { action: "usage.settle", after: { reconcile: true } },
    ]);
    expect(await scene.faults()).toEqual([]);
  });
});

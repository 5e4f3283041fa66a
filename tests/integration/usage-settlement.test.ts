import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { applyMultiplier, type Decimal } from "@sluice/contracts/money";
import { createMissingPartitions } from "@sluice/control-plane/db/partitions.ts";
import { listEntries, readBalance, readStatement } from "@sluice/control-plane/ledger/service.ts";
import { systemClock, utcDay } from "@sluice/control-plane/platform/clock.ts";
import { notify, openNotifications } from "@sluice/control-plane/platform/db-notifications.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import { settleNextRows } from "@sluice/control-plane/usage/settlement/settlement-store.ts";
import { UsageSettlement } from "@sluice/control-plane/usage/settlement/usage-settlement.ts";
import { Registry } from "prom-client";
import { SettlementScene, waitUntilSettleable } from "../support/usage/settlement-scene.ts";
import { untilDayLasts } from "../support/values/day-that-lasts.ts";
import { patienceMs } from "../support/values/patience.ts";
import { ceiling, fromDecimal, fromInteger, times } from "../support/values/rational.ts";
import { testRandom } from "../support/values/test-seed.ts";

const random = testRandom();
const isFull = process.env["TEST_FULL"] === "1";
const pairCount = isFull ? 1_000_000 : 3_000;
const heldRows = isFull ? 100_000 : 800;
const writers = 8;
const dayMs = 86_400_000;

let scene: SettlementScene;

beforeEach(async () => {
  scene = await SettlementScene.create(writers, writers + 4);
});

afterEach(async () => {
  await scene[Symbol.asyncDispose]();
});

describe("settling", () => {
  test("each multiplier gives its row, its ledger entry and its grant, and frees what was reserved", async () => {
    const rows = [
      scene.row(0, 10n, "0.5000"),
      scene.row(0, 11n, "0.5000"),
      scene.row(1, 7n, "1.0000"),
      scene.row(2, 50n, "1.1000"),
      scene.row(2, 90n, "1.1000"),
      scene.row(3, 7n, "2.7500"),
      scene.row(4, 9n, "0.0000"),
      scene.row(5, 0n, "2.7500"),
    ];
    await scene.commit(...rows);
    const run = await scene.run();
    expect(run).toMatchObject({
      outcome: "caught_up",
      rowsSettled: 8,
      // Each of the six users has another shard.
      batches: 6,
      baseQuota: 184n,
      settledQuota: 192n,
    });
    const settled = await scene.db.sql<{ settled_quota: bigint; quota_delta: bigint }>`
      select coalesce(s.settled_quota, u.quota) as settled_quota, coalesce(s.quota_delta, 0) as quota_delta
      from settled_call s join usage_log u using (day, request_id) order by u.gateway_user_id, u.quota`;
    expect(settled.map(({ settled_quota, quota_delta }) => [settled_quota, quota_delta])).toEqual([
      [5n, -5n],
      [6n, -5n],
      [7n, 0n],
      [55n, 5n],
      [99n, 9n],
      [20n, 13n],
      [0n, -9n],
      [0n, 0n],
    ]);
    const entries = await scene.db.sql<{ code: string; amount: bigint; delta_amount: bigint | null }>`
      select case when a.gateway_user_id is null then split_part(a.code, ':', 1) || ':' || split_part(a.code, ':', 2)
        else 'user' end as code, e.amount, e.delta_amount
      from ledger_posting p join ledger_entry e on e.posting_id = p.id join ledger_account a on a.id = e.account_id
      where p.change_type = 'usage_quota' and e.usage_request_id is null order by e.amount, e.delta_amount`;
    // What the calls cost before the multiplier, and what it changed about that.
    expect(entries.map(({ code, amount, delta_amount: delta }) => [code, amount, delta])).toEqual([
      ["user", -140n, -14n],
      ["user", -21n, 10n],
      ["user", -9n, 9n],
      ["user", -7n, -13n],
      ["user", -7n, null],
      ...[7n, 11n, 20n, 154n].map((amount) => ["house:usage", amount, null]),
    ]);
    const grants = await scene.db.sql<{ amount: bigint }>`
      select amount from quota_grant where change_type = 'usage_quota' order by amount`;
    expect(grants.map(({ amount }) => amount)).toEqual([-14n, -13n, 9n, 10n]);
    expect(await scene.faults()).toEqual([]);
  });

  test("a call changes amounts of its budgets, and not when these were last changed", async () => {
    const read = () => scene.db.sql`select id, updated_at from budget order by id`;
    const before = [...(await read())];
    await scene.commit(scene.row(0, 10n, "1.0000"), scene.row(1, 10n, "1.5000"));
    expect([...(await read())]).toEqual(before);
  });

  test("reports which budgets it returned quota to, so that only they are admitted", async () => {
    const notifications = openNotifications(
      scene.database.url,
      createLog("error", () => undefined),
      (channel) => notify(scene.db, channel, ""),
    );
    try {
      const told: string[] = [];
      const one = Promise.withResolvers<void>();
      notifications.listen("budget_changed", (budget) => {
        told.push(budget);
        one.resolve();
      });
      await notifications.connected();
      await scene.commit(scene.row(1, 10n, "1.5000"), scene.row(2, 10n, "1.0000"), scene.row(0, 10n, "0.5000"));
      await scene.run();
      await one.promise;
      expect(told).toEqual([String(scene.customer(0).userBudgetId)]);
    } finally {
      await notifications.close();
    }
  });

  test("each non-zero delta is an entry of the ledger, once, with its row", async () => {
    const rows = [
      scene.row(0, 10n, "0.5000"),
      scene.row(0, 50n, "1.1000"),
      scene.row(0, 7n, "1.0000"),
      scene.row(0, 9n, "0.0000"),
      scene.row(1, 0n, "2.0000"),
      scene.row(1, 1n, "1.0001"),
    ];
    await scene.commit(...rows);
    await scene.run();
    await scene.run({ isReconciled: true });
    const entries = await scene.db.sql<{ request: string; user: bigint; amount: bigint }>`
      select e.usage_request_id as request, a.gateway_user_id as user, e.amount
      from ledger_entry e join ledger_posting p on p.id = e.posting_id join ledger_account a on a.id = e.account_id
      where p.change_type = 'usage_quota' and e.usage_request_id is not null`;
    const deltas = await scene.db.sql<{ request: string; user: bigint; amount: bigint }>`
      select request_id as request, gateway_user_id as user, -quota_delta as amount from usage_settlement
      where quota_delta <> 0`;
    const sorted = <T extends { request: string }>(these: readonly T[]): T[] =>
      these.toSorted((one, other) => one.request.localeCompare(other.request));
    expect(sorted(entries)).toEqual(sorted(deltas));
    expect(entries.map(({ amount }) => amount).toSorted((one, other) => Number(one - other))).toEqual([
      -5n,
      -1n,
      5n,
      9n,
    ]);
    expect(await scene.faults()).toEqual([]);
  });

  test("lists and statements show what the calls of a batch cost as one entry, with the balance after it", async () => {
    await untilDayLasts();
    const { gatewayUserId } = scene.customer(0);
    await scene.commit(...Array.from({ length: 30 }, (_, index) => scene.row(0, BigInt(index), "1.5000")));
    const { settledQuota } = await scene.run();
    const { rows: entries, nextCursor: next } = await listEntries(scene.db, gatewayUserId, { cursor: null, limit: 10 });
    expect([entries[0]?.amount, entries.length, next]).toEqual([-settledQuota, 2, null]);
    expect(entries[0]).toMatchObject({
      changeType: "usage_quota",
      balanceAfter: await readBalance(scene.db, gatewayUserId),
    });
    const month = new Date().toISOString().slice(0, 7);
    const { closingBalance, lines } = await readStatement(scene.db, gatewayUserId, month);
    expect(closingBalance).toBe(await readBalance(scene.db, gatewayUserId));
    expect(lines.map(({ changeType }) => changeType)).toEqual(["manual_adjust", "usage_quota"]);
    expect(await scene.faults()).toEqual([]);
  });

  test("a second run does nothing", async () => {
    await scene.commit(scene.row(0, 10n, "1.5000"));
    await scene.run();
    expect(await scene.run()).toMatchObject({ outcome: "caught_up", rowsSettled: 0, batches: 0 });
    expect(await scene.faults()).toEqual([]);
  });

  test("a backlog is settled in a step of 500 rows and larger ones", async () => {
    await scene.commit(...Array.from({ length: 2_700 }, (_, index) => scene.row(0, BigInt(index), "1.1000")));
    expect(await scene.run()).toMatchObject({ outcome: "caught_up", rowsSettled: 2_700, batches: 3 });
    expect(await scene.faults()).toEqual([]);
  });

  test(`${pairCount} pairs of cost and multiplier are settled exactly, and as the gateway computes them`, async () => {
    const digits = (count: number): string => Array.from({ length: count }, () => Math.floor(random() * 10)).join("");
    const multiplierOf = (): string => `${BigInt(digits(Math.floor(random() * 7)) || "0")}.${digits(4)}`;
    // The sums of all rows have to match as well.
    const baseOf = (multiplier: string): bigint => {
      const places = Math.max(1, Math.floor(random() * (13 - (multiplier.indexOf(".") + 1))));
      return BigInt(digits(places));
    };
    const known: [bigint, string][] = [
      [50n, "1.1000"],
      [90n, "1.1000"],
      [100n, "1.1000"],
      [1n, "0.0001"],
      [10_000n, "0.0001"],
      [10_001n, "0.0001"],
      [0n, "999999.9999"],
      [900_719_925_474_099_3n, "1.0001"],
    ];
    const pairs = [...known];
    while (pairs.length < pairCount) {
      const multiplier = multiplierOf();
      pairs.push([baseOf(multiplier), multiplier]);
    }
    for (let from = 0; from < pairs.length; from += 2_000) {
      const part = pairs.slice(from, from + 2_000);
      await scene.commit(...part.map(([base, multiplier], index) => scene.row(index, base, multiplier)));
      for (const [base, multiplier] of part) {
        const exact = ceiling(times(fromInteger(base), fromDecimal(multiplier)));
        if (applyMultiplier(base, multiplier as Decimal) !== exact) {
          throw new Error(`${base} x ${multiplier} is ${exact}`);
        }
      }
    }
    let settled = 0;
    while (settled < pairCount) {
      settled += (await scene.run()).rowsSettled;
    }
    expect(await scene.faults()).toEqual([]);
  }, 600_000);
});

describe("the cursor", () => {
  test("a row whose transaction began first and commits last is not skipped", async () => {
    const end = await scene.holdOpen(scene.row(0, 10n, "1.5000"));
    await scene.commit(scene.row(1, 20n, "1.5000"));
    expect(await scene.settlement.run()).toMatchObject({ outcome: "caught_up", rowsSettled: 0 });
    await end("commit");
    expect(await scene.run()).toMatchObject({ rowsSettled: 2 });
    expect(await scene.faults()).toEqual([]);
  });

  test("what was committed before the open transaction began is settled without waiting", async () => {
    await scene.commit(scene.row(1, 20n, "1.5000"));
    const end = await scene.holdOpen(scene.row(0, 10n, "1.5000"));
    expect(await scene.run()).toMatchObject({ rowsSettled: 1 });
    await end("commit");
    expect(await scene.run()).toMatchObject({ rowsSettled: 1 });
    expect(await scene.faults()).toEqual([]);
  });

  test("a transaction that is rolled back leaves a gap that holds nobody up", async () => {
    const end = await scene.holdOpen(scene.row(0, 10n, "1.5000"));
    await scene.commit(scene.row(1, 20n, "0.5000"));
    await end("rollback");
    expect(await scene.run()).toMatchObject({ outcome: "caught_up", rowsSettled: 1 });
    expect(await scene.faults()).toEqual([]);
  });

  test("set back to settled rows passes them, and settles none twice", async () => {
    await scene.commit(scene.row(0, 10n, "1.5000"), scene.row(1, 20n, "0.5000"));
    await scene.run();
    const early = await scene.db.sql<{ source: string; xid: string; request_id: string }>`
      select source, xid::text, request_id::text from settlement_checkpoint where source like 'usage_log:%'`;
    await scene.commit(scene.row(0, 30n, "1.5000"), scene.row(1, 40n, "1.0000"));
    expect(await scene.run()).toMatchObject({ rowsSettled: 2 });
    await scene.commit(scene.row(0, 50n, "1.5000"));
    for (const { source, xid, request_id } of early) {
      await scene.db.sql`
        update settlement_checkpoint set xid = ${xid}::text::xid8, request_id = ${request_id}::text::uuid where source = ${source}`;
    }
    expect(await scene.run()).toMatchObject({ outcome: "caught_up", rowsSettled: 1 });
    expect(await scene.faults()).toEqual([]);
  });

  test("goes by the transaction number and not by its text when it gets another digit", async () => {
    const [now] = await scene.db.sql<{ xid: bigint }>`select pg_current_xact_id()::text::bigint as xid`;
    for (let each = 0; each < 20; each += 1) {
      await scene.commit(scene.row(each, 5n, "1.5000"));
    }
    // The last turn of this server is past: nobody knows how far the next one is, and other tests use up numbers as well.
    const turn = 10n ** BigInt(String(now?.xid).length - 1);
    await scene.owner.sql`
      update usage_log u set xid = (${turn - 11n}::bigint + o.nth)::text::xid8
      from (select request_id, row_number() over (order by xid) as nth from usage_log) o
      where o.request_id = u.request_id`;
    await scene.owner.sql`
      update settlement_checkpoint set xid = ${String(turn - 11n)}::text::xid8 where source like 'usage_log:%'`;
    const [span] = await scene.db.sql<{ first: bigint; last: bigint }>`
      select min(xid::text::bigint) as first, max(xid::text::bigint) as last from usage_log`;
    expect([(span?.first ?? turn) < turn, (span?.last ?? 0n) > turn]).toEqual([true, true]);
    await waitUntilSettleable(scene.db);
    while ((await settleNextRows(scene.db, { rowsMax: 3, isReconciled: false, shard: null })).outcome === "more") {
      // Three rows of one user each time.
    }
    expect(await scene.faults()).toEqual([]);
  });

  test(`${heldRows} rows whose transactions are held open at random are each settled once, by two runners`, async () => {
    let isWriting = true;
    const runner = async (): Promise<void> => {
      while (isWriting) {
        await scene.db.sql`select settle_usage(100)`;
        await Bun.sleep(random() * 5);
      }
    };
    const multipliers = ["0.0000", "0.5000", "1.0000", "1.1000", "2.7500"];
    const rowsOf = (): number => 1 + Math.floor(random() * (isFull ? 20 : 5));
    const writer = async (index: number): Promise<void> => {
      for (let written = 0; written < heldRows / writers; ) {
        const count = Math.min(rowsOf(), heldRows / writers - written);
        const rows = Array.from({ length: count }, () =>
          scene.row(
            index,
            BigInt(Math.floor(random() * 1_000)),
            multipliers[Math.floor(random() * multipliers.length)] ?? "",
          ),
        );
        const end = await scene.holdOpen(...rows);
        await Bun.sleep(random() * 15);
        const isKept = random() < 0.95;
        await end(isKept ? "commit" : "rollback");
        written += isKept ? count : 0;
      }
    };
    const runners = [runner(), runner()];
    await Promise.all(Array.from({ length: writers }, (_, index) => writer(index)));
    isWriting = false;
    await Promise.all(runners);
    await scene.run();
    expect(scene.expected.size).toBe(heldRows);
    expect(await scene.faults()).toEqual([]);
  }, 600_000);

  test("a user whose budget is locked keeps nobody of another shard from being settled", async () => {
    await createMissingPartitions(scene.db, "usage_settlement", [utcDay(Date.now()), utcDay(Date.now() + dayMs)]);
    await scene.commit(scene.row(0, 10n, "1.5000"), scene.row(1, 20n, "1.5000"), scene.row(2, 30n, "0.5000"));
    await waitUntilSettleable(scene.db);
    let running: ReturnType<typeof scene.run> | null = null;
    await scene.owner.withTransaction(async (tx) => {
      await tx.sql`select 1 from budget where id = ${scene.customer(0).userBudgetId} for update`;
      running = scene.run();
      const deadline = performance.now() + patienceMs;
      while ((await scene.countSettled()) < 2 && performance.now() < deadline) {
        await Bun.sleep(5);
      }
      expect(await scene.countSettled()).toBe(2);
    });
    expect(await running).toMatchObject({ outcome: "caught_up", rowsSettled: 3 });
    expect(await scene.faults()).toEqual([]);
  });

  test("two runs at once divide a backlog, and settle each row once", async () => {
    const count = 4_000;
    await scene.commit(...Array.from({ length: count }, (_, index) => scene.row(index, BigInt(index), "1.1000")));
    await waitUntilSettleable(scene.db);
    const log = createLog("error", () => undefined);
    const other = new UsageSettlement({ db: scene.db, clock: systemClock, log, registry: new Registry() });
    const runs = await Promise.all([scene.settlement.run(), other.run()]);
    expect(runs[0].rowsSettled + runs[1].rowsSettled).toBe(count);
    expect(await scene.faults()).toEqual([]);
  });

  test("while another runner is at work a run exits at once", async () => {
    await scene.commit(scene.row(0, 10n, "1.5000"));
    await scene.owner.withTransaction(async (tx) => {
      await tx.sql`select 1 from settlement_checkpoint for update`;
      expect(await scene.run()).toMatchObject({ outcome: "busy", rowsSettled: 0, checkpoint: null });
    });
    expect(await scene.run()).toMatchObject({ outcome: "caught_up", rowsSettled: 1 });
    expect(await scene.faults()).toEqual([]);
  });
});

describe("days", () => {
  test("rows of old days are found, and missing partitions are created", async () => {
    const days = [0, 1, 40, 300].map((ago) => Date.now() - ago * dayMs);
    await createMissingPartitions(scene.db, "usage_log", days.map(utcDay));
    const partitions = await scene.owner.sql<{ name: string }>`
      select inhrelid::regclass::text as name from pg_inherits where inhparent = 'usage_settlement'::regclass`;
    for (const { name } of partitions) {
      await scene.owner.query(`drop table ${name}`, []);
    }
    await scene.commit(...days.map((startedAtMs) => scene.row(0, 10n, "2.7500", { startedAtMs })));
    expect(await scene.run()).toMatchObject({ outcome: "caught_up", rowsSettled: 4, rowsQuarantined: 0 });
    expect(await scene.faults()).toEqual([]);
    await scene.commit(...days.map((startedAtMs) => scene.row(1, 10n, "2.7500", { startedAtMs })));
    expect(await scene.run()).toMatchObject({ outcome: "caught_up", rowsSettled: 4 });
    expect(await scene.faults()).toEqual([]);
  });
});

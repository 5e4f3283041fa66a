import { afterEach, expect, test } from "bun:test";
import type { BudgetId, ReplicaId } from "@sluice/contracts/ids";
import type { Quota } from "@sluice/contracts/money";
import { insertGatewayUser } from "@sluice/control-plane/gateway/keys/store.ts";
import { grantQuota } from "@sluice/control-plane/gateway/quota/grant-store.ts";
import { createLeaseStore } from "@sluice/control-plane/gateway/quota/lease-store.ts";
import { QuotaLeases } from "@sluice/control-plane/gateway/quota/leases.ts";
import { renewTerm } from "@sluice/control-plane/gateway/quota/replica-store.ts";
import { LeaseTerm } from "@sluice/control-plane/gateway/quota/term.ts";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { type Notifications, notify, openNotifications } from "@sluice/control-plane/platform/db-notifications.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.ts";

type Replica = { readonly db: Database; readonly notifications: Notifications; readonly leases: QuotaLeases };

const quietLog = createLog("error", () => undefined);
const open: { replicas: Replica[]; database: TestDatabase | null } = { replicas: [], database: null };

async function openReplica(url: string, id: string): Promise<Replica> {
  const db = openDatabase({ url, poolMax: 4, applicationName: id });
  const notifications = openNotifications(url, quietLog, (channel) => notify(db, channel, ""));
  const term = new LeaseTerm(60_000);
  const leases = new QuotaLeases(createLeaseStore(db, id as ReplicaId), term, systemClock, quietLog);
  notifications.listen("lease_returned", (budget) => leases.onBudgetChanged(BigInt(budget) as BudgetId));
  notifications.listen("budget_changed", (budget) => leases.onBudgetChanged(BigInt(budget) as BudgetId));
  notifications.listen("lease_recall", (text) => {
    const [budget = "0", recall = "0"] = text.split(":");
    void leases.onRecall(BigInt(budget) as BudgetId, BigInt(recall));
  });
  leases.renew(systemClock.tick(), await renewTerm(db, id as ReplicaId, term));
  await notifications.connected();
  const replica = { db, notifications, leases };
  open.replicas.push(replica);
  return replica;
}

async function setUp(granted: bigint, replicaCount: number): Promise<{ replicas: Replica[]; budgetId: BudgetId }> {
  open.database = await createTestDatabase();
  const { url } = open.database;
  const replicas: Replica[] = [];
  for (let index = 0; index < replicaCount; index += 1) {
    replicas.push(await openReplica(url, `replica-${index}`));
  }
  const [first] = replicas;
  if (first === undefined) {
    throw new Error("no replica");
  }
  const { budgetId } = await insertGatewayUser(first.db, "default");
  await grantQuota(first.db, { budgetId, amount: granted, changeType: "test", reference: "test" });
  return { replicas, budgetId };
}

afterEach(async () => {
  for (const { db, notifications } of open.replicas.splice(0)) {
    await notifications.close();
    await db.close(500);
  }
  await open.database?.drop();
  open.database = null;
});

const q = (amount: bigint): Quota => amount as Quota;

test("200 parallel holds on three replicas get exactly the ten that the budget covers", async () => {
  const { replicas, budgetId } = await setUp(1_000n, 3);
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) => replicas[index % 3]?.leases.hold(budgetId, q(100n))),
  );
  expect(answers.filter((answer) => answer === "held")).toHaveLength(10);
  expect(answers.filter((answer) => answer === "insufficient")).toHaveLength(190);
});

test("odd amounts leave nothing stranded in another replica's slice", async () => {
  const { replicas, budgetId } = await setUp(97n, 3);
  // Slices are cut before the need is known, so that every replica sits on a few units of idle quota.
  for (const { leases } of replicas) {
    expect(await leases.hold(budgetId, q(1n))).toBe("held");
  }
  expect(await replicas[0]?.leases.hold(budgetId, q(94n))).toBe("held");
  expect(await replicas[1]?.leases.hold(budgetId, q(1n))).toBe("insufficient");
});

test("what a settled call did not cost can be held again at once, without the database", async () => {
  const { replicas, budgetId } = await setUp(100n, 1);
  const leases = replicas[0]?.leases as QuotaLeases;
  expect(await leases.hold(budgetId, q(100n))).toBe("held");
  expect(await leases.hold(budgetId, q(60n))).toBe("insufficient");
  leases.settle(budgetId, q(100n), q(40n));
  expect(leases.hold(budgetId, q(60n))).toBe("held");
});

test("a grant admits calls that were refused a moment before", async () => {
  const { replicas, budgetId } = await setUp(10n, 2);
  const [first, second] = replicas as [Replica, Replica];
  expect(await first.leases.hold(budgetId, q(20n))).toBe("insufficient");
  const granted = Promise.withResolvers<void>();
  first.notifications.listen("budget_changed", () => granted.resolve());
  await first.notifications.connected();
  await grantQuota(second.db, { budgetId, amount: 100n, changeType: "test", reference: "later" });
  await granted.promise;
  expect(await first.leases.hold(budgetId, q(20n))).toBe("held");
});

test("what is left is by the tighter of the budget and its limits of spending, not by who has leased what", async () => {
  const { replicas, budgetId } = await setUp(1_000n, 3);
  const { db } = replicas[0] as Replica;
  const { readRemainders } = createLeaseStore(db, "replica-0" as ReplicaId);
  const read = async () => (await readRemainders([budgetId]))[0];
  const limitTo = async (day: bigint, month: bigint) => {
    await db.sql`
      insert into account_limit (scope, gateway_user_id, spend_per_day, spend_per_month)
      select 'user', gateway_user_id, ${day}::bigint, ${month}::bigint from budget where id = ${budgetId}::bigint
      on conflict (scope, group_name, gateway_user_id, plan_code)
      do update set spend_per_day = excluded.spend_per_day, spend_per_month = excluded.spend_per_month`;
  };
  const ofLimit = (period: "daily" | "monthly", whole: bigint, free: bigint) => ({
    ...{ limit: { period, limit: whole, spent: 0n }, whole, free },
  });
  expect(await read()).toEqual({ limit: null, whole: q(1_000n), free: q(1_000n) });
  await limitTo(400n, 500n);
  expect(await read()).toMatchObject(ofLimit("daily", 400n, 400n));
  expect(await replicas[1]?.leases.hold(budgetId, q(200n))).toBe("held");
  expect(await replicas[2]?.leases.hold(budgetId, q(200n))).toBe("held");
  expect(await read()).toMatchObject(ofLimit("daily", 400n, 0n));
  await limitTo(500n, 500n);
  expect(await read()).toMatchObject(ofLimit("monthly", 500n, 100n));
  await limitTo(1_000n, 1_001n);
  expect(await read()).toEqual({ limit: null, whole: q(1_000n), free: q(600n) });
});

test("what is left of several budgets comes in their order, and as of now where a period has ended", async () => {
  const { replicas, budgetId } = await setUp(1_000n, 1);
  const { db } = replicas[0] as Replica;
  const { budgetId: daily } = await insertGatewayUser(db, "default");
  await db.sql`
    update budget set granted = 50, used = 50, period = 'daily', period_ends_at = now() - interval '1 second'
    where id = ${daily}::bigint`;
  const { readRemainders } = createLeaseStore(db, "replica-0" as ReplicaId);
  const left = async (ids: readonly BudgetId[]) => (await readRemainders(ids)).map(({ whole }) => whole);
  expect([await left([daily, budgetId]), await left([budgetId, daily])]).toEqual([
    [q(50n), q(1_000n)],
    [q(1_000n), q(50n)],
  ]);
  await expect(readRemainders([budgetId, 999_999n as BudgetId])).rejects.toThrow("does not exist");
});

test("leases equal what the database has lent, and every money invariant holds", async () => {
  const { replicas, budgetId } = await setUp(10_000n, 3);
  await Promise.all(
    Array.from({ length: 300 }, async (_, index) => {
      const { leases } = replicas[index % 3] as Replica;
      if ((await leases.hold(budgetId, q(BigInt(1 + (index % 37))))) === "held") {
        leases.settle(budgetId, q(BigInt(1 + (index % 37))), q(0n));
      }
    }),
  );
  const { db } = replicas[0] as Replica;
  const read = async (): Promise<readonly [lent: bigint, known: bigint]> => {
    const [lent] = await db.sql<{ total: bigint }>`select sum(amount)::int8 as total from budget_lease`;
    return [lent?.total ?? 0n, replicas.reduce((sum, { leases }) => sum + leases.totals().leased, 0n)];
  };
  // A refill or a return that is under way is in the database a moment before its replica knows it.
  let [lent, known] = await read();
  for (let reads = 0; lent !== known && reads < 200; reads += 1) {
    [lent, known] = await read();
  }
  expect(lent).toBe(known);
  expect([...(await db.sql`select * from check_money()`)]).toEqual([]);
});

test("without a database a covered hold is granted and an uncovered one is unavailable, not refused", async () => {
  const { replicas, budgetId } = await setUp(1_000n, 1);
  const { leases, db } = replicas[0] as Replica;
  expect(await leases.hold(budgetId, q(100n))).toBe("held");
  await db.close(0);
  expect(leases.hold(budgetId, q(1n))).toBe("held");
  expect(await leases.hold(budgetId, q(900n))).toBe("unavailable");
});

test("a return that arrives after the lease was read again is refused, and so is more than there is", async () => {
  const { replicas, budgetId } = await setUp(1_000n, 1);
  const { db } = replicas[0] as Replica;
  const store = createLeaseStore(db, "replica-0" as ReplicaId);
  const ask = { budgetId, need: q(100n), want: q(100n), recall: 0n };
  expect(await store.lease({ ...ask, statement: 5n })).toMatchObject({ leasedNow: 100n });
  expect(await store.readLease(budgetId, 9n)).toBe(q(100n));
  await expect(store.giveBack({ budgetId, amount: q(40n), recall: 0n, statement: 8n })).rejects.toThrow("late");
  await expect(store.lease({ ...ask, statement: 9n })).rejects.toThrow("late");
  await expect(store.giveBack({ budgetId, amount: q(101n), recall: 0n, statement: 10n })).rejects.toThrow("not 101");
  expect(await store.readLease(budgetId, 11n)).toBe(q(100n));
  await store.giveBack({ budgetId, amount: q(100n), recall: 0n, statement: 12n });
  expect(await store.listLeases()).toEqual(new Map());
  expect([...(await db.sql`select * from check_money()`)]).toEqual([]);
});

test("a refill ahead of need takes nothing from other replicas", async () => {
  const { replicas, budgetId } = await setUp(100n, 2);
  const [first, second] = replicas as [Replica, Replica];
  expect(await first.leases.hold(budgetId, q(60n))).toBe("held");
  first.leases.settle(budgetId, q(60n), q(0n));
  const recalls: string[] = [];
  second.notifications.listen("lease_recall", (text) => recalls.push(text));
  await second.notifications.connected();
  const store = createLeaseStore(second.db, "replica-1" as ReplicaId);
  const ask = { budgetId, need: q(50n), want: q(50n), statement: 1n };
  expect(await store.lease({ ...ask, recall: -1n })).toMatchObject({ leasedNow: 0n, recall: -1n });
  expect(await second.leases.hold(budgetId, q(100n))).toBe("held");
  // Only the hold has made a request, and it got the response.
  expect(recalls).toEqual([`${budgetId}:1`]);
});

test("charges after the end of a period count for the next, whichever replica notices the end first", async () => {
  const { replicas, budgetId } = await setUp(100n, 1);
  const { db } = replicas[0] as Replica;
  await db.sql`update budget set period = 'daily', period_ends_at = now() + interval '1 hour' where id = ${budgetId}::bigint`;
  const charge = async (amount: bigint) => {
    await db.sql`select charge_budgets('replica-0', array[${budgetId}::bigint], array[${amount}::bigint], array[0::bigint])`;
  };
  const store = createLeaseStore(db, "replica-0" as ReplicaId);
  await store.lease({ budgetId, need: q(80n), want: q(80n), recall: 0n, statement: 1n });
  await charge(50n);
  await db.sql`update budget set period_ends_at = now() - interval '1 second' where id = ${budgetId}::bigint`;
  await charge(30n);
  const [row] = await db.sql<{ used: bigint; base: bigint; leased: bigint; ahead: boolean }>`
    select used, period_base as base, leased, period_ends_at > now() as ahead from budget where id = ${budgetId}::bigint`;
  expect(row).toEqual({ used: 80n, base: 50n, leased: 0n, ahead: true });
  expect(await store.lease({ budgetId, need: q(70n), want: q(0n), recall: 0n, statement: 2n })).toMatchObject({
    leasedNow: 70n,
    remainingAfter: 0n,
  });
});

import { afterEach, beforeEach, expect, test } from "bun:test";
import type { BudgetId, ReplicaId } from "@sluice/contracts/ids";
import type { Quota } from "@sluice/contracts/money";
import { insertGatewayUser } from "@sluice/control-plane/gateway/keys/store.ts";
import { grantQuota } from "@sluice/control-plane/gateway/quota/grant-store.ts";
import { createLeaseStore } from "@sluice/control-plane/gateway/quota/lease-store.ts";
import type { LeaseAnswer, LeaseStore } from "@sluice/control-plane/gateway/quota/model.ts";
import { renewTerm } from "@sluice/control-plane/gateway/quota/replica-store.ts";
import type { Database, Queryable } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { holdLock, runBothBehind } from "../support/postgres/held-lock.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.ts";

const granted = 100n;
const q = (amount: bigint): Quota => amount as Quota;
const term = { era: null, lengthMs: 60_000 };

let database: TestDatabase;
let db: Database;
let budgets: BudgetId[];
let stores: LeaseStore[];

beforeEach(async () => {
  database = await createTestDatabase();
  db = openDatabase({ url: database.url, poolMax: 6, applicationName: "test" });
  budgets = [];
  for (const reference of ["first", "second"]) {
    const { budgetId } = await insertGatewayUser(db, "default");
    await grantQuota(db, { budgetId, amount: granted, changeType: "test", reference });
    budgets.push(budgetId);
  }
  stores = [];
  for (const name of ["a", "b", "c"]) {
    await renewTerm(db, name as ReplicaId, term);
    stores.push(createLeaseStore(db, name as ReplicaId));
  }
});

afterEach(async () => {
  await db.close(500);
  await database.drop();
});

const budget = (index: number): BudgetId => budgets[index] ?? (0n as BudgetId);
const lockBudget = (index: number) => (tx: Queryable) =>
  tx.sql`select 1 from budget where id = ${budget(index)}::bigint for update`;

function ask(replica: number, need: bigint, statement: bigint, recall = 0n): Promise<LeaseAnswer> {
  const request = { budgetId: budget(0), need: q(need), want: q(need), recall, statement };
  return (stores[replica] as LeaseStore).lease(request);
}

const answerRecall = (replica: number, recall: bigint, statement: bigint): Promise<void> =>
  (stores[replica] as LeaseStore).giveBack({ budgetId: budget(0), amount: q(0n), recall, statement });

function charge(replica: string, order: readonly number[], amount: bigint, by: Queryable = db): Promise<unknown> {
  const [left, right] = order.map(budget);
  return by.sql`
    select charge_budgets(${replica}, array[${left ?? 0n}::bigint, ${right ?? 0n}::bigint],
      array[${amount}::bigint, ${amount}::bigint], array[0::bigint, 0::bigint])`;
}

test("two replicas that request more than half at the same moment are not lent the same rest", async () => {
  const answers = await runBothBehind(db, lockBudget(0), [() => ask(0, 60n, 1n), () => ask(1, 60n, 1n)]);
  expect(answers.map(({ leasedNow }) => leasedNow).sort()).toEqual([q(0n), q(60n)]);
  expect([...(await db.sql`select * from check_money()`)]).toEqual([]);
});

test("a recall of idle quota is answered once every live replica has answered it, and not before", async () => {
  expect((await ask(1, 40n, 1n)).leasedNow).toBe(q(40n));
  expect((await ask(2, 40n, 1n)).leasedNow).toBe(q(40n));
  const { recall, isRecallAnswered } = await ask(0, 30n, 1n);
  expect([recall > 0n, isRecallAnswered]).toEqual([true, false]);
  await answerRecall(1, recall, 2n);
  expect(await ask(0, 30n, 2n, recall)).toMatchObject({ leasedNow: q(0n), isRecallAnswered: false });
  await answerRecall(2, recall, 2n);
  expect(await ask(0, 30n, 3n, recall)).toMatchObject({ leasedNow: q(0n), isRecallAnswered: true });
});

test("a recall of idle quota does not wait for a silent replica", async () => {
  expect((await ask(1, 40n, 1n)).leasedNow).toBe(q(40n));
  expect((await ask(2, 40n, 1n)).leasedNow).toBe(q(40n));
  const { recall } = await ask(0, 30n, 1n);
  await answerRecall(1, recall, 2n);
  await db.sql`update replica set seen_at = now() - interval '16 seconds' where id = 'c'`;
  expect(await ask(0, 30n, 2n, recall)).toMatchObject({ leasedNow: q(0n), isRecallAnswered: true });
});

test("a late answer to an earlier recall does not take back an answer to a later one", async () => {
  expect((await ask(1, 80n, 1n)).leasedNow).toBe(q(80n));
  const first = await ask(0, 30n, 1n);
  const second = await ask(0, 30n, 2n);
  await answerRecall(1, second.recall, 2n);
  await answerRecall(1, first.recall, 3n);
  expect(await ask(0, 30n, 3n, second.recall)).toMatchObject({ isRecallAnswered: true });
});

test("what the multipliers of unsettled rows still owe is not lent", async () => {
  await db.sql`
    select charge_budgets('a', array[${budget(0)}::bigint], array[40::bigint], array[20::bigint])`;
  expect(await ask(0, 41n, 1n)).toMatchObject({ leasedNow: q(0n), remainingAfter: q(40n) });
  expect(await ask(0, 40n, 2n)).toMatchObject({ leasedNow: q(40n), remainingAfter: q(0n) });
});

test("ahead of need a replica is lent a quarter of what remains, and what it needs in any case", async () => {
  const request = { budgetId: budget(0), recall: 0n };
  const [first] = stores as [LeaseStore];
  expect((await first.lease({ ...request, need: q(1n), want: q(80n), statement: 1n })).leasedNow).toBe(q(25n));
  expect((await first.lease({ ...request, need: q(1n), want: q(5n), statement: 2n })).leasedNow).toBe(q(5n));
  expect((await first.lease({ ...request, need: q(60n), want: q(60n), statement: 3n })).leasedNow).toBe(q(60n));
});

test("an answer to an earlier recall does not answer a later one", async () => {
  expect((await ask(1, 80n, 1n)).leasedNow).toBe(q(80n));
  const first = await ask(0, 30n, 1n);
  await answerRecall(1, first.recall, 2n);
  const second = await ask(0, 30n, 2n);
  expect(second.recall).toBeGreaterThan(first.recall);
  expect(await ask(0, 30n, 3n, second.recall)).toMatchObject({ isRecallAnswered: false });
});

test("a commit that waits for one budget locks none with a higher number, in whatever order it names them", async () => {
  // The rows are on disk, and read, in the opposite order of their numbers, and both lists name the second first.
  await db.sql`update budget set updated_at = now() where id = ${budget(0)}::bigint`;
  for (const plan of ["indexscan", "bitmapscan"]) {
    await db.query(`alter database "${database.name}" set enable_${plan} = off`, []);
  }
  const reading = openDatabase({ url: database.url, poolMax: 2, applicationName: "test" });
  const held = await holdLock(db, lockBudget(0));
  const charges = Promise.all([charge("a", [1, 0], 3n, reading), charge("b", [1, 0], 4n, reading)]);
  charges.catch(() => undefined);
  try {
    await held.waitForWaiters(2);
    const free = await db.sql`select id from budget where id = ${budget(1)}::bigint for update skip locked`;
    expect(free).toHaveLength(1);
  } finally {
    await held.release();
    await charges.finally(() => reading.close(500));
  }
});

test("a commit takes from the lease of its own replica, and from what remains if that does not cover it", async () => {
  expect((await ask(0, 5n, 1n)).leasedNow).toBe(q(5n));
  expect((await ask(1, 60n, 1n)).leasedNow).toBe(q(60n));
  // What a multiplier adds is paid for like what the calls cost.
  const charged = await db.sql`
    select taken from charge_budgets('a', array[${budget(0)}::bigint], array[4::bigint], array[4::bigint])`;
  expect([...charged]).toEqual([{ taken: 5n }]);
  const leases = await db.sql`select replica_id, amount from budget_lease order by replica_id`;
  expect([...leases]).toEqual([
    { replica_id: "a", amount: 0n },
    { replica_id: "b", amount: 60n },
  ]);
  const [{ leased } = { leased: 0n }] = await db.sql<{ leased: bigint }>`
    select leased from budget where id = ${budget(0)}::bigint`;
  expect(leased).toBe(60n);
});

test("two commits that name the same budgets in opposite order both finish, and both count", async () => {
  await runBothBehind(db, lockBudget(0), [() => charge("a", [0, 1], 3n), () => charge("b", [1, 0], 4n)]);
  const used = await db.sql<{
    used: bigint;
  }>`select used from budget where id = any (${`{${budgets.join(",")}}`}::bigint[])`;
  expect(used.map((row) => row.used)).toEqual([7n, 7n]);
});

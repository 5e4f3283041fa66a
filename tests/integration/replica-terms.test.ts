import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { BudgetId, ReplicaId } from "@sluice/contracts/ids";
import type { Quota } from "@sluice/contracts/money";
import { insertGatewayUser } from "@sluice/control-plane/gateway/keys/store.ts";
import { grantQuota } from "@sluice/control-plane/gateway/quota/grant-store.ts";
import { createLeaseStore } from "@sluice/control-plane/gateway/quota/lease-store.ts";
import { LeaseUpkeep } from "@sluice/control-plane/gateway/quota/lease-upkeep.ts";
import {
  forgetEmptyLeases,
  markGivenUp,
  releaseLeases,
  renewTerm,
  selectReplicas,
  writeOffLeases,
} from "@sluice/control-plane/gateway/quota/replica-store.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import { Registry } from "prom-client";
import { readBudget } from "../support/calls/budget-watch.ts";
import { holdLock } from "../support/postgres/held-lock.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.ts";

const one = "one" as ReplicaId;
const other = "other" as ReplicaId;
const lengthMs = 60_000;
const q = (amount: bigint): Quota => amount as Quota;

let database: TestDatabase;
let db: Database;
let budgetId: BudgetId;
let era: string;

beforeEach(async () => {
  database = await createTestDatabase();
  db = openDatabase({ url: database.url, poolMax: 4, applicationName: "test" });
  ({ budgetId } = await insertGatewayUser(db, "default"));
  await grantQuota(db, { budgetId, amount: 100n, changeType: "test", reference: "test" });
  ({ era } = await renewTerm(db, one, { era: null, lengthMs }));
});

afterEach(async () => {
  await db.close(500);
  await database.drop();
});

/** Moves the times of a replica in the database into the past. */
const age = (replica: ReplicaId, seconds: number) => db.sql`
  update replica set seen_at = seen_at - make_interval(secs => ${seconds}::float8),
    term_ends_at = term_ends_at - make_interval(secs => ${seconds}::float8)
  where id = ${replica}`;

const lend = (need: bigint, statement = 1n) =>
  createLeaseStore(db, one).lease({ budgetId, need: q(need), want: q(need), recall: 0n, statement });

const charge = (amount: bigint) => db.sql`
  select charge_budgets(${one}, array[${budgetId}::bigint], array[${amount}::bigint], array[0::bigint])`;

const violated = async (): Promise<string[]> =>
  (await db.sql<{ invariant: string }>`select invariant from check_money()`).map(({ invariant }) => invariant);

describe("the leases of a replica", () => {
  test("stay set aside however long it is silent", async () => {
    await lend(40n);
    await age(one, 86_400);
    expect(await writeOffLeases(db)).toEqual([]);
    expect(await readBudget(db, budgetId)).toMatchObject({ leased: 40n, remaining: 60n });
    expect((await renewTerm(db, one, { era, lengthMs })).era).toBe(era);
  });

  test("go back once it was given up, and a quarter of a term after its end at the earliest", async () => {
    await lend(40n);
    expect(await markGivenUp(db, one)).toBe(true);
    await age(one, 74);
    expect(await writeOffLeases(db)).toEqual([]);
    await age(one, 2);
    expect(await writeOffLeases(db)).toEqual([{ replicaId: one, budgets: 1n, quota: 40n }]);
    expect(await readBudget(db, budgetId)).toMatchObject({ leased: 0n, leaseRows: 0n, remaining: 100n });
    expect(await writeOffLeases(db)).toEqual([]);
    expect(await violated()).toEqual([]);
  });

  test("of a program that writes no terms go back after five and a quarter minutes", async () => {
    await lend(40n);
    await db.sql`update replica set term_ends_at = null, seen_at = now() - interval '374 seconds' where id = ${one}`;
    await markGivenUp(db, one);
    expect(await writeOffLeases(db)).toEqual([]);
    await db.sql`update replica set seen_at = seen_at - interval '2 seconds' where id = ${one}`;
    expect(await writeOffLeases(db)).toHaveLength(1);
  });

  test("stay its own when it is seen again before they go back", async () => {
    await lend(40n);
    await markGivenUp(db, one);
    await age(one, 600);
    expect(await renewTerm(db, one, { era, lengthMs })).toMatchObject({ era, isRenewed: true });
    await age(one, 600);
    expect(await writeOffLeases(db)).toEqual([]);
  });

  test("are not given back while an earlier renewal is in progress", async () => {
    await lend(40n);
    await markGivenUp(db, one);
    await age(one, 600);
    const renewed = await holdLock(db, (tx) => renewTerm(tx, one, { era, lengthMs }));
    expect(await writeOffLeases(db)).toEqual([]);
    await renewed.release();
    expect(await writeOffLeases(db)).toEqual([]);
    expect(await readBudget(db, budgetId)).toMatchObject({ leased: 40n });
  });

  test("are lost to a renewal that comes while they go back, and the renewal reports it", async () => {
    await lend(40n);
    await markGivenUp(db, one);
    await age(one, 600);
    const given = await holdLock(db, (tx) => writeOffLeases(tx));
    const renewal = renewTerm(db, one, { era, lengthMs });
    await given.waitForWaiters(1);
    await given.release();
    const answer = await renewal;
    expect(answer.isRenewed).toBe(false);
    expect(answer.era).not.toBe(era);
  });

  test("that were given back by someone else begin a new era, in which it can continue", async () => {
    await lend(40n);
    await releaseLeases(db, one);
    const told = await renewTerm(db, one, { era, lengthMs });
    expect(told).toMatchObject({ isRenewed: false });
    expect(await renewTerm(db, one, { era: told.era, lengthMs })).toMatchObject({ era: told.era, isRenewed: true });
  });

  test("that a late statement takes after they went back are given back too", async () => {
    await lend(40n);
    await markGivenUp(db, one);
    await age(one, 600);
    await writeOffLeases(db);
    await lend(30n, 2n);
    expect(await writeOffLeases(db)).toEqual([{ replicaId: one, budgets: 1n, quota: 30n }]);
  });

  test("that were written off explain a balance that is negative by as much, and by no more", async () => {
    await lend(40n);
    await markGivenUp(db, one);
    await age(one, 600);
    await writeOffLeases(db);
    // Nothing is left of what was granted when the calls of the lost replica come.
    await db.sql`
      insert into quota_grant (budget_id, amount, change_type, reference)
      values (${budgetId}::bigint, -100, 'usage_quota', 'spent elsewhere')`;
    await db.sql`update budget set granted = 0 where id = ${budgetId}::bigint`;
    await charge(40n);
    const negative = /^a balance is negative/;
    expect((await violated()).filter((invariant) => negative.test(invariant))).toEqual([]);
    await charge(1n);
    expect((await violated()).filter((invariant) => negative.test(invariant))).toHaveLength(1);
  });
});

describe("a replica", () => {
  test("that the database no longer knows begins another era", async () => {
    await db.sql`delete from replica where id = ${one}`;
    expect((await renewTerm(db, one, { era, lengthMs })).era).not.toBe(era);
  });

  test("counts as live for fifteen seconds after it was seen", async () => {
    expect((await renewTerm(db, other, { era: null, lengthMs })).live).toBe(2);
    await age(one, 16);
    expect((await renewTerm(db, other, { era: null, lengthMs })).live).toBe(1);
  });
});

describe("rows of leases and replicas", () => {
  const leaseRows = () => db.sql`select 1 from budget_lease`;
  const makeOld = (minutes: number) => db.sql`
    update budget_lease set updated_at = now() - make_interval(mins => ${minutes}::integer)`;

  test("are removed after ten minutes without quota while their replica lives, a limited number at a time", async () => {
    const second = await insertGatewayUser(db, "default");
    await grantQuota(db, { budgetId: second.budgetId, amount: 10n, changeType: "test", reference: "second" });
    const store = createLeaseStore(db, one);
    for (const id of [budgetId, second.budgetId]) {
      await store.lease({ budgetId: id, need: q(5n), want: q(5n), recall: 0n, statement: 1n });
      await store.giveBack({ budgetId: id, amount: q(5n), recall: 0n, statement: 2n });
    }
    await makeOld(9);
    expect(await forgetEmptyLeases(db, 10)).toBe(0n);
    await makeOld(11);
    expect(await forgetEmptyLeases(db, 1)).toBe(1n);
    expect(await forgetEmptyLeases(db, 10)).toBe(1n);
    expect(await leaseRows()).toHaveLength(0);
    await lend(5n, 3n);
    expect(await store.readLease(budgetId, 4n)).toBe(q(5n));
  });

  test("stay with quota in them, and while a statement works on them", async () => {
    await lend(5n);
    await makeOld(60);
    expect(await forgetEmptyLeases(db, 10)).toBe(0n);
    await charge(5n);
    await makeOld(60);
    await using _held = await holdLock(db, (tx) => tx.sql`select 1 from budget_lease for update`);
    expect(await forgetEmptyLeases(db, 10)).toBe(0n);
    expect(await leaseRows()).toHaveLength(1);
  });

  test("never let a late return take from a newer lease", async () => {
    const store = createLeaseStore(db, one);
    await lend(5n);
    await store.giveBack({ budgetId, amount: q(5n), recall: 0n, statement: 2n });
    await makeOld(11);
    await forgetEmptyLeases(db, 10);
    const late = { budgetId, amount: q(1n), recall: 0n, statement: 3n };
    await expect(store.giveBack(late)).rejects.toThrow("says so late");
    await lend(5n, 4n);
    await expect(store.giveBack(late)).rejects.toThrow("says so late");
    expect(await readBudget(db, budgetId)).toMatchObject({ leased: 5n });
  });

  test("of replicas are removed after a day of silence, unless they hold something", async () => {
    await renewTerm(db, other, { era: null, lengthMs });
    await lend(5n);
    await age(one, 90_000);
    await age(other, 90_000);
    await forgetEmptyLeases(db, 10);
    expect((await selectReplicas(db)).map(({ replicaId }) => replicaId)).toEqual([one]);
  });
});

test("the job of every minute reports what is stranded, and records what it gave back", async () => {
  const lines: string[] = [];
  const registry = new Registry();
  const upkeep = new LeaseUpkeep({ db, log: createLog("warn", (line) => lines.push(line)), registry });
  await lend(40n);
  await upkeep.runJob();
  expect(lines).toEqual([]);
  await age(one, 600);
  await upkeep.runJob();
  expect(lines.join("\n")).toContain('"event":"quota.stranded"');
  expect(await registry.metrics()).toContain("sluice_stranded_quota 40");
  await markGivenUp(db, one);
  await upkeep.runJob();
  expect(lines.join("\n")).toContain('"event":"quota.written_off"');
  expect(await registry.metrics()).toContain("sluice_stranded_quota 0");
  const entries = await db.sql`select 1 from audit_log where action = 'replica.write_off' and subject_id = ${one}`;
  expect(entries).toHaveLength(1);
});

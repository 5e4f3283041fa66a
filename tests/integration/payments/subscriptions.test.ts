import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Order } from "@sluice/control-plane/payments/model.ts";
import { settlePaid } from "@sluice/control-plane/payments/settle/settle-paid.ts";
import { cancelAtEnd, selectOverdue } from "@sluice/control-plane/payments/subscriptions/subscription-store.ts";
import {
  endOverdueSubscriptions,
  endSubscription,
} from "@sluice/control-plane/payments/subscriptions/subscriptions.ts";
import { BillingScene, type Buyer, noticeOf } from "../../support/payments/billing-scene.ts";

let scene: BillingScene;
let buyer: Buyer;

beforeAll(async () => {
  scene = await BillingScene.create();
});

beforeEach(async () => {
  buyer = await scene.addBuyer();
});

afterEach(async () => {
  expect(await scene.checkMoney()).toEqual([]);
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

const monthly = 12_000_000n;
const utc = (text: string): Date => new Date(`${text}T00:00:00Z`);
const start = utc("2026-01-10");

async function pay(planCode: string, at: Date): Promise<Order> {
  const order = await scene.placeFor(buyer, planCode);
  expect(await settlePaid(scene.deps, noticeOf(order), { at })).toBe("settled");
  return order;
}

/** Calls of the buyer with this cost. */
async function use(quota: bigint): Promise<void> {
  await scene.use(buyer, quota);
}

async function subscriptions(): Promise<unknown[]> {
  return [
    ...(await scene.db.sql`
      select plan_code, status, period_end, quota_granted, quota_left from subscription
      where user_id = ${buyer.userId}::bigint order by id`),
  ];
}

test("a monthly plan grants its quota for a month, and what is unused ends with it, once", async () => {
  await pay("monthly", start);
  expect(await scene.balance(buyer)).toBe(monthly);
  await use(2_000_000n);
  await endOverdueSubscriptions(scene.db, new Date(utc("2026-02-10").getTime() - 1));
  expect(await scene.balance(buyer)).toBe(10_000_000n);
  for (let round = 0; round < 3; round += 1) {
    await endOverdueSubscriptions(scene.db, utc("2026-02-10"));
  }
  expect(await scene.balance(buyer)).toBe(0n);
  expect(await subscriptions()).toMatchObject([{ status: "expired", period_end: utc("2026-02-10") }]);
});

test("a month ends on the last day of a shorter month", async () => {
  await pay("monthly", utc("2026-01-31"));
  expect(await subscriptions()).toMatchObject([{ period_end: utc("2026-02-28") }]);
});

test("purchased credit stays; the monthly quota is used up first", async () => {
  await pay("credit", start);
  await pay("monthly", start);
  await use(1_000_000n);
  await endOverdueSubscriptions(scene.db, utc("2026-03-01"));
  expect(await scene.balance(buyer)).toBe(5_000_000n);
});

test("usage beyond the monthly quota is paid from credit, and nothing more is taken at the end", async () => {
  await pay("credit", start);
  await pay("monthly", start);
  await use(monthly + 1_000_000n);
  await endOverdueSubscriptions(scene.db, utc("2026-03-01"));
  expect(await scene.balance(buyer)).toBe(4_000_000n);
});

test("a further paid order adds a month and its quota to the running one", async () => {
  await pay("monthly", start);
  await use(1_000_000n);
  await pay("monthly", utc("2026-01-20"));
  expect(await subscriptions()).toEqual([
    {
      plan_code: "monthly",
      status: "active",
      period_end: utc("2026-03-10"),
      quota_granted: 2n * monthly,
      quota_left: 2n * monthly - 1_000_000n,
    },
  ]);
  await endOverdueSubscriptions(scene.db, utc("2026-02-10"));
  expect(await scene.balance(buyer)).toBe(2n * monthly - 1_000_000n);
  await endOverdueSubscriptions(scene.db, utc("2026-03-10"));
  expect(await scene.balance(buyer)).toBe(0n);
});

test("a month that is added to a used-up one has its full quota", async () => {
  await pay("credit", start);
  await pay("monthly", start);
  await use(monthly + 1_000_000n);
  await pay("monthly", utc("2026-01-20"));
  await endOverdueSubscriptions(scene.db, utc("2026-03-10"));
  // A million of the credit was used before; the second month ended unused.
  expect(await scene.balance(buyer)).toBe(4_000_000n);
});

test("an order that is paid after the end starts over, although no job has seen the end yet", async () => {
  await pay("monthly", start);
  await use(2_000_000n);
  await pay("monthly", utc("2026-02-11"));
  expect(await scene.balance(buyer)).toBe(monthly);
  expect(await subscriptions()).toMatchObject([
    { status: "expired" },
    { status: "active", period_end: utc("2026-03-11"), quota_granted: monthly },
  ]);
});

test("of two plans that overlap, a call counts against one only", async () => {
  await pay("monthly", start);
  await pay("other-month", utc("2026-01-20"));
  await use(1_000_000n);
  await endOverdueSubscriptions(scene.db, utc("2026-02-10"));
  // The call counted against the plan that ended first, so that the other is still whole, and ends whole.
  expect(await scene.balance(buyer)).toBe(2_000_000n);
  await endOverdueSubscriptions(scene.db, utc("2026-02-20"));
  expect(await scene.balance(buyer)).toBe(0n);
});

test("quota that is lent to a replica at the end is taken when it comes back, and running calls keep it until then", async () => {
  await pay("monthly", start);
  await scene.db.sql`insert into replica (id) values ('holder') on conflict do nothing`;
  await scene.db.sql`
    select lease_quota(${buyer.budgetId}::bigint, 'holder', 3000000::bigint, 3000000::bigint, 0::bigint, 1::bigint)`;
  const end = utc("2026-02-10");
  await endOverdueSubscriptions(scene.db, end);
  expect(await scene.balance(buyer)).toBe(0n);
  expect(await subscriptions()).toMatchObject([{ status: "active", quota_left: 3_000_000n }]);
  await scene.db.sql`select return_lease(${buyer.budgetId}::bigint, 'holder', 3000000::bigint, 0::bigint, 2::bigint)`;
  expect(await scene.balance(buyer)).toBe(3_000_000n);
  await endOverdueSubscriptions(scene.db, new Date(end.getTime() + 60_000));
  expect(await scene.balance(buyer)).toBe(0n);
  expect(await subscriptions()).toMatchObject([{ status: "expired" }]);
});

test("quota that is lent at the end is waited for a quarter of an hour, and no longer", async () => {
  await pay("monthly", start);
  await scene.db.sql`insert into replica (id) values ('holder') on conflict do nothing`;
  await scene.db.sql`
    select lease_quota(${buyer.budgetId}::bigint, 'holder', 3000000::bigint, 3000000::bigint, 0::bigint, 1::bigint)`;
  const end = utc("2026-02-10").getTime();
  await endOverdueSubscriptions(scene.db, new Date(end + 15 * 60_000 - 1));
  expect(await subscriptions()).toMatchObject([{ status: "active" }]);
  await endOverdueSubscriptions(scene.db, new Date(end + 15 * 60_000));
  expect(await subscriptions()).toMatchObject([{ status: "expired" }]);
});

test("a month that was paid again after a job found it over does not end", async () => {
  await pay("monthly", start);
  const end = utc("2026-02-10");
  const [found] = (await selectOverdue(scene.db, end, 1_000)).filter(
    ({ gatewayUserId }) => gatewayUserId === buyer.gatewayUserId,
  );
  await pay("monthly", utc("2026-02-09"));
  const ending = { subscription: found as NonNullable<typeof found>, at: end, mayWait: true };
  await scene.db.withTransaction((tx) => endSubscription(tx, ending));
  expect(await subscriptions()).toMatchObject([{ status: "active", period_end: utc("2026-03-10") }]);
  expect(await scene.balance(buyer)).toBe(2n * monthly);
});

test("a user who pays again after cancelling does not want the month to end", async () => {
  await pay("monthly", start);
  expect(await scene.db.withTransaction((tx) => cancelAtEnd(tx, buyer.gatewayUserId, "monthly"))).toBe(true);
  await pay("monthly", utc("2026-02-09"));
  await endOverdueSubscriptions(scene.db, utc("2026-03-10"));
  expect(await subscriptions()).toMatchObject([{ status: "expired" }]);
});

test("a cancelled subscription runs to its end, and has the status cancelled then", async () => {
  await pay("monthly", start);
  expect(await scene.db.withTransaction((tx) => cancelAtEnd(tx, buyer.gatewayUserId, "monthly"))).toBe(true);
  expect(await scene.balance(buyer)).toBe(monthly);
  await endOverdueSubscriptions(scene.db, utc("2026-02-10"));
  expect(await subscriptions()).toMatchObject([{ status: "cancelled" }]);
  expect(await scene.balance(buyer)).toBe(0n);
  expect(await scene.db.withTransaction((tx) => cancelAtEnd(tx, buyer.gatewayUserId, "monthly"))).toBe(false);
});

test("concurrent jobs of several replicas end a subscription once", async () => {
  await pay("credit", start);
  await pay("monthly", start);
  await Promise.all(Array.from({ length: 6 }, () => endOverdueSubscriptions(scene.db, utc("2026-02-10"))));
  expect(await scene.balance(buyer)).toBe(5_000_000n);
});

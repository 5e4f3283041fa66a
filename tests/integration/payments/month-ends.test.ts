import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Decimal } from "@sluice/contracts/money";
import type { Order } from "@sluice/control-plane/payments/model.ts";
import type { RefundDeps } from "@sluice/control-plane/payments/port.ts";
import { openRefund, payRefund } from "@sluice/control-plane/payments/refunds/refunds.ts";
import { settlePaid } from "@sluice/control-plane/payments/settle/settle-paid.ts";
import { endOverdueSubscriptions } from "@sluice/control-plane/payments/subscriptions/subscriptions.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { BillingScene, type Buyer, noticeOf } from "../../support/payments/billing-scene.ts";
import { ScriptedRefunds } from "../../support/payments/scripted-refunds.ts";

let scene: BillingScene;
let buyer: Buyer;
const gateway = new ScriptedRefunds();
const monthly = 12_000_000n;

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

async function pay(at: string, planCode = "monthly", deps = scene.deps): Promise<Order> {
  const order = await scene.placeFor(buyer, planCode, "walletpay", new Date(at));
  expect(await settlePaid(deps, noticeOf(order), { at: new Date(at) })).toBe("settled");
  return order;
}

async function refund(order: Order, amountUsd: Decimal | null = null) {
  const deps: RefundDeps = { ...scene.deps, gateways: { walletpay: gateway, cardpay: gateway } };
  const request = { orderNo: order.orderNo, amountUsd, reason: "test", idempotencyKey: crypto.randomUUID() };
  const { refund: opened } = await scene.db.withTransaction((tx) =>
    openRefund(tx, { ...request, mayGoNegative: false }),
  );
  return async () => await payRefund(deps, opened.refundNo);
}

/** When the months of the buyer end, and in which state they are. */
async function ends(): Promise<string[]> {
  const rows = await scene.db.sql<{ period_end: Date; status: string }>`
    select period_end, status from subscription where user_id = ${buyer.userId}::bigint order by id`;
  return rows.map(({ period_end, status }) => `${status} ${period_end.toISOString().replace(".000Z", "Z")}`);
}

test.each([
  ["2026-01-31T00:00:00Z", ["2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31"]],
  ["2026-01-30T00:00:00Z", ["2026-02-28", "2026-03-30", "2026-04-30", "2026-05-30"]],
  ["2027-12-31T00:00:00Z", ["2028-01-31", "2028-02-29", "2028-03-31"]],
  ["2028-02-29T00:00:00Z", ["2028-03-29", "2028-04-29"]],
  ["2026-08-31T00:00:00Z", ["2026-09-30", "2026-10-31"]],
])("months that begin at %s and are paid in advance lose no day to a short month", async (start, days) => {
  for (const day of days) {
    await pay(start);
    expect(await ends()).toEqual([`active ${day}T00:00:00Z`]);
  }
  expect(await scene.balance(buyer)).toBe(monthly * BigInt(days.length));
});

test("a month has its hour in UTC, whatever the clocks of the server's zone do in it", async () => {
  const name = /\/([^/?]+)(?:\?|$)/.exec(scene.url)?.[1] ?? "";
  const owner = openDatabase({ url: scene.url, poolMax: 1, applicationName: "test" });
  await owner.query(`alter database "${name}" set timezone = 'Europe/Berlin'`, []);
  const elsewhere = openDatabase({ url: scene.url, poolMax: 2, applicationName: "test", role: "sluice_app" });
  try {
    // Connections of the program say UTC, so that the zone of the database decides nothing.
    const [set] = await elsewhere.sql<{ zone: string }>`select current_setting('TimeZone') as zone`;
    expect(set?.zone).toBe("UTC");
    const there = { ...scene.deps, db: elsewhere };
    // Clocks there go forward on 29 March 2026 at 01:00 UTC and back on 25 October at 01:00 UTC.
    await pay("2026-02-28T23:30:00Z", "monthly", there);
    await pay("2026-03-01T00:30:00Z", "monthly", there);
    expect(await ends()).toEqual(["active 2026-04-28T23:30:00Z"]);
    await pay("2026-10-24T22:30:00Z", "other-month", there);
    expect((await ends()).at(-1)).toBe("active 2026-11-24T22:30:00Z");
    expect([...(await elsewhere.sql`select * from check_money()`)]).toEqual([]);
  } finally {
    await elsewhere.close(500);
    await owner.query(`alter database "${name}" reset timezone`, []);
    await owner.close(500);
  }
});

describe("a month that ends at midnight", () => {
  test("runs until then and no longer, and a payment at that very moment begins a new one", async () => {
    await pay("2026-01-31T00:00:00Z");
    await endOverdueSubscriptions(scene.db, new Date("2026-02-27T23:59:59.999Z"));
    expect(await ends()).toEqual(["active 2026-02-28T00:00:00Z"]);
    await pay("2026-02-28T00:00:00Z");
    expect(await ends()).toEqual(["expired 2026-02-28T00:00:00Z", "active 2026-03-28T00:00:00Z"]);
    expect(await scene.balance(buyer)).toBe(monthly);
  });

  test("is extended by a payment a moment before, and keeps its day", async () => {
    await pay("2026-01-31T00:00:00Z");
    await pay("2026-02-27T23:59:59.999Z");
    expect(await ends()).toEqual(["active 2026-03-31T00:00:00Z"]);
  });

  test("is either ended or extended when the job and a payment coincide", async () => {
    const rounds = process.env["TEST_FULL"] === "1" ? 40 : 6;
    for (let round = 0; round < rounds; round += 1) {
      buyer = await scene.addBuyer();
      await pay("2026-01-31T00:00:00Z");
      const order = await scene.placeFor(buyer, "monthly");
      const midnight = new Date("2026-02-28T00:00:00Z");
      const before = new Date(midnight.getTime() - 1);
      await Promise.all([
        endOverdueSubscriptions(scene.db, midnight),
        settlePaid(scene.deps, noticeOf(order), { at: round % 2 === 0 ? before : midnight }),
        endOverdueSubscriptions(scene.db, midnight),
      ]);
      const [balance, seen] = [await scene.balance(buyer), await ends()];
      const isExtended = seen.length === 1;
      expect(seen.at(-1)).toStartWith("active ");
      expect(balance).toBe(isExtended ? 2n * monthly : monthly);
    }
  });
});

test("a refund takes quota that is lent to replicas only if forced: calls may be running on it", async () => {
  const order = await pay(new Date().toISOString());
  await scene.db.sql`insert into replica (id) values ('holder') on conflict do nothing`;
  await scene.db.sql`
    select lease_quota(${buyer.budgetId}::bigint, 'holder', 3000000::bigint, 3000000::bigint, 0::bigint, 1::bigint)`;
  await expect(refund(order)).rejects.toThrow("already used");
  await scene.db.sql`select return_lease(${buyer.budgetId}::bigint, 'holder', 3000000::bigint, 0::bigint, 2::bigint)`;
  expect(await (await refund(order))()).toMatchObject({ quota: monthly });
});

test("a refund of a month that is over takes nothing from the one that runs", async () => {
  const earlier = await pay("2026-01-10T00:00:00Z");
  await endOverdueSubscriptions(scene.db, new Date("2026-02-10T00:00:00Z"));
  await pay("2026-02-11T00:00:00Z");
  expect(await (await refund(earlier))()).toMatchObject({ quota: 0n });
  expect(await scene.balance(buyer)).toBe(monthly);
});

test("payments for several months at once each add one, whatever their order", async () => {
  const rounds = process.env["TEST_FULL"] === "1" ? 20 : 3;
  for (let round = 0; round < rounds; round += 1) {
    buyer = await scene.addBuyer();
    const orders = await Promise.all(Array.from({ length: 5 }, () => scene.placeFor(buyer, "monthly")));
    const at = new Date("2026-01-31T00:00:00Z");
    const results = await Promise.all(
      [...orders, ...orders].map((order) => settlePaid(scene.deps, noticeOf(order), { at })),
    );
    expect(results.filter((result) => result === "settled")).toHaveLength(5);
    expect(await ends()).toEqual(["active 2026-06-30T00:00:00Z"]);
    expect(await scene.balance(buyer)).toBe(5n * monthly);
  }
});

describe("a refund of one month of several", () => {
  test("gives back the day that a short month had cost", async () => {
    await pay("2026-01-31T00:00:00Z");
    const second = await pay("2026-01-31T00:00:00Z");
    const third = await pay("2026-01-31T00:00:00Z");
    await (await refund(third))();
    expect(await ends()).toEqual(["active 2026-03-31T00:00:00Z"]);
    await (await refund(second))();
    expect(await ends()).toEqual(["active 2026-02-28T00:00:00Z"]);
  });

  test("of the only month ends it at its start, not before", async () => {
    const order = await pay("2026-03-31T00:00:00Z");
    await (await refund(order))();
    expect(await ends()).toEqual(["active 2026-03-31T00:00:00Z"]);
    await endOverdueSubscriptions(scene.db, new Date("2026-03-31T00:00:01Z"));
    expect(await ends()).toEqual(["expired 2026-03-31T00:00:00Z"]);
  });

  test("that the gateway refuses after the month is over leaves both books equal", async () => {
    const order = await pay("2026-01-31T00:00:00Z");
    const ask = await refund(order, "5.00" as Decimal);
    await endOverdueSubscriptions(scene.db, new Date("2026-02-28T00:00:00Z"));
    gateway.answers = [{ kind: "failed", error: "no" }];
    expect(await ask()).toMatchObject({ status: "failed" });
    gateway.answers = [];
  });
});

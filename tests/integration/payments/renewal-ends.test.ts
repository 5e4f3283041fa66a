import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { openRefund } from "@sluice/control-plane/payments/refunds/refunds.ts";
import { endSecondRenewals } from "@sluice/control-plane/payments/renewals/renewal-jobs.ts";
import { resolveOrder } from "@sluice/control-plane/payments/reviews/reviews.ts";
import type { Buyer } from "../../support/payments/billing-scene.ts";
import { RenewalScene } from "../../support/payments/renewal-scene.ts";

let scene: RenewalScene;

beforeAll(async () => {
  scene = await RenewalScene.create();
});

beforeEach(() => {
  scene.reset();
});

afterEach(async () => {
  expect(await scene.payments.billing.checkMoney()).toEqual([]);
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

async function ordersOf({ userId }: Buyer): Promise<unknown[]> {
  const rows = await scene.db.sql<{ status: string; amount_usd: string; transaction_id: string }>`
    select o.status, o.amount_usd::text, p.transaction_id from sales_order o left join payment p on p.order_id = o.id
    where o.user_id = ${userId}::bigint order by o.id`;
  return rows.map((row) => `${row.status} ${row.amount_usd} ${row.transaction_id?.slice(0, 5)}`);
}

describe("a customer", () => {
  test("who cancels just after a month began is not charged for it", async () => {
    const { buyer, renewalNo } = await scene.subscribe();
    scene.book.hasDrafts = true;
    scene.book.advance(scene.month(1));
    scene.payments.time = scene.month(1);
    expect((await scene.call("cancel", { renewal_no: renewalNo }, buyer)).status).toBe(200);
    scene.book.retry(renewalNo);
    await scene.deliver();
    expect(await scene.renewal(renewalNo)).toMatchObject({ status: "ended", end_reason: "customer" });
    expect((await ordersOf(buyer)).length).toBe(1);
  });

  test("who cancels while a failed charge is not known here is not charged again", async () => {
    const { buyer, renewalNo } = await scene.subscribe();
    scene.book.isCardGood = false;
    scene.book.advance(scene.month(1));
    scene.book.take();
    scene.payments.time = scene.month(1);
    await scene.call("cancel", { renewal_no: renewalNo }, buyer);
    scene.book.isCardGood = true;
    scene.book.retry(renewalNo);
    await scene.deliver();
    expect(await scene.renewal(renewalNo)).toMatchObject({ status: "ended", end_reason: "customer" });
    expect((await ordersOf(buyer)).length).toBe(1);
  });

  test("whose cancellation failed is not taken for the one who ended it", async () => {
    const { buyer, renewalNo } = await scene.subscribe();
    scene.payments.card.override = () => Response.json({ error: { type: "api_error" } }, { status: 500 });
    expect((await scene.call("cancel", { renewal_no: renewalNo }, buyer)).status).toBe(502);
    scene.payments.card.override = null;
    await scene.asAdmin({ renewal_no: renewalNo, reason: "asked by phone" });
    expect(await scene.renewal(renewalNo)).toMatchObject({ status: "ended", end_reason: "admin" });
  });

  test("who opens the page after a change of the price is shown the new price, and the old page is closed", async () => {
    const buyer = await scene.payments.billing.addBuyer();
    const old = await scene.open(buyer);
    await scene.db.sql`update plan set price_usd = 21 where plan_code = 'monthly'`;
    try {
      const renewalNo = await scene.open(buyer);
      expect(await scene.renewal(renewalNo)).toMatchObject({ price_usd: "21.00" });
      expect(() => scene.book.pay(old)).toThrow("no page was opened");
    } finally {
      await scene.db.sql`update plan set price_usd = 20 where plan_code = 'monthly'`;
    }
  });

  test("who pays on two pages keeps one subscription", async () => {
    const { buyer, renewalNo } = await scene.subscribe();
    await scene.db.sql`update renewal set status = 'abandoned' where renewal_no = ${renewalNo}`;
    const second = await scene.open(buyer);
    scene.book.pay(second);
    await scene.deliver();
    await scene.db.sql`update renewal set status = 'active' where renewal_no = ${renewalNo}`;
    await endSecondRenewals(scene.payments.renewals, scene.start);
    expect(await scene.renewal(renewalNo)).toMatchObject({ status: "active" });
    expect(await scene.renewal(second)).toMatchObject({ status: "ended", end_reason: "second" });
    expect(scene.book.subscriptionOf(second).status).toBe("canceled");
  });
});

describe("what the gateway reports", () => {
  test("of a first payment with another amount leaves a time at which the plan ends", async () => {
    // Decisions are made by the clock of the database.
    const now = new Date(Math.floor(Date.now() / 1_000) * 1_000);
    scene.book.reset(now);
    scene.payments.time = now;
    const buyer = await scene.payments.billing.addBuyer();
    const renewalNo = await scene.open(buyer);
    await scene.db.sql`update renewal set price_usd = 21 where renewal_no = ${renewalNo}`;
    scene.book.pay(renewalNo);
    await scene.deliver();
    expect(await ordersOf(buyer)).toEqual(["review 21.00 undefined"]);
    const { kept_until: keptUntil } = await scene.renewal(renewalNo);
    expect(keptUntil).toBeInstanceOf(Date);
    // A person credits it after all: its month has the days of any other for the next payment.
    const [order] = await scene.db.sql<{ order_no: string }>`
      select order_no from sales_order where user_id = ${buyer.userId}::bigint`;
    await scene.db.withTransaction((tx) =>
      resolveOrder(tx, scene.payments.billing.deps, {
        ...{ orderNo: order?.order_no ?? "", action: "settle", transactionId: null, reason: "looked" },
      }),
    );
    const [month] = await scene.db.sql<{ kept_until: Date }>`
      select kept_until from subscription where user_id = ${buyer.userId}::bigint`;
    expect(month?.kept_until).toEqual(keptUntil as Date);
  });

  test("as refunded before it reports the payment credits nothing, and waits for a person", async () => {
    const buyer = await scene.payments.billing.addBuyer();
    const renewalNo = await scene.open(buyer);
    scene.book.pay(renewalNo);
    const events = scene.book.take();
    const invoiceId = scene.book.subscriptionOf(renewalNo).latestInvoiceId;
    const charge = { object: "charge", payment_intent: `pi_${invoiceId}`, metadata: {}, amount_refunded: 2_000 };
    const [back] = await scene.deliver([{ type: "charge.refunded", object: charge }]);
    expect(back).toEqual({ status: 200, result: "ignored" });
    await scene.deliver(events);
    expect(await ordersOf(buyer)).toEqual(["review 20.00 undefined"]);
    expect(await scene.payments.billing.balance(buyer)).toBe(0n);
  });

  test("of a month that begins later by our clock is taken back whole by a refund", async () => {
    scene.payments.time = new Date(scene.start.getTime() - 300_000);
    const { buyer } = await scene.subscribe();
    const [order] = await scene.db.sql<{ order_no: string }>`
      select order_no from sales_order where user_id = ${buyer.userId}::bigint`;
    const orderNo = order?.order_no ?? "";
    const asked = { orderNo, amountUsd: null, reason: "asked", idempotencyKey: "1", mayGoNegative: false };
    const { refund } = await scene.db.withTransaction((tx) => openRefund(tx, asked));
    expect([refund.quota, await scene.payments.billing.balance(buyer)]).toEqual([12_000_000n, 0n]);
  });

  test("no longer, as it does not know the subscription, ends it once its month is over", async () => {
    const { buyer, renewalNo } = await scene.subscribe();
    scene.book.forget(renewalNo);
    scene.payments.time = scene.month(1, 3);
    await scene.runJobs();
    expect(await scene.renewal(renewalNo)).toMatchObject({ status: "ended", end_reason: "unknown" });
    expect(await scene.months(buyer)).toEqual(["expired 2026-02-28"]);
  });
});

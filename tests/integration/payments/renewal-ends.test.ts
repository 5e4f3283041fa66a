import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { endSecondRenewals } from "@sluice/control-plane/payments/renewals/renewal-jobs.ts";
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
    const buyer = await scene.payments.billing.addBuyer();
    const renewalNo = await scene.open(buyer);
    await scene.db.sql`update renewal set price_usd = 21 where renewal_no = ${renewalNo}`;
    scene.book.pay(renewalNo);
    await scene.deliver();
    expect(await ordersOf(buyer)).toEqual(["review 21.00 undefined"]);
    expect((await scene.renewal(renewalNo))["kept_until"]).toBeInstanceOf(Date);
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

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Decimal } from "@sluice/contracts/money";
import { lockPlan } from "@sluice/control-plane/payments/plans/plan-store.ts";
import { savePlan as saveChangedPlan } from "@sluice/control-plane/payments/plans/plans.ts";
import { openRefund } from "@sluice/control-plane/payments/refunds/refunds.ts";
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

const monthly = 12_000_000n;
const balanceOf = (buyer: Buyer): Promise<bigint> => scene.payments.billing.balance(buyer);

async function ordersOf({ userId }: Buyer): Promise<unknown[]> {
  const rows = await scene.db.sql<{ status: string; amount_usd: string; transaction_id: string }>`
    select o.status, o.amount_usd::text, p.transaction_id from sales_order o left join payment p on p.order_id = o.id
    where o.user_id = ${userId}::bigint order by o.id`;
  return rows.map((row) => `${row.status} ${row.amount_usd} ${row.transaction_id?.slice(0, 5)}`);
}

test("six months with two failures: each paid month is given once, and an unpaid one keeps the plan for its days", async () => {
  const { buyer, renewalNo } = await scene.subscribe();
  expect(await balanceOf(buyer)).toBe(monthly);
  await scene.payments.billing.use(buyer, 2_000_000n);
  // The second month: what was unused of the first one ends with it.
  await scene.moveTo(scene.month(1));
  expect([await balanceOf(buyer), await scene.months(buyer)]).toEqual([
    monthly,
    ["expired 2026-02-28", "active 2026-03-31"],
  ]);
  // The third month: the charge fails, the plan is kept, and the second try succeeds.
  scene.book.isCardGood = false;
  await scene.moveTo(scene.month(2));
  expect(await scene.renewal(renewalNo)).toMatchObject({ status: "past_due" });
  expect([await balanceOf(buyer), await scene.months(buyer)]).toEqual([
    monthly,
    ["expired 2026-02-28", "active 2026-03-31"],
  ]);
  expect(await scene.mails("renewal_failed", buyer)).toBe(1);
  scene.book.isCardGood = true;
  scene.book.retry(renewalNo);
  await scene.moveTo(scene.month(2, 49));
  expect(await scene.renewal(renewalNo)).toMatchObject({ status: "active", end_reason: null });
  expect((await scene.months(buyer)).slice(1)).toEqual(["expired 2026-03-31", "active 2026-04-30"]);
  await scene.moveTo(scene.month(3));
  await scene.moveTo(scene.month(4));
  expect((await scene.months(buyer)).slice(-1)).toEqual(["active 2026-06-30"]);
  // The sixth month: the charge fails until the days are over.
  scene.book.isCardGood = false;
  await scene.moveTo(scene.month(5));
  await scene.moveTo(scene.month(5, 71));
  expect((await scene.months(buyer)).slice(-1)).toEqual(["active 2026-06-30"]);
  await scene.moveTo(scene.month(5, 73));
  expect(await scene.renewal(renewalNo)).toMatchObject({ status: "ended", end_reason: "payment" });
  expect((await scene.months(buyer)).slice(-1)).toEqual(["expired 2026-06-30"]);
  expect(await balanceOf(buyer)).toBe(0n);
  expect(await ordersOf(buyer)).toEqual(Array.from({ length: 5 }, () => "settled 20.00 pi_in"));
  expect([await scene.mails("renewal_failed", buyer), await scene.mails("renewal_ended", buyer)]).toEqual([2, 1]);
  expect(await scene.mails("payment_success", buyer)).toBe(5);
  // The gateway was asked to stop: nothing more is charged.
  scene.book.isCardGood = true;
  await scene.moveTo(scene.month(8));
  expect((await ordersOf(buyer)).length).toBe(5);
});

test("the list and the mails name the plan in the customer's language, while it is called what was agreed to", async () => {
  const { billing } = scene.payments;
  const texts = { de: { name: "Monat" }, fr: { description: "Un mois" } };
  await billing.db.sql`update plan set texts = ${JSON.stringify(texts)}::text::jsonb where plan_code = 'monthly'`;
  const german = await billing.addBuyer();
  await billing.db.sql`update user_profile set locale = 'de' where id = ${german.userId}::bigint`;
  const renewalNo = await scene.open(german);
  scene.book.pay(renewalNo);
  await scene.deliver();
  const { buyer: english } = await scene.subscribe();
  const named = async (buyer: Buyer) => {
    const answer = await scene.list(buyer);
    return answer.map(({ plan_name: name, plan_names: names }) => ({ name, names }));
  };
  expect(await named(german)).toEqual([{ name: "Monthly", names: { de: "Monat" } }]);
  expect(await billing.mailsTo(german, "payment_success")).toMatchObject([{ plan_name: "Monat" }]);
  expect(await billing.mailsTo(english, "payment_success")).toMatchObject([{ plan_name: "Monthly" }]);
  scene.book.isCardGood = false;
  await scene.moveTo(scene.month(1));
  expect(await billing.mailsTo(german, "renewal_failed")).toMatchObject([{ plan_name: "Monat" }]);
  await billing.db.sql`update plan set name = 'Another' where plan_code = 'monthly'`;
  expect(await named(german)).toEqual([{ name: "Monthly", names: {} }]);
  await billing.db.sql`update plan set name = 'Monthly', texts = '{}' where plan_code = 'monthly'`;
});

test("without days of grace, a plan is kept while its charge is awaited, and ends once that fails", async () => {
  scene.payments.graceDays = 0;
  const { buyer, renewalNo } = await scene.subscribe();
  scene.payments.time = scene.month(1);
  await scene.runJobs();
  expect(await scene.months(buyer)).toEqual(["active 2026-02-28"]);
  await scene.moveTo(scene.month(1, 2));
  expect(await scene.months(buyer)).toEqual(["expired 2026-02-28", "active 2026-03-31"]);
  scene.book.isCardGood = false;
  await scene.moveTo(scene.month(2));
  expect(await scene.renewal(renewalNo)).toMatchObject({ status: "ended", end_reason: "payment" });
  expect((await scene.months(buyer)).slice(-1)).toEqual(["expired 2026-03-31"]);
});

describe("a customer", () => {
  test("who opens the page again gets the same one, and one who has the plan none", async () => {
    const buyer = await scene.payments.billing.addBuyer();
    const answers = await Promise.all([scene.open(buyer), scene.open(buyer)]);
    expect(answers[0]).toBe(answers[1] ?? "");
    expect(await scene.open(buyer)).toBe(answers[0] ?? "");
    scene.book.pay(answers[0] ?? "");
    await scene.deliver();
    expect((await scene.call("start", { plan_code: "monthly" }, buyer)).status).toBe(409);
    expect((await scene.call("start", { plan_code: "other-month" }, buyer)).status).toBe(404);
  });

  test("who cancels is not charged again and keeps the month to its end", async () => {
    const { buyer, renewalNo } = await scene.subscribe();
    const answer = await scene.call("cancel", { renewal_no: renewalNo }, buyer);
    expect(await answer.json()).toMatchObject({ renewal: { status: "active", is_cancelled_at_end: true } });
    await scene.moveTo(new Date(scene.month(1).getTime() - 2 * 3_600_000));
    expect(await balanceOf(buyer)).toBe(monthly);
    await scene.moveTo(scene.month(1));
    expect(await scene.renewal(renewalNo)).toMatchObject({ status: "ended", end_reason: "customer" });
    expect([await balanceOf(buyer), (await ordersOf(buyer)).length]).toEqual([0n, 1]);
    expect(await scene.mails("renewal_ended", buyer)).toBe(0);
  });

  test("who takes a cancellation back on the gateway's page is charged again", async () => {
    const { buyer, renewalNo } = await scene.subscribe();
    await scene.call("cancel", { renewal_no: renewalNo }, buyer);
    scene.book.subscriptionOf(renewalNo).isCancelledAtEnd = false;
    await scene.moveTo(scene.month(1));
    expect(await scene.renewal(renewalNo)).toMatchObject({ status: "active", is_cancelled_at_end: false });
    expect((await ordersOf(buyer)).length).toBe(2);
  });

  test("can neither see nor cancel another one's", async () => {
    const { renewalNo } = await scene.subscribe();
    const other = await scene.payments.billing.addBuyer();
    expect((await scene.call("cancel", { renewal_no: renewalNo }, other)).status).toBe(404);
    expect((await scene.call("manage", { renewal_no: renewalNo }, other)).status).toBe(404);
  });

  test("changes the card on the gateway's page", async () => {
    const { buyer, renewalNo } = await scene.subscribe();
    const answer = (await (await scene.call("manage", { renewal_no: renewalNo }, buyer)).json()) as { url: string };
    expect(answer.url).toEndWith("/portal");
  });
});

test("an admin cancels with a reason, which is kept and audited; the paid month runs to its end", async () => {
  const { buyer, renewalNo } = await scene.subscribe();
  expect((await scene.asAdmin({ renewal_no: renewalNo, reason: "asked by phone" })).status).toBe(200);
  await scene.deliver();
  expect(await scene.renewal(renewalNo)).toMatchObject({ status: "ended", end_reason: "admin" });
  expect(await balanceOf(buyer)).toBe(monthly);
  const [entry] = await scene.db.sql<{ reason: string }>`
    select reason from audit_log where action = 'renewal.cancel' and subject_id = ${renewalNo}`;
  expect(entry?.reason).toBe("asked by phone");
  await scene.moveTo(scene.month(1));
  expect(await balanceOf(buyer)).toBe(0n);
});

test("while the gateway is switched off, renewals are honoured and no new ones begin", async () => {
  const { buyer } = await scene.subscribe();
  scene.payments.switchedOff.add("cardpay");
  try {
    expect((await scene.call("start", { plan_code: "monthly" }, await scene.payments.billing.addBuyer())).status).toBe(
      403,
    );
    await scene.moveTo(scene.month(1));
    expect((await ordersOf(buyer)).length).toBe(2);
  } finally {
    scene.payments.switchedOff.clear();
  }
});

test("a refund of a running month takes it back, and one of an earlier month takes no balance", async () => {
  const { buyer } = await scene.subscribe();
  await scene.moveTo(scene.month(1));
  const orders = await scene.db.sql<{ order_no: string }>`
    select order_no from sales_order where user_id = ${buyer.userId}::bigint order by id`;
  const refund = (orderNo = "") =>
    scene.db.withTransaction((tx) =>
      openRefund(tx, { orderNo, amountUsd: null, reason: "asked", idempotencyKey: "1", mayGoNegative: false }),
    );
  expect((await refund(orders[0]?.order_no)).refund).toMatchObject({ amountUsd: "20.00", quota: 0n });
  expect(await balanceOf(buyer)).toBe(monthly);
  expect((await refund(orders[1]?.order_no)).refund).toMatchObject({ amountUsd: "20.00", quota: monthly });
  expect(await balanceOf(buyer)).toBe(0n);
});

describe("new terms of a plan", () => {
  const savePlan = (price: string): Promise<void> =>
    scene.db.withTransaction(async (tx) => {
      const plan = await lockPlan(tx, "monthly");
      if (plan === null) {
        throw new Error("the plan is gone");
      }
      await saveChangedPlan(tx, { ...plan, priceUsd: price as Decimal, quota: monthly }, plan.version);
    });

  test("hold for months that begin after the notice, and the gateway charges them", async () => {
    const { buyer, renewalNo } = await scene.subscribe();
    await savePlan("25.00");
    try {
      await scene.runJobs();
      expect(await scene.mails("renewal_changes", buyer)).toBe(1);
      expect(await scene.renewal(renewalNo)).toMatchObject({ price_usd: "20.00", next_price_usd: "25.00" });
      // 28 February is less than 30 days away, and 31 March is not.
      await scene.moveTo(scene.month(1));
      expect(await scene.renewal(renewalNo)).toMatchObject({ price_usd: "25.00", next_price_usd: null });
      await scene.moveTo(scene.month(2));
      expect(await ordersOf(buyer)).toEqual(["settled 20.00 pi_in", "settled 20.00 pi_in", "settled 25.00 pi_in"]);
      expect(await scene.mails("renewal_changes", buyer)).toBe(1);
    } finally {
      await savePlan("20.00");
    }
  });

  test("that are taken back before they hold change nothing", async () => {
    const { renewalNo } = await scene.subscribe();
    await savePlan("25.00");
    await scene.runJobs();
    await savePlan("20.00");
    await scene.moveTo(scene.month(2));
    expect(await scene.renewal(renewalNo)).toMatchObject({ price_usd: "20.00", next_price_usd: null });
  });
});

describe("what the gateway reports", () => {
  test("with another amount waits for a person, and credits nothing", async () => {
    const { buyer, renewalNo } = await scene.subscribe();
    scene.book.subscriptionOf(renewalNo).cents = 1;
    await scene.moveTo(scene.month(1));
    expect((await ordersOf(buyer))[1]).toBe("review 20.00 undefined");
  });

  test("about a month that is long over waits for a person", async () => {
    const { buyer, renewalNo } = await scene.subscribe();
    scene.book.isCardGood = false;
    await scene.moveTo(scene.month(1));
    scene.book.isCardGood = true;
    scene.book.retry(renewalNo);
    scene.payments.time = new Date(scene.month(2).getTime() + 8 * 86_400_000);
    await scene.deliver();
    expect((await ordersOf(buyer))[1]).toBe("review 20.00 undefined");
  });

  test("in the wrong order after an outage gives each paid month once", async () => {
    const { buyer } = await scene.subscribe();
    await scene.moveTo(scene.month(2));
    expect(await ordersOf(buyer)).toEqual(Array.from({ length: 3 }, () => "settled 20.00 pi_in"));
    const [granted] = await scene.db.sql<{ months: number; end: Date }>`
      select sum(months)::int as months, max(period_end) as "end" from subscription where user_id = ${buyer.userId}::bigint`;
    // A month that was over when it became known is added to the running one.
    expect(granted).toEqual({ months: 3, end: new Date("2026-05-31T10:00:00Z") });
  });

  test("late gives the rest of the month that it is for", async () => {
    const { buyer, renewalNo } = await scene.subscribe();
    scene.book.isCardGood = false;
    await scene.moveTo(scene.month(1));
    scene.book.isCardGood = true;
    scene.book.retry(renewalNo);
    await scene.moveTo(scene.month(1, 240));
    expect(await scene.months(buyer)).toEqual(["expired 2026-02-28", "active 2026-03-31"]);
  });

  test("about a subscription that is not ours is ignored, and an unknown number of ours is an alarm", async () => {
    const { renewalNo } = await scene.subscribe();
    const object = { id: "sub_other", object: "subscription", metadata: {} };
    const [foreign] = await scene.deliver([{ type: "customer.subscription.updated", object }]);
    expect(foreign).toEqual({ status: 200, result: "ignored" });
    const unknown = { ...object, metadata: { renewal_no: "P00000000000000000000000000" } };
    expect((await scene.deliver([{ type: "customer.subscription.updated", object: unknown }]))[0]?.result).toBe(
      "unknown_order",
    );
    // A number of ours on a subscription that the gateway does not have.
    const forged = { ...object, metadata: { renewal_no: renewalNo } };
    expect((await scene.deliver([{ type: "customer.subscription.deleted", object: forged }]))[0]?.result).toBe(
      "ignored",
    );
    expect(await scene.renewal(renewalNo)).toMatchObject({ status: "active" });
  });

  test("is asked of the gateway: an event that claims a payment which it does not have credits nothing", async () => {
    const { buyer, renewalNo } = await scene.subscribe();
    scene.book.isCardGood = false;
    scene.book.advance(scene.month(1));
    const events = scene.book.take().map((event) => ({
      type: event.type === "invoice.payment_failed" ? "invoice.paid" : event.type,
      object: { ...event.object, status: "paid", amount_paid: 2_000 },
    }));
    await scene.deliver(events);
    expect([(await ordersOf(buyer)).length, (await scene.renewal(renewalNo))["status"]]).toEqual([1, "past_due"]);
  });

  test("and never arrives is asked for once the month is over, and credited once", async () => {
    const { buyer, renewalNo } = await scene.subscribe();
    scene.book.advance(scene.month(1));
    scene.book.take();
    scene.payments.time = scene.month(1);
    await scene.runJobs();
    expect((await ordersOf(buyer)).length).toBe(1);
    scene.payments.time = scene.month(1, 3);
    await scene.runJobs();
    await scene.runJobs();
    expect(await ordersOf(buyer)).toEqual(["settled 20.00 pi_in", "settled 20.00 pi_in"]);
    expect([await balanceOf(buyer), await scene.renewal(renewalNo)]).toMatchObject([monthly, { status: "active" }]);
  });

  test("about a late payment never arrives: the gateway is asked before anything is cancelled", async () => {
    const { buyer, renewalNo } = await scene.subscribe();
    scene.book.isCardGood = false;
    await scene.moveTo(scene.month(1));
    expect(await scene.renewal(renewalNo)).toMatchObject({ status: "past_due" });
    scene.book.isCardGood = true;
    scene.book.retry(renewalNo);
    scene.book.take();
    scene.payments.time = scene.month(1, 73);
    await scene.runJobs();
    expect(await scene.renewal(renewalNo)).toMatchObject({ status: "active", end_reason: null });
    expect(scene.book.subscriptionOf(renewalNo).status).toBe("active");
    expect((await ordersOf(buyer)).length).toBe(2);
  });

  test("as a failed charge without a message is found by asking, and its customer is told", async () => {
    const { buyer, renewalNo } = await scene.subscribe();
    scene.book.isCardGood = false;
    scene.book.advance(scene.month(1));
    scene.book.take();
    scene.payments.time = scene.month(1, 3);
    await scene.runJobs();
    expect(await scene.renewal(renewalNo)).toMatchObject({ status: "past_due" });
    expect(await scene.mails("renewal_failed", buyer)).toBe(1);
  });

  test("while the gateway does not answer has to be sent again", async () => {
    const { buyer } = await scene.subscribe();
    scene.book.advance(scene.month(1));
    scene.payments.time = scene.month(1);
    const events = scene.book.take();
    scene.payments.card.override = () => Response.json({ error: { type: "api_error" } }, { status: 500 });
    expect(new Set((await scene.deliver(events)).map(({ status }) => status))).toEqual(new Set([200, 503]));
    scene.payments.card.override = null;
    await scene.deliver(events);
    expect((await ordersOf(buyer)).length).toBe(2);
  });

  test("in twenty deliveries at once is applied once", async () => {
    const { buyer } = await scene.subscribe();
    scene.book.advance(scene.month(1));
    scene.payments.time = scene.month(1);
    const events = scene.book.take();
    await Promise.all(Array.from({ length: 6 }, () => scene.deliver(events)));
    await scene.deliver(events);
    expect([(await ordersOf(buyer)).length, await balanceOf(buyer)]).toEqual([2, monthly]);
  });
});

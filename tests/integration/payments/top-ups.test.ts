import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { setupPages } from "@sluice/control-plane/accounts/attempts/sender-limits.ts";
import { cancelOrder } from "@sluice/control-plane/payments/orders/orders.ts";
import { openRefund } from "@sluice/control-plane/payments/refunds/refunds.ts";
import { askSetups, removeTopUp, startTopUp } from "@sluice/control-plane/payments/top-ups/change-top-up.ts";
import { chargeTopUps } from "@sluice/control-plane/payments/top-ups/charge-top-up.ts";
import { topUpEndpoints } from "@sluice/control-plane/payments/top-ups/routes.ts";
import { DatabaseTimeoutError } from "@sluice/control-plane/platform/db-errors.ts";
import type { Buyer } from "../../support/payments/billing-scene.ts";
import { cardEventBody, signLikeCard } from "../../support/payments/card-gateway.ts";
import { cardSecrets, type PaymentScene } from "../../support/payments/payment-scene.ts";
import { nothing, outage, placeOf, TopUpScene, usd } from "../../support/payments/top-up-scene.ts";
import { serveEndpoints } from "../../support/service/endpoint-server.ts";
import { untilDayLasts } from "../../support/values/day-that-lasts.ts";

let scene: PaymentScene;
let topUps: TopUpScene;
const hour = 3_600_000;

beforeAll(async () => {
  topUps = await TopUpScene.create();
  scene = topUps.payments;
});

beforeEach(() => topUps.reset());

afterEach(async () => {
  expect(await topUps.finish()).toEqual([]);
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;

type Row = { readonly order_no: string; readonly status: string; readonly state: string };

const attemptsOf = async ({ userId }: Buyer): Promise<Row[]> => [
  ...(await scene.billing.db.sql<Row>`
    select o.order_no, o.status, a.state from top_up_attempt a join sales_order o on o.id = a.order_id
    where o.user_id = ${userId}::bigint order by a.id`),
];

const mailsTo = async ({ email }: Buyer): Promise<string[]> =>
  (
    await scene.billing.db.sql<{ template: string }>`
    select template from mail_log where to_address = ${email} order by id`
  ).map(({ template }) => template);

describe("a low balance", () => {
  test("is topped up once, also by ten jobs at once, and the gateway's message changes nothing more", async () => {
    const buyer = await topUps.saved();
    // On a busy machine, one that waits too long for the others leaves it to the next round.
    const orNextRound = (error: unknown): void => {
      expect(error).toBeInstanceOf(DatabaseTimeoutError);
    };
    await Promise.all(Array.from({ length: 10 }, () => chargeTopUps(topUps.deps()).catch(orNextRound)));
    await chargeTopUps(topUps.deps());
    const [attempt] = await attemptsOf(buyer);
    expect(await attemptsOf(buyer)).toEqual([{ order_no: attempt?.order_no ?? "", status: "settled", state: "paid" }]);
    expect(await scene.billing.balance(buyer)).toBe(5_000_000n);
    const payments = scene.card.saved.paidFor(attempt?.order_no ?? "");
    expect(payments.map(({ cents }) => cents)).toEqual([1_000]);
    const body = cardEventBody({ orderNo: attempt?.order_no ?? "", paymentId: payments[0]?.id ?? "" });
    const delivered = await scene.postEvent(body, signLikeCard(body, cardSecrets.default));
    expect(await delivered.json()).toMatchObject({ result: "duplicate" });
    await chargeTopUps(topUps.deps());
    expect(await scene.billing.balance(buyer)).toBe(5_000_000n);
  });

  test("is left alone above the threshold, before a method is saved, and while the gateway is switched off", async () => {
    const rich = await topUps.saved({ thresholdUsd: usd("2.00") });
    await chargeTopUps(topUps.deps());
    await scene.billing.use(rich, 3_900_000n);
    await chargeTopUps(topUps.deps());
    expect(await attemptsOf(rich)).toHaveLength(1);
    const unsaved = await scene.billing.addBuyer();
    await topUps.start(unsaved);
    await askSetups(topUps.deps());
    await chargeTopUps(topUps.deps());
    expect(await attemptsOf(unsaved)).toEqual([]);
    const waiting = await topUps.saved();
    scene.switchedOff.add("cardpay");
    await chargeTopUps(topUps.deps());
    scene.switchedOff.delete("cardpay");
    expect(await attemptsOf(waiting)).toEqual([]);
  });

  test("is topped up within the limit of the month, and again in the next one", async () => {
    await untilDayLasts();
    const buyer = await topUps.saved({ monthMaxUsd: usd("20.00") });
    for (let round = 0; round < 4; round += 1) {
      await chargeTopUps(topUps.deps());
      await scene.billing.use(buyer, 5_000_000n - (round < 2 ? 0n : 5_000_000n));
    }
    expect(await attemptsOf(buyer)).toHaveLength(2);
    const next = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() + 1, 2));
    await chargeTopUps(topUps.deps(), next);
    expect(await attemptsOf(buyer)).toHaveLength(3);
  });

  test("is not topped up at another price than the customer agreed to", async () => {
    const buyer = await topUps.saved({ planCode: "any", amountUsd: usd("10.00") });
    await scene.billing.db.sql`update plan set amount_min_usd = 50 where plan_code = 'any'`;
    const other = await topUps.saved();
    await scene.billing.db.sql`update plan set price_usd = 11 where plan_code = 'credit'`;
    try {
      await chargeTopUps(topUps.deps());
      await chargeTopUps(topUps.deps());
      expect([await topUps.stateOf(buyer), await topUps.stateOf(other)]).toEqual(["stopped terms", "stopped terms"]);
      expect([await attemptsOf(buyer), await attemptsOf(other)]).toEqual([[], []]);
      expect(await mailsTo(other)).toEqual(["top_up_stopped"]);
    } finally {
      await scene.billing.db.sql`update plan set amount_min_usd = 5 where plan_code = 'any'`;
      await scene.billing.db.sql`update plan set price_usd = 10 where plan_code = 'credit'`;
    }
  });
});

describe("a charge", () => {
  test("that is declined leaves a page to pay on, once a day, and the second one switches it off", async () => {
    const buyer = await topUps.saved();
    scene.card.saved.bank = "authentication_required";
    await chargeTopUps(topUps.deps());
    await chargeTopUps(topUps.deps());
    const [first] = await attemptsOf(buyer);
    expect(await attemptsOf(buyer)).toEqual([{ order_no: first?.order_no ?? "", status: "pending", state: "failed" }]);
    expect(await mailsTo(buyer)).toEqual(["top_up_failed"]);
    const [page] = await scene.billing.db.sql<{ checkout_url: string | null }>`
      select checkout_url from sales_order where order_no = ${first?.order_no ?? ""}`;
    expect(page?.checkout_url).toContain("/pay/cs_test_");
    await scene.billing.db.sql`update sales_order set status = 'expired' where order_no = ${first?.order_no ?? ""}`;
    scene.card.saved.bank = "card_declined";
    await chargeTopUps(topUps.deps());
    expect(await topUps.stateOf(buyer)).toBe("stopped declined");
    expect(await mailsTo(buyer)).toEqual(["top_up_failed", "top_up_stopped"]);
    await scene.billing.db.sql`update sales_order set status = 'expired' where status = 'pending'`;
    await chargeTopUps(topUps.deps());
    expect(await attemptsOf(buyer)).toHaveLength(2);
    expect(await scene.billing.balance(buyer)).toBe(0n);
  });

  test("whose answer is lost is asked about under the same key, and charged once", async () => {
    const buyer = await topUps.saved();
    let lost = 0;
    scene.card.override = async (request) => {
      const answer = scene.card.saved.answer(request, scene.card.url);
      lost += 1;
      return answer === null
        ? new Response(null, { status: 404 })
        : Response.json({ error: { type: "api_error" } }, { status: 500 });
    };
    await chargeTopUps(topUps.deps());
    scene.card.override = null;
    expect(lost).toBeGreaterThan(0);
    expect((await attemptsOf(buyer)).map(({ state }) => state)).toEqual(["open"]);
    await scene.billing.db.sql`update top_up_attempt set asking_until = null`;
    await chargeTopUps(topUps.deps());
    const [attempt] = await attemptsOf(buyer);
    expect(attempt?.state).toBe("paid");
    expect(scene.card.saved.paidFor(attempt?.order_no ?? "")).toHaveLength(1);
    expect(await scene.billing.balance(buyer)).toBe(5_000_000n);
  });

  test("whose answer is lost for a day is not made again: a person has to look", async () => {
    const buyer = await topUps.saved();
    scene.card.override = () => Response.json({ error: { type: "api_error" } }, { status: 500 });
    await chargeTopUps(topUps.deps());
    scene.card.override = null;
    await scene.billing.db.sql`update top_up_attempt set asking_until = null`;
    const before = scene.card.requests.length;
    await chargeTopUps(topUps.deps(), new Date(Date.now() + 21 * hour));
    expect(scene.card.requests.length).toBe(before);
    expect((await attemptsOf(buyer)).map(({ state }) => state)).toEqual(["open"]);
    expect(scene.billing.lines.some((line) => line.includes("top_up_unknown"))).toBe(true);
    await scene.billing.db.sql`update top_up_attempt set state = 'failed' where state = 'open'`;
  });

  test("that the bank answers later is credited once it has", async () => {
    const buyer = await topUps.saved();
    scene.card.saved.bank = "processing";
    await chargeTopUps(topUps.deps());
    expect(await scene.billing.balance(buyer)).toBe(0n);
    const [attempt] = await attemptsOf(buyer);
    for (const intent of scene.card.saved.intents.values()) {
      intent.status = intent.metadata["trade_no"] === attempt?.order_no ? "succeeded" : intent.status;
    }
    await scene.billing.db.sql`update top_up_attempt set asking_until = null`;
    await chargeTopUps(topUps.deps());
    expect(await scene.billing.balance(buyer)).toBe(5_000_000n);
  });
});

describe("nothing is charged", () => {
  test("for an order that its customer cancelled, or a method removed, before the gateway was asked", async () => {
    const [cancelling, removing] = [await topUps.saved(), await topUps.saved()];
    const place = async (buyer: Buyer) => {
      const { order } = await scene.billing.place({
        ...{ userId: buyer.userId, payChannel: "cardpay", sender: "default", vendor: "cardpay_card" },
      });
      await scene.billing.db.sql`
        insert into top_up_attempt (top_up_id, order_id)
        select id, ${order.id}::bigint from auto_top_up where user_id = ${buyer.userId}::bigint and status = 'on'`;
      return order.orderNo;
    };
    const cancelled = await place(cancelling);
    const removed = await place(removing);
    const by = { userId: cancelling.userId, claimCode: null };
    await scene.billing.db.withTransaction((tx) => cancelOrder(tx, cancelled, by));
    // The gateway does not hear of the removal yet.
    scene.card.override = outage;
    await removeTopUp(topUps.deps(), placeOf(removing), nothing);
    scene.card.override = null;
    scene.switchedOff.add("cardpay");
    await chargeTopUps(topUps.deps());
    scene.switchedOff.delete("cardpay");
    expect([scene.card.saved.paidFor(cancelled), scene.card.saved.paidFor(removed)]).toEqual([[], []]);
    for (const buyer of [cancelling, removing]) {
      expect((await attemptsOf(buyer)).map(({ state, status }) => [state, status])).toEqual([["failed", "cancelled"]]);
      expect(await mailsTo(buyer)).toEqual([]);
    }
  });

  test("after the removal of a method whose charge got no answer, once the gateway has forgotten it", async () => {
    const buyer = await topUps.saved();
    scene.card.override = outage;
    await chargeTopUps(topUps.deps());
    scene.card.override = null;
    await removeTopUp(topUps.deps(), placeOf(buyer), nothing);
    await scene.billing.db.sql`update top_up_attempt set asking_until = now() - interval '1 minute'`;
    await chargeTopUps(topUps.deps());
    expect((await attemptsOf(buyer)).map(({ state, status }) => [state, status])).toEqual([["failed", "cancelled"]]);
    expect(await mailsTo(buyer)).toEqual([]);
    expect(await scene.billing.balance(buyer)).toBe(0n);
  });

  test.each(["refunded", "disputed"])("once a payment of it was %s: it is switched off", async (what) => {
    const buyer = await topUps.saved();
    await chargeTopUps(topUps.deps());
    const [attempt] = await attemptsOf(buyer);
    const orderNo = attempt?.order_no ?? "";
    if (what === "refunded") {
      const refund = { orderNo, amountUsd: null, reason: "not wanted", idempotencyKey: "top-up-refund" };
      await scene.billing.db.withTransaction((tx) => openRefund(tx, { ...refund, mayGoNegative: false }));
    } else {
      await scene.billing.use(buyer, 5_000_000n);
      await scene.billing.db.sql`
        update sales_order set review_reason = 'gateway_reversal: dispute' where order_no = ${orderNo}`;
    }
    await chargeTopUps(topUps.deps());
    await chargeTopUps(topUps.deps());
    expect(await attemptsOf(buyer)).toHaveLength(1);
    expect(await topUps.stateOf(buyer)).toBe("stopped returned");
    expect(await mailsTo(buyer)).toContain("top_up_stopped");
  });

  test("for an organisation that is suspended, or whose member has left, who gets the method back", async () => {
    const { db } = scene.billing;
    const organisationOf = async (buyer: Buyer): Promise<bigint> => {
      const [row] = await db.sql<{ id: bigint }>`
        with u as (insert into gateway_user default values returning id),
          b as (insert into budget (gateway_user_id) select id from u),
          o as (insert into organisation (gateway_user_id, name) select id, 'Acme' from u returning id),
          m as (insert into organisation_member (organisation_id, user_id, role)
            select id, ${buyer.userId}::bigint, 'billing' from o)
        select id from o`;
      return row?.id ?? 0n;
    };
    const savedFor = async () => {
      const buyer = await scene.billing.addBuyer();
      const organisationId = await organisationOf(buyer);
      const usual = { planCode: "credit", amountUsd: undefined, thresholdUsd: usd("2.00"), monthMaxUsd: usd("30.00") };
      const { topUp } = await startTopUp(topUps.deps(), { userId: buyer.userId, organisationId }, usual, nothing);
      scene.card.saved.save(topUp.topUpNo);
      await askSetups(topUps.deps());
      return { buyer, organisationId };
    };
    const [suspended, left, fine] = [await savedFor(), await savedFor(), await savedFor()];
    await db.sql`update organisation set status = 'suspended' where id = ${suspended.organisationId}::bigint`;
    await db.sql`
      update organisation_member set left_at = now() where organisation_id = ${left.organisationId}::bigint`;
    const before = scene.card.saved.detached.length;
    await chargeTopUps(topUps.deps());
    await askSetups(topUps.deps());
    expect(await attemptsOf(suspended.buyer)).toEqual([]);
    expect(await attemptsOf(left.buyer)).toEqual([]);
    expect((await attemptsOf(fine.buyer)).map(({ state }) => state)).toEqual(["paid"]);
    expect([
      await topUps.stateOf(suspended.buyer),
      await topUps.stateOf(left.buyer),
      await topUps.stateOf(fine.buyer),
    ]).toEqual([...["on", "removed", "on"]]);
    expect(scene.card.saved.detached.length).toBe(before + 1);
  });
});

describe("a customer", () => {
  test("removes the method: nothing more is charged, and the gateway forgets it, even if it does not answer at once", async () => {
    const buyer = await topUps.saved();
    scene.card.override = () => Response.json({ error: { type: "api_error" } }, { status: 500 });
    await removeTopUp(topUps.deps(), placeOf(buyer), nothing);
    scene.card.override = null;
    await chargeTopUps(topUps.deps());
    expect(await attemptsOf(buyer)).toEqual([]);
    const before = scene.card.saved.detached.length;
    await askSetups(topUps.deps());
    await askSetups(topUps.deps());
    expect(scene.card.saved.detached.length).toBe(before + 1);
    expect(await removeTopUp(topUps.deps(), placeOf(buyer), nothing).catch(codeOf)).toBe("not_found");
  });

  test("opens ten pages of the gateway an hour, and has to wait for more", async () => {
    const buyer = await scene.billing.addBuyer();
    const http = serveEndpoints(topUpEndpoints(topUps.deps(), setupPages(scene.billing.db)));
    const open = () =>
      fetch(`${http.url}/backend/billing/top-up/start/`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-test-user": `${buyer.userId} ${buyer.gatewayUserId}` },
        body: JSON.stringify({ plan_code: "credit", threshold_usd: "2.00", month_max_usd: "30.00" }),
      });
    try {
      for (let page = 0; page < 10; page += 1) {
        expect((await open()).status).toBe(200);
      }
      const asked = scene.card.requests.length;
      const refused = await open();
      expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, true]);
      expect(scene.card.requests.length).toBe(asked);
    } finally {
      await http.stop();
    }
  });

  test("has one at a time, also when ten are started at once", async () => {
    const buyer = await scene.billing.addBuyer();
    await Promise.allSettled(Array.from({ length: 10 }, () => topUps.start(buyer)));
    const [row] = await scene.billing.db.sql<{ count: number }>`
      select count(*)::int as count from auto_top_up where user_id = ${buyer.userId}::bigint and status in ('pending', 'on', 'stopped')`;
    expect(row?.count).toBe(1);
    const other = await topUps.saved();
    expect(await topUps.start(other).catch(codeOf)).toBe("conflict");
  });

  test("can't agree to less per month than one charge, nor to a monthly plan", async () => {
    const buyer = await scene.billing.addBuyer();
    expect(await topUps.start(buyer, { monthMaxUsd: usd("9.99") }).catch(codeOf)).toBe("invalid_value");
    expect(await topUps.start(buyer, { planCode: "monthly" }).catch(codeOf)).toBe("not_found");
    expect(await topUps.start(buyer, { planCode: "any", amountUsd: usd("1.00") }).catch(codeOf)).toBe("invalid_amount");
  });
});

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { AmountRules } from "@sluice/control-plane/admin/approvals/model.ts";
import { chargeTopUps } from "@sluice/control-plane/payments/top-ups/charge-top-up.ts";
import { type Answer, type ConsoleClient, codeOf, consoleClient } from "../../support/accounts/console-client.ts";
import { loginAdmin, sessionsOf } from "../../support/accounts/logins.ts";
import { adminBillingEndpoints, usualRules } from "../../support/payments/admin-billing.ts";
import type { Buyer } from "../../support/payments/billing-scene.ts";
import { cardEventBody, signLikeCard } from "../../support/payments/card-gateway.ts";
import { cardSecrets, type PaymentScene } from "../../support/payments/payment-scene.ts";
import { ScriptedRefunds } from "../../support/payments/scripted-refunds.ts";
import { outage, TopUpScene } from "../../support/payments/top-up-scene.ts";
import { type EndpointServer, serveEndpoints } from "../../support/service/endpoint-server.ts";

let scene: PaymentScene;
let topUps: TopUpScene;
let http: EndpointServer;
let rules: AmountRules = usualRules;
const price = 5_000_000n;
const later = () => new Date(Date.now() + 21 * 3_600_000);

beforeAll(async () => {
  topUps = await TopUpScene.create();
  scene = topUps.payments;
  const refunds = new ScriptedRefunds();
  const parts = { ...scene.billing.deps, gateways: { walletpay: refunds, cardpay: refunds } };
  const endpoints = adminBillingEndpoints(parts, () => rules);
  http = serveEndpoints(endpoints, sessionsOf(scene.billing.db));
});

beforeEach(() => {
  rules = usualRules;
  topUps.reset();
});

afterEach(async () => {
  expect(await topUps.finish()).toEqual([]);
});

afterAll(async () => {
  await http.stop();
  await scene[Symbol.asyncDispose]();
});

type Unclear = Buyer & { readonly topUpNo: string; readonly orderNo: string };

/** Somebody whose charge got no answer for a day, by the clock of the job. */
async function unclear(): Promise<Unclear> {
  const buyer = await topUps.saved();
  scene.card.override = outage;
  await chargeTopUps(topUps.deps());
  scene.card.override = null;
  await round(later());
  const { order_no: orderNo = "" } = await attemptOf(buyer);
  return { ...buyer, orderNo };
}

/** The job, however lately it ran. */
async function round(at?: Date): Promise<void> {
  await scene.billing.db
    .sql`update top_up_attempt set asking_until = now() - interval '1 second' where asking_until is not null`;
  await chargeTopUps(topUps.deps(), at);
}

type Row = {
  readonly order_no: string;
  readonly status: string;
  readonly state: string;
  readonly error: string | null;
};

async function attemptOf({ userId }: Buyer): Promise<Partial<Row>> {
  const [row] = await scene.billing.db.sql<Row>`
    select o.order_no, o.status, a.state, a.error from top_up_attempt a join sales_order o on o.id = a.order_id
    where o.user_id = ${userId}::bigint order by a.id limit 1`;
  return row ?? {};
}

const alarms = (orderNo: string): number =>
  scene.billing.lines.filter((line) => line.includes("top_up_unknown") && line.includes(orderNo)).length;

async function admin(isSuper = true): Promise<ConsoleClient> {
  return consoleClient(http.url, (await loginAdmin(scene.billing, { isSuper })).cookie);
}

const close = (client: ConsoleClient, orderNo: string, more: object): Promise<Answer> =>
  client.post("/backend/admin/top-up/close/", { order_no: orderNo, reason: "looked at the gateway", ...more });
const charged = (id = "pi_found") => ({ outcome: "charged", transaction_id: id });
const notCharged = { outcome: "not_charged" };

describe("a charge that got no answer for a day", () => {
  test("is one alarm, however often the job runs, and no other charge follows", async () => {
    const buyer = await unclear();
    const asked = scene.card.requests.length;
    await round(later());
    await round(later());
    expect([alarms(buyer.orderNo), scene.card.requests.length]).toEqual([1, asked]);
    expect(await attemptOf(buyer)).toMatchObject({ state: "open", status: "pending" });
  });

  test("is credited once a person has found its payment, once, and the gateway's late message changes nothing", async () => {
    const buyer = await unclear();
    const client = await admin();
    const seen = await client.get("/backend/admin/top-up/charge/", { order_no: buyer.orderNo });
    expect(seen.body["charge"]).toMatchObject({
      ...{ state: "open", amount_usd: "10.00", account: "default", top_up_no: buyer.topUpNo, demand: "nothing" },
      ...{ balance_before_quota: 0, balance_after_quota: Number(price) },
    });
    const id = `pi_${crypto.randomUUID().replaceAll("-", "")}`;
    const answers = await Promise.all(Array.from({ length: 5 }, () => close(client, buyer.orderNo, charged(id))));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(answers.filter(({ body }) => body["is_new"] === true)).toHaveLength(1);
    expect(await attemptOf(buyer)).toMatchObject({ state: "paid", status: "settled" });
    const event = cardEventBody({ orderNo: buyer.orderNo, paymentId: id });
    const delivered = await scene.postEvent(event, signLikeCard(event, cardSecrets.default));
    expect(await delivered.json()).toMatchObject({ result: "duplicate" });
    expect(await scene.billing.balance(buyer)).toBe(price);
    const [entry] = await scene.billing.db.sql`
      select reason, after ->> 'transactionId' as id from audit_log where action = 'top_up.close' and subject_id = ${buyer.orderNo}`;
    expect(entry).toEqual({ reason: "looked at the gateway", id });
    expect(codeOf(await close(client, buyer.orderNo, notCharged))).toEqual([409, "conflict"]);
  });

  test("is released once a person has found none: its order is cancelled, and the next charge follows", async () => {
    const buyer = await unclear();
    const client = await admin();
    expect((await close(client, buyer.orderNo, notCharged)).body).toMatchObject({ is_new: true, status: "cancelled" });
    expect((await close(client, buyer.orderNo, notCharged)).body).toMatchObject({ is_new: false });
    expect(await attemptOf(buyer)).toMatchObject({ state: "failed", error: "not_charged" });
    expect(codeOf(await close(client, buyer.orderNo, charged()))).toEqual([409, "conflict"]);
    await round();
    expect(await scene.billing.balance(buyer)).toBe(price);
  });

  test("that was released is credited after all if the gateway reports its payment", async () => {
    const buyer = await unclear();
    await close(await admin(), buyer.orderNo, notCharged);
    const body = cardEventBody({ orderNo: buyer.orderNo, paymentId: `pi_${Date.now()}late` });
    const delivered = await scene.postEvent(body, signLikeCard(body, cardSecrets.default));
    expect(await delivered.json()).toMatchObject({ result: "settled" });
    expect(await scene.billing.balance(buyer)).toBe(price);
  });

  test("that the gateway reports before anybody looks ends on its own", async () => {
    const buyer = await unclear();
    const body = cardEventBody({ orderNo: buyer.orderNo, paymentId: `pi_${Date.now()}self` });
    await scene.postEvent(body, signLikeCard(body, cardSecrets.default));
    await round(later());
    expect(await attemptOf(buyer)).toMatchObject({ state: "paid", status: "settled" });
    expect(codeOf(await close(await admin(), buyer.orderNo, charged()))).toEqual([409, "conflict"]);
    expect(await scene.billing.balance(buyer)).toBe(price);
  });
});

describe("ending a charge by hand is refused", () => {
  test("against what the gateway has reported meanwhile, before the job has seen it", async () => {
    const buyer = await unclear();
    const client = await admin();
    const id = `pi_${crypto.randomUUID().replaceAll("-", "")}`;
    const body = cardEventBody({ orderNo: buyer.orderNo, paymentId: id });
    await scene.postEvent(body, signLikeCard(body, cardSecrets.default));
    for (const found of [notCharged, charged(`${id}x`)]) {
      expect(codeOf(await close(client, buyer.orderNo, found))).toEqual([409, "conflict"]);
      expect(await attemptOf(buyer)).toMatchObject({ state: "open", status: "settled" });
    }
    // What is said of the payment that was reported is true.
    expect((await close(client, buyer.orderNo, charged(id))).body).toMatchObject({ is_new: true, status: "settled" });
    expect([await attemptOf(buyer), await scene.billing.balance(buyer)]).toMatchObject([{ state: "paid" }, price]);
  });

  test("while the gateway is still asked, for an order that is not a charge, and for what does not fit", async () => {
    const buyer = await unclear();
    const client = await admin();
    expect(codeOf(await close(client, buyer.orderNo, { outcome: "charged" }))).toEqual([400, "invalid_value"]);
    expect(codeOf(await close(client, buyer.orderNo, { ...notCharged, transaction_id: "pi_1" }))).toEqual([
      400,
      "invalid_value",
    ]);
    expect((await close(client, buyer.orderNo, charged("' or 1=1"))).status).toBe(400);
    const order = await scene.billing.placeFor(buyer);
    expect(codeOf(await close(client, order.orderNo, charged()))).toEqual([404, "not_found"]);
    await scene.billing.db.sql`update top_up_attempt set unclear_since = null`;
    expect(codeOf(await close(client, buyer.orderNo, charged()))).toEqual([409, "conflict"]);
    expect(await scene.billing.balance(buyer)).toBe(0n);
  });

  test("with the payment of another order, which would pay twice", async () => {
    const [one, other] = [await unclear(), await unclear()];
    const client = await admin();
    const id = `pi_${crypto.randomUUID().replaceAll("-", "")}`;
    expect((await close(client, one.orderNo, charged(id))).status).toBe(200);
    expect(codeOf(await close(client, other.orderNo, charged(id)))).toEqual([409, "conflict"]);
    expect([await scene.billing.balance(other), await attemptOf(other)]).toMatchObject([0n, { state: "open" }]);
  });

  test("beyond the limits of an admin, and waits for a second person above the threshold", async () => {
    const buyer = await unclear();
    rules = { ...usualRules, adjust: { usdMax: 5, usdPerDayMax: 100 } };
    expect(codeOf(await close(await admin(false), buyer.orderNo, charged()))).toEqual([403, "super_admin_required"]);
    rules = { ...usualRules, secondPersonAboveUsd: 5 };
    const [asker, second] = [await admin(), await admin()];
    const id = `pi_${crypto.randomUUID().replaceAll("-", "")}`;
    const waiting = await close(asker, buyer.orderNo, charged(id));
    const approval = waiting.body["approval"] as { approval_id: number };
    expect(approval).toMatchObject({ status: "pending", effects: { order_no: buyer.orderNo, outcome: "charged" } });
    expect(await scene.billing.balance(buyer)).toBe(0n);
    const decision = { approval_id: approval.approval_id, decision: "approve", reason: "looked at together" };
    expect(codeOf(await asker.post("/backend/admin/approval/decide/", decision))).toEqual([409, "self_forbidden"]);
    expect((await second.post("/backend/admin/approval/decide/", decision)).status).toBe(200);
    expect(await scene.billing.balance(buyer)).toBe(price);
  });
});

import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import type { Decimal } from "@sluice/contracts/money";
import type { Order } from "@sluice/control-plane/payments/model.ts";
import { claimOrder, expireOverdueOrders } from "@sluice/control-plane/payments/orders/orders.ts";
import { payWaitingRefunds } from "@sluice/control-plane/payments/refunds/refunds.ts";
import { settlePaid } from "@sluice/control-plane/payments/settle/settle-paid.ts";
import { codeOf, consoleClient } from "../../support/accounts/console-client.ts";
import { loginAdmin, sessionsOf } from "../../support/accounts/logins.ts";
import { adminBillingEndpoints } from "../../support/payments/admin-billing.ts";
import { BillingScene, type Buyer, noticeOf } from "../../support/payments/billing-scene.ts";
import { ScriptedRefunds } from "../../support/payments/scripted-refunds.ts";
import { type EndpointServer, serveEndpoints } from "../../support/service/endpoint-server.ts";

let scene: BillingScene;
let http: EndpointServer;
const admins: ReturnType<typeof consoleClient>[] = [];
const gateway = new ScriptedRefunds();
const gateways = { walletpay: gateway, cardpay: gateway };
const path = "/backend/admin/order/resolve/";

beforeAll(async () => {
  scene = await BillingScene.create();
  http = serveEndpoints(adminBillingEndpoints({ ...scene.deps, gateways }), sessionsOf(scene.db));
  for (const isSuper of [true, false]) {
    admins.push(consoleClient(http.url, (await loginAdmin(scene, { isSuper })).cookie));
  }
});

afterEach(async () => {
  gateway.answers = [];
  expect(await scene.checkMoney()).toEqual([]);
});

afterAll(async () => {
  await http.stop();
  await scene[Symbol.asyncDispose]();
});

const usd = (text: string): Decimal => text as Decimal;

function fail(): never {
  throw new Error("no such admin");
}

/** An order of a buyer for which too little was paid. */
async function underpaid(planCode = "credit"): Promise<{ buyer: Buyer; order: Order }> {
  const buyer = await scene.addBuyer();
  const order = await scene.placeFor(buyer, planCode);
  expect(await settlePaid(scene.deps, noticeOf(order, { amountUsd: usd("9.00") }))).toBe("review");
  return { buyer, order };
}

function resolve(order: Order, action: string, more: object = {}, as = 0) {
  const asked = { order_no: order.orderNo, action, reason: "looked at it", ...more };
  const admin = admins[as];
  if (admin === undefined) {
    throw new Error("no such admin");
  }
  return admin.post(path, asked);
}

async function decisions(order: Order): Promise<number> {
  const rows = await scene.db.sql`
    select 1 from audit_log where action = 'order.resolve' and subject_id = ${order.orderNo} and reason <> ''`;
  return rows.length;
}

test("what an admin settles is credited once, with its reason in the audit log", async () => {
  for (const planCode of ["credit", "monthly"]) {
    const { buyer, order } = await underpaid(planCode);
    expect(await scene.balance(buyer)).toBe(0n);
    const first = await resolve(order, "settle");
    expect(first.body).toMatchObject({ ok: true, is_new: true, order: { status: "settled" }, refund: null });
    expect((await resolve(order, "settle")).body).toMatchObject({ is_new: false, order: { status: "settled" } });
    expect(await scene.balance(buyer)).toBe(order.quota);
    expect(await settlePaid(scene.deps, noticeOf(order, { amountUsd: usd("9.00") }))).toBe("duplicate");
    expect([await scene.balance(buyer), await decisions(order)]).toEqual([order.quota, 1]);
  }
});

test("a refund sends back what was paid, and credits nothing, now or later", async () => {
  const { buyer, order } = await underpaid();
  const answer = await resolve(order, "refund");
  expect(answer.body).toMatchObject({
    is_new: true,
    order: { status: "refunded" },
    refund: { status: "done", amount_usd: "9.00", quota: 0 },
  });
  expect(gateway.requests.at(-1)).toMatchObject({ amountUsd: "9.00", orderNo: order.orderNo });
  const asked = gateway.requests.length;
  expect((await resolve(order, "refund")).body).toMatchObject({ is_new: false });
  expect(codeOf(await resolve(order, "settle"))).toEqual([409, "conflict"]);
  expect([gateway.requests.length, await scene.balance(buyer), await decisions(order)]).toEqual([asked, 0n, 1]);
});

test("a payment for an account that was closed since credits nobody, and can only be refunded", async () => {
  const buyer = await scene.addBuyer();
  const order = await scene.placeFor(buyer);
  await expireOverdueOrders(scene.db, order.expiresAt);
  await scene.db.sql`update user_profile set status = 'closed' where id = ${buyer.userId}::bigint`;
  expect(await settlePaid(scene.deps, noticeOf(order))).toBe("review");
  expect(await scene.order(order.orderNo)).toMatchObject({ status: "review", review_reason: "account_closed" });
  expect(codeOf(await resolve(order, "settle"))).toEqual([409, "conflict"]);
  expect((await resolve(order, "refund")).body).toMatchObject({ order: { status: "refunded" }, refund: { quota: 0 } });
  expect(await scene.balance(buyer)).toBe(0n);
});

test("a refund that the gateway refuses can be retried, or be settled instead", async () => {
  for (const second of ["refund", "settle"]) {
    const { buyer, order } = await underpaid();
    gateway.answers = [{ kind: "failed", error: "no" }];
    expect((await resolve(order, "refund")).body).toMatchObject({ refund: { status: "failed" } });
    gateway.answers = [];
    expect(codeOf(await resolve(order, "cancel"))).toEqual([409, "conflict"]);
    expect((await resolve(order, second)).body).toMatchObject({ is_new: true });
    expect(await scene.balance(buyer)).toBe(second === "settle" ? order.quota : 0n);
  }
});

test("a refund of what was never credited gives no quota and no month when it fails", async () => {
  for (const planCode of ["credit", "monthly"]) {
    const { buyer, order } = await underpaid(planCode);
    gateway.answers = [new Error("cut off")];
    expect((await resolve(order, "refund")).body).toMatchObject({ refund: { status: "pending", quota: 0 } });
    // Even if it were recorded with the quota that the order would have credited.
    await scene.db.sql`update refund set quota = ${order.quota}::bigint where order_id = ${order.id}::bigint`;
    gateway.answers = [{ kind: "failed", error: "no" }];
    expect(await payWaitingRefunds({ ...scene.deps, gateways }, new Date(Date.now() + 120_000))).toBe(1);
    const months = await scene.db.sql`select 1 from subscription where user_id = ${buyer.userId}::bigint`;
    expect([await scene.balance(buyer), months.length]).toEqual([0n, 0]);
    expect(await scene.db.sql`select 1 from quota_grant where budget_id = ${buyer.budgetId}::bigint`).toHaveLength(0);
  }
});

test("a refund that the gateway leaves open is closed by a super-admin, with the reason in the audit log", async () => {
  const { order } = await underpaid();
  gateway.answers = [{ kind: "unclear", message: "what?" }];
  const opened = (await resolve(order, "refund")).body as { refund: { refund_no: string } };
  const found = { refund_no: opened.refund.refund_no, outcome: "done", reason: "it is there" };
  const [superAdmin, plainAdmin] = admins;
  expect(codeOf(await (plainAdmin ?? fail()).post("/backend/admin/refund/close/", found))[0]).toBe(403);
  const closed = await (superAdmin ?? fail()).post("/backend/admin/refund/close/", found);
  expect(closed.body).toMatchObject({ ok: true, refund: { status: "done" } });
  expect(await scene.order(order.orderNo)).toMatchObject({ status: "refunded" });
  const rows = await scene.db.sql`
    select reason from audit_log where action = 'refund.close' and subject_id = ${order.orderNo}`;
  expect([...rows]).toEqual([{ reason: "it is there" }]);
});

test("cancelling an order moves no money; the right payment, if it comes later, is credited as late", async () => {
  const { buyer, order } = await underpaid();
  expect((await resolve(order, "cancel")).body).toMatchObject({ is_new: true, order: { status: "cancelled" } });
  expect((await resolve(order, "cancel")).body).toMatchObject({ is_new: false });
  expect([await scene.balance(buyer), await decisions(order)]).toEqual([0n, 1]);
  expect(await settlePaid(scene.deps, noticeOf(order, { amountUsd: usd("9.00") }))).toBe("review");
  expect(await settlePaid(scene.deps, noticeOf(order, { transactionId: `right ${order.orderNo}` }))).toBe("settled");
  expect(await scene.order(order.orderNo)).toMatchObject({ status: "settled", is_paid_late: true });
  expect(await scene.balance(buyer)).toBe(order.quota);
  // Too late to cancel, whatever was decided before.
  expect(codeOf(await resolve(order, "cancel"))).toEqual([409, "conflict"]);
});

test("of two admins who decide at once one decision counts, and the other gets a conflict", async () => {
  const rounds = process.env["TEST_FULL"] === "1" ? 20 : 4;
  for (let round = 0; round < rounds; round += 1) {
    const { buyer, order } = await underpaid();
    const answers = await Promise.all([
      resolve(order, "settle", {}, 0),
      resolve(order, "refund", {}, 1),
      resolve(order, "settle", {}, 1),
      resolve(order, "cancel", {}, 0),
    ]);
    expect(answers.filter(({ body }) => body["is_new"] === true)).toHaveLength(1);
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
    const isSettled = (await scene.order(order.orderNo)).status === "settled";
    expect([await scene.balance(buyer), await decisions(order)]).toEqual([isSettled ? order.quota : 0n, 1]);
  }
});

test("of several payments one has to be named, and one in another currency is left to a person", async () => {
  const { order } = await underpaid();
  await settlePaid(scene.deps, noticeOf(order, { amountUsd: usd("8.00"), transactionId: `second ${order.orderNo}` }));
  await settlePaid(scene.deps, noticeOf(order, { currency: "EUR", transactionId: `third ${order.orderNo}` }));
  expect(codeOf(await resolve(order, "settle"))).toEqual([409, "conflict"]);
  expect(codeOf(await resolve(order, "settle", { transaction_id: "none" }))).toEqual([409, "conflict"]);
  expect(codeOf(await resolve(order, "settle", { transaction_id: `third ${order.orderNo}` }))).toEqual([
    409,
    "conflict",
  ]);
  const chosen = await resolve(order, "refund", { transaction_id: `second ${order.orderNo}` });
  expect(chosen.body).toMatchObject({ refund: { amount_usd: "8.00", status: "done" } });
});

test("a refused refund is retried for the same payment, never for another one of the order", async () => {
  const { order } = await underpaid();
  const first = noticeOf(order).transactionId;
  await settlePaid(scene.deps, noticeOf(order, { amountUsd: usd("8.00"), transactionId: `second ${order.orderNo}` }));
  gateway.answers = [{ kind: "failed", error: "no" }];
  const refused = await resolve(order, "refund", { transaction_id: `second ${order.orderNo}` });
  expect(refused.body).toMatchObject({ refund: { status: "failed" } });
  gateway.answers = [];
  expect(codeOf(await resolve(order, "refund", { transaction_id: first }))).toEqual([409, "conflict"]);
  expect(codeOf(await resolve(order, "settle", { transaction_id: first }))).toEqual([409, "conflict"]);
  expect((await resolve(order, "refund")).body).toMatchObject({ refund: { amount_usd: "8.00", status: "done" } });
  expect(gateway.requests.at(-1)).toMatchObject({ transactionId: `second ${order.orderNo}`, amountUsd: "8.00" });
});

test("an order that was settled for less refunds at most what was paid", async () => {
  const { buyer, order } = await underpaid();
  await resolve(order, "settle");
  const refund = (amount: object) =>
    admins[0]?.post("/backend/admin/refund/create/", {
      order_no: order.orderNo,
      reason: "test",
      idempotency_key: crypto.randomUUID(),
      ...amount,
    });
  expect((await refund({ amount_usd: "9.01" }))?.status).toBe(409);
  expect((await refund({}))?.body).toMatchObject({ refund: { amount_usd: "9.00", status: "done" } });
  expect(await scene.balance(buyer)).toBe(0n);
  expect(await scene.order(order.orderNo)).toMatchObject({ status: "refunded" });
});

test("a mark is cleared on an order whose status stays the same, and on no other", async () => {
  const buyer = await scene.addBuyer();
  const order = await scene.placeFor(buyer);
  await settlePaid(scene.deps, noticeOf(order));
  await settlePaid(scene.deps, noticeOf(order, { transactionId: `again ${order.orderNo}` }));
  expect(await scene.order(order.orderNo)).toMatchObject({ status: "settled", review_reason: "second_payment" });
  expect(codeOf(await resolve(order, "cancel"))).toEqual([409, "conflict"]);
  expect((await resolve(order, "dismiss")).body).toMatchObject({ is_new: true });
  expect((await resolve(order, "dismiss")).body).toMatchObject({ is_new: false });
  expect(await scene.order(order.orderNo)).toMatchObject({ status: "settled", review_reason: null });
  expect(codeOf(await resolve((await underpaid()).order, "dismiss"))).toEqual([409, "conflict"]);
});

test("an order without an owner whose payment was returned can't be claimed", async () => {
  const { order, claimCode } = await scene.place();
  await settlePaid(scene.deps, noticeOf(order, { amountUsd: usd("9.00") }));
  gateway.answers = [{ kind: "failed", error: "no" }];
  await resolve(order, "refund");
  const { userId } = await scene.addBuyer();
  const claim = { orderNo: order.orderNo, claimCode: claimCode ?? "", userId };
  await expect(scene.db.withTransaction((tx) => claimOrder(tx, claim))).rejects.toMatchObject({ code: "conflict" });
});

test("an order that waits for nothing, a missing order, and a decision without a reason are refused", async () => {
  const order = await scene.placeFor(await scene.addBuyer());
  expect(codeOf(await resolve(order, "settle"))).toEqual([409, "conflict"]);
  expect(codeOf(await resolve({ ...order, orderNo: "SNONE" }, "settle"))).toEqual([404, "not_found"]);
  expect(codeOf(await resolve(order, "settle", { reason: " " }))).toEqual([400, "invalid_value"]);
  expect(codeOf(await consoleClient(http.url, null).post(path, {}))).toEqual([401, "unauthenticated"]);
});

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Decimal } from "@sluice/contracts/money";
import type { AmountRules } from "@sluice/control-plane/admin/approvals/model.ts";
import { settlePaid } from "@sluice/control-plane/payments/settle/settle-paid.ts";
import { type Answer, type ConsoleClient, codeOf, consoleClient } from "../../support/accounts/console-client.ts";
import { loginAdmin, sessionsOf } from "../../support/accounts/logins.ts";
import { adminBillingEndpoints, usualRules } from "../../support/payments/admin-billing.ts";
import { BillingScene, type Buyer, noticeOf } from "../../support/payments/billing-scene.ts";
import { ScriptedRefunds } from "../../support/payments/scripted-refunds.ts";
import { holdLock } from "../../support/postgres/held-lock.ts";
import { type EndpointServer, serveEndpoints } from "../../support/service/endpoint-server.ts";
import { untilDayLasts } from "../../support/values/day-that-lasts.ts";

type Admin = { readonly id: bigint; readonly username: string; readonly client: ConsoleClient };

const usd = 500_000;
const gateway = new ScriptedRefunds();
let scene: BillingScene;
let http: EndpointServer;
let rules: AmountRules = usualRules;
let buyer: Buyer;

beforeAll(async () => {
  scene = await BillingScene.create();
  const parts = { ...scene.deps, gateways: { walletpay: gateway, cardpay: gateway } };
  http = serveEndpoints(
    adminBillingEndpoints(parts, () => rules),
    sessionsOf(scene.db),
  );
});

beforeEach(async () => {
  await untilDayLasts();
  rules = usualRules;
  buyer = await scene.addBuyer();
});

afterEach(async () => {
  expect(await scene.checkMoney()).toEqual([]);
});

afterAll(async () => {
  await http.stop();
  await scene[Symbol.asyncDispose]();
});

async function admin(kind: { isSuper?: boolean; isFresh?: boolean } = {}): Promise<Admin> {
  const { adminId: id, username, cookie } = await loginAdmin(scene, kind);
  return { id, username, client: consoleClient(http.url, cookie) };
}

const adjust = ({ client }: Admin, amount: number, more: object = {}): Promise<Answer> =>
  client.post("/backend/admin/manual-adjust/", {
    gateway_user_id: Number(buyer.gatewayUserId),
    amount,
    reason: "made up for an outage",
    idempotency_key: crypto.randomUUID(),
    ...more,
  });

/** An order of ten dollars that is paid and credited. */
async function paidOrder(): Promise<string> {
  const order = await scene.placeFor(buyer);
  await settlePaid(scene.deps, noticeOf(order));
  return order.orderNo;
}

const refund = ({ client }: Admin, orderNo: string, more: object = {}): Promise<Answer> =>
  client.post("/backend/admin/refund/create/", {
    order_no: orderNo,
    reason: "asked for it back",
    idempotency_key: crypto.randomUUID(),
    ...more,
  });

/** A refund of all of an order that the gateway leaves open. */
async function openRefundOf(orderNo: string): Promise<string> {
  gateway.answers = [{ kind: "unclear", message: "what?" }];
  const { body } = await refund(await admin(), orderNo);
  gateway.answers = [];
  return (body["refund"] as { readonly refund_no: string }).refund_no;
}

const decide = ({ client }: Admin, waiting: Answer, decision: string): Promise<Answer> =>
  client.post("/backend/admin/approval/decide/", {
    approval_id: approvalOf(waiting).approval_id,
    decision,
    reason: "looked at together",
  });

type Approval = {
  approval_id: number;
  status: string;
  effects: Record<string, string>;
  decided_by_name: string | null;
};
const approvalOf = ({ body }: Answer): Approval => body["approval"] as Approval;

describe("what an admin moves by hand", () => {
  test("is limited per act, exactly, and debits count like credits", async () => {
    const clerk = await admin({ isSuper: false });
    expect(codeOf(await adjust(clerk, 20 * usd + 1))).toEqual([403, "super_admin_required"]);
    expect(codeOf(await adjust(clerk, -20 * usd - 1, { allow_negative: true }))).toEqual([403, "super_admin_required"]);
    expect((await adjust(clerk, 20 * usd)).status).toBe(200);
    expect(await scene.balance(buyer)).toBe(BigInt(20 * usd));
  });

  test("is limited per day, and a repeated request counts once", async () => {
    const clerk = await admin({ isSuper: false });
    const key = { idempotency_key: "the-first-of-today" };
    for (let time = 0; time < 4; time += 1) {
      expect((await adjust(clerk, 20 * usd, key)).status).toBe(200);
    }
    for (let time = 0; time < 4; time += 1) {
      expect((await adjust(clerk, time % 2 === 0 ? -20 * usd : 20 * usd)).status).toBe(200);
    }
    expect(codeOf(await adjust(clerk, 1))).toEqual([403, "super_admin_required"]);
    expect((await adjust(await admin({ isSuper: false }), 1)).status).toBe(200);
    expect(await scene.balance(buyer)).toBe(BigInt(20 * usd + 1));
  });

  test("stays within the limit when many requests come at the same moment", async () => {
    const clerk = await admin({ isSuper: false });
    const buyers = await Promise.all(Array.from({ length: 12 }, () => scene.addBuyer()));
    const answers = await Promise.all(
      buyers.map((each) => adjust(clerk, 20 * usd, { gateway_user_id: Number(each.gatewayUserId) })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    const balances = await Promise.all(buyers.map((each) => scene.balance(each)));
    expect(balances.reduce((sum, each) => sum + each, 0n)).toBe(BigInt(100 * usd));
  });

  test("includes what another request of the same admin is about to commit", async () => {
    const clerk = await admin({ isSuper: false });
    expect((await adjust(clerk, usd)).status).toBe(200);
    await using held = await holdLock(
      scene.db,
      (tx) =>
        tx.sql`update admin_allowance set quota = quota + ${90 * usd}::bigint where admin_id = ${clerk.id}::bigint`,
    );
    const waiting = adjust(clerk, 10 * usd);
    await held.waitForWaiters(1);
    await held.release();
    expect(codeOf(await waiting)).toEqual([403, "super_admin_required"]);
    expect(await scene.balance(buyer)).toBe(BigInt(usd));
  });

  test("may be more for a super-admin with a fresh login; otherwise everyone's limits apply", async () => {
    const late = await admin({ isFresh: false });
    expect(codeOf(await adjust(late, 4_000 * usd))).toEqual([403, "step_up_required"]);
    expect((await adjust(late, usd)).status).toBe(200);
    expect((await adjust(await admin(), 4_000 * usd)).status).toBe(200);
  });

  test("is previewed by a dry run, which does not count", async () => {
    const clerk = await admin({ isSuper: false });
    const look = async (amount: number) => (await adjust(clerk, amount, { dry_run: true })).body["demand"];
    expect([await look(20 * usd), await look(20 * usd + 1)]).toEqual(["nothing", "fresh_super_admin"]);
    rules = { ...usualRules, secondPersonAboveUsd: 30 };
    expect(await look(31 * usd)).toBe("second_person");
    expect((await adjust(clerk, 20 * usd)).status).toBe(200);
    expect(await look(11 * usd)).toBe("second_person");
  });

  test("has a limit for refunds, too", async () => {
    rules = { ...usualRules, refund: { usdMax: 5, usdPerDayMax: 8 } };
    const clerk = await admin({ isSuper: false });
    const [one, other] = [await paidOrder(), await paidOrder()];
    expect(codeOf(await refund(clerk, one))).toEqual([403, "super_admin_required"]);
    expect(codeOf(await refund(clerk, one, { amount_usd: "5.01" }))).toEqual([403, "super_admin_required"]);
    expect((await refund(clerk, one, { amount_usd: "5.00" })).status).toBe(200);
    expect(codeOf(await refund(clerk, other, { amount_usd: "3.01" }))).toEqual([403, "super_admin_required"]);
    expect((await refund(clerk, other, { amount_usd: "3.00" })).status).toBe(200);
    expect((await refund(await admin(), one)).status).toBe(200);
  });

  test("has a limit for a mismatched payment that is credited anyway", async () => {
    rules = { ...usualRules, adjust: { usdMax: 5, usdPerDayMax: 5 } };
    const order = await scene.placeFor(buyer);
    await settlePaid(scene.deps, noticeOf(order, { amountUsd: "0.01" as Decimal }));
    const settle = ({ client }: Admin) =>
      client.post("/backend/admin/order/resolve/", { order_no: order.orderNo, action: "settle", reason: "he is nice" });
    expect(codeOf(await settle(await admin({ isSuper: false })))).toEqual([403, "super_admin_required"]);
    expect(await scene.balance(buyer)).toBe(0n);
    expect((await settle(await admin())).status).toBe(200);
    expect(await scene.balance(buyer)).toBe(BigInt(10 * usd));
  });
});

describe("an act that needs a second super-admin", () => {
  beforeEach(() => {
    rules = { ...usualRules, secondPersonAboveUsd: 50 };
  });

  test("waits, and is done once when another one approves", async () => {
    const [asker, second] = [await admin(), await admin()];
    const key = { idempotency_key: crypto.randomUUID() };
    const waiting = await adjust(asker, 51 * usd, key);
    expect(approvalOf(waiting)).toMatchObject({ status: "pending", effects: { amount_quota: String(51 * usd) } });
    expect(approvalOf(await adjust(asker, 51 * usd, key)).approval_id).toBe(approvalOf(waiting).approval_id);
    expect(codeOf(await adjust(asker, 52 * usd, key))).toEqual([422, "idempotency_mismatch"]);
    expect(await scene.balance(buyer)).toBe(0n);
    const seen = await second.client.get("/backend/admin/approval/detail/", {
      approval_id: String(approvalOf(waiting).approval_id),
    });
    expect(seen.body["foreseen"]).toMatchObject({ problem: null, effects: { balance_after_quota: String(51 * usd) } });
    expect(await scene.balance(buyer)).toBe(0n);
    const answers = await Promise.all([
      decide(second, waiting, "approve"),
      decide(await admin(), waiting, "approve"),
      decide(await admin(), waiting, "reject"),
    ]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter((answer) => codeOf(answer)[1] === "conflict")).toHaveLength(2);
    const [row] = await scene.db.sql<{ status: string }>`select status from approval order by id desc limit 1`;
    expect(await scene.balance(buyer)).toBe(row?.status === "approved" ? BigInt(51 * usd) : 0n);
  });

  test("is recorded with both names", async () => {
    const [asker, second] = [await admin(), await admin()];
    const waiting = await adjust(asker, 60 * usd);
    expect((await decide(second, waiting, "approve")).status).toBe(200);
    const id = String(approvalOf(waiting).approval_id);
    const entries = await scene.db.sql`
      select action, actor_name from audit_log
      where (subject_kind = 'approval' and subject_id = ${id}) or after->>'approvalId' = ${id} order by id`;
    expect([...entries]).toEqual([
      { action: "approval.request", actor_name: asker.username },
      { action: "quota.adjust", actor_name: asker.username },
      { action: "approval.approve", actor_name: second.username },
    ]);
    expect(await scene.balance(buyer)).toBe(BigInt(60 * usd));
  });

  test("is also one that takes the day's total over the limit, while smaller ones go through", async () => {
    const asker = await admin();
    expect((await adjust(asker, 40 * usd)).body).toMatchObject({ is_new: true });
    expect(approvalOf(await adjust(asker, 11 * usd)).status).toBe("pending");
    expect((await adjust(asker, 10 * usd)).body).toMatchObject({ is_new: true });
    expect(await scene.balance(buyer)).toBe(BigInt(50 * usd));
  });

  test("can't be approved by the requester, a plain admin, a stale login, or for someone who lost the right", async () => {
    const [asker, second] = [await admin(), await admin()];
    const waiting = await adjust(asker, 51 * usd);
    expect(codeOf(await decide(asker, waiting, "approve"))).toEqual([409, "self_forbidden"]);
    expect(codeOf(await decide(await admin({ isSuper: false }), waiting, "approve"))).toEqual([
      403,
      "super_admin_required",
    ]);
    expect(codeOf(await decide(await admin({ isFresh: false }), waiting, "approve"))).toEqual([
      403,
      "step_up_required",
    ]);
    await scene.db.sql`update shared_admin_credentials set agent = 1 where id = ${asker.id}::bigint`;
    expect(codeOf(await decide(second, waiting, "approve"))).toEqual([409, "conflict"]);
    await scene.db.sql`update shared_admin_credentials set agent = 2 where id = ${asker.id}::bigint`;
    expect((await decide(asker, waiting, "reject")).status).toBe(200);
    expect(codeOf(await decide(second, waiting, "approve"))).toEqual([409, "conflict"]);
    expect(await scene.balance(buyer)).toBe(0n);
    expect(codeOf(await adjust(await admin({ isSuper: false }), 51 * usd))).toEqual([403, "super_admin_required"]);
    expect(codeOf(await adjust(await admin({ isFresh: false }), 51 * usd))).toEqual([403, "step_up_required"]);
  });

  test("expires, and can be requested again", async () => {
    const [asker, second] = [await admin(), await admin()];
    const key = { idempotency_key: crypto.randomUUID() };
    const first = await adjust(asker, 51 * usd, key);
    await asOwner(`update approval set expires_at = now() where id = ${approvalOf(first).approval_id}`);
    expect(codeOf(await decide(second, first, "approve"))).toEqual([409, "conflict"]);
    const again = await adjust(asker, 51 * usd, key);
    expect(approvalOf(again)).toMatchObject({ status: "pending" });
    expect(approvalOf(again).approval_id).not.toBe(approvalOf(first).approval_id);
    expect((await decide(second, again, "approve")).status).toBe(200);
    expect(await scene.balance(buyer)).toBe(BigInt(51 * usd));
    const listed = await second.client.get("/backend/admin/approval/list/");
    const statuses = (listed.body["approvals"] as Approval[]).map(({ status }) => status);
    expect(statuses).toEqual(expect.arrayContaining(["approved", "expired", "rejected"]));
  });

  test("stays unchanged when it can't be done, and says why", async () => {
    const [asker, second] = [await admin(), await admin()];
    expect((await adjust(asker, 50 * usd)).status).toBe(200);
    rules = { ...usualRules, secondPersonAboveUsd: 1 };
    const waiting = await adjust(asker, -50 * usd);
    expect(approvalOf(waiting).status).toBe("pending");
    await scene.use(buyer, BigInt(usd));
    const path = "/backend/admin/approval/detail/";
    const seen = await second.client.get(path, { approval_id: String(approvalOf(waiting).approval_id) });
    expect(seen.body["foreseen"]).toMatchObject({ problem: "The balance does not cover this." });
    expect(codeOf(await decide(second, waiting, "approve"))).toEqual([409, "conflict"]);
    expect((await decide(second, waiting, "reject")).status).toBe(200);
    expect(await scene.balance(buyer)).toBe(BigInt(49 * usd));
  });

  test("can be a refund; the gateway is asked after the approval", async () => {
    rules = { ...usualRules, secondPersonAboveUsd: 9 };
    const [asker, second] = [await admin(), await admin()];
    const orderNo = await paidOrder();
    const before = gateway.requests.length;
    const waiting = await refund(asker, orderNo);
    expect(approvalOf(waiting)).toMatchObject({ status: "pending", effects: { refund_usd: "10.00" } });
    expect([gateway.requests.length, await scene.balance(buyer)]).toEqual([before, BigInt(10 * usd)]);
    expect((await decide(second, waiting, "approve")).status).toBe(200);
    expect([gateway.requests.length, await scene.balance(buyer)]).toEqual([before + 1, 0n]);
    expect(await scene.order(orderNo)).toMatchObject({ status: "refunded" });
  });

  test("can be a refund of what was left when it was requested, never of what is left by then", async () => {
    rules = { ...usualRules, secondPersonAboveUsd: 5 };
    const [asker, second] = [await admin(), await admin()];
    const orderNo = await paidOrder();
    gateway.answers = [{ kind: "pending" }];
    const { refund: part } = (await refund(await admin(), orderNo, { amount_usd: "4.00" })).body as {
      refund: { refund_no: string };
    };
    gateway.answers = [];
    const waiting = await refund(asker, orderNo);
    expect(approvalOf(waiting).effects).toMatchObject({ refund_usd: "6.00" });
    const closed = { refund_no: part.refund_no, outcome: "failed", reason: "seen at the gateway" };
    expect((await (await admin()).client.post("/backend/admin/refund/close/", closed)).status).toBe(200);
    expect((await decide(second, waiting, "approve")).status).toBe(200);
    expect(gateway.requests.at(-1)).toMatchObject({ orderNo, amountUsd: "6.00" });
    expect(await scene.balance(buyer)).toBe(BigInt(4 * usd));
  });

  test("can be the manual closing of a refund, in the same daily total as refunds", async () => {
    rules = { ...usualRules, secondPersonAboveUsd: 15 };
    const [asker, second] = [await admin(), await admin()];
    const close = ({ client }: Admin, refundNo: string, outcome: string): Promise<Answer> =>
      client.post("/backend/admin/refund/close/", { refund_no: refundNo, outcome, reason: "seen at the gateway" });
    const [one, other] = [await openRefundOf(await paidOrder()), await openRefundOf(await paidOrder())];
    expect((await close(asker, one, "done")).body).toMatchObject({ refund: { status: "done" } });
    const waiting = await close(asker, other, "failed");
    expect(approvalOf(waiting)).toMatchObject({
      status: "pending",
      effects: { refund_no: other, refund_amount_usd: "10.00", outcome: "failed", given_back_quota: String(10 * usd) },
    });
    expect(approvalOf(await close(asker, other, "failed")).approval_id).toBe(approvalOf(waiting).approval_id);
    expect(await scene.balance(buyer)).toBe(0n);
    expect(codeOf(await decide(asker, waiting, "approve"))).toEqual([409, "self_forbidden"]);
    expect((await decide(second, waiting, "approve")).status).toBe(200);
    expect(await scene.balance(buyer)).toBe(BigInt(10 * usd));
    const [row] = await scene.db.sql`select actor_name, reason from audit_log
      where action = 'refund.close' and after->>'refundNo' = ${other}`;
    expect(row).toEqual({ actor_name: asker.username, reason: "seen at the gateway" });
  });

  test("can be a decision about a payment", async () => {
    rules = { ...usualRules, secondPersonAboveUsd: 9 };
    const [asker, second] = [await admin(), await admin()];
    const order = await scene.placeFor(buyer);
    await settlePaid(scene.deps, noticeOf(order, { amountUsd: "0.01" as Decimal }));
    const decision = { order_no: order.orderNo, action: "settle", reason: "paid by hand" };
    const waiting = await asker.client.post("/backend/admin/order/resolve/", decision);
    expect(approvalOf(waiting)).toMatchObject({ effects: { decision: "settle", credited_quota: String(10 * usd) } });
    expect(await scene.order(order.orderNo)).toMatchObject({ status: "review" });
    expect((await decide(second, waiting, "approve")).status).toBe(200);
    expect(await scene.balance(buyer)).toBe(BigInt(10 * usd));
  });

  test("can't be approved by its requester in the database either", async () => {
    const asker = await admin();
    const waiting = await adjust(asker, 51 * usd);
    const { approval_id: id } = approvalOf(waiting);
    await expect(
      asOwner(
        `update approval set status = 'approved', decided_by = requested_by, decided_at = now() where id = ${id}`,
      ),
    ).rejects.toThrow(/approval_two_people/);
    await expect(scene.db.query("update approval set effects = '{}' where id = $1::bigint", [id])).rejects.toThrow(
      /permission denied/,
    );
    expect((await decide(asker, waiting, "reject")).status).toBe(200);
  });
});

/** Bypasses the program's rights. */
async function asOwner(statement: string): Promise<void> {
  await using owner = new Bun.SQL(scene.url, { max: 1 });
  await owner.unsafe(statement);
}

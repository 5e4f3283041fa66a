import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { settlePaid } from "@sluice/control-plane/payments/settle/settle-paid.ts";
import { endOverdueSubscriptions } from "@sluice/control-plane/payments/subscriptions/subscriptions.ts";
import { loginAdmin, loginUser, sessionsOf } from "../../support/accounts/logins.ts";
import { adminBillingEndpoints } from "../../support/payments/admin-billing.ts";
import { BillingScene, noticeOf } from "../../support/payments/billing-scene.ts";
import { ScriptedRefunds } from "../../support/payments/scripted-refunds.ts";
import { type EndpointServer, serveEndpoints } from "../../support/service/endpoint-server.ts";

let scene: BillingScene;
let http: EndpointServer;
let admin: { cookie: string };

beforeAll(async () => {
  scene = await BillingScene.create();
  const gateway = new ScriptedRefunds();
  const parts = { ...scene.deps, gateways: { walletpay: gateway, cardpay: gateway } };
  http = serveEndpoints(adminBillingEndpoints(parts), sessionsOf(scene.db));
  admin = await loginAdmin(scene, { isSuper: false });
});

afterEach(async () => {
  expect(await scene.checkMoney()).toEqual([]);
});

afterAll(async () => {
  await http.stop();
  await scene[Symbol.asyncDispose]();
});

type Answer = { readonly status: number; readonly body: Record<string, unknown> };

async function post(path: string, body: unknown, headers: Record<string, string> = admin): Promise<Answer> {
  const response = await fetch(`${http.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: http.url, ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Answer["body"] };
}

const errorCode = ({ body }: Answer): unknown => (body as { error?: { code?: unknown } }).error?.code;

async function auditEntries(subjectId: unknown): Promise<unknown[]> {
  return [...(await scene.db.sql`select action, reason, after from audit_log where subject_id = ${String(subjectId)}`)];
}

describe("adjusting by hand", () => {
  const adjust = (gatewayUserId: bigint, change: object, headers?: Record<string, string>): Promise<Answer> => {
    const standard = { amount: 1_000, reason: "a gift", idempotency_key: crypto.randomUUID() };
    return post(
      "/backend/admin/manual-adjust/",
      { gateway_user_id: Number(gatewayUserId), ...standard, ...change },
      headers,
    );
  };

  test("credits and debits quota, once for each key, and records who and why", async () => {
    const buyer = await scene.addBuyer();
    const key = { idempotency_key: "gift-of-today" };
    const first = await adjust(buyer.gatewayUserId, key);
    const { email } = buyer;
    expect(first.body).toMatchObject({ owner: email, is_new: true, remaining_before: 0, remaining_after: 1_000 });
    expect((await adjust(buyer.gatewayUserId, key)).body).toMatchObject({ is_new: false, remaining_after: 1_000 });
    expect(await scene.balance(buyer)).toBe(1_000n);
    await adjust(buyer.gatewayUserId, { amount: "-400" });
    expect(await scene.balance(buyer)).toBe(600n);
    expect(await auditEntries(buyer.gatewayUserId)).toMatchObject([
      { action: "quota.adjust", reason: "a gift", after: { amount: "1000", remaining: "1000" } },
      { after: { amount: "-400", remaining: "600" } },
    ]);
  });

  test("the key of one adjustment is refused for another amount and for another user", async () => {
    const [one, other] = [await scene.addBuyer(), await scene.addBuyer()];
    const key = { idempotency_key: "one-adjustment" };
    await adjust(one.gatewayUserId, key);
    const answers = [
      await adjust(one.gatewayUserId, { ...key, amount: 1_001 }),
      await adjust(other.gatewayUserId, key),
    ];
    expect(answers.map((answer) => [answer.status, errorCode(answer)])).toEqual([
      [422, "idempotency_mismatch"],
      [422, "idempotency_mismatch"],
    ]);
    expect(await scene.balance(other)).toBe(0n);
  });

  test("a dry run shows the result and changes nothing", async () => {
    const buyer = await scene.addBuyer();
    const { body } = await adjust(buyer.gatewayUserId, { dry_run: true });
    expect(body).toMatchObject({ owner: buyer.email, is_new: false, remaining_before: 0, remaining_after: 1_000 });
    expect(body["dry_run"]).toBe(true);
    expect(await scene.balance(buyer)).toBe(0n);
    expect(await auditEntries(buyer.gatewayUserId)).toEqual([]);
  });

  test("debits no more than there is, unless forced", async () => {
    const buyer = await scene.addBuyer();
    await adjust(buyer.gatewayUserId, {});
    expect((await adjust(buyer.gatewayUserId, { amount: -1_001 })).status).toBe(409);
    expect((await adjust(buyer.gatewayUserId, { amount: -1_001, dry_run: true })).status).toBe(409);
    expect((await adjust(buyer.gatewayUserId, { amount: -1_001, allow_negative: true })).status).toBe(200);
    expect(await scene.balance(buyer)).toBe(-1n);
  });

  test("of twelve concurrent debits of the same quota, only those that it covers succeed", async () => {
    const buyer = await scene.addBuyer();
    await adjust(buyer.gatewayUserId, {});
    const answers = await Promise.all(Array.from({ length: 12 }, () => adjust(buyer.gatewayUserId, { amount: -200 })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(await scene.balance(buyer)).toBe(0n);
  });

  test("twelve concurrent requests under one key do it once", async () => {
    const buyer = await scene.addBuyer();
    const key = { idempotency_key: "double-click-12" };
    const answers = await Promise.all(Array.from({ length: 12 }, () => adjust(buyer.gatewayUserId, key)));
    expect(answers.filter(({ body }) => body["is_new"] === true)).toHaveLength(1);
    expect(await scene.balance(buyer)).toBe(1_000n);
  });

  test.each([
    ["a broken number", { amount: 1.5 }, 400],
    ["a broken number as text", { amount: "1.5" }, 400],
    ["nothing", { amount: 0 }, 400],
    ["more than an integer holds", { amount: "99999999999999999999" }, 400],
    ["more than is sensible", { amount: 10 ** 15 + 1 }, 400],
    ["no reason", { reason: " " }, 400],
    ["no key", { idempotency_key: undefined }, 400],
    ["a short key", { idempotency_key: "short" }, 400],
    ["a user that does not exist", { gateway_user_id: 999_999 }, 404],
    ["an invalid id", { gateway_user_id: "1'--" }, 400],
    ["a negative id", { gateway_user_id: -1 }, 400],
    ["an unknown field", { balance: 1 }, 400],
  ])("%s is refused", async (_what, change, status) => {
    const buyer = await scene.addBuyer();
    expect((await adjust(buyer.gatewayUserId, change)).status).toBe(status);
    expect(await scene.balance(buyer)).toBe(0n);
  });

  test("is for admins", async () => {
    const user = await loginUser(scene);
    expect((await adjust(user.gatewayUserId, {}, {})).status).toBe(401);
    expect((await adjust(user.gatewayUserId, {}, { cookie: user.cookie })).status).toBe(401);
    const foreign = await adjust(user.gatewayUserId, {}, { ...admin, origin: "https://evil.example" });
    expect([foreign.status, errorCode(foreign)]).toEqual([403, "csrf_rejected"]);
  });
});

describe("the preview of a refund", () => {
  type Shown = Record<string, unknown> & { readonly problems: readonly { readonly code: string }[] };

  const preview = async (orderNo: string, amount?: string): Promise<Shown> => {
    const query = new URLSearchParams({ order_no: orderNo, ...(amount === undefined ? {} : { amount_usd: amount }) });
    const answer = await fetch(`${http.url}/backend/admin/refund/preview/?${query}`, { headers: admin });
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { preview: Shown }).preview;
  };

  test("shows money, quota and the balance after it, and does nothing", async () => {
    const buyer = await scene.addBuyer();
    const order = await scene.placeFor(buyer);
    await settlePaid(scene.deps, noticeOf(order));
    const key = { idempotency_key: crypto.randomUUID() };
    await post("/backend/admin/refund/create/", { order_no: order.orderNo, amount_usd: "2", reason: "part", ...key });
    for (let time = 0; time < 2; time += 1) {
      expect(await preview(order.orderNo, "4.00")).toMatchObject({
        gateway: "walletpay",
        ...{ paid_usd: "10.00", refunded_usd: "2.00", left_usd: "8.00", amount_usd: "4.00", is_whole: false },
        ...{ quota_granted: 5_000_000, quota_taken_before: 1_000_000, quota: 2_000_000, quota_used: 0 },
        ...{ remaining_before: 4_000_000, remaining_after: 2_000_000, period_end: null, problems: [] },
      });
    }
    expect(await preview(order.orderNo)).toMatchObject({ amount_usd: "8.00", is_whole: true, remaining_after: 0 });
    expect(await scene.balance(buyer)).toBe(4_000_000n);
  });

  test("says why it would be refused, and what can be overridden", async () => {
    const buyer = await scene.addBuyer();
    const order = await scene.placeFor(buyer);
    expect((await preview(order.orderNo)).problems).toMatchObject([{ code: "not_paid", is_overridable: false }]);
    await settlePaid(scene.deps, noticeOf(order));
    expect((await preview(order.orderNo, "10.01")).problems).toMatchObject([{ code: "too_much" }]);
    await scene.use(buyer, 3_000_000n);
    expect(await preview(order.orderNo)).toMatchObject({
      ...{ quota: 5_000_000, quota_used: 3_000_000, remaining_before: 2_000_000, remaining_after: -3_000_000 },
      problems: [{ code: "quota_used", is_overridable: true }],
    });
    const { order: unclaimed } = await scene.place();
    await settlePaid(scene.deps, noticeOf(unclaimed));
    expect(await preview(unclaimed.orderNo, "1")).toMatchObject({ problems: [{ code: "unclaimed" }] });
    expect(await preview(unclaimed.orderNo)).toMatchObject({ quota: 0, remaining_before: null, problems: [] });
  });

  test("names the month that ends with it, and the one that is over", async () => {
    const buyer = await scene.addBuyer();
    const order = await scene.placeFor(buyer, "monthly");
    await settlePaid(scene.deps, noticeOf(order));
    expect(await preview(order.orderNo)).toMatchObject({ is_month_taken: true, is_month_over: false });
    expect((await preview(order.orderNo))["period_end"]).not.toBeNull();
    await endOverdueSubscriptions(scene.db, new Date(Date.now() + 40 * 86_400_000));
    expect(await preview(order.orderNo)).toMatchObject({ is_month_over: true, quota: 0, period_end: null });
  });
});

describe("refunding", () => {
  test("refunds once for each key, and records who and why", async () => {
    const buyer = await scene.addBuyer();
    const order = await scene.placeFor(buyer);
    await settlePaid(scene.deps, noticeOf(order));
    const wanted = {
      order_no: order.orderNo,
      amount_usd: "4.00",
      reason: "half of it",
      idempotency_key: "refund-of-today",
    };
    const answers = [
      await post("/backend/admin/refund/create/", wanted),
      await post("/backend/admin/refund/create/", wanted),
    ];
    expect(answers).toMatchObject([
      { status: 200, body: { refund: { status: "done", amount_usd: "4.00", quota: 2_000_000 } } },
      { status: 200, body: { refund: { status: "done" } } },
    ]);
    expect(await scene.balance(buyer)).toBe(3_000_000n);
    expect(await auditEntries(order.orderNo)).toMatchObject([{ action: "refund.create", reason: "half of it" }]);
  });

  test.each([
    ["too much", { amount_usd: "10.01" }, 409],
    ["nothing", { amount_usd: "0" }, 400],
    ["a negative amount", { amount_usd: "-1" }, 400],
    ["a fraction of a cent", { amount_usd: "1.001" }, 400],
    ["no key", { idempotency_key: undefined }, 400],
    ["no reason", { reason: "" }, 400],
    ["an order that does not exist", { order_no: "S00000" }, 404],
  ])("%s is refused", async (_what, change, status) => {
    const buyer = await scene.addBuyer();
    const order = await scene.placeFor(buyer);
    await settlePaid(scene.deps, noticeOf(order));
    const standard = { order_no: order.orderNo, reason: "a reason", idempotency_key: crypto.randomUUID() };
    expect((await post("/backend/admin/refund/create/", { ...standard, ...change })).status).toBe(status);
    expect(await scene.balance(buyer)).toBe(5_000_000n);
  });
});

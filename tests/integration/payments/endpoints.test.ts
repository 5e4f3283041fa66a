import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { redemptionAttempts } from "@sluice/control-plane/accounts/attempts/sender-limits.ts";
import { addFirstPlans } from "@sluice/control-plane/payments/plans/plans.ts";
import { billingEndpoints } from "@sluice/control-plane/payments/routes.ts";
import { settlePaid } from "@sluice/control-plane/payments/settle/settle-paid.ts";
import { loginAdmin, loginUser, sessionsOf } from "../../support/accounts/logins.ts";
import { adminBillingEndpoints } from "../../support/payments/admin-billing.ts";
import { BillingScene, noticeOf } from "../../support/payments/billing-scene.ts";
import { ScriptedRefunds } from "../../support/payments/scripted-refunds.ts";
import { type EndpointServer, serveEndpoints } from "../../support/service/endpoint-server.ts";
import { untilDayLasts } from "../../support/values/day-that-lasts.ts";

let scene: BillingScene;
let http: EndpointServer;
let closedHttp: EndpointServer;
let admin: { cookie: string };
const gateway = new ScriptedRefunds();
const guests = { count: () => Promise.resolve(), networkOf: (ip: string) => ip };

beforeAll(async () => {
  scene = await BillingScene.create();
  const { db } = scene;
  const callers = sessionsOf(db);
  const endpoints = billingEndpoints({
    ...scene.deps,
    isMockOffered: true,
    guests,
    codeAttempts: redemptionAttempts(scene.db),
    admins: callers,
  });
  http = serveEndpoints(
    [...endpoints, ...adminBillingEndpoints({ ...scene.deps, gateways: { walletpay: gateway, cardpay: gateway } })],
    callers,
  );
  closedHttp = serveEndpoints(
    billingEndpoints({
      ...scene.deps,
      isMockOffered: false,
      guests,
      codeAttempts: redemptionAttempts(scene.db),
      admins: callers,
    }),
    callers,
  );
  admin = await loginAdmin(scene);
});

afterEach(async () => {
  expect(await scene.checkMoney()).toEqual([]);
});

afterAll(async () => {
  await http.stop();
  await closedHttp.stop();
  await scene[Symbol.asyncDispose]();
});

type Answer = { readonly status: number; readonly body: Record<string, unknown> };

async function get(path: string, cookie = ""): Promise<Answer> {
  const response = await fetch(`${http.url}${path}`, { headers: { cookie } });
  return { status: response.status, body: (await response.json()) as Answer["body"] };
}

async function post(path: string, body: unknown, headers: Record<string, string> = {}, at = http): Promise<Answer> {
  const response = await fetch(`${at.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: at.url, ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Answer["body"] };
}

const errorCode = ({ body }: Answer): unknown => (body as { error?: { code?: unknown } }).error?.code;
const orderOf = ({ body }: Answer): Record<string, unknown> => (body as { order: Record<string, unknown> }).order;

describe("plans", () => {
  test("are listed for everybody, without those that are hidden", async () => {
    await scene.db.sql`
      insert into plan (plan_code, name, kind, price_usd, quota, features, status)
      values ('secret-plan', 'Secret', 'wallet_balance', 1.00, 500000, '[]', 'hidden')`;
    const { status, body } = await get("/backend/billing/plans/");
    expect(status).toBe(200);
    expect(body).toMatchObject({ ok: true, currency: "USD" });
    const plans = (body as { plans: { plan_code: string; price_usd: string }[] }).plans;
    expect(plans.map((each) => each.plan_code)).not.toContain("secret-plan");
    expect(plans.find((each) => each.plan_code === "credit")).toMatchObject({ price_usd: "10.00", quota: 5_000_000 });
  });

  const plan = { plan_code: "new-plan", name: "New", kind: "wallet_balance", price_usd: "9.9", quota: 4_950_000 };

  test("are saved by admins over the version that was loaded, and each change is audited", async () => {
    const made = await post("/backend/admin/plan/save/", plan, admin);
    expect(made).toMatchObject({ status: 200, body: { plan: { price_usd: "9.90", version: 1, status: "active" } } });
    expect(errorCode(await post("/backend/admin/plan/save/", plan, admin))).toBe("conflict");
    const change = { ...plan, price_usd: "19.00", version: 1 };
    expect(await post("/backend/admin/plan/save/", change, admin)).toMatchObject({ body: { plan: { version: 2 } } });
    const stale = await post("/backend/admin/plan/save/", { ...change, price_usd: "1.00" }, admin);
    expect([stale.status, errorCode(stale)]).toEqual([409, "conflict"]);
    const entries = await scene.db.sql`select 1 from audit_log where action = 'plan.save' and subject_id = 'new-plan'`;
    expect(entries).toHaveLength(2);
  });

  test("have words in other languages, which stay as they are until they are sent again", async () => {
    const texts = { de: { name: "Neu", features: ["Alle Modelle"] }, zh: { description: "新套餐。" } };
    const worded = { ...plan, plan_code: "worded" };
    const made = await post("/backend/admin/plan/save/", { ...worded, texts }, admin);
    expect(made).toMatchObject({ status: 200, body: { plan: { texts } } });
    const kept = await post("/backend/admin/plan/save/", { ...worded, name: "Newer", version: 1 }, admin);
    expect(kept).toMatchObject({ body: { plan: { name: "Newer", texts } } });
    const { body } = await get("/backend/billing/plans/");
    const offered = (body as { plans: { plan_code: string }[] }).plans;
    expect(offered.find(({ plan_code }) => plan_code === "worded")).toMatchObject({ texts });
    const cleared = await post("/backend/admin/plan/save/", { ...worded, texts: {}, version: 2 }, admin);
    expect((cleared.body as { plan: { texts: object } }).plan.texts).toEqual({});
    for (const wrong of [{ xx: { name: "A" } }, { de: { name: "" } }, { de: { features: Array(21).fill("A") } }]) {
      expect((await post("/backend/admin/plan/save/", { ...worded, texts: wrong, version: 3 }, admin)).status).toBe(
        400,
      );
    }
  });

  test("that an earlier release made get words in all languages with a start, unless somebody changed them", async () => {
    await scene.db.withTransaction(addFirstPlans);
    await scene.db.sql`update plan set texts = '{}' where plan_code like 'credit-%' or plan_code = 'monthly-20'`;
    await scene.db.sql`update plan set version = 2 where plan_code = 'credit-50'`;
    await scene.db.sql`update plan set price_usd = 25 where plan_code = 'monthly-20'`;
    await scene.db.withTransaction(addFirstPlans);
    const found = await scene.db.sql<{ code: string; name: string | null }>`
      select plan_code as code, texts->'de'->>'name' as name from plan
      where plan_code in ('credit-10', 'credit-50', 'monthly-20') order by 1`;
    expect(found).toEqual([
      { code: "credit-10", name: "Aufladung 10" },
      { code: "credit-50", name: null },
      { code: "monthly-20", name: null },
    ]);
    await scene.db.sql`update plan set status = 'hidden' where plan_code like 'credit-%' or plan_code = 'monthly-20'`;
  });

  test("a change leaves orders as they were placed", async () => {
    await post("/backend/admin/plan/save/", { ...plan, plan_code: "moving" }, admin);
    const { body } = await post("/backend/billing/order/create/", { plan_code: "moving" });
    await post("/backend/admin/plan/save/", { ...plan, plan_code: "moving", price_usd: "99.00", version: 1 }, admin);
    const orderNo = String(orderOf({ status: 200, body })["order_no"]);
    const seen = await get(`/backend/billing/order/status/?order_no=${orderNo}`);
    expect(orderOf(seen)).toMatchObject({ amount_usd: "9.90" });
  });

  test.each([
    ["no price", { price_usd: "0" }, "invalid_amount"],
    ["a negative price", { price_usd: "-1" }, "invalid_amount"],
    ["a fraction of a cent", { price_usd: "0.001" }, "invalid_amount"],
    ["a price with an exponent", { price_usd: "1e3" }, "invalid_amount"],
    ["full-width digits", { price_usd: "１００" }, "invalid_amount"],
    ["a price that is not a number", { price_usd: "NaN" }, "invalid_amount"],
    ["a price out of range", { price_usd: "1000000000000" }, "invalid_amount"],
    ["33 decimals", { price_usd: `1.${"0".repeat(33)}` }, "invalid_amount"],
    ["another currency", { currency: "EUR" }, "unsupported_currency"],
    ["no quota", { quota: 0 }, "invalid_value"],
    ["a broken quota", { quota: 1.5 }, "invalid_value"],
    ["an unknown kind", { kind: "yearly" }, "invalid_value"],
    ["an unknown field", { is_admin: true }, "unknown_field"],
  ])("%s is refused", async (_what, change, code) => {
    const answer = await post("/backend/admin/plan/save/", { ...plan, plan_code: "refused", ...change }, admin);
    expect([answer.status, errorCode(answer)]).toEqual([400, code]);
  });

  test("only an admin can save a plan", async () => {
    const user = await loginUser(scene);
    expect((await post("/backend/admin/plan/save/", plan)).status).toBe(401);
    expect((await post("/backend/admin/plan/save/", plan, { cookie: user.cookie })).status).toBe(401);
  });
});

describe("orders", () => {
  test("without a login come with a code, and belong to anyone who sends it", async () => {
    const created = await post("/backend/billing/order/create/", { plan_code: "credit" });
    expect(orderOf(created)).toMatchObject({ status: "pending", pay_channel: "none", amount_usd: "10.00" });
    const orderNo = orderOf(created)["order_no"];
    const claimCode = (created.body as { claim_code: string }).claim_code;
    const claim = { order_no: orderNo, claim_code: claimCode };
    expect(await post("/backend/payment/mock-settle/", claim)).toMatchObject({
      status: 200,
      body: { result: "settled", order: { status: "settled", is_mock: true } },
    });
    expect(await post("/backend/payment/mock-settle/", claim)).toMatchObject({ body: { result: "duplicate" } });
    const { cookie } = await loginUser(scene);
    expect((await post("/backend/billing/order/claim/", claim)).status).toBe(401);
    expect((await post("/backend/billing/order/claim/", claim, { cookie })).status).toBe(200);
    const balance = await get("/backend/billing/balance/", cookie);
    expect(balance.body).toMatchObject({ balance: { remaining_quota: 5_000_000, remaining_usd: "10.000000" } });
    const list = await get("/backend/billing/order/list/?limit=1", cookie);
    expect(list.body).toMatchObject({ orders: [{ order_no: orderNo }], next_cursor: null });
  });

  test("take their idempotency key from the header or the body, but not two different ones", async () => {
    const { cookie } = await loginUser(scene);
    const create = (body: object, headers: object = {}) =>
      post("/backend/billing/order/create/", { plan_code: "credit", ...body }, { cookie, ...headers });
    const first = await create({}, { "idempotency-key": "a-key-of-mine" });
    const again = await create({ idempotency_key: "a-key-of-mine" });
    expect(orderOf(again)["order_no"]).toBe(orderOf(first)["order_no"]);
    const other = await create({ plan_code: "monthly" }, { "idempotency-key": "a-key-of-mine" });
    expect([other.status, errorCode(other)]).toEqual([422, "idempotency_mismatch"]);
    const both = await create({ idempotency_key: "one-of-them" }, { "idempotency-key": "another-one" });
    expect([both.status, errorCode(both)]).toEqual([400, "invalid_value"]);
    const long = await create({}, { "idempotency-key": "x".repeat(201) });
    expect([long.status, errorCode(long)]).toEqual([400, "invalid_value"]);
  });

  test.each([
    [{}, 400],
    [{ plan_code: "no-such-plan" }, 404],
    [{ plan_code: ["credit"] }, 400],
    [{ plan_code: "credit", amount_usd: "0.01" }, 400],
    [{ plan_code: "credit", user_id: 1 }, 400],
    [{ plan_code: "credit", email: "a@b.c\r\nBcc: x@example.com" }, 400],
    [null, 400],
    [[], 400],
  ])("%j gets %d and places nothing", async (body, status) => {
    const before = await scene.db.sql`select 1 from sales_order`;
    expect((await post("/backend/billing/order/create/", body)).status).toBe(status);
    expect(await scene.db.sql`select 1 from sales_order`).toHaveLength(before.length);
  });

  test("of a user are shown to that user only, and cancelled by nobody else", async () => {
    const [owner, other] = [await loginUser(scene), await loginUser(scene)];
    const created = await post("/backend/billing/order/create/", { plan_code: "credit" }, { cookie: owner.cookie });
    const orderNo = String(orderOf(created)["order_no"]);
    expect(created.body).not.toHaveProperty("claim_code");
    const path = `/backend/billing/order/status/?order_no=${orderNo}`;
    expect((await get(path, owner.cookie)).status).toBe(200);
    expect((await get(path, other.cookie)).status).toBe(404);
    expect((await get(path)).status).toBe(404);
    const cancel = (cookie: string) => post("/backend/billing/order/cancel/", { order_no: orderNo }, { cookie });
    expect((await cancel(other.cookie)).status).toBe(404);
    expect(orderOf(await cancel(owner.cookie))).toMatchObject({ status: "cancelled" });
    const audited = await scene.db.sql`select action, actor_name from audit_log where subject_id = ${orderNo}`;
    expect([...audited]).toEqual([{ action: "order.cancel", actor_name: owner.email }]);
  });

  test.each(["limit=-1", "limit=1e9", "limit=x", "cursor=-1", "cursor=1'--", "cursor=9e18", "sort=password"])(
    "a list refuses %s",
    async (query) => {
      const { cookie } = await loginUser(scene);
      expect((await get(`/backend/billing/order/list/?${query}`, cookie)).status).toBe(400);
      expect((await get(`/backend/billing/ledger/?${query}`, cookie)).status).toBe(400);
    },
  );
});

test("an order that stays locked for long gives a 503 that may be retried, and never hangs", async () => {
  const { cookie } = await loginUser(scene);
  const created = await post("/backend/billing/order/create/", { plan_code: "credit" }, { cookie });
  const order_no = orderOf(created)["order_no"];
  const held = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const holder = scene.db.withTransaction(async (tx) => {
    await tx.sql`select 1 from sales_order where order_no = ${String(order_no)} for update`;
    locked.resolve();
    await held.promise;
  });
  await locked.promise;
  for (const path of ["/backend/billing/order/cancel/", "/backend/payment/mock-settle/"]) {
    const answer = await post(path, { order_no }, { cookie });
    expect([path, answer.status, errorCode(answer)]).toEqual([path, 503, "temporarily_unavailable"]);
  }
  held.resolve();
  await holder;
  expect(await post("/backend/payment/mock-settle/", { order_no }, { cookie })).toMatchObject({
    body: { result: "settled" },
  });
});

describe("the mock", () => {
  test("settles nothing if it is not offered", async () => {
    const created = await post("/backend/billing/order/create/", { plan_code: "credit" });
    const orderNo = orderOf(created)["order_no"];
    const answer = await post("/backend/payment/mock-settle/", { order_no: orderNo }, {}, closedHttp);
    expect([answer.status, errorCode(answer)]).toEqual([403, "not_offered"]);
    expect((await scene.order(String(orderNo))).status).toBe("pending");
  });

  test("settles an order for its owner and for admins, and is not_found for everyone else", async () => {
    const [owner, other] = [await loginUser(scene), await loginUser(scene)];
    const place = async (): Promise<string> => {
      const created = await post("/backend/billing/order/create/", { plan_code: "credit" }, { cookie: owner.cookie });
      return String(orderOf(created)["order_no"]);
    };
    const settle = (order_no: string, cookie: string) =>
      post("/backend/payment/mock-settle/", { order_no }, { cookie });
    const orderNo = await place();
    for (const cookie of ["", other.cookie, "SVC_ADMIN_SESSID=made-up", `${other.cookie}; SVC_ADMIN_SESSID=made-up`]) {
      expect([cookie, errorCode(await settle(orderNo, cookie))]).toEqual([cookie, "not_found"]);
    }
    expect((await scene.order(orderNo)).status).toBe("pending");
    expect(await settle(orderNo, owner.cookie)).toMatchObject({ status: 200, body: { result: "settled" } });
    const second = await place();
    expect(await settle(second, admin.cookie)).toMatchObject({ status: 200, body: { result: "settled" } });
    expect((await settle("S00000000", admin.cookie)).status).toBe(404);
  });

  test("settles an order that was placed without a login for its code and for admins only", async () => {
    const place = async (): Promise<{ order_no: string; claim_code: string }> => {
      const { body } = await post("/backend/billing/order/create/", { plan_code: "credit" });
      const { order, claim_code } = body as { order: { order_no: string }; claim_code: string };
      return { order_no: order.order_no, claim_code };
    };
    const settle = (input: object, cookie = "") => post("/backend/payment/mock-settle/", input, { cookie });
    const [mine, other] = [await place(), await place()];
    const stranger = await loginUser(scene);
    for (const code of [{}, { claim_code: other.claim_code }, { claim_code: "0".repeat(mine.claim_code.length) }]) {
      for (const cookie of ["", stranger.cookie, "SVC_ADMIN_SESSID=made-up"]) {
        expect(errorCode(await settle({ order_no: mine.order_no, ...code }, cookie))).toBe("not_found");
      }
    }
    expect((await scene.order(mine.order_no)).status).toBe("pending");
    expect(await settle(mine)).toMatchObject({ status: 200, body: { result: "settled" } });
    expect(await settle({ order_no: other.order_no }, admin.cookie)).toMatchObject({ body: { result: "settled" } });
    // Once it has an owner, the code opens nothing any more.
    const third = await place();
    expect((await post("/backend/billing/order/claim/", third, { cookie: stranger.cookie })).status).toBe(200);
    expect(errorCode(await settle(third))).toBe("not_found");
    expect(await settle({ order_no: third.order_no }, stranger.cookie)).toMatchObject({ status: 200 });
  });

  test("refuses an order that does not exist and an invalid number", async () => {
    expect((await post("/backend/payment/mock-settle/", { order_no: "S00000000" })).status).toBe(404);
    expect((await post("/backend/payment/mock-settle/", { order_no: "' or true" })).status).toBe(400);
    expect((await post("/backend/payment/mock-settle/", { order_no: null })).status).toBe(400);
  });
});

describe("the account of a user", () => {
  test("lists its entries in pages, and its month as a file and as a page", async () => {
    await untilDayLasts();
    const user = await loginUser(scene, { quota: 1_000n });
    const buyer = await scene.buyerOf(user.userId);
    const order = await scene.placeFor(buyer, "monthly");
    await settlePaid(scene.deps, noticeOf(order));
    const first = await get("/backend/billing/ledger/?limit=1", user.cookie);
    const entry = { change_type: "subscription_grant", amount: 12_000_000, balance_after: 12_001_000 };
    expect(first.body).toMatchObject({ entries: [{ ...entry, reference: `order:${order.orderNo}` }] });
    const cursor = String((first.body as { next_cursor: unknown }).next_cursor);
    const second = await get(`/backend/billing/ledger/?limit=1&cursor=${cursor}`, user.cookie);
    expect(second.body).toMatchObject({ entries: [{ amount: 1_000, balance_after: 1_000 }], next_cursor: null });

    const month = new Date().toISOString().slice(0, 7);
    const csv = await fetch(`${http.url}/backend/billing/statement/?month=${month}`, {
      headers: { cookie: user.cookie },
    });
    expect(csv.headers.get("content-disposition")).toBe(`attachment; filename="statement-${month}.csv"`);
    const rows = (await csv.text()).trimEnd().split("\r\n");
    expect(rows).toHaveLength(5);
    expect(rows[3]).toContain(`,subscription_grant,order:${order.orderNo},12000000,24.000000,12001000`);
    expect(rows[4]).toEndWith(",12001000");
    const sums = await get(`/backend/billing/statement/sums/?month=${month}`, user.cookie);
    expect(sums.body).toMatchObject({
      statement: {
        opening_quota: 0,
        sums: [
          { change_type: "subscription_grant", amount: 12_000_000 },
          { change_type: "test", amount: 1_000 },
        ],
        closing_quota: 12_001_000,
      },
    });
    const page = await fetch(`${http.url}/backend/billing/statement/?month=${month}&format=html`, {
      headers: { cookie: user.cookie },
    });
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(await page.text()).toContain(`order:${order.orderNo}`);
  });

  test("shows its subscription and lets it end", async () => {
    const user = await loginUser(scene);
    const cancel = () =>
      post("/backend/billing/subscription/cancel/", { plan_code: "monthly" }, { cookie: user.cookie });
    expect((await cancel()).status).toBe(404);
    await settlePaid(scene.deps, noticeOf(await scene.placeFor(await scene.buyerOf(user.userId), "monthly")));
    expect((await cancel()).body).toMatchObject({ subscriptions: [{ status: "active", is_cancelled_at_end: true }] });
    const list = await get("/backend/billing/subscription/list/", user.cookie);
    expect(list.body).toMatchObject({
      subscriptions: [{ plan_code: "monthly", plan_name: "Monthly", plan_names: {}, quota_granted: 12_000_000 }],
    });
  });

  test.each([
    "balance/",
    "ledger/",
    "statement/?month=2026-01",
    "statement/sums/?month=2026-01",
    "order/list/",
    "subscription/list/",
  ])("%s requires a login", async (path) => {
    expect((await get(`/backend/billing/${path}`)).status).toBe(401);
    expect((await get(`/backend/billing/${path}`, admin.cookie)).status).toBe(401);
  });
});

import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { Decimal } from "@sluice/contracts/money";
import type { Order } from "@sluice/control-plane/payments/model.ts";
import { findOrder } from "@sluice/control-plane/payments/orders/order-store.ts";
import { expireOverdueOrders } from "@sluice/control-plane/payments/orders/orders.ts";
import type { FaultPoint } from "@sluice/control-plane/payments/port.ts";
import { resolveOrder } from "@sluice/control-plane/payments/reviews/reviews.ts";
import { settlePaid } from "@sluice/control-plane/payments/settle/settle-paid.ts";
import { loginAdmin } from "../../support/accounts/logins.ts";
import { noticeOf } from "../../support/payments/billing-scene.ts";
import type { Answer } from "../../support/payments/code-scene.ts";
import { CouponScene } from "../../support/payments/coupon-scene.ts";
import { issueInvoices } from "../../support/payments/invoice-terms.ts";

let scene: CouponScene;

beforeAll(async () => {
  scene = await CouponScene.create();
});

afterEach(async () => {
  expect(await scene.billing.checkMoney()).toEqual([]);
  await scene.billing.db.sql`delete from attempt_counter`;
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

const errorOf = ({ body }: Answer): unknown => (body["error"] as { code?: unknown } | undefined)?.code;
const orderOf = ({ body }: Answer): Record<string, unknown> => body["order"] as Record<string, unknown>;
const day = 86_400_000;
const at = (days: number): string => new Date(Date.now() + days * day).toISOString();

/** The order of an answer, as billing knows it. */
async function placed(answer: Answer): Promise<Order> {
  const order = await findOrder(scene.billing.db, String(orderOf(answer)["order_no"]));
  if (order === null) {
    throw new Error(`no order was placed: ${JSON.stringify(answer.body)}`);
  }
  return order;
}

const expireAll = async (): Promise<void> => {
  await expireOverdueOrders(scene.billing.db, new Date(Date.now() + 2 * day));
};

describe("the price with a coupon", () => {
  test("is lower by its percentage, rounded down to the cent, and is what the payment has to match", async () => {
    const code = await scene.make({ percent: "33.33" });
    const user = await scene.login();
    expect((await scene.check(code.toLowerCase(), user)).body).toMatchObject({
      ...{ coupon_code: code, price_usd: "10.00", discount_usd: "3.33", amount_usd: "6.67", quota: 5_000_000 },
    });
    expect(await scene.usesOf(code)).toEqual({ uses: 0, states: "" });
    const order = await placed(await scene.buy(code, user));
    expect(order).toMatchObject({ amountUsd: "6.67", couponCode: code, discountUsd: "3.33", quota: 5_000_000n });
    expect(await scene.usesOf(code)).toEqual({ uses: 1, states: "reserved" });
    expect(await settlePaid(scene.billing.deps, noticeOf(order))).toBe("settled");
    expect(await scene.usesOf(code)).toEqual({ uses: 1, states: "consumed" });
    expect(await scene.billing.balance(await scene.billing.buyerOf(user.userId))).toBe(5_000_000n);
  });

  test("that a payer lowers by himself, or the price before it, credits nothing", async () => {
    const code = await scene.make();
    const order = await placed(await scene.buy(code, await scene.login()));
    const other = noticeOf(order, { amountUsd: "7.49" as Decimal });
    expect(await settlePaid(scene.billing.deps, other)).toBe("review");
    const { deps, db } = scene.billing;
    await db.withTransaction((tx) =>
      resolveOrder(tx, deps, { orderNo: order.orderNo, action: "cancel", transactionId: null, reason: "underpaid" }),
    );
    expect(await scene.usesOf(code)).toEqual({ uses: 0, states: "released" });
    const whole = await placed(await scene.buy(code, await scene.login()));
    expect(await settlePaid(deps, noticeOf(whole, { amountUsd: "10.00" as Decimal }))).toBe("review");
    expect((await scene.billing.order(whole.orderNo)).review_reason).toBe("amount_mismatch");
  });

  test("is lower by an amount, of a chosen amount too, and leaves at least 0.50 USD", async () => {
    const code = await scene.make({ amount_usd: "4.75" });
    const user = await scene.login();
    const chosen = { plan_code: "any", amount_usd: "5.00" };
    expect(errorOf(await scene.check(code, user, chosen))).toBe("coupon_not_applicable");
    expect(errorOf(await scene.buy(code, user, chosen))).toBe("coupon_not_applicable");
    const order = await placed(await scene.buy(code, user, { plan_code: "any", amount_usd: "7.50" }));
    expect(order).toMatchObject({ amountUsd: "2.75", chosenUsd: "7.50", quota: 4_125_000n });
  });

  test("stays where it is a bonus, which is part of the one credit and goes back with a refund", async () => {
    const code = await scene.make({ kind: "bonus", percent: "12.5" });
    const user = await scene.login();
    const order = await placed(await scene.buy(code, user));
    expect(order).toMatchObject({ amountUsd: "10.00", discountUsd: "0.00", quota: 5_625_000n });
    expect(await settlePaid(scene.billing.deps, noticeOf(order))).toBe("settled");
    const [posted] = await scene.billing.db.sql<{ count: number }>`
      select count(*)::int as count from ledger_posting where reference = ${`order:${order.orderNo}`}`;
    expect(posted?.count).toBe(1);
    expect(await scene.billing.balance(await scene.billing.buyerOf(user.userId))).toBe(5_625_000n);
  });

  test("has the tax added to what is left, and the discount is a line of the invoice", async () => {
    await issueInvoices(scene.billing.db, { taxMode: "exclusive", taxRate: "19" as Decimal });
    const code = await scene.make({ percent: "33.33" });
    const order = await placed(await scene.buy(code, await scene.login()));
    expect(order.amountUsd).toBe("7.94" as Decimal);
    expect(await settlePaid(scene.billing.deps, noticeOf(order))).toBe("settled");
    await issueInvoices(scene.billing.db, { taxMode: "inclusive", taxRate: "19" as Decimal });
    const inclusive = await placed(await scene.buy(code, await scene.login()));
    expect(inclusive.amountUsd).toBe("6.67" as Decimal);
    expect(await settlePaid(scene.billing.deps, noticeOf(inclusive))).toBe("settled");
    await issueInvoices(scene.billing.db, { isOn: false });
    const rows = await scene.billing.db.sql<{ net_usd: string; discount: unknown }>`
      select net_usd, facts -> 'discount' as discount from invoice
      where order_id in (${order.id}::bigint, ${inclusive.id}::bigint) order by id`;
    expect([...rows]).toEqual([
      { net_usd: "6.67", discount: { code, netUsd: "3.33" } },
      { net_usd: "5.61", discount: { code, netUsd: "2.79" } },
    ]);
  });
});

describe("a coupon is refused", () => {
  test("when it does not exist, and without a login", async () => {
    const user = await scene.login();
    expect(errorOf(await scene.buy("NO-SUCH", user))).toBe("coupon_unknown");
    expect(errorOf(await scene.buy(await scene.make(), { cookie: "" }))).toBe("unauthenticated");
    expect((await scene.buy("' or 1=1", user)).status).toBe(400);
  });

  test("before it begins, after its end, and once it is revoked", async () => {
    const user = await scene.login();
    expect(errorOf(await scene.buy(await scene.make({ starts_at: at(1) }), user))).toBe("coupon_not_applicable");
    const past = await scene.make({ expires_at: at(1) });
    await scene.billing.db.sql`update coupon set expires_at = now() where code = ${past}`;
    expect(errorOf(await scene.buy(past, user))).toBe("coupon_ended");
    const code = await scene.make();
    const order = await placed(await scene.buy(code, user));
    const [row] = await scene.billing.db.sql<{ id: bigint }>`select id from coupon where code = ${code}`;
    const revoke = { coupon_id: String(row?.id), reason: "leaked" };
    expect((await scene.asAdmin("revoke", revoke)).status).toBe(200);
    expect((await scene.asAdmin("revoke", revoke)).status).toBe(200);
    expect(errorOf(await scene.buy(code, await scene.login()))).toBe("coupon_ended");
    // What was promised is kept.
    expect(await settlePaid(scene.billing.deps, noticeOf(order))).toBe("settled");
    const audited = await scene.billing.db.sql<{ action: string }>`
      select action from audit_log where subject_kind = 'coupon' and subject_id = ${String(row?.id)} order by id`;
    expect(audited.map(({ action }) => action)).toEqual(["coupon.create", "coupon.revoke"]);
  });

  test("for other plans, below its minimum, and for a second purchase", async () => {
    const user = await scene.login();
    expect(errorOf(await scene.buy(await scene.make({ plan_codes: ["monthly"] }), user))).toBe("coupon_not_applicable");
    expect(errorOf(await scene.buy(await scene.make({ minimum_usd: "10.01" }), user))).toBe("coupon_not_applicable");
    expect((await scene.buy(await scene.make({ minimum_usd: "10.00" }), user)).status).toBe(200);
    const first = await scene.make({ is_first_purchase: true });
    const second = await scene.make({ is_first_purchase: true });
    const order = await placed(await scene.buy(first, user));
    expect(errorOf(await scene.buy(second, user))).toBe("coupon_not_applicable");
    expect(await settlePaid(scene.billing.deps, noticeOf(order))).toBe("settled");
    expect(errorOf(await scene.buy(second, user))).toBe("coupon_not_applicable");
  });

  test("by an order that repeats an idempotency key with another coupon; the same one is used once", async () => {
    const code = await scene.make({ uses_per_user: null });
    const user = await scene.login();
    const key = crypto.randomUUID();
    const answers = await Promise.all(Array.from({ length: 10 }, () => scene.buy(code, user, {}, key)));
    expect(new Set(answers.filter(({ status }) => status === 200).map((each) => orderOf(each)["order_no"])).size).toBe(
      1,
    );
    expect(await scene.usesOf(code)).toEqual({ uses: 1, states: "reserved" });
    expect(errorOf(await scene.buy(await scene.make(), user, {}, key))).toBe("idempotency_mismatch");
  });

  test("to one who guesses codes", async () => {
    const user = await scene.login();
    const answers: unknown[] = [];
    for (let guess = 0; guess < 12; guess += 1) {
      answers.push(errorOf(await (guess % 2 === 0 ? scene.check : scene.buy).call(scene, `GUESS-${guess}`, user)));
    }
    expect(answers.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => "coupon_unknown"));
    expect(answers.slice(10)).toEqual(["too_many_attempts", "too_many_attempts"]);
  });
});

describe("the last use of a coupon", () => {
  test("goes to one of fifty users at once", async () => {
    const code = await scene.make({ uses_max: 1 });
    const users = await Promise.all(Array.from({ length: 50 }, () => scene.billing.addBuyer()));
    const results = await Promise.allSettled(
      users.map(({ userId }) => scene.billing.place({ userId, couponCode: code })),
    );
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const refused = results.flatMap((each) => (each.status === "rejected" ? [each.reason.code] : []));
    expect(refused).toEqual(Array.from({ length: 49 }, () => "coupon_used_up"));
    expect(await scene.usesOf(code)).toEqual({ uses: 1, states: "reserved" });
  });

  test("of one user goes to one of twenty orders at once", async () => {
    const code = await scene.make({ uses_max: 100, uses_per_user: 2 });
    const user = await scene.login();
    const answers = await Promise.all(Array.from({ length: 20 }, () => scene.buy(code, user)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
  });

  test("can't be held by one who never pays: three unpaid orders hold it, for two hours", async () => {
    const code = await scene.make({ uses_max: 100, uses_per_user: null });
    const [holder, other] = [await scene.login(), await scene.login()];
    const answers = await Promise.all(Array.from({ length: 8 }, () => scene.buy(code, holder)));
    const taken = answers.filter(({ status }) => status === 200);
    expect(taken).toHaveLength(3);
    expect(new Set(answers.map(errorOf))).toEqual(new Set([undefined, "coupon_not_applicable"]));
    expect((await scene.usesOf(code)).uses).toBe(3);
    expect((await scene.buy(code, other)).status).toBe(200);
    const first = await placed(taken[0] as Answer);
    expect(first.expiresAt.getTime() - first.createdAt.getTime()).toBe(2 * 3_600_000);
    await scene.post("/backend/billing/order/cancel/", { order_no: first.orderNo }, holder.cookie);
    expect((await scene.buy(code, holder)).status).toBe(200);
    await expireOverdueOrders(scene.billing.db, new Date(Date.now() + 2 * 3_600_000 + 1_000));
    expect((await scene.usesOf(code)).uses).toBe(0);
  });

  test("comes back when its order is cancelled or expires", async () => {
    const code = await scene.make({ uses_max: 1 });
    const user = await scene.login();
    const order = await placed(await scene.buy(code, user));
    await scene.post("/backend/billing/order/cancel/", { order_no: order.orderNo }, user.cookie);
    expect(await scene.usesOf(code)).toEqual({ uses: 0, states: "released" });
    await placed(await scene.buy(code, await scene.login()));
    expect(errorOf(await scene.buy(code, await scene.login()))).toBe("coupon_used_up");
    await expireAll();
    expect(await scene.usesOf(code)).toEqual({ uses: 0, states: "released released" });
  });

  test("that came back pays a late order if nobody took it; else a person decides, and nothing is credited before", async () => {
    const { deps, db } = scene.billing;
    const code = await scene.make({ uses_max: 1 });
    const user = await scene.login();
    const late = await placed(await scene.buy(code, user));
    await expireAll();
    expect(await settlePaid(deps, noticeOf(late))).toBe("settled");
    expect(await scene.usesOf(code)).toEqual({ uses: 1, states: "consumed" });
    const other = await scene.make({ uses_max: 1 });
    const later = await placed(await scene.buy(other, user));
    await expireAll();
    await placed(await scene.buy(other, await scene.login()));
    expect(await settlePaid(deps, noticeOf(later))).toBe("review");
    expect(await scene.billing.order(later.orderNo)).toMatchObject({
      status: "review",
      review_reason: "coupon_used_up",
    });
    const decision = { orderNo: later.orderNo, action: "settle", transactionId: null, reason: "kind" } as const;
    await db.withTransaction((tx) => resolveOrder(tx, deps, decision));
    expect(await scene.usesOf(other)).toEqual({ uses: 1, states: "consumed reserved" });
  });

  test("is not multiplied by one who cancels orders and pays them all", async () => {
    const { deps } = scene.billing;
    const code = await scene.make({ uses_max: 100 });
    const user = await scene.login();
    const orders: Order[] = [];
    for (let round = 0; round < 3; round += 1) {
      const order = await placed(await scene.buy(code, user));
      await scene.post("/backend/billing/order/cancel/", { order_no: order.orderNo }, user.cookie);
      orders.push(order);
    }
    const results = await Promise.all(orders.map((order) => settlePaid(deps, noticeOf(order))));
    expect(results.sort()).toEqual(["review", "review", "settled"]);
    expect((await scene.usesOf(code)).uses).toBe(1);
  });
});

describe("a process that dies", () => {
  class Killed extends Error {}
  const points: readonly FaultPoint[] = ["after_lock", "after_payment", "after_ledger", "before_commit"];

  test.each([...points])(
    "%s leaves the coupon reserved, and the payment settles once when it comes again",
    async (point) => {
      const code = await scene.make();
      const order = await placed(await scene.buy(code, await scene.login()));
      const fault = (here: FaultPoint): void => {
        if (here === point) {
          throw new Killed();
        }
      };
      await expect(settlePaid(scene.billing.deps, noticeOf(order), { fault })).rejects.toThrow(Killed);
      expect(await scene.usesOf(code)).toEqual({ uses: 1, states: "reserved" });
      expect(await settlePaid(scene.billing.deps, noticeOf(order))).toBe("settled");
      expect(await settlePaid(scene.billing.deps, noticeOf(order))).toBe("duplicate");
      expect(await scene.usesOf(code)).toEqual({ uses: 1, states: "consumed" });
    },
  );
});

describe("a new coupon", () => {
  test("needs one value that fits its kind", async () => {
    const of = async (terms: object) =>
      (await scene.asAdmin("create", { code: "ABC-1", uses_max: 1, ...terms })).status;
    expect(await of({ kind: "percent" })).toBe(400);
    expect(await of({ kind: "percent", percent: "100" })).toBe(400);
    expect(await of({ kind: "percent", percent: "0" })).toBe(400);
    expect(await of({ kind: "percent", percent: "10.001" })).toBe(400);
    expect(await of({ kind: "amount", percent: "10" })).toBe(400);
    expect(await of({ kind: "amount", amount_usd: "1.00", percent: "10" })).toBe(400);
    expect(await of({ kind: "amount", amount_usd: "-1" })).toBe(400);
    expect(await of({ kind: "bonus", percent: "10", plan_codes: ["no-such-plan"] })).toBe(400);
    expect(await of({ kind: "bonus", percent: "10", starts_at: at(2), expires_at: at(1) })).toBe(400);
  });

  test("is made once for an idempotency key, and its code is taken after that", async () => {
    const key = crypto.randomUUID();
    const terms = { code: "once-1", kind: "percent", percent: "5", uses_max: 3 };
    const made = await Promise.all(Array.from({ length: 5 }, () => scene.asAdmin("create", terms, key)));
    const ids = made.map(({ body }) => (body["coupon"] as { coupon_id?: number } | undefined)?.coupon_id);
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toBeNumber();
    expect(errorOf(await scene.asAdmin("create", { ...terms, percent: "6" }, key))).toBe("idempotency_mismatch");
    expect(errorOf(await scene.asAdmin("create", terms))).toBe("conflict");
  });

  test("that can be used any number of times, or gives much away, waits for a second person", async () => {
    await loginAdmin(scene.billing);
    const unbounded = await scene.asAdmin("create", { code: "ENDLESS", kind: "percent", percent: "5" });
    expect(unbounded.body).toMatchObject({ approval: { kind: "coupon.create", status: "pending" } });
    const large = { code: "LARGE", kind: "amount", amount_usd: "500.00", uses_max: 1_000_000 };
    expect((await scene.asAdmin("create", large)).body).toMatchObject({ approval: { kind: "coupon.create" } });
    const [known] = await scene.billing.db.sql`select 1 from coupon where code in ('ENDLESS', 'LARGE')`;
    expect(known).toBeUndefined();
  });
});

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Decimal } from "@sluice/contracts/money";
import type { RefundAnswer } from "@sluice/control-plane/payments/gateways/port.ts";
import type { Order } from "@sluice/control-plane/payments/model.ts";
import { claimOrder } from "@sluice/control-plane/payments/orders/orders.ts";
import { isOverridable, planRefund } from "@sluice/control-plane/payments/refunds/plan-refund.ts";
import type { Refund } from "@sluice/control-plane/payments/refunds/refund-store.ts";
import {
  closeByHand,
  type NewRefund,
  openRefund,
  payRefund,
  payWaitingRefunds,
} from "@sluice/control-plane/payments/refunds/refunds.ts";
import { creditPaidOrders } from "@sluice/control-plane/payments/settle/credit-waiting.ts";
import { settlePaid } from "@sluice/control-plane/payments/settle/settle-paid.ts";
import { shiftSubscription } from "@sluice/control-plane/payments/subscriptions/subscription-store.ts";
import { endOverdueSubscriptions } from "@sluice/control-plane/payments/subscriptions/subscriptions.ts";
import { AppError } from "@sluice/control-plane/platform/errors.ts";
import { BillingScene, type Buyer, noticeOf } from "../../support/payments/billing-scene.ts";
import { ScriptedRefunds } from "../../support/payments/scripted-refunds.ts";

let scene: BillingScene;
let buyer: Buyer;
let gateway: ScriptedRefunds;

beforeAll(async () => {
  scene = await BillingScene.create();
});

beforeEach(async () => {
  buyer = await scene.addBuyer();
  gateway = new ScriptedRefunds();
});

afterEach(async () => {
  expect(await scene.checkMoney()).toEqual([]);
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

const parts = () => ({ ...scene.deps, gateways: { walletpay: gateway, cardpay: gateway } });

async function paidOrder(planCode = "credit", at?: Date): Promise<Order> {
  const order = await scene.placeFor(buyer, planCode);
  await settlePaid(scene.deps, noticeOf(order), at === undefined ? {} : { at });
  return order;
}

/** Opens a refund, and holds it to what an admin would have been shown a moment before. */
async function open(order: Order, change: Partial<NewRefund> = {}): Promise<Refund> {
  const request = { amountUsd: null, reason: "asked for it", mayGoNegative: false, ...change };
  const idempotencyKey = change.idempotencyKey ?? crypto.randomUUID();
  const wanted = { ...request, orderNo: order.orderNo, idempotencyKey };
  return await scene.db.withTransaction(async (tx) => {
    const { amountUsd, taking, problems } = await planRefund(tx, wanted);
    const { refund, isNew } = await openRefund(tx, wanted);
    if (isNew) {
      const [after] = await tx.sql<{ remaining: bigint }>`
        select granted - (used - period_base) - leased - reserved as remaining from budget
        where id = ${taking.budget?.id ?? 0n}::bigint`;
      const shown = { amountUsd, quota: taking.quota, after: taking.budget && taking.budget.remaining - taking.quota };
      const done = { amountUsd: refund.amountUsd, quota: refund.quota, after: after?.remaining ?? null };
      expect([done, problems.every(isOverridable)]).toEqual([shown, true]);
    }
    return refund;
  });
}

const refund = async (order: Order, change: Partial<NewRefund> = {}): Promise<Refund> =>
  await payRefund(parts(), (await open(order, change)).refundNo);

async function monthOf(): Promise<unknown> {
  const rows = await scene.db.sql`
    select period_end, quota_granted, months from subscription where user_id = ${buyer.userId}::bigint`;
  expect(rows).toHaveLength(1);
  return rows[0];
}

const inMinutes = (minutes: number): Date => new Date(Date.now() + minutes * 60_000);
const usd = (text: string): Decimal => text as Decimal;
const refusal = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "done",
    (error: { code?: unknown }) => error.code,
  );

test("a whole refund sends the payment back by its gateway and takes its quota", async () => {
  const order = await paidOrder();
  expect(await refund(order)).toMatchObject({ status: "done", amountUsd: "10.00", quota: 5_000_000n });
  expect(gateway.requests).toEqual([
    {
      refundNo: expect.stringMatching(/^R[0-9A-Z]{26}$/),
      orderNo: order.orderNo,
      account: "main",
      transactionId: noticeOf(order).transactionId,
      amountUsd: usd("10.00"),
      currency: "USD",
      isFirst: true,
    },
  ]);
  expect((await scene.order(order.orderNo)).status).toBe("refunded");
  expect(await scene.balance(buyer)).toBe(0n);
  // The notice that paid it changes nothing when it comes again.
  expect(await settlePaid(scene.deps, noticeOf(order))).toBe("duplicate");
  expect((await scene.order(order.orderNo)).status).toBe("refunded");
  const again = scene.db.withTransaction((tx) => planRefund(tx, { orderNo: order.orderNo, amountUsd: null }));
  expect(await again).toMatchObject({ problems: [{ code: "not_paid" }] });
});

test("partial refunds add up to the whole, in money and in quota", async () => {
  const order = await paidOrder();
  const refunds = [await refund(order, { amountUsd: usd("3.33") }), await refund(order, { amountUsd: usd("3.33") })];
  expect(refunds.map(({ quota }) => quota)).toEqual([1_665_000n, 1_665_000n]);
  expect((await scene.order(order.orderNo)).status).toBe("settled");
  expect(await refund(order)).toMatchObject({ amountUsd: "3.34", quota: 1_670_000n });
  expect((await scene.order(order.orderNo)).status).toBe("refunded");
  expect(await scene.balance(buyer)).toBe(0n);
  expect(await refusal(refund(order, { amountUsd: usd("0.01") }))).toBe("conflict");
});

test("concurrent refunds never send back more than was paid", async () => {
  const order = await paidOrder();
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, () => refusal(refund(order, { amountUsd: usd("3.00"), mayGoNegative: true }))),
  );
  expect(outcomes.filter((outcome) => outcome === "done")).toHaveLength(3);
  expect(gateway.requests).toHaveLength(3);
  expect(await scene.balance(buyer)).toBe(500_000n);
});

test("the same key is the same refund, and is refused for another amount", async () => {
  const order = await paidOrder();
  const same = { amountUsd: usd("2.00"), idempotencyKey: "refund-key" };
  const [first, second] = [await refund(order, same), await refund(order, same)];
  expect(second.refundNo).toBe(first.refundNo);
  expect(gateway.requests).toHaveLength(1);
  expect(await refusal(refund(order, { ...same, amountUsd: usd("2.01") }))).toBe("idempotency_mismatch");
  expect(await refusal(refund(order, { ...same, reason: "another" }))).toBe("idempotency_mismatch");
});

describe("a refund is refused", () => {
  test("while the order is not paid, and for more than it cost", async () => {
    expect(await refusal(refund(await scene.placeFor(buyer)))).toBe("conflict");
    const order = await paidOrder();
    // The money alone is the reason, and not the quota that would be missing.
    expect(await refusal(refund(order, { amountUsd: usd("10.01"), mayGoNegative: true }))).toBe("conflict");
    expect(await refusal(refund({ ...order, orderNo: "S0" }))).toBe("not_found");
    expect(gateway.requests).toEqual([]);
  });

  test("when the quota was used, unless forced", async () => {
    const order = await paidOrder();
    await scene.use(buyer, 1n);
    expect(await refusal(refund(order))).toBe("conflict");
    expect(await scene.balance(buyer)).toBe(4_999_999n);
    expect(await refund(order, { mayGoNegative: true })).toMatchObject({ status: "done" });
    expect(await scene.balance(buyer)).toBe(-1n);
  });
});

describe("at the gateway", () => {
  test("a refund that is refused there gives the quota back, and can be retried", async () => {
    const order = await paidOrder("monthly");
    gateway.answers = [
      { kind: "failed", error: "too old" },
      { kind: "done", gatewayRefundId: "g1" },
    ];
    expect(await refund(order)).toMatchObject({ status: "failed", error: "too old" });
    expect(await scene.balance(buyer)).toBe(12_000_000n);
    expect((await scene.order(order.orderNo)).status).toBe("settled");
    expect(await refund(order)).toMatchObject({ status: "done", gatewayRefundId: "g1" });
    expect(await scene.balance(buyer)).toBe(0n);
  });

  test("one whose outcome is unknown waits, with its quota taken, until it is known", async () => {
    const order = await paidOrder();
    gateway.answers = [new Error("cut off"), { kind: "pending" }, { kind: "done", gatewayRefundId: "g2" }];
    expect(await refund(order)).toMatchObject({ status: "pending" });
    expect(await scene.balance(buyer)).toBe(0n);
    for (let round = 0; round < 3; round += 1) {
      await payWaitingRefunds(parts(), inMinutes(5));
    }
    expect(gateway.requests.map(({ isFirst }) => isFirst)).toEqual([true, false, false]);
    expect(new Set(gateway.requests.map(({ refundNo }) => refundNo)).size).toBe(1);
    expect((await scene.order(order.orderNo)).status).toBe("refunded");
  });

  test("one that the gateway leaves open keeps its quota taken, raises the alarm, and is retried less and less often", async () => {
    const order = await paidOrder();
    gateway.answers = [{ kind: "unclear", message: "000092 exists" }];
    expect(await refund(order)).toMatchObject({ status: "pending", error: "000092 exists" });
    let asked = 1;
    for (const minutes of [1, 2, 4, 8, 16, 32, 60, 60, 60]) {
      expect(await payWaitingRefunds(parts(), inMinutes(minutes - 0.1))).toBe(0);
      expect(await payWaitingRefunds(parts(), inMinutes(minutes + 0.1))).toBe(1);
      asked += 1;
      expect(gateway.requests).toHaveLength(asked);
    }
    const alarms = scene.lines.filter((line) => line.includes('"refund_unclear"') && line.includes(order.orderNo));
    expect(alarms).toHaveLength(asked);
    expect([await scene.balance(buyer), (await scene.order(order.orderNo)).status]).toEqual([0n, "settled"]);
    gateway.answers = [];
    await payWaitingRefunds(parts(), inMinutes(61));
    expect([await scene.balance(buyer), (await scene.order(order.orderNo)).status]).toEqual([0n, "refunded"]);
  });

  test("one that the gateway leaves open ends with what a person found there, once, and not while it is requested", async () => {
    for (const outcome of ["done", "failed"] as const) {
      const order = await paidOrder("monthly");
      gateway.answers = [{ kind: "unclear", message: "000092 exists" }];
      const before = await scene.balance(buyer);
      const { refundNo } = await refund(order);
      const close = (found: "done" | "failed") =>
        scene.db.withTransaction((tx) => closeByHand(tx, { refundNo, outcome: found, reason: "looked there" }));
      await scene.db.sql`update refund set asking_until = now() + interval '1 minute' where refund_no = ${refundNo}`;
      expect(await refusal(close(outcome))).toBe("conflict");
      await scene.db.sql`update refund set asking_until = null where refund_no = ${refundNo}`;
      const answers = await Promise.all([close(outcome), close(outcome)].map((each) => each.catch(() => null)));
      expect(answers.filter((each) => each?.isNew === true)).toHaveLength(1);
      expect(await close(outcome)).toMatchObject({ isNew: false, refund: { status: outcome } });
      expect(await refusal(close(outcome === "done" ? "failed" : "done"))).toBe("conflict");
      expect(await scene.balance(buyer)).toBe(outcome === "done" ? before - order.quota : before);
      expect(await payWaitingRefunds(parts(), inMinutes(120))).toBe(0);
    }
    const none = { refundNo: "R0", outcome: "done", reason: "x" } as const;
    expect(await refusal(scene.db.withTransaction((tx) => closeByHand(tx, none)))).toBe("not_found");
  });

  test("one that could not be sent counts as the first attempt once it can be sent", async () => {
    const order = await paidOrder();
    gateway.answers = [new AppError("gateway_not_configured"), { kind: "done", gatewayRefundId: "g" }];
    expect(await refund(order)).toMatchObject({ status: "pending" });
    await payWaitingRefunds(parts(), inMinutes(2));
    expect(gateway.requests.map(({ isFirst }) => isFirst)).toEqual([true, true]);
  });

  test("one whose process died before the request is requested by the job", async () => {
    const order = await paidOrder();
    await open(order);
    expect(gateway.requests).toEqual([]);
    await payWaitingRefunds(parts(), inMinutes(2));
    expect((await scene.order(order.orderNo)).status).toBe("refunded");
  });

  test("a refund is requested by one caller at a time", async () => {
    const order = await paidOrder();
    const { refundNo } = await open(order);
    const mayAnswer = Promise.withResolvers<RefundAnswer>();
    gateway.answers = [mayAnswer.promise];
    const isAsked = gateway.nextRequest();
    const first = payRefund(parts(), refundNo);
    await isAsked;
    expect(await payRefund(parts(), refundNo)).toMatchObject({ status: "pending" });
    expect(await payWaitingRefunds(parts(), inMinutes(4))).toBe(0);
    mayAnswer.resolve({ kind: "done", gatewayRefundId: "g" });
    expect(await first).toMatchObject({ status: "done" });
    expect(gateway.requests).toHaveLength(1);
  });

  test("a second response that comes after the first changes nothing, neither the quota nor the month", async () => {
    const start = new Date("2026-01-10T00:00:00Z");
    const order = await paidOrder("monthly", start);
    const { refundNo } = await open(order);
    const late = Promise.withResolvers<RefundAnswer>();
    gateway.answers = [late.promise, { kind: "failed", error: "first" }];
    const isAsked = gateway.nextRequest();
    const slow = payRefund(parts(), refundNo);
    await isAsked;
    // The caller counts as dead, and comes back after all.
    await scene.db.sql`update refund set asking_until = now() where refund_no = ${refundNo}`;
    expect(await payRefund(parts(), refundNo)).toMatchObject({ status: "failed", error: "first" });
    const month = { period_end: new Date("2026-02-10T00:00:00Z"), quota_granted: 12_000_000n, months: 1 };
    expect(await monthOf()).toEqual(month);
    late.resolve({ kind: "failed", error: "second" });
    expect(await slow).toMatchObject({ status: "failed", error: "first" });
    expect([await monthOf(), await scene.balance(buyer)]).toEqual([month, 12_000_000n]);
  });

  test("a month is changed once for each cause", async () => {
    await paidOrder("monthly", new Date("2026-01-10T00:00:00Z"));
    const [{ id } = { id: 0n }] = await scene.db.sql<{ id: bigint }>`
      select id from subscription where user_id = ${buyer.userId}::bigint`;
    const reference = `test:${buyer.userId}`;
    await scene.db
      .withTransaction(async (tx) => {
        await shiftSubscription(tx, id, { reference, quota: 1n, months: 1 });
        await shiftSubscription(tx, id, { reference, quota: 1n, months: 1 });
        const [row] = await tx.sql<{ months: number }>`select months, quota_granted from subscription where id = ${id}`;
        expect(row).toEqual({ months: 2, quota_granted: 12_000_001n } as never);
        throw new Error("undone");
      })
      .catch((error: Error) => expect(error.message).toBe("undone"));
  });
});

describe("a refund of a month", () => {
  const start = new Date("2026-01-10T00:00:00Z");

  test("that is running ends the month and takes its quota", async () => {
    const order = await paidOrder("monthly", start);
    await refund(order);
    expect(await scene.balance(buyer)).toBe(0n);
    await endOverdueSubscriptions(scene.db, new Date("2026-02-10T00:00:00Z"));
    expect(await scene.balance(buyer)).toBe(0n);
  });

  test("that was added to another leaves the other", async () => {
    await paidOrder("monthly", start);
    const second = await paidOrder("monthly", start);
    await refund(second);
    expect(await scene.balance(buyer)).toBe(12_000_000n);
    const month = { period_end: new Date("2026-02-10T00:00:00Z"), quota_granted: 12_000_000n, months: 1 };
    expect(await monthOf()).toEqual(month);
  });

  test("takes no quota for credit that was used", async () => {
    const credit = await paidOrder("credit");
    await scene.use(buyer, 1n);
    const month = await paidOrder("monthly", new Date());
    expect(await refusal(refund(credit))).toBe("conflict");
    expect(await refusal(refund(credit, { amountUsd: usd("10.00") }))).toBe("conflict");
    expect([await scene.balance(buyer), gateway.requests.length]).toEqual([16_999_999n, 0]);
    // The month alone is unused, and is refunded.
    expect(await refund(month)).toMatchObject({ status: "done", quota: 12_000_000n });
    expect(await scene.balance(buyer)).toBe(4_999_999n);
  });

  test("that was used takes nothing from credit", async () => {
    const month = await paidOrder("monthly", new Date());
    await paidOrder("credit");
    await scene.use(buyer, 1n);
    expect(await refusal(refund(month))).toBe("conflict");
    expect([await scene.balance(buyer), gateway.requests.length]).toEqual([16_999_999n, 0]);
    expect(await refund(month, { mayGoNegative: true })).toMatchObject({ status: "done", quota: 12_000_000n });
    expect(await scene.balance(buyer)).toBe(4_999_999n);
  });

  test("that is over takes no quota: what was unused expired with the month", async () => {
    await paidOrder("credit");
    const order = await paidOrder("monthly", start);
    await endOverdueSubscriptions(scene.db, new Date("2026-02-10T00:00:00Z"));
    expect(await refund(order)).toMatchObject({ status: "done", quota: 0n });
    expect(await scene.balance(buyer)).toBe(5_000_000n);
  });
});

test("an order without an owner is refunded whole, and can't be claimed afterwards", async () => {
  const { order, claimCode } = await scene.place();
  await settlePaid(scene.deps, noticeOf(order));
  expect(await refusal(refund(order, { amountUsd: usd("1.00") }))).toBe("conflict");
  expect(await refund(order)).toMatchObject({ status: "done", quota: 0n });
  const claim = { orderNo: order.orderNo, claimCode: claimCode ?? "", userId: buyer.userId };
  expect(await refusal(scene.db.withTransaction((tx) => claimOrder(tx, claim)))).toBe("conflict");
});

test("an order that is claimed while its refund is on the way is credited neither then nor later", async () => {
  const { order, claimCode } = await scene.place();
  await settlePaid(scene.deps, noticeOf(order));
  const { refundNo } = await open(order);
  const claim = { orderNo: order.orderNo, claimCode: claimCode ?? "", userId: buyer.userId };
  expect(await refusal(scene.db.withTransaction((tx) => claimOrder(tx, claim)))).toBe("conflict");
  await payRefund(parts(), refundNo);
  expect(await scene.balance(buyer)).toBe(0n);
});

test("an order whose refund is on the way is not credited when its address is verified", async () => {
  const owner = await scene.addBuyer("refunded@example.com", false);
  const { order } = await scene.place({ email: "refunded@example.com" });
  await settlePaid(scene.deps, noticeOf(order));
  const { refundNo } = await open(order);
  await scene.db.sql`update user_profile set email_verified_at = now() where id = ${owner.userId}::bigint`;
  expect(await scene.db.withTransaction((tx) => creditPaidOrders(tx, owner.userId))).toBe(0);
  await payRefund(parts(), refundNo);
  expect(await scene.balance(owner)).toBe(0n);
});

test("a mock payment is refunded without any gateway", async () => {
  const order = await scene.placeFor(buyer, "credit", "none");
  await settlePaid(scene.deps, noticeOf(order));
  expect(await refund(order)).toMatchObject({ status: "done" });
  expect(gateway.requests).toEqual([]);
});

test("a month that began when its order was claimed goes back with the order, days after its payment", async () => {
  const { order, claimCode } = await scene.place({ planCode: "monthly" });
  await settlePaid(scene.deps, noticeOf(order), { at: new Date(Date.now() - 3 * 86_400_000) });
  const claim = { orderNo: order.orderNo, claimCode: claimCode ?? "", userId: buyer.userId };
  await scene.db.withTransaction((tx) => claimOrder(tx, claim));
  expect(await scene.balance(buyer)).toBe(12_000_000n);
  // Refused once, the month is back as it was.
  gateway.answers = [{ kind: "failed", error: "no" }];
  expect(await refund(order)).toMatchObject({ status: "failed", quota: 12_000_000n });
  expect(await scene.balance(buyer)).toBe(12_000_000n);
  gateway.answers = [];
  expect(await refund(order)).toMatchObject({ status: "done", quota: 12_000_000n });
  expect(await scene.balance(buyer)).toBe(0n);
});

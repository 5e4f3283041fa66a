import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Decimal } from "@sluice/contracts/money";
import { adjustQuota } from "@sluice/control-plane/payments/admin/adjust-quota.ts";
import { fromCents, type Order, toCents } from "@sluice/control-plane/payments/model.ts";
import { cancelOrder, expireOverdueOrders } from "@sluice/control-plane/payments/orders/orders.ts";
import { openRefund, payRefund } from "@sluice/control-plane/payments/refunds/refunds.ts";
import { resolveOrder } from "@sluice/control-plane/payments/reviews/reviews.ts";
import { settlePaid } from "@sluice/control-plane/payments/settle/settle-paid.ts";
import { endOverdueSubscriptions } from "@sluice/control-plane/payments/subscriptions/subscriptions.ts";
import fc from "fast-check";
import { BillingScene, type Buyer, noticeOf } from "../../support/payments/billing-scene.ts";
import { endOf, Pots } from "../../support/payments/money-pots.ts";
import { ScriptedRefunds } from "../../support/payments/scripted-refunds.ts";

const { TEST_FULL, TEST_SEED } = process.env;
const runs = TEST_FULL === "1" ? 200 : 12;
const seed = TEST_SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(TEST_SEED);

type PendingRefund = { readonly refundNo: string; readonly cents: bigint; readonly quota: bigint };

type Known = {
  readonly order: Order;
  state: "pending" | "cancelled" | "expired" | "settled" | "refunded" | "review";
  paidCents: bigint;
  /** Null until it was credited. */
  creditedAt: number | null;
  /** Of refunds that did not fail: what went back or is on its way, and the quota that was taken for it. */
  refundedCents: bigint;
  refundedQuota: bigint;
  doneCents: bigint;
  /** Those that the gateway has not answered yet, in their order. */
  readonly waiting: PendingRefund[];
  /** What an admin decided about a payment that did not fit. */
  resolution: "settle" | "refund" | null;
};
type Model = { readonly pots: Pots; readonly orders: Known[]; now: number };
type Real = { readonly buyer: Buyer };
type Command = fc.AsyncCommand<Model, Real>;

const dayMs = 86_400_000;
const epoch = Date.UTC(2026, 0, 1);
const quotas: Record<string, bigint> = { credit: 5_000_000n, monthly: 12_000_000n, "other-month": 2_000_000n };
const gateway = new ScriptedRefunds();

let scene: BillingScene;

beforeAll(async () => {
  scene = await BillingScene.create();
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

function command(
  name: string,
  check: (model: Model) => boolean,
  run: (model: Model, real: Real) => Promise<void>,
): Command {
  return {
    check,
    run: async (model, real) => {
      await run(model, real);
      expect(await scene.balance(real.buyer)).toBe(model.pots.total);
      const months = await scene.db.sql`
        select plan_code as plan, period_end as end from subscription
        where user_id = ${real.buyer.userId}::bigint and status = 'active' order by id`;
      expect([...months]).toEqual(model.pots.months.map((pot) => ({ plan: pot.plan, end: new Date(endOf(pot)) })));
    },
    toString: () => name,
  };
}

/** One of the orders that fit, so that few commands have nothing to do. */
function pick(model: Model, index: number, fits: (known: Known) => boolean = () => true): Known | undefined {
  const fitting = model.orders.filter(fits);
  return fitting[index % Math.max(fitting.length, 1)];
}
const hasOrders = ({ orders }: Model): boolean => orders.length > 0;

const create = fc.constantFrom(...Object.keys(quotas)).map((plan) =>
  command(
    `create ${plan}`,
    () => true,
    async (model, { buyer }) => {
      const placed = await scene.place({ userId: buyer.userId, planCode: plan, at: new Date(model.now) });
      const nothing = { paidCents: 0n, creditedAt: null, refundedCents: 0n, refundedQuota: 0n, doneCents: 0n };
      model.orders.push({ order: placed.order, state: "pending", ...nothing, waiting: [], resolution: null });
    },
  ),
);

const isTooLate = ({ order }: Known, now: number): boolean => now - order.expiresAt.getTime() > 7 * dayMs;

const pay = fc.nat(20).map((index) =>
  command(`pay ${index}`, hasOrders, async (model) => {
    const known = pick(model, index);
    if (known === undefined) {
      return;
    }
    const { order } = known;
    const result = await settlePaid(scene.deps, noticeOf(order), { at: new Date(model.now) });
    if (known.state === "settled" || known.state === "refunded") {
      // Of an order that was settled for less, another payment than the one that it has.
      expect(result).toBe(known.paidCents === centsOf(order) ? "duplicate" : "review");
      return;
    }
    const isRight = known.state !== "review" && !isTooLate(known, model.now);
    expect(result).toBe(isRight ? "settled" : "review");
    // Of two payments that did not fit, under one number, the first one counts.
    known.paidCents = known.state === "review" ? known.paidCents : centsOf(order);
    known.state = isRight ? "settled" : "review";
    if (isRight) {
      known.creditedAt = model.now;
      model.pots.pay(order.planCode, order.quota, model.now);
    }
  }),
);

/** A payment of too little, of credit: what is decided about a month begins it at the time of the database. */
const underpay = fc.nat(20).map((index) =>
  command(`underpay ${index}`, hasOrders, async (model) => {
    const known = pick(model, index, ({ state }) => state === "pending");
    if (known?.state !== "pending" || known.order.planCode !== "credit") {
      return;
    }
    const amountUsd = "9.00" as Decimal;
    expect(await settlePaid(scene.deps, noticeOf(known.order, { amountUsd }), { at: new Date(model.now) })).toBe(
      "review",
    );
    known.state = "review";
    known.paidCents = 900n;
  }),
);

/** What an admin decides about a payment that did not fit; a refund may be refused, and decided about again. */
const decide = fc
  .tuple(fc.nat(20), fc.constantFrom("settle", "refund"), fc.boolean())
  .map(([index, action, isRefused]) =>
    command(`decide ${index} ${action}${isRefused ? " in vain" : ""}`, hasOrders, async (model) => {
      const known = pick(model, index, ({ state, resolution }) => state === "review" || resolution === "refund");
      const isOpen =
        known !== undefined &&
        known.paidCents > 0n &&
        (known.state === "review" || (known.resolution === "refund" && known.state === "settled"));
      if (!isOpen || known.order.planCode !== "credit") {
        return;
      }
      const { orderNo, quota } = known.order;
      const decision = { orderNo, action, transactionId: null, reason: "test" } as const;
      const { refundNo } = await scene.db.withTransaction((tx) => resolveOrder(tx, scene.deps, decision));
      known.state = "settled";
      known.resolution = action;
      if (action === "settle") {
        known.creditedAt = model.now;
        model.pots.pay("credit", quota, model.now);
        return;
      }
      gateway.answers = [isRefused ? refused : sent];
      expect(await payRefund(refundParts(), refundNo ?? "")).toMatchObject({
        quota: 0n,
        status: isRefused ? "failed" : "done",
      });
      known.state = isRefused ? "settled" : "refunded";
    }),
  );

const cancel = fc.nat(20).map((index) =>
  command(`cancel ${index}`, hasOrders, async (model, { buyer }) => {
    const known = pick(model, index);
    if (known?.state === "pending") {
      const by = { userId: buyer.userId, claimCode: null };
      await scene.db.withTransaction((tx) => cancelOrder(tx, known.order.orderNo, by));
      known.state = "cancelled";
    }
  }),
);

const centsOf = ({ amountUsd }: Order): bigint => toCents(amountUsd);
const refundParts = () => ({ ...scene.deps, gateways: { walletpay: gateway, cardpay: gateway } });
const sent = { kind: "done", gatewayRefundId: "g" } as const;
const refused = { kind: "failed", error: "no" } as const;

/** Begins a refund, of credit or of a month; the gateway answers later. */
const refund = fc.tuple(fc.nat(20), fc.bigInt(1n, 2_000n), fc.boolean()).map(([index, part, isWhole]) =>
  command(`refund ${index} ${isWhole ? "the rest" : part}`, hasOrders, async (model) => {
    const known = pick(model, index, (each) => each.state === "settled" && each.creditedAt !== null);
    const openCents = known === undefined ? 0n : known.paidCents - known.refundedCents;
    const cents = isWhole ? openCents : part;
    if (known?.state !== "settled" || known.creditedAt === null || cents <= 0n || cents > openCents) {
      return;
    }
    const { order, creditedAt, paidCents } = known;
    const request = { orderNo: order.orderNo, amountUsd: fromCents(cents), reason: "test", mayGoNegative: true };
    const idempotencyKey = crypto.randomUUID();
    const opened = await scene.db.withTransaction((tx) => openRefund(tx, { ...request, idempotencyKey }));
    const { refundNo } = opened.refund;
    const month = model.pots.monthOf(order.planCode, creditedAt);
    known.refundedCents += cents;
    const share = (order.quota * known.refundedCents) / paidCents - known.refundedQuota;
    const isOver = order.planKind === "monthly" && month === undefined;
    const quota = isOver || share < 0n ? 0n : share;
    expect(opened.refund.quota).toBe(quota);
    known.refundedQuota += quota;
    known.waiting.push({ refundNo, cents, quota });
    if (month === undefined) {
      model.pots.credit -= quota;
    } else {
      month.left -= quota;
      month.months -= known.refundedCents === paidCents ? 1 : 0;
    }
  }),
);

/** The gateway answers a refund that waits, and perhaps refuses it. */
const answer = fc.tuple(fc.nat(20), fc.boolean()).map(([index, isRefused]) =>
  command(`${isRefused ? "refuse" : "pay"} a refund of ${index}`, hasOrders, async (model) => {
    const known = pick(model, index, (each) => each.waiting.length > 0);
    const waiting = known?.waiting.shift();
    if (known === undefined || waiting === undefined) {
      return;
    }
    gateway.answers = [isRefused ? refused : sent];
    expect((await payRefund(refundParts(), waiting.refundNo)).status).toBe(isRefused ? "failed" : "done");
    const { order, paidCents } = known;
    if (!isRefused) {
      known.doneCents += waiting.cents;
      known.state = known.doneCents === paidCents ? "refunded" : "settled";
      return;
    }
    const month = model.pots.monthOf(order.planCode, known.creditedAt ?? 0);
    if (month === undefined) {
      model.pots.credit += waiting.quota;
    } else {
      month.left += waiting.quota;
      month.months += known.refundedCents === paidCents ? 1 : 0;
    }
    known.refundedCents -= waiting.cents;
    known.refundedQuota -= waiting.quota;
  }),
);

const use = fc.bigInt(1n, 9_000_000n).map((amount) =>
  command(
    `use ${amount}`,
    ({ pots }) => pots.total >= amount,
    async (model, { buyer }) => {
      await scene.use(buyer, amount);
      model.pots.use(amount);
    },
  ),
);

const adjust = fc.bigInt(-3_000_000n, 3_000_000n).map((amount) =>
  command(
    `adjust ${amount}`,
    () => amount !== 0n,
    async (model, { buyer }) => {
      const request = { gatewayUserId: buyer.gatewayUserId, amount, idempotencyKey: crypto.randomUUID() };
      const attempt = scene.db.withTransaction((tx) =>
        adjustQuota(tx, { ...request, isDryRun: false, mayGoNegative: false }),
      );
      const isCovered = amount > 0n || model.pots.total + amount >= 0n;
      const isDone = await attempt.then(
        () => true,
        () => false,
      );
      expect(isDone).toBe(isCovered);
      model.pots.credit += isCovered ? amount : 0n;
    },
  ),
);

const pass = fc.integer({ min: 1, max: 40 }).map((days) =>
  command(
    `pass ${days} days`,
    () => true,
    async (model) => {
      model.now += days * dayMs;
      await expireOverdueOrders(scene.db, new Date(model.now));
      await endOverdueSubscriptions(scene.db, new Date(model.now));
      for (const known of model.orders.filter(({ state }) => state === "pending")) {
        known.state = "expired";
      }
      model.pots.endUntil(model.now);
    },
  ),
);

test(
  `whatever users and admins do, a balance is what plain arithmetic says, and every invariant holds, TEST_SEED=${seed}`,
  async () => {
    const paying = [create, create, pay, pay, cancel, underpay, decide];
    const commands = fc.commands([...paying, refund, refund, answer, answer, use, use, adjust, pass], {
      maxCommands: 80,
      size: "max",
    });
    await fc.assert(
      fc.asyncProperty(commands, async (sequence) => {
        const buyer = await scene.addBuyer();
        const model = (): { model: Model; real: Real } => ({
          model: { pots: new Pots(), orders: [], now: epoch },
          real: { buyer },
        });
        await fc.asyncModelRun(model, sequence);
        expect(await scene.checkMoney()).toEqual([]);
      }),
      { numRuns: runs, endOnFailure: false, seed },
    );
  },
  runs * 5_000,
);

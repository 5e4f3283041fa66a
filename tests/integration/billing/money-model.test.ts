import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Decimal } from "@sluice/contracts/money";
import { adjustQuota } from "@sluice/control-plane/billing/adjust.ts";
import type { Order } from "@sluice/control-plane/billing/model.ts";
import { cancelOrder, expireOverdueOrders } from "@sluice/control-plane/billing/orders.ts";
import { openRefund, payRefund } from "@sluice/control-plane/billing/refunds.ts";
import { settlePaid } from "@sluice/control-plane/billing/service.ts";
import { endOverdueSubscriptions } from "@sluice/control-plane/billing/subscriptions.ts";
import fc from "fast-check";
import { BillingScene, type Buyer, noticeOf } from "../../support/billing-scene.ts";
import { ScriptedRefunds } from "../../support/scripted-refunds.ts";

const runs = process.env["TEST_FULL"] === "1" ? 200 : 12;

/**
 * The same money in plain arithmetic: credit that does not end in one pot, each month in a pot of its own that empties at
 * its end. A call takes from the pot that ends first.
 */
class Pots {
  credit = 0n;
  months: { plan: string; end: number; left: bigint }[] = [];

  get total(): bigint {
    return this.months.reduce((sum, { left }) => sum + left, this.credit);
  }

  use(amount: bigint): void {
    let open = amount;
    for (const pot of [...this.months].sort((one, other) => one.end - other.end)) {
      const taken = open < pot.left ? open : pot.left;
      pot.left -= taken;
      open -= taken;
    }
    this.credit -= open;
  }

  pay(plan: string, quota: bigint, at: number): void {
    if (plan === "credit") {
      this.credit += quota;
      return;
    }
    this.endUntil(at, plan);
    const running = this.months.find((pot) => pot.plan === plan);
    if (running === undefined) {
      this.months.push({ plan, end: monthAfter(at), left: quota });
    } else {
      running.end = monthAfter(running.end);
      running.left += quota;
    }
  }

  /** Nothing is taken beyond what there is: credit below zero is paid by what is left of a month. */
  endUntil(at: number, plan?: string): void {
    for (const pot of this.months.filter(({ end }) => end <= at).sort((one, other) => one.end - other.end)) {
      if (plan === undefined || pot.plan === plan) {
        const rest = this.total;
        const taken = rest <= 0n ? 0n : rest < pot.left ? rest : pot.left;
        this.credit += pot.left - taken;
        this.months = this.months.filter((each) => each !== pot);
      }
    }
  }
}

/** The same day of the next month, or the last day of one that is too short for it. */
function monthAfter(time: number): number {
  const from = new Date(time);
  const [year, month, day] = [from.getUTCFullYear(), from.getUTCMonth() + 1, from.getUTCDate()];
  const daysOfMonth = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(day, daysOfMonth));
}

type Known = {
  readonly order: Order;
  state: "pending" | "cancelled" | "expired" | "settled" | "refunded";
  refunded: bigint;
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
    },
    toString: () => name,
  };
}

const pick = (model: Model, index: number): Known | undefined => model.orders[index % Math.max(model.orders.length, 1)];
const hasOrders = ({ orders }: Model): boolean => orders.length > 0;

const create = fc.constantFrom(...Object.keys(quotas)).map((plan) =>
  command(
    `create ${plan}`,
    () => true,
    async (model, { buyer }) => {
      const placed = await scene.place({ userId: buyer.userId, planCode: plan, at: new Date(model.now) });
      model.orders.push({ order: placed.order, state: "pending", refunded: 0n });
    },
  ),
);

const pay = fc.nat(20).map((index) =>
  command(`pay ${index}`, hasOrders, async (model) => {
    const known = pick(model, index);
    if (known === undefined) {
      return;
    }
    const result = await settlePaid(scene.parts, noticeOf(known.order), { at: new Date(model.now) });
    const isPaid = known.state === "settled" || known.state === "refunded";
    expect(result).toBe(isPaid ? "duplicate" : "settled");
    if (!isPaid) {
      known.state = "settled";
      model.pots.pay(known.order.planCode, known.order.quota, model.now);
    }
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

/** Refunds of credit only: what a refund does to a month has tests of its own. */
const refund = fc.tuple(fc.nat(20), fc.bigInt(1n, 1_000n)).map(([index, cents]) =>
  command(`refund ${index} ${cents}`, hasOrders, async (model) => {
    const known = pick(model, index);
    if (known?.state !== "settled" || known.order.planCode !== "credit" || known.refunded + cents > 1_000n) {
      return;
    }
    const amountUsd = `${cents / 100n}.${(cents % 100n).toString().padStart(2, "0")}` as Decimal;
    const request = { orderNo: known.order.orderNo, amountUsd, reason: "test", mayGoNegative: true };
    const idempotencyKey = crypto.randomUUID();
    const opened = await scene.db.withTransaction((tx) => openRefund(tx, { ...request, idempotencyKey }));
    await payRefund({ ...scene.parts, gateways: { walletpay: gateway, cardpay: gateway } }, opened.refund.refundNo);
    known.refunded += cents;
    known.state = known.refunded === 1_000n ? "refunded" : "settled";
    model.pots.credit -= cents * 5_000n;
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
  "whatever users and admins do, a balance is what plain arithmetic says, and every invariant holds",
  async () => {
    const commands = fc.commands([create, create, pay, pay, cancel, refund, use, use, adjust, pass], {
      maxCommands: 60,
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
      { numRuns: runs, endOnFailure: false },
    );
  },
  runs * 5_000,
);

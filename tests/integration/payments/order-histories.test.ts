import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Order } from "@sluice/control-plane/payments/model.ts";
import { cancelOrder, expireOverdueOrders } from "@sluice/control-plane/payments/orders/orders.ts";
import { openRefund, payRefund } from "@sluice/control-plane/payments/refunds/refunds.ts";
import { settlePaid } from "@sluice/control-plane/payments/settle/settle-paid.ts";
import { BillingScene, type Buyer, noticeOf } from "../../support/payments/billing-scene.ts";
import { ScriptedRefunds } from "../../support/payments/scripted-refunds.ts";

const steps = ["create", "cancel", "expire", "paid", "refund"] as const;
type Step = (typeof steps)[number];
type State = "none" | "pending" | "cancelled" | "expired" | "settled" | "refunded";

const lengthMax = 4;
const isFull = process.env["TEST_FULL"] === "1";

/**
 * What each step does in each state, and what its caller gets. Every state has every step, so that none is left out.
 */
const table: Record<State, Record<Step, readonly [State, string]>> = {
  none: {
    create: ["pending", "new"],
    cancel: ["none", "not_found"],
    expire: ["none", "done"],
    paid: ["none", "unknown_order"],
    refund: ["none", "not_found"],
  },
  pending: {
    create: ["pending", "again"],
    cancel: ["cancelled", "done"],
    expire: ["expired", "done"],
    paid: ["settled", "settled"],
    refund: ["pending", "conflict"],
  },
  cancelled: {
    create: ["cancelled", "again"],
    cancel: ["cancelled", "done"],
    expire: ["cancelled", "done"],
    paid: ["settled", "settled"],
    refund: ["cancelled", "conflict"],
  },
  expired: {
    create: ["expired", "again"],
    cancel: ["expired", "conflict"],
    expire: ["expired", "done"],
    paid: ["settled", "settled"],
    refund: ["expired", "conflict"],
  },
  settled: {
    create: ["settled", "again"],
    cancel: ["settled", "conflict"],
    expire: ["settled", "done"],
    paid: ["settled", "duplicate"],
    refund: ["refunded", "done"],
  },
  refunded: {
    create: ["refunded", "again"],
    cancel: ["refunded", "conflict"],
    expire: ["refunded", "done"],
    paid: ["refunded", "duplicate"],
    refund: ["refunded", "conflict"],
  },
};

/** Every order of the steps up to the length; by default those that begin with an order, and the short ones of the others. */
function histories(): Step[][] {
  let longest: Step[][] = [[]];
  const all: Step[][] = [];
  for (let length = 1; length <= lengthMax; length += 1) {
    longest = longest.flatMap((before) => steps.map((step) => [...before, step]));
    all.push(...longest);
  }
  return isFull ? all : all.filter((history) => history[0] === "create" || history.length <= 2);
}

let scene: BillingScene;
const gateway = new ScriptedRefunds();

beforeAll(async () => {
  scene = await BillingScene.create();
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

/** One buyer with at most one order, and what is done to it. */
class History {
  readonly #buyer: Buyer;
  readonly #key = crypto.randomUUID();
  order: Order | null = null;

  constructor(buyer: Buyer) {
    this.#buyer = buyer;
  }

  async do(step: Step): Promise<string> {
    const orderNo = this.order?.orderNo ?? "S0";
    switch (step) {
      case "create": {
        const placed = await scene.place({ userId: this.#buyer.userId, idempotencyKey: this.#key });
        this.order = placed.order;
        return placed.isNew ? "new" : "again";
      }
      case "cancel": {
        const by = { userId: this.#buyer.userId, claimCode: null };
        return await outcome(scene.db.withTransaction((tx) => cancelOrder(tx, orderNo, by)));
      }
      case "expire":
        await expireOverdueOrders(scene.db, this.order?.expiresAt ?? new Date());
        return "done";
      case "paid":
        return await settlePaid(scene.deps, this.#notice());
      case "refund":
        return await outcome(this.#refund(orderNo));
    }
  }

  #notice(): Parameters<typeof settlePaid>[1] {
    const amountUsd = "10.00" as Order["amountUsd"];
    const orderless = { gateway: "walletpay", account: "main", transactionId: "x", orderNo: "S0", amountUsd } as const;
    return this.order === null ? { ...orderless, currency: "USD" } : noticeOf(this.order);
  }

  async #refund(orderNo: string): Promise<void> {
    const request = { orderNo, amountUsd: null, reason: "test", mayGoNegative: false };
    const idempotencyKey = crypto.randomUUID();
    const { refund } = await scene.db.withTransaction((tx) => openRefund(tx, { ...request, idempotencyKey }));
    await payRefund({ ...scene.deps, gateways: { walletpay: gateway, cardpay: gateway } }, refund.refundNo);
  }
}

async function outcome(work: Promise<unknown>): Promise<string> {
  return await work.then(
    () => "done",
    (error: { code?: unknown }) => String(error.code),
  );
}

test(
  "whatever happens to an order, in any sequence, it is credited at most once and every state follows the table",
  async () => {
    for (const history of histories()) {
      const buyer = await scene.addBuyer();
      const played = new History(buyer);
      let state: State = "none";
      let isLate = false;
      for (const [index, step] of history.entries()) {
        const transition: readonly [State, string] = table[state][step];
        const [next, answer] = transition;
        isLate ||= step === "paid" && (state === "cancelled" || state === "expired");
        state = next;
        expect([history.slice(0, index + 1).join(" "), await played.do(step)]).toEqual([
          history.slice(0, index + 1).join(" "),
          answer,
        ]);
      }
      const found = played.order === null ? null : await scene.order(played.order.orderNo);
      const left = await scene.balance(buyer);
      expect([history.join(" "), found?.status ?? "none", found?.is_paid_late ?? false, left]).toEqual([
        history.join(" "),
        state,
        isLate,
        state === "settled" ? 5_000_000n : 0n,
      ]);
    }
    expect(await scene.checkMoney()).toEqual([]);
  },
  isFull ? 240_000 : 60_000,
);

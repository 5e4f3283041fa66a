/**
 * A test program: does whatever users, gateways, admins and jobs do to a few orders, in an order given by its seed,
 * while others do the same. Reads one JSON line of arguments. Ends with 0 if there were only refusals and no other
 * errors.
 */
import type { GatewayUserId, UserId } from "@sluice/contracts/ids";
import type { Decimal } from "@sluice/contracts/money";
import { adjustQuota } from "@sluice/control-plane/payments/admin/adjust-quota.ts";
import { findOrder } from "@sluice/control-plane/payments/orders/order-store.ts";
import { cancelOrder, claimOrder, expireOverdueOrders } from "@sluice/control-plane/payments/orders/orders.ts";
import type { BillingDeps } from "@sluice/control-plane/payments/port.ts";
import { openRefund, payRefund, payWaitingRefunds } from "@sluice/control-plane/payments/refunds/refunds.ts";
import { creditWaitingOwners } from "@sluice/control-plane/payments/settle/credit-waiting.ts";
import { settlePaid } from "@sluice/control-plane/payments/settle/settle-paid.ts";
import { endOverdueSubscriptions } from "@sluice/control-plane/payments/subscriptions/subscriptions.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { AppError } from "@sluice/control-plane/platform/errors.ts";
import { billingDeps, noticeOf } from "./billing-scene.ts";
import { ScriptedRefunds } from "./scripted-refunds.ts";

export type StormArguments = {
  readonly url: string;
  readonly seed: number;
  readonly steps: number;
  readonly orders: readonly { readonly orderNo: string; readonly claimCode: string | null }[];
  readonly buyers: readonly { readonly userId: string; readonly gatewayUserId: string }[];
};

/** A small generator of numbers from a seed, below `limit`. */
function numbersFrom(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

class Storm {
  readonly #db: Database;
  readonly #deps: BillingDeps;
  readonly #storm: StormArguments;
  readonly #next: (limit: number) => number;
  readonly #gateway = new ScriptedRefunds();

  constructor(db: Database, storm: StormArguments) {
    this.#db = db;
    this.#deps = billingDeps(db);
    this.#storm = storm;
    this.#next = numbersFrom(storm.seed);
  }

  async step(): Promise<void> {
    const { orders, buyers } = this.#storm;
    const order = orders[this.#next(orders.length)];
    const buyer = buyers[this.#next(buyers.length)];
    if (order === undefined || buyer === undefined) {
      throw new Error("a storm needs orders and buyers");
    }
    const userId = BigInt(buyer.userId) as UserId;
    switch (this.#next(8)) {
      case 0:
      case 1:
        return await this.#pay(order.orderNo);
      case 2:
        return await this.#cancel(order.orderNo);
      case 3:
        return await this.#refund(order.orderNo);
      case 4:
        return await this.#claim(order.orderNo, order.claimCode ?? "", userId);
      case 5:
        return await this.#adjust(BigInt(buyer.gatewayUserId) as GatewayUserId);
      case 6:
        return await this.#runJobs();
      default:
        return await this.#payOneCent(order.orderNo);
    }
  }

  async #pay(orderNo: string): Promise<void> {
    const order = await findOrder(this.#db, orderNo);
    if (order !== null) {
      await settlePaid(this.#deps, noticeOf(order));
    }
  }

  async #payOneCent(orderNo: string): Promise<void> {
    const order = await findOrder(this.#db, orderNo);
    // Of the orders that are still open most must stay payable.
    if (order !== null && (order.status !== "pending" || this.#next(6) === 0)) {
      await settlePaid(
        this.#deps,
        noticeOf(order, { transactionId: `other ${this.#next(3)}`, amountUsd: "0.01" as Decimal }),
      );
    }
  }

  async #cancel(orderNo: string): Promise<void> {
    const order = await findOrder(this.#db, orderNo);
    const by = { userId: order?.userId ?? null, claimCode: null };
    await this.#db.withTransaction((tx) => cancelOrder(tx, orderNo, by));
  }

  async #refund(orderNo: string): Promise<void> {
    const amountUsd = this.#next(2) === 0 ? null : ("1.37" as Decimal);
    this.#gateway.answers =
      [
        [{ kind: "done", gatewayRefundId: "g" } as const],
        [{ kind: "failed", error: "no" } as const],
        [new Error("cut off")],
      ][this.#next(3)] ?? [];
    const request = { orderNo, amountUsd, reason: "storm", idempotencyKey: `key ${this.#next(4)}` };
    const mayGoNegative = this.#next(2) === 0;
    const { refund } = await this.#db.withTransaction((tx) => openRefund(tx, { ...request, mayGoNegative }));
    await payRefund(this.#refundDeps(), refund.refundNo);
  }

  async #claim(orderNo: string, claimCode: string, userId: UserId): Promise<void> {
    await this.#db.withTransaction((tx) => claimOrder(tx, { orderNo, claimCode, userId }));
  }

  async #adjust(gatewayUserId: GatewayUserId): Promise<void> {
    const amount = BigInt(this.#next(2_000_001)) - 1_000_000n;
    const idempotencyKey = `storm ${this.#next(30)}`;
    const request = { gatewayUserId, amount: amount === 0n ? 1n : amount, idempotencyKey };
    await this.#db.withTransaction((tx) => adjustQuota(tx, { ...request, isDryRun: false, mayGoNegative: false }));
  }

  async #runJobs(): Promise<void> {
    const at = new Date(Date.now() + this.#next(40) * 86_400_000);
    await endOverdueSubscriptions(this.#db, at);
    await creditWaitingOwners(this.#db);
    await payWaitingRefunds(this.#refundDeps(), at);
    if (this.#next(10) === 0) {
      await expireOverdueOrders(this.#db, at);
    }
  }

  #refundDeps(): Parameters<typeof payRefund>[0] {
    return { ...this.#deps, gateways: { walletpay: this.#gateway, cardpay: this.#gateway } };
  }
}

async function main(): Promise<void> {
  const storm = JSON.parse(process.argv[2] ?? "") as StormArguments;
  const db = openDatabase({ url: storm.url, poolMax: 4, applicationName: "storm" });
  const run = new Storm(db, storm);
  const refusals: Record<string, number> = {};
  for (let step = 0; step < storm.steps; step += 1) {
    try {
      await run.step();
    } catch (error) {
      if (!(error instanceof AppError)) {
        throw error;
      }
      refusals[error.code] = (refusals[error.code] ?? 0) + 1;
    }
  }
  process.stdout.write(`${JSON.stringify(refusals)}\n`);
  await db.close(500);
}

await main();

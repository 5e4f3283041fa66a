import { lockUserQuota } from "../../gateway/quota/grant-store.ts";
import type { Transaction } from "../../platform/db.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import type { Order } from "../model.ts";
import {
  findOrder,
  findPaymentByTransaction,
  findPaymentOfOrder,
  lockOrder,
  markCancelled,
  readNow,
} from "../orders/order-store.ts";
import type { BillingDeps } from "../port.ts";
import { settleInTransaction } from "../settle/settle-paid.ts";
import {
  type AttemptOfOrder,
  endAttempt,
  findAttemptOf,
  findTopUp,
  lockTopUp,
  saveFailures,
  type TopUp,
} from "./top-up-store.ts";

/** What a person found at the gateway about a charge that it has not answered. */
export type FoundCharge = {
  readonly orderNo: string;
  readonly outcome: "charged" | "not_charged";
  /** The payment at the gateway; null if there is none. */
  readonly transactionId: string | null;
};

export type ClosedCharge = {
  readonly order: Order;
  readonly topUp: TopUp;
  /** False when the same was recorded before. */
  readonly isNew: boolean;
};

const notCharged = "not_charged";

/**
 * A charge, with the balance that it would add to.
 * @throws AppError `not_found`
 */
export async function readCharge(
  tx: Transaction,
  orderNo: string,
): Promise<{
  readonly order: Order;
  readonly topUp: TopUp;
  readonly attempt: AttemptOfOrder;
  readonly remaining: bigint;
}> {
  const attempt = await findAttemptOf(tx, orderNo);
  const order = attempt === null ? null : await findOrder(tx, orderNo);
  const topUp = attempt === null ? null : await findTopUp(tx, attempt.topUpId);
  if (attempt === null || topUp === null || order === null || order.gatewayUserId === null) {
    throw notFound("charge", "order_no");
  }
  const { remaining } = await lockUserQuota(tx, order.gatewayUserId);
  return { order, topUp, attempt, remaining };
}

/**
 * Ends a charge without an answer, by what a person found at the gateway: a payment is settled by the path of all
 * payments; without one the charge is released, with its order. Repeating it changes nothing.
 * @throws AppError `not_found`; `invalid_value` for a payment that is missing, or named although there is none; `conflict`
 * while the gateway is still asked, after another decision, for a payment of another order, and for another one than the
 * gateway has reported in the meantime
 */
export async function closeCharge(tx: Transaction, deps: BillingDeps, found: FoundCharge): Promise<ClosedCharge> {
  const { orderNo, outcome, transactionId } = found;
  if ((outcome === "charged") !== (transactionId !== null)) {
    const message = outcome === "charged" ? "Name the payment at the gateway." : "There is no payment to name.";
    throw new AppError("invalid_value", { message, fields: { transaction_id: message } });
  }
  const known = await findAttemptOf(tx, orderNo);
  if (known === null) {
    throw notFound("charge", "order_no");
  }
  const topUp = await lockTopUp(tx, known.topUpId);
  const attempt = (await findAttemptOf(tx, orderNo)) ?? known;
  const order = await findOrder(tx, orderNo);
  if (order === null) {
    throw new Error(`order ${orderNo} is missing`);
  }
  if (attempt.state !== "open") {
    return { order, topUp, isNew: refuseOther(attempt, found) };
  }
  if (attempt.unclearSince === null) {
    throw new AppError("conflict", { message: "The gateway is still being asked about this charge." });
  }
  if (transactionId === null) {
    await release(tx, attempt, orderNo);
  } else {
    await settle(tx, deps, { attempt, topUp, order, transactionId });
  }
  return { order: (await findOrder(tx, orderNo)) ?? order, topUp, isNew: true };
}

/** @returns false: a repetition has no further effect */
function refuseOther(attempt: AttemptOfOrder, { outcome, transactionId }: FoundCharge): false {
  const isSame =
    outcome === "charged"
      ? attempt.state === "paid" && attempt.gatewayPaymentId === transactionId
      : attempt.state === "failed" && attempt.error === notCharged;
  if (!isSame) {
    throw new AppError("conflict", { message: "This charge has ended differently. Reload it." });
  }
  return false;
}

async function release(tx: Transaction, { id }: AttemptOfOrder, orderNo: string): Promise<void> {
  const order = await lockOrder(tx, orderNo);
  if (order !== null && isReported(order)) {
    throw reportedMeanwhile();
  }
  await endAttempt(tx, id, { state: "failed", error: notCharged });
  if (order?.status === "pending") {
    await markCancelled(tx, order.id);
  }
}

/** The gateway's own message has come: the job ends the charge, or a person decides on the order. */
const isReported = ({ status }: Order): boolean => status === "settled" || status === "refunded" || status === "review";

const reportedMeanwhile = (): AppError =>
  new AppError("conflict", { message: "The gateway has reported a payment of this order meanwhile. Reload it." });

type Settling = {
  readonly attempt: AttemptOfOrder;
  readonly topUp: TopUp;
  readonly order: Order;
  readonly transactionId: string;
};

async function settle(
  tx: Transaction,
  deps: BillingDeps,
  { attempt, topUp, order, transactionId }: Settling,
): Promise<void> {
  const { orderNo, amountUsd, currency } = order;
  const notice = { gateway: "cardpay", account: topUp.account, orderNo, transactionId, amountUsd, currency } as const;
  const taken = await findPaymentByTransaction(tx, notice);
  if (taken !== null && taken.orderId !== order.id) {
    const message = "This payment belongs to another order.";
    throw new AppError("conflict", { message, fields: { transaction_id: message } });
  }
  const result = await settleInTransaction(tx, deps, { notice, at: await readNow(tx) });
  // A mistyped number must not put an order up for review that is paid.
  if (result === "review" && (await findPaymentOfOrder(tx, order.id)) !== null) {
    throw reportedMeanwhile();
  }
  deps.log.info("billing.top_up_closed", { result, orderNo, transactionId });
  await endAttempt(tx, attempt.id, { state: "paid", gatewayPaymentId: transactionId });
  await saveFailures(tx, topUp.id, 0);
}

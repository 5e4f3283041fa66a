import type { Decimal } from "@sluice/contracts/money";
import type { Transaction } from "../../platform/db.ts";
import { AppError, doesNotExist, notFound } from "../../platform/errors.ts";
import { releaseUses } from "../coupons/coupon-store.ts";
import { consumeCoupon } from "../coupons/use-coupon.ts";
import { issueInvoice } from "../invoices/issue-invoice.ts";
import type { Order, PaidNotice, Payment, Resolution } from "../model.ts";
import { refundNoOf } from "../orders/order-numbers.ts";
import {
  findPaymentOfOrder,
  insertPayment,
  isForNobody,
  lockOrder,
  markSettled,
  readNow,
} from "../orders/order-store.ts";
import type { BillingDeps } from "../port.ts";
import { insertRefund, listLiveRefunds } from "../refunds/refund-store.ts";
import { creditOrder } from "../settle/credit-order.ts";
import { ownerOf, queuePaidMail } from "../settle/settle-paid.ts";
import { clearReviewReason, countRefunds, listReviewPayments, markResolved } from "./review-store.ts";

/**
 * `settle` credits the order although its payment does not match; `refund` sends that payment back and credits nothing;
 * `cancel` ends the order, when no money came or it was sent back at the gateway. `dismiss` removes the mark from an
 * order whose status stays.
 */
export type ReviewAction = Resolution | "dismiss";

export type Decision = {
  readonly orderNo: string;
  readonly action: ReviewAction;
  /** Selects the payment, if the order has several. */
  readonly transactionId: string | null;
  readonly reason: string;
};

export type Resolved = {
  readonly before: Order;
  /** False when the decision was already made. */
  readonly isNew: boolean;
  /** The refund that is paid after the transaction. */
  readonly refundNo: string | null;
};

/**
 * Carries out an admin's decision about an order that is waiting for review. Repeating the decision changes nothing; of
 * two different ones the first counts.
 * @throws AppError `not_found`; `conflict` when there is nothing to decide, or it was decided otherwise
 */
export async function resolveOrder(tx: Transaction, deps: BillingDeps, decision: Decision): Promise<Resolved> {
  const order = await lockOrder(tx, decision.orderNo);
  if (order === null) {
    throw notFound("order");
  }
  const nothing: Resolved = { before: order, isNew: false, refundNo: null };
  const { action } = decision;
  if (action === "dismiss") {
    return await dismiss(tx, order, nothing);
  }
  const isRefundOpen = await isRefusedRefund(tx, order);
  // A cancelled order may have been paid correctly since, and one whose refund was refused waits again.
  const isUndone = action === "refund" ? isRefundOpen : action === "cancel" && order.status !== "cancelled";
  if (order.resolution === action && !isUndone) {
    return nothing;
  }
  if (!(order.status === "review" || (isRefundOpen && action !== "cancel"))) {
    throw new AppError("conflict", {
      message: "There is nothing to decide about this order, or it was already decided.",
    });
  }
  if (action === "cancel") {
    await markResolved(tx, order.id, "cancel");
    await releaseUses(tx, [order.id]);
    return { ...nothing, isNew: true };
  }
  const at = await readNow(tx);
  if (action === "settle") {
    await refuseForNobody(tx, order);
    await consumeCoupon(tx, order.id, true);
  } else {
    await releaseUses(tx, [order.id]);
  }
  const payment = isRefundOpen
    ? await paymentOf(tx, order, decision.transactionId)
    : await takePayment(tx, order, { transactionId: decision.transactionId, at });
  await markResolved(tx, order.id, action);
  if (action === "refund") {
    const { amountUsd } = payment;
    return { ...nothing, isNew: true, refundNo: await leaveRefund(tx, order, { amountUsd, reason: decision.reason }) };
  }
  const owner = await ownerOf(tx, order);
  if (owner !== null) {
    await creditOrder(tx, { order, owner, at });
  }
  await queuePaidMail(tx, deps, order, owner);
  await issueInvoice(tx, { order, owner, paidUsd: payment.amountUsd, at });
  return { ...nothing, isNew: true };
}

async function refuseForNobody(tx: Transaction, order: Order): Promise<void> {
  if (await isForNobody(tx, order)) {
    throw new AppError("conflict", { message: "This account is closed: nobody could use it. Refund the payment." });
  }
}

async function dismiss(tx: Transaction, order: Order, nothing: Resolved): Promise<Resolved> {
  if (order.status === "review") {
    throw new AppError("conflict", { message: "This order is waiting for a decision: settle, refund or cancel." });
  }
  if (order.reviewReason === null) {
    return nothing;
  }
  await clearReviewReason(tx, order.id);
  return { ...nothing, isNew: true };
}

/** Whether the gateway refused to refund its payment. */
async function isRefusedRefund(tx: Transaction, order: Order): Promise<boolean> {
  const isRefund = order.resolution === "refund" && order.status === "settled";
  return isRefund && (await listLiveRefunds(tx, order.id)).length === 0;
}

/** The payment that an earlier decision assigned to the order; a later decision can't replace it. */
async function paymentOf(tx: Transaction, order: Order, transactionId: string | null): Promise<Payment> {
  const payment = await findPaymentOfOrder(tx, order.id);
  if (payment === null || (transactionId !== null && transactionId !== payment.transactionId)) {
    const message = "Another payment of this order was decided with this idempotency key.";
    throw new AppError("conflict", { message, fields: { transaction_id: message } });
  }
  return payment;
}

/** Assigns the selected payment to the order. */
async function takePayment(
  tx: Transaction,
  order: Order,
  { transactionId, at }: { readonly transactionId: string | null; readonly at: Date },
): Promise<PaidNotice> {
  const payment = choosePayment(order, await listReviewPayments(tx, order.id, order.orderNo), transactionId);
  if (!(await insertPayment(tx, order.id, payment))) {
    throw new AppError("conflict", { message: "This payment belongs to another order." });
  }
  await markSettled(tx, order.id, { isLate: false, isMock: payment.gateway === "mock", at });
  return payment;
}

function choosePayment(order: Order, known: readonly PaidNotice[], transactionId: string | null): PaidNotice {
  const meant = transactionId === null ? known : known.filter((each) => each.transactionId === transactionId);
  const [payment] = meant;
  if (payment === undefined || meant.length > 1) {
    const message =
      payment === undefined ? doesNotExist("payment") : "There are several payments: name the transaction.";
    throw new AppError("conflict", { message, fields: { transaction_id: message } });
  }
  if (payment.currency !== order.currency) {
    throw new AppError("conflict", {
      message: "It was paid in another currency. Refund it at the gateway, then cancel the order.",
    });
  }
  return payment;
}

async function leaveRefund(
  tx: Transaction,
  order: Order,
  { amountUsd, reason }: { readonly amountUsd: Decimal; readonly reason: string },
): Promise<string> {
  const refundNo = refundNoOf(order.orderNo, `review ${await countRefunds(tx, order.id)}`);
  await insertRefund(tx, { refundNo, orderId: order.id, amountUsd, quota: 0n, reason });
  return refundNo;
}

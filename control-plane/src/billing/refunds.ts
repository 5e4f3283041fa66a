import type { Decimal } from "@sluice/contracts/money";
import { changeQuota, lockQuotaOfUser } from "../gateway/service.ts";
import type { RefundAnswer } from "../payments/port.ts";
import type { Transaction } from "../platform/db.ts";
import { AppError } from "../platform/errors.ts";
import { fromCents, leftOf, type Order, type Payment, quotaOfRefund, toCents } from "./model.ts";
import { refundNoOf } from "./order-numbers.ts";
import { findOrder, findOwner, findPaymentOfOrder, lockOrder, markRefunded, readNow } from "./order-store.ts";
import type { RefundParts } from "./port.ts";
import {
  closeRefund,
  findRefund,
  insertRefund,
  listLiveRefunds,
  listWaitingRefunds,
  type Refund,
  touchRefund,
} from "./refund-store.ts";
import { regrantEnded, type Subscription, shiftSubscription } from "./subscription-store.ts";
import { countSubscriptions } from "./subscriptions.ts";

const askedAgainAfterMs = 60_000;
const askedAgainPerRunMax = 50;

export type NewRefund = {
  readonly orderNo: string;
  /** Null: everything that has not gone back yet. */
  readonly amountUsd: Decimal | null;
  readonly reason: string;
  readonly idempotencyKey: string;
  /** Takes the quota back although it was used in part. */
  readonly mayGoNegative: boolean;
};

/**
 * Takes back the quota of a refund and writes the refund down as pending; the money follows with `payRefund`. In this
 * order nobody can use quota whose money is on its way back. All refunds of an order never exceed its payment.
 * @throws AppError `not_found`; `conflict` when the order is not paid, less than that is left to refund, the quota was used,
 *   or the key stands for another refund
 */
export async function openRefund(tx: Transaction, request: NewRefund): Promise<{ refund: Refund; isNew: boolean }> {
  const order = await lockOrder(tx, request.orderNo);
  if (order === null) {
    throw new AppError("not_found", { message: "There is no such order." });
  }
  const refundNo = refundNoOf(order.orderNo, request.idempotencyKey);
  const earlier = await findRefund(tx, refundNo);
  if (earlier !== null) {
    const isSame = request.amountUsd === null || toCents(earlier.amountUsd) === toCents(request.amountUsd);
    if (!isSame || earlier.reason !== request.reason) {
      throw new AppError("idempotency_mismatch", { message: "This idempotency key was used for another refund." });
    }
    return { refund: earlier, isNew: false };
  }
  const payment = await findPaymentOfOrder(tx, order.id);
  if (order.status !== "settled" || payment === null || order.resolution === "refund") {
    throw new AppError("conflict", { message: "Only a paid order can be refunded." });
  }
  const live = await listLiveRefunds(tx, order.id);
  const refundedCents = live.reduce((sum, each) => sum + toCents(each.amountUsd), 0n);
  // What was paid: of an order that an admin settled, it need not be what it asked for.
  const paidCents = toCents(payment.amountUsd);
  const openCents = paidCents - refundedCents;
  const cents = request.amountUsd === null ? openCents : toCents(request.amountUsd);
  if (cents <= 0n || cents > openCents) {
    throw new AppError("conflict", { message: `Of this order ${fromCents(openCents)} USD are left to refund.` });
  }
  if (order.userId === null && cents !== paidCents) {
    throw new AppError("conflict", { message: "Nobody has claimed this order; it can only be refunded as a whole." });
  }
  const quota = await takeQuotaBack(tx, order, {
    paidUsd: payment.amountUsd,
    refundNo,
    refundedUsd: fromCents(refundedCents + cents),
    quotaTaken: live.reduce((sum, each) => sum + each.quota, 0n),
    isWhole: refundedCents + cents === paidCents,
    mayGoNegative: request.mayGoNegative,
  });
  const amountUsd = fromCents(cents);
  await insertRefund(tx, { refundNo, orderId: order.id, amountUsd, quota, reason: request.reason });
  const refund = await findRefund(tx, refundNo);
  if (refund === null) {
    throw new Error(`refund ${refundNo} was written and is not there`);
  }
  return { refund, isNew: true };
}

type TakingBack = {
  readonly paidUsd: Decimal;
  readonly refundNo: string;
  readonly refundedUsd: Decimal;
  readonly quotaTaken: bigint;
  readonly isWhole: boolean;
  readonly mayGoNegative: boolean;
};

/** Returns how much quota was taken: none of an order that was never credited, none of a month that is over. */
async function takeQuotaBack(tx: Transaction, order: Order, taking: TakingBack): Promise<bigint> {
  const owner = order.userId === null ? null : await findOwner(tx, order.userId);
  if (owner === null) {
    return 0n;
  }
  const quota = await lockQuotaOfUser(tx, owner.gatewayUserId);
  const running = await countSubscriptions(tx, owner.userId, quota.consumed);
  const subscription = subscriptionOf(order, running);
  // What is left of a month can't stand in for credit: it is used first, so that it would be gone twice.
  const ofMonths = running.reduce((sum, each) => sum + leftOf(each), 0n);
  const share = quotaOfRefund({ quota: order.quota, amountUsd: taking.paidUsd }, taking.refundedUsd, taking.quotaTaken);
  const isMonthOver = order.planKind === "monthly" && subscription === null;
  const amount = isMonthOver ? 0n : share;
  const available = subscription === null ? quota.remaining - ofMonths : leftOf(subscription);
  if (amount > 0n && (amount > available || amount > quota.remaining) && !taking.mayGoNegative) {
    throw new AppError("conflict", { message: "The quota of this order was used in part already." });
  }
  if (amount > 0n) {
    const reference = `refund:${taking.refundNo}`;
    await changeQuota(tx, { budgetId: quota.budgetId, amount: -amount, changeType: "refund", reference });
  }
  if (subscription !== null) {
    await shiftSubscription(tx, subscription.id, { quota: -amount, months: taking.isWhole ? -1 : 0 });
  }
  return amount;
}

/** The subscription that a monthly order is part of, while its period runs. */
function subscriptionOf(order: Order, running: readonly Subscription[]): Subscription | null {
  const { planKind, planCode, creditedAt } = order;
  if (planKind !== "monthly" || creditedAt === null) {
    return null;
  }
  return running.find((each) => each.planCode === planCode && creditedAt >= each.periodStart) ?? null;
}

/**
 * Asks the gateway for the money of a pending refund, outside of any transaction, and writes down what it says. Asking
 * again is safe: the number of the refund is the gateway's idempotency key.
 */
export async function payRefund(parts: RefundParts, refundNo: string): Promise<Refund> {
  const { db, log } = parts;
  const refund = await findRefund(db, refundNo);
  const order = refund === null ? null : await findOrder(db, refund.orderNo);
  const payment = order === null ? null : await findPaymentOfOrder(db, order.id);
  if (refund === null || payment === null) {
    throw new Error(`refund ${refundNo} has no payment`);
  }
  if (refund.status !== "pending") {
    return refund;
  }
  let answer: RefundAnswer = { kind: "pending" };
  try {
    answer = await askGateway(parts, refund, payment);
  } catch (error) {
    log.warn("billing.refund_unknown", { refundNo, orderNo: refund.orderNo, error });
  }
  const written = await db.withTransaction((tx) => writeAnswer(tx, refundNo, answer));
  log.info("billing.refund", { refundNo, orderNo: written.orderNo, status: written.status, error: written.error });
  return written;
}

async function askGateway(
  { gateways }: RefundParts,
  { refundNo, orderNo, amountUsd }: Refund,
  { gateway: name, account, transactionId, currency }: Payment,
): Promise<RefundAnswer> {
  if (name === "mock") {
    // Nobody has paid, so nobody gets anything back.
    return { kind: "done", gatewayRefundId: `mock:${refundNo}` };
  }
  return await gateways[name].refund({ refundNo, orderNo, account, transactionId, amountUsd, currency });
}

async function writeAnswer(tx: Transaction, refundNo: string, answer: RefundAnswer): Promise<Refund> {
  const known = await findRefund(tx, refundNo);
  const order = known === null ? null : await lockOrder(tx, known.orderNo);
  const refund = await findRefund(tx, refundNo);
  if (order === null || refund === null) {
    throw new Error(`refund ${refundNo} is gone`);
  }
  if (refund.status !== "pending") {
    return refund;
  }
  if (answer.kind === "pending") {
    await touchRefund(tx, refund.id);
    return refund;
  }
  if (answer.kind === "failed") {
    await closeRefund(tx, refund.id, { status: "failed", gatewayRefundId: null, error: answer.error });
    await giveQuotaBack(tx, order, refund);
    return { ...refund, status: "failed", error: answer.error };
  }
  const { gatewayRefundId } = answer;
  await closeRefund(tx, refund.id, { status: "done", gatewayRefundId, error: null });
  const live = await listLiveRefunds(tx, order.id);
  const doneCents = live
    .filter((each) => each.status === "done")
    .reduce((sum, one) => sum + toCents(one.amountUsd), 0n);
  const payment = await findPaymentOfOrder(tx, order.id);
  if (payment !== null && doneCents === toCents(payment.amountUsd)) {
    await markRefunded(tx, order.id);
  }
  return { ...refund, status: "done", gatewayRefundId };
}

async function giveQuotaBack(tx: Transaction, order: Order, refund: Refund): Promise<void> {
  const owner = order.userId === null ? null : await findOwner(tx, order.userId);
  // What was never credited has nothing to be given back.
  if (owner === null || order.resolution === "refund") {
    return;
  }
  const quota = await lockQuotaOfUser(tx, owner.gatewayUserId);
  if (refund.quota > 0n) {
    const reference = `refund_failed:${refund.refundNo}`;
    await changeQuota(tx, { budgetId: quota.budgetId, amount: refund.quota, changeType: "refund_failed", reference });
  }
  const subscription = subscriptionOf(order, await countSubscriptions(tx, owner.userId, quota.consumed));
  if (subscription === null && order.planKind === "monthly" && order.creditedAt !== null) {
    const { planCode, creditedAt: at } = order;
    await regrantEnded(tx, { userId: owner.userId, planCode, at, quota: refund.quota });
  }
  if (subscription !== null) {
    const live = await listLiveRefunds(tx, order.id);
    const others = live.reduce((sum, each) => sum + toCents(each.amountUsd), 0n);
    const paid = await findPaymentOfOrder(tx, order.id);
    const wasWhole = others + toCents(refund.amountUsd) === toCents(paid?.amountUsd ?? order.amountUsd);
    await shiftSubscription(tx, subscription.id, { quota: refund.quota, months: wasWhole ? 1 : 0 });
  }
}

/** Asks again for refunds that are pending for a while: the process may have died before it could, or been left unsure. */
export async function payWaitingRefunds(parts: RefundParts, at?: Date): Promise<number> {
  const now = at ?? (await readNow(parts.db));
  const before = new Date(now.getTime() - askedAgainAfterMs);
  const waiting = await listWaitingRefunds(parts.db, before, askedAgainPerRunMax);
  for (const refundNo of waiting) {
    await payRefund(parts, refundNo);
  }
  return waiting.length;
}

import type { Decimal } from "@sluice/contracts/money";
import { grantQuota, lockUserQuota } from "../../gateway/quota/grant-store.ts";
import type { Transaction } from "../../platform/db.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import type { RefundAnswer } from "../gateways/port.ts";
import { issueCreditNote } from "../invoices/issue-invoice.ts";
import { type Order, type Payment, toCents } from "../model.ts";
import { refundNoOf } from "../orders/order-numbers.ts";
import { findOrder, findOwnerOf, findPaymentOfOrder, lockOrder, markRefunded, readNow } from "../orders/order-store.ts";
import type { RefundDeps } from "../port.ts";
import { regrantEnded, shiftSubscription } from "../subscriptions/subscription-store.ts";
import { countSubscriptions } from "../subscriptions/subscriptions.ts";
import { isOverridable, planRefund, type QuotaTaking, subscriptionOf } from "./plan-refund.ts";
import {
  beginAsking,
  closeRefund,
  findRefund,
  insertRefund,
  keepPending,
  listLiveRefunds,
  listWaitingRefunds,
  type Refund,
} from "./refund-store.ts";

const askedAgainPerRunMax = 50;

export type NewRefund = {
  readonly orderNo: string;
  /** Null refunds everything that has not gone back yet. */
  readonly amountUsd: Decimal | null;
  readonly reason: string;
  readonly idempotencyKey: string;
  /** Takes the quota back even if some of it was used. */
  readonly mayGoNegative: boolean;
};

/**
 * Takes back the quota of a refund and records the refund as pending; the money follows with `payRefund`. In this order
 * nobody can use quota whose money is on its way back. All refunds of an order never exceed its payment.
 * @throws AppError `not_found`; `conflict` when the order is not paid, less than that is left to refund, the quota was
 * used, or the key belongs to another refund
 */
export async function openRefund(tx: Transaction, request: NewRefund): Promise<{ refund: Refund; isNew: boolean }> {
  const refundNo = refundNoOf(request.orderNo, request.idempotencyKey);
  // The order is locked before anything else, so that two requests with one key wait for each other.
  const { order, amountUsd, isWhole, taking, problems } = await planRefund(tx, request);
  const earlier = await findRefund(tx, refundNo);
  if (earlier !== null) {
    const isSame = request.amountUsd === null || toCents(earlier.amountUsd) === toCents(request.amountUsd);
    if (!isSame || earlier.reason !== request.reason) {
      throw new AppError("idempotency_mismatch", { message: "This idempotency key was used for another refund." });
    }
    return { refund: earlier, isNew: false };
  }
  const problem = problems.find((each) => !(request.mayGoNegative && isOverridable(each)));
  if (problem !== undefined) {
    throw new AppError("conflict", { message: problem.message });
  }
  await takeQuotaBack(tx, { refundNo, taking, isWhole });
  await insertRefund(tx, { refundNo, orderId: order.id, amountUsd, quota: taking.quota, reason: request.reason });
  const refund = await findRefund(tx, refundNo);
  if (refund === null) {
    throw new Error(`refund ${refundNo} is missing after it was written`);
  }
  return { refund, isNew: true };
}

async function takeQuotaBack(
  tx: Transaction,
  { refundNo, taking, isWhole }: { refundNo: string; taking: QuotaTaking; isWhole: boolean },
): Promise<void> {
  const { budget, quota, subscription } = taking;
  if (budget !== null && quota > 0n) {
    const reference = `refund:${refundNo}`;
    await grantQuota(tx, { budgetId: budget.id, amount: -quota, changeType: "refund", reference });
  }
  if (subscription !== null) {
    const reference = `refund:${refundNo}`;
    await shiftSubscription(tx, subscription.id, { reference, quota: -quota, months: isWhole ? -1 : 0 });
  }
}

/**
 * The result of asking the gateway. `not_asked`: the gateway never got the request. `unclear`: its response settles
 * nothing, and a person has to decide. In both, as in `pending`, the quota stays taken and the gateway is asked again.
 */
type Outcome = RefundAnswer | { readonly kind: "not_asked" };

/**
 * Asks the gateway to pay a pending refund, outside of any transaction and one at a time, and records the result. The
 * request is counted before it is made: once a first response was lost, only the gateway's records decide.
 */
export async function payRefund(deps: RefundDeps, refundNo: string): Promise<Refund> {
  const { db, log } = deps;
  const refund = await findRefund(db, refundNo);
  const order = refund === null ? null : await findOrder(db, refund.orderNo);
  const payment = order === null ? null : await findPaymentOfOrder(db, order.id);
  if (refund === null || payment === null) {
    throw new Error(`refund ${refundNo} has no payment`);
  }
  const turn = await beginAsking(db, refundNo);
  if (turn === null) {
    return refund;
  }
  const outcome = await askGateway(deps, { refund, payment, isFirst: turn.isFirst });
  const { orderNo } = refund;
  if (outcome.kind === "unclear") {
    log.error("billing.alarm", { reason: "refund_unclear", refundNo, orderNo, said: outcome.message });
  }
  const written = await db.withTransaction((tx) => writeAnswer(tx, refundNo, outcome));
  log.info("billing.refund", { refundNo, orderNo, status: written.status, error: written.error });
  return written;
}

async function askGateway(
  { gateways, log }: RefundDeps,
  { refund, payment, isFirst }: { readonly refund: Refund; readonly payment: Payment; readonly isFirst: boolean },
): Promise<Outcome> {
  const { refundNo, orderNo, amountUsd } = refund;
  const { gateway: name, account, transactionId, currency } = payment;
  if (name === "mock" || name === "code") {
    // Nobody has paid, so nobody gets anything back.
    return { kind: "done", gatewayRefundId: `${name}:${refundNo}` };
  }
  try {
    return await gateways[name].refund({ refundNo, orderNo, account, transactionId, amountUsd, currency, isFirst });
  } catch (error) {
    log.warn("billing.refund_unknown", { refundNo, orderNo, error });
    const isRefusedHere = error instanceof AppError && error.code === "gateway_not_configured";
    return { kind: isRefusedHere ? "not_asked" : "pending" };
  }
}

async function writeAnswer(tx: Transaction, refundNo: string, answer: Outcome): Promise<Refund> {
  const known = await findRefund(tx, refundNo);
  const order = known === null ? null : await lockOrder(tx, known.orderNo);
  const refund = await findRefund(tx, refundNo);
  if (order === null || refund === null) {
    throw new Error(`refund ${refundNo} is gone`);
  }
  if (refund.status !== "pending") {
    return refund;
  }
  if (answer.kind === "pending" || answer.kind === "not_asked" || answer.kind === "unclear") {
    const error = answer.kind === "unclear" ? answer.message : null;
    await keepPending(tx, refund.id, { wasAsked: answer.kind !== "not_asked", error });
    return { ...refund, error };
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
  await issueCreditNote(tx, { order, refund, at: await readNow(tx) });
  return { ...refund, status: "done", gatewayRefundId };
}

async function giveQuotaBack(tx: Transaction, order: Order, refund: Refund): Promise<void> {
  const owner = await findOwnerOf(tx, order);
  // Quota that was never credited can't be given back.
  if (owner === null || order.creditedAt === null) {
    return;
  }
  const quota = await lockUserQuota(tx, owner.gatewayUserId);
  const reference = `refund_failed:${refund.refundNo}`;
  if (refund.quota > 0n) {
    await grantQuota(tx, { budgetId: quota.budgetId, amount: refund.quota, changeType: "refund_failed", reference });
  }
  const subscription = subscriptionOf(order, await countSubscriptions(tx, owner.gatewayUserId, quota.consumed));
  if (subscription === null && order.planKind === "monthly" && order.creditedAt !== null) {
    const { planCode, creditedAt: at } = order;
    const { gatewayUserId } = owner;
    await regrantEnded(tx, { reference, gatewayUserId, planCode, at, quota: refund.quota });
  }
  if (subscription !== null) {
    const live = await listLiveRefunds(tx, order.id);
    const others = live.reduce((sum, each) => sum + toCents(each.amountUsd), 0n);
    const paid = await findPaymentOfOrder(tx, order.id);
    const wasWhole = others + toCents(refund.amountUsd) === toCents(paid?.amountUsd ?? order.amountUsd);
    await shiftSubscription(tx, subscription.id, { reference, quota: refund.quota, months: wasWhole ? 1 : 0 });
  }
}

/**
 * Closes a pending refund that the gateway left open, with the outcome that a person found there. Repeating that
 * changes nothing.
 * @throws AppError `not_found`; `conflict` when it ended otherwise, or is being requested at this moment
 */
export async function closeByHand(
  tx: Transaction,
  found: { readonly refundNo: string; readonly outcome: "done" | "failed"; readonly reason: string },
): Promise<{ readonly refund: Refund; readonly isNew: boolean }> {
  const { refundNo, outcome, reason } = found;
  const known = await findRefund(tx, refundNo);
  if (known === null) {
    throw notFound("refund");
  }
  if (known.status === outcome) {
    return { refund: known, isNew: false };
  }
  // A concurrent request to the gateway may be about to record the opposite.
  if (known.status !== "pending" || (await beginAsking(tx, refundNo)) === null) {
    throw new AppError("conflict", {
      message: "This refund ended differently, or the gateway is still being asked. Reload it.",
    });
  }
  const answer = { done: { kind: outcome, gatewayRefundId: "by hand" }, failed: { kind: outcome, error: reason } };
  const refund = await writeAnswer(tx, refundNo, answer[outcome] as RefundAnswer);
  return { refund, isNew: true };
}

/**
 * Retries refunds that have been pending for a while, less and less often: the process may have died before it asked,
 * or not know the outcome.
 */
export async function payWaitingRefunds(deps: RefundDeps, at?: Date): Promise<number> {
  const waiting = await listWaitingRefunds(deps.db, at ?? (await readNow(deps.db)), askedAgainPerRunMax);
  for (const refundNo of waiting) {
    await payRefund(deps, refundNo);
  }
  return waiting.length;
}

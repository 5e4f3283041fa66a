import { recordEvent } from "../../events/service.ts";
import { mailLocaleOf } from "../../mail/model.ts";
import type { Transaction } from "../../platform/db.ts";
import { CommitUnknownError } from "../../platform/db-errors.ts";
import { releaseUses } from "../coupons/coupon-store.ts";
import { consumeCoupon } from "../coupons/use-coupon.ts";
import { issueInvoice } from "../invoices/issue-invoice.ts";
import { isSamePayment, judgePayment, nameOfPlan, type Order, type PaidNotice, type SettleResult } from "../model.ts";
import {
  findOwnerOf,
  findPaymentByTransaction,
  findPaymentOfOrder,
  findVerifiedOwner,
  insertPayment,
  isForNobody,
  lockAddress,
  lockOrder,
  markForReview,
  markSettled,
  type Owner,
  readNow,
  setOwner,
} from "../orders/order-store.ts";
import { listPayers } from "../orders/payer-store.ts";
import type { BillingDeps, FaultInjector } from "../port.ts";
import { insertReviewPayment, listReviewPayments } from "../reviews/review-store.ts";
import { creditOrder } from "./credit-order.ts";
import { flagEarlierReversal, lockTransaction } from "./reversal-store.ts";

const commitTriesMax = 3;
const noFault: FaultInjector = () => undefined;
const defaultLocale = "en";

export type SettleOptions = {
  readonly fault?: FaultInjector;
  /** The time of the settlement; by default the time of the database. */
  readonly at?: Date;
};

/**
 * The one way in which an order becomes paid, whatever the gateway. The caller checks the notice's signature, and must
 * not acknowledge the notice before this has returned.
 *
 * One transaction: the order is locked and compared, the payment written, the quota granted with its ledger entries,
 * the subscription begun or extended, the email put into the outbox. A repetition changes nothing: if the response to a
 * COMMIT was lost, it finds out under the lock whether the order was settled.
 * @throws database errors; nothing happened then, or a repetition finds that it did
 */
export async function settlePaid(
  deps: BillingDeps,
  notice: PaidNotice,
  options: SettleOptions = {},
): Promise<SettleResult> {
  const { fault = noFault } = options;
  const { result, attempts } = await untilCommitKnown(deps, async (tx) =>
    settleInTransaction(tx, deps, { notice, ...options }),
  );
  await fault("after_commit");
  const { gateway, transactionId, orderNo } = notice;
  deps.log.info("billing.notice", { result, orderNo, gateway, transactionId });
  await fault("before_reply");
  // An earlier attempt of this call settled the order, and only its response was lost.
  return attempts > 1 && result === "duplicate" ? "settled" : result;
}

/**
 * Runs a transaction that changes nothing when it is repeated, again if the response to its COMMIT was lost.
 * @returns its result, and how often it ran
 */
export async function untilCommitKnown<Result>(
  { db, log }: BillingDeps,
  work: (tx: Transaction) => Promise<Result>,
): Promise<{ readonly result: Result; readonly attempts: number }> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return { result: await db.withTransaction(work), attempts };
    } catch (error) {
      if (attempts >= commitTriesMax || !(error instanceof CommitUnknownError)) {
        throw error;
      }
      log.warn("billing.commit_unknown", { attempts });
    }
  }
}

type Settling = SettleOptions & { readonly notice: PaidNotice };

/** The settlement within a transaction that also places the order, as the use of a code does. */
export async function settleInTransaction(
  tx: Transaction,
  deps: BillingDeps,
  settling: Settling,
): Promise<SettleResult> {
  const { notice, fault = noFault } = settling;
  const { log } = deps;
  const { orderNo, gateway, transactionId } = notice;
  if (gateway !== "code") {
    await lockTransaction(tx, gateway, transactionId);
  }
  const placed = await lockOrder(tx, orderNo);
  if (placed === null) {
    log.error("billing.alarm", { reason: "unknown_order", orderNo, gateway, transactionId });
    return "unknown_order";
  }
  await fault("after_lock");
  const at = settling.at ?? (await readNow(tx));
  const ofOrder = await findPaymentOfOrder(tx, placed.id);
  const ofTransaction = await findPaymentByTransaction(tx, notice);
  const isFirst = ofOrder === null && ofTransaction === null;
  const order = isFirst ? await flagEarlierReversal(tx, placed, notice) : placed;
  const judgement = judgePayment(order, notice, { ofOrder, ofTransaction, at });
  if (judgement.kind === "duplicate") {
    return "duplicate";
  }
  if (judgement.kind === "settle" && (await wasCancelledWith(tx, order, notice))) {
    return "duplicate";
  }
  if (judgement.kind === "review") {
    return await putUpForReview(tx, deps, { order, notice, reason: judgement.reason });
  }
  if (await isForNobody(tx, order)) {
    return await putUpForReview(tx, deps, { order, notice, reason: "account_closed" });
  }
  // It is missing only where the order had ended unpaid, and others have used the coupon since.
  if (!(await consumeCoupon(tx, order.id, false))) {
    return await putUpForReview(tx, deps, { order, notice, reason: "coupon_used_up" });
  }
  if (!(await insertPayment(tx, order.id, notice))) {
    await releaseUses(tx, [order.id]);
    return await putUpForReview(tx, deps, { order, notice, reason: "transaction_of_another_order" });
  }
  await fault("after_payment");
  await markSettled(tx, order.id, { isLate: judgement.isLate, isMock: gateway === "mock", at });
  const owner = await ownerOf(tx, order);
  if (owner !== null) {
    await creditOrder(tx, { order, owner, at }, async () => await fault("after_ledger"));
  }
  await fault("after_balance");
  if (gateway !== "code") {
    await queuePaidMail(tx, deps, order, owner);
    await reportSettled(tx, order, owner);
    await issueInvoice(tx, { order, owner, paidUsd: notice.amountUsd, at });
    await fault("after_invoice");
  }
  await fault("before_commit");
  return "settled";
}

/**
 * Whether a person has cancelled the order knowing this payment, as when its money went back at the gateway: gateways
 * report a payment more than once.
 */
async function wasCancelledWith(tx: Transaction, order: Order, notice: PaidNotice): Promise<boolean> {
  if (order.resolution !== "cancel" || order.status !== "cancelled") {
    return false;
  }
  const known = await listReviewPayments(tx, order.id, order.orderNo);
  return known.some((each) => each.gateway === notice.gateway && isSamePayment(each, notice));
}

async function putUpForReview(
  tx: Transaction,
  { log }: BillingDeps,
  { order, notice, reason }: { order: Order; notice: PaidNotice; reason: Parameters<typeof markForReview>[2] },
): Promise<"review"> {
  await markForReview(tx, order.id, reason);
  await insertReviewPayment(tx, order.id, notice, reason);
  const { gateway, account, transactionId, amountUsd, currency } = notice;
  const paid = { gateway, account, transactionId, amountUsd, currency };
  log.error("billing.alarm", { reason, orderNo: order.orderNo, status: order.status, ...paid });
  return "review";
}

/**
 * The owner of an order that is being paid. An order without an owner goes to the user whose verified address it names.
 */
export async function ownerOf(tx: Transaction, order: Order): Promise<Owner | null> {
  if (order.userId !== null) {
    return await findOwnerOf(tx, order);
  }
  if (order.email === null) {
    return null;
  }
  await lockAddress(tx, order.email);
  const owner = await findVerifiedOwner(tx, order.email);
  if (owner !== null) {
    await setOwner(tx, order.id, owner.userId);
  }
  return owner;
}

/** Notifies the payer, if an address is known: of an organisation, those who may pay for it. */
export async function queuePaidMail(
  tx: Transaction,
  deps: BillingDeps,
  order: Order,
  owner: Owner | null,
): Promise<void> {
  const { orderNo, organisationId, email } = order;
  const known = owner === null ? [] : await listPayers(tx, { userId: owner.userId, organisationId });
  const guest = owner === null && email !== null ? [{ userId: null, email, locale: defaultLocale }] : [];
  for (const to of [...known, ...guest]) {
    await deps.mail.queueMail(tx, {
      dedupeKey: `payment_success:${orderNo}${organisationId === null ? "" : `:${to.userId}`}`,
      template: "payment_success",
      userId: to.userId,
      to: to.email,
      locale: to.locale,
      variables: {
        order_no: orderNo,
        plan_name: nameOfPlan(order, mailLocaleOf(to.locale)),
        amount: order.amountUsd,
        currency: order.currency,
        quota: order.quota.toString(),
      },
      source: "billing",
    });
  }
}

async function reportSettled(tx: Transaction, order: Order, owner: Owner | null): Promise<void> {
  await recordEvent(tx, {
    type: "payment.settled",
    gatewayUserId: owner?.gatewayUserId ?? null,
    cause: `payments:${owner?.gatewayUserId ?? "guests"}`,
    data: {
      order_no: order.orderNo,
      amount: order.amountUsd,
      currency: order.currency,
      quota: order.quota.toString(),
    },
  });
}

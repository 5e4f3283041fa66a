import type { Transaction } from "../../platform/db.ts";
import { CommitUnknownError } from "../../platform/db-errors.ts";
import { judgePayment, type Order, type PaidNotice, type SettleResult } from "../model.ts";
import {
  findOwner,
  findPaymentByTransaction,
  findPaymentOfOrder,
  findVerifiedOwner,
  insertPayment,
  lockAddress,
  lockOrder,
  markForReview,
  markSettled,
  type Owner,
  readNow,
  setOwner,
} from "../orders/order-store.ts";
import type { BillingDeps, FaultInjector } from "../port.ts";
import { insertReviewPayment } from "../reviews/review-store.ts";
import { creditOrder } from "./credit-order.ts";

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
  for (let attempt = 1; ; attempt += 1) {
    try {
      const result = await deps.db.withTransaction((tx) => settleOnce(tx, deps, { notice, ...options, fault }));
      await fault("after_commit");
      const { gateway, transactionId, orderNo } = notice;
      deps.log.info("billing.notice", { result, orderNo, gateway, transactionId });
      await fault("before_reply");
      // An earlier attempt of this call settled the order, and only its response was lost.
      return attempt > 1 && result === "duplicate" ? "settled" : result;
    } catch (error) {
      if (attempt >= commitTriesMax || !(error instanceof CommitUnknownError)) {
        throw error;
      }
      deps.log.warn("billing.commit_unknown", { orderNo: notice.orderNo, gateway: notice.gateway });
    }
  }
}

type Settling = { readonly notice: PaidNotice; readonly fault: FaultInjector; readonly at?: Date };

async function settleOnce(tx: Transaction, deps: BillingDeps, settling: Settling): Promise<SettleResult> {
  const { notice, fault } = settling;
  const { log } = deps;
  const order = await lockOrder(tx, notice.orderNo);
  const { orderNo, gateway, transactionId } = notice;
  if (order === null) {
    log.error("billing.alarm", { reason: "unknown_order", orderNo, gateway, transactionId });
    return "unknown_order";
  }
  await fault("after_lock");
  const at = settling.at ?? (await readNow(tx));
  const judgement = judgePayment(order, notice, {
    ofOrder: await findPaymentOfOrder(tx, order.id),
    ofTransaction: await findPaymentByTransaction(tx, notice),
    at,
  });
  if (judgement.kind === "duplicate") {
    return "duplicate";
  }
  if (judgement.kind === "review") {
    return await putUpForReview(tx, deps, { order, notice, reason: judgement.reason });
  }
  if (!(await insertPayment(tx, order.id, notice))) {
    return await putUpForReview(tx, deps, { order, notice, reason: "transaction_of_another_order" });
  }
  await fault("after_payment");
  await markSettled(tx, order.id, { isLate: judgement.isLate, isMock: gateway === "mock", at });
  const owner = await ownerOf(tx, order);
  if (owner !== null) {
    await creditOrder(tx, { order, owner, at }, async () => await fault("after_ledger"));
  }
  await fault("after_balance");
  await queuePaidMail(tx, deps, order, owner);
  await fault("before_commit");
  return "settled";
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
    return await findOwner(tx, order.userId);
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

/** Notifies the payer, if an address is known. */
export async function queuePaidMail(
  tx: Transaction,
  deps: BillingDeps,
  order: Order,
  owner: Owner | null,
): Promise<void> {
  const email = owner?.email ?? order.email;
  if (email === null) {
    return;
  }
  await deps.mail.queueMail(tx, {
    dedupeKey: `payment_success:${order.orderNo}`,
    template: "payment_success",
    userId: owner?.userId ?? null,
    to: email,
    locale: owner?.locale ?? defaultLocale,
    variables: {
      order_no: order.orderNo,
      plan_name: order.planName,
      amount: order.amountUsd,
      currency: order.currency,
      quota: order.quota.toString(),
    },
    source: "billing",
  });
}

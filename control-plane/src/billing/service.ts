import type { UserId } from "@sluice/contracts/ids";
import { sha256Hex } from "../platform/crypto/digest.ts";
import type { Database, Transaction } from "../platform/db.ts";
import { CommitUnknownError, isLockTimeout } from "../platform/db-errors.ts";
import type { UserCaller } from "../platform/endpoint/model.ts";
import { AppError } from "../platform/errors.ts";
import { creditOrder } from "./credit.ts";
import { judgePayment, type Order, type PaidNotice, type PayChannel, type SettleResult } from "./model.ts";
import { hashClaimCode, makeClaimCode, makeOrderNo } from "./order-numbers.ts";
import {
  findOrderByKey,
  findOwner,
  findPaymentByTransaction,
  findPaymentOfOrder,
  findVerifiedOwner,
  insertOrder,
  insertPayment,
  listPaidWithoutOwner,
  listWaitingOwners,
  lockAddress,
  lockOrder,
  markForReview,
  markSettled,
  type Owner,
  readNow,
  setOwner,
} from "./order-store.ts";
import { addFirstPlans } from "./plans.ts";
import type { BillingParts, FaultInjector, GuestOrders } from "./port.ts";
import { listLiveRefunds } from "./refund-store.ts";
import { insertReviewPayment } from "./review-store.ts";

const commitTriesMax = 3;
const noFault: FaultInjector = () => undefined;
const defaultLocale = "en";

export type SettleOptions = {
  readonly fault?: FaultInjector;
  /** Default: the time of the database. */
  readonly at?: Date;
};

/**
 * The one way in which an order becomes paid, whatever the gateway. The signature of the notice is the caller's business,
 * and nobody may be told that it was taken before this has returned.
 *
 * One transaction: the order is locked and compared, the payment written, the quota granted with its ledger entries, the
 * subscription begun or extended, the mail put into the outbox. Sent again it changes nothing. Whether a COMMIT happened
 * whose answer was lost is found out by looking again, under the lock.
 * @throws the errors of the database; nothing happened then, or a repetition finds that it did
 */
export async function settlePaid(
  parts: BillingParts,
  notice: PaidNotice,
  options: SettleOptions = {},
): Promise<SettleResult> {
  const { fault = noFault } = options;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const result = await parts.db.withTransaction((tx) => settleOnce(tx, parts, { notice, ...options, fault }));
      await fault("after_commit");
      const { gateway, transactionId, orderNo } = notice;
      parts.log.info("billing.notice", { result, orderNo, gateway, transactionId });
      await fault("before_reply");
      // An earlier try of this call did it, and only its answer was lost.
      return attempt > 1 && result === "duplicate" ? "settled" : result;
    } catch (error) {
      if (attempt >= commitTriesMax || !(error instanceof CommitUnknownError)) {
        throw error;
      }
      parts.log.warn("billing.commit_unknown", { orderNo: notice.orderNo, gateway: notice.gateway });
    }
  }
}

type Settling = { readonly notice: PaidNotice; readonly fault: FaultInjector; readonly at?: Date };

async function settleOnce(tx: Transaction, parts: BillingParts, settling: Settling): Promise<SettleResult> {
  const { notice, fault } = settling;
  const { log } = parts;
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
    return await putUpForReview(tx, parts, { order, notice, reason: judgement.reason });
  }
  if (!(await insertPayment(tx, order.id, notice))) {
    return await putUpForReview(tx, parts, { order, notice, reason: "transaction_of_another_order" });
  }
  await fault("after_payment");
  await markSettled(tx, order.id, { isLate: judgement.isLate, isMock: gateway === "mock", at });
  const owner = await ownerOf(tx, order);
  if (owner !== null) {
    await creditOrder(tx, { order, owner, at }, async () => await fault("after_ledger"));
  }
  await fault("after_balance");
  await queuePaidMail(tx, parts, order, owner);
  await fault("before_commit");
  return "settled";
}

async function putUpForReview(
  tx: Transaction,
  { log }: BillingParts,
  { order, notice, reason }: { order: Order; notice: PaidNotice; reason: Parameters<typeof markForReview>[2] },
): Promise<"review"> {
  await markForReview(tx, order.id, reason);
  await insertReviewPayment(tx, order.id, notice, reason);
  const { gateway, account, transactionId, amountUsd, currency } = notice;
  const said = { gateway, account, transactionId, amountUsd, currency };
  log.error("billing.alarm", { reason, orderNo: order.orderNo, status: order.status, ...said });
  return "review";
}

/** The owner of an order that is being paid. One that nobody owns goes to the user whose verified address it names. */
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

/** Tells whoever paid, where an address is known. */
export async function queuePaidMail(
  tx: Transaction,
  parts: BillingParts,
  order: Order,
  owner: Owner | null,
): Promise<void> {
  const email = owner?.email ?? order.email;
  if (email === null) {
    return;
  }
  await parts.mail.queueMail(tx, {
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

export type OrderRequest = {
  readonly planCode: string;
  /** Null without a login. */
  readonly userId: UserId | null;
  /** Of an order without a login: whose verified address this is gets it once it is paid. */
  readonly email: string | null;
  readonly payChannel: PayChannel;
  /** Which of our accounts at the gateway, and which kind of payment there. */
  readonly sender: string | null;
  readonly vendor: string | null;
  /** Chosen by the caller: the same key with the same content gives the same order. */
  readonly idempotencyKey: string | null;
  /** What the page that it was placed from calls its visitor. */
  readonly visitorId?: string | undefined;
  readonly at?: Date;
};

export type PlacedOrder = {
  readonly order: Order;
  /** With it somebody with a login can take an order that was placed without one. Only here is it ever seen. */
  readonly claimCode: string | null;
  /** False when the idempotency key gave an earlier order back. */
  readonly isNew: boolean;
};

/**
 * Places an order over what the plan says now; it expires after 24 hours.
 * @throws AppError `not_found` for a plan that is not offered, `idempotency_mismatch` for an idempotency key used for something
 * else, `in_progress` while somebody places an order under it
 */
export async function createOrder(tx: Transaction, request: OrderRequest): Promise<PlacedOrder> {
  const { userId, idempotencyKey } = request;
  const claimCode = userId === null ? makeClaimCode() : null;
  const order = await insertOrder(tx, {
    ...request,
    orderNo: makeOrderNo(),
    visitorId: request.visitorId ?? null,
    claimCodeHash: claimCode === null ? null : hashClaimCode(claimCode),
    at: request.at ?? (await readNow(tx)),
  }).catch((error: unknown) => {
    // Somebody else is placing an order under this key and has not committed.
    throw isLockTimeout(error) && idempotencyKey !== null
      ? new AppError("in_progress", { cause: error, retryAfterSeconds: 2 })
      : error;
  });
  if (order !== null) {
    return { order, claimCode, isNew: true };
  }
  const earlier = idempotencyKey === null ? null : await findOrderByKey(tx, userId, idempotencyKey);
  if (earlier === null) {
    throw new AppError("not_found", { message: "There is no such plan.", param: "plan_code" });
  }
  if (!isSameRequest(earlier, request)) {
    throw new AppError("idempotency_mismatch", { message: "This idempotency key was used for another order." });
  }
  return { order: earlier, claimCode: null, isNew: false };
}

function isSameRequest(order: Order, request: OrderRequest): boolean {
  return (
    order.planCode === request.planCode &&
    order.payChannel === request.payChannel &&
    order.sender === request.sender &&
    order.vendor === request.vendor &&
    order.email === request.email
  );
}

/** The plans of a first start; those that are there stay as they are. */
export async function seedPlans(tx: Transaction): Promise<void> {
  await addFirstPlans(tx);
}

/**
 * Credits everything that was paid without a login under an address, now that a user has shown that it is theirs. To be
 * called in the transaction of the verification, after it was written.
 * @returns how many orders were credited
 */
export async function creditPaidOrders(tx: Transaction, userId: UserId, at?: Date): Promise<number> {
  const owner = await findOwner(tx, userId);
  if (owner === null) {
    return 0;
  }
  await lockAddress(tx, owner.email);
  let credited = 0;
  for (const orderNo of await listPaidWithoutOwner(tx, owner.email)) {
    const order = await lockOrder(tx, orderNo);
    const isOpen = order?.userId === null && order.status === "settled";
    // While its money may be on the way back, it must not be credited.
    if (isOpen && (await listLiveRefunds(tx, order.id)).length === 0) {
      await setOwner(tx, order.id, owner.userId);
      await creditOrder(tx, { order, owner, at: at ?? (await readNow(tx)) });
      credited += 1;
    }
  }
  return credited;
}

const ownersPerRunMax = 200;

/**
 * Credits every paid order without an owner whose address has been verified since, in whatever way. Returns how many
 * orders were credited.
 */
export async function creditWaitingOwners(db: Database): Promise<number> {
  let credited = 0;
  for (const userId of await listWaitingOwners(db, ownersPerRunMax)) {
    credited += await db.withTransaction((tx) => creditPaidOrders(tx, userId));
  }
  return credited;
}

/** Who places an order, as far as it is told. */
export type OrderFrom = { readonly user: UserCaller | null; readonly clientIp: string };

/**
 * The idempotency key as it is stored. Users have a space each by their login; people without one have one by the network
 * they come from, so that nobody is given the order of a stranger who thought of the same key.
 * @throws AppError `too_many_attempts` when too many orders came from there without a login
 */
export async function admitOrder(
  guests: GuestOrders,
  { user, clientIp }: OrderFrom,
  key: string | null,
): Promise<string | null> {
  if (user !== null) {
    return key;
  }
  await guests.count(clientIp);
  return key === null ? null : `guest:${sha256Hex(JSON.stringify([guests.networkOf(clientIp), key]))}`;
}

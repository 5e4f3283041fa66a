import type { BudgetId } from "@sluice/contracts/ids";
import type { Decimal } from "@sluice/contracts/money";
import { lockUserQuota } from "../../gateway/quota/grant-store.ts";
import type { Transaction } from "../../platform/db.ts";
import { notFound } from "../../platform/errors.ts";
import { fromCents, leftOf, type Order, type Payment, quotaOfRefund, toCents } from "../model.ts";
import { findOwnerOf, findPaymentOfOrder, lockOrder } from "../orders/order-store.ts";
import type { Subscription } from "../subscriptions/subscription-store.ts";
import { countSubscriptions } from "../subscriptions/subscriptions.ts";
import { listLiveRefunds, type Refund } from "./refund-store.ts";

/** Why a refund can't be made. */
export type RefundProblem = {
  readonly code: "not_paid" | "too_much" | "unclaimed" | "quota_used";
  readonly message: string;
};

/** The effects of a refund at this moment. */
export type RefundPlan = {
  readonly order: Order;
  /** Null for an order that nobody has paid. */
  readonly payment: Payment | null;
  /** The amount paid. For an order that an admin settled, it may differ from the amount of the order. */
  readonly paidUsd: Decimal;
  /** What went back or is on its way, before this refund. */
  readonly refundedUsd: Decimal;
  readonly amountUsd: Decimal;
  /** The most that can be refunded now. */
  readonly leftUsd: Decimal;
  /** The refund leaves nothing of the payment. That of a code's order, for which nobody paid, takes back its quota alone. */
  readonly isWhole: boolean;
  readonly taking: QuotaTaking;
  readonly problems: readonly RefundProblem[];
};

/**
 * The quota that a refund takes from the owner's balance. It excludes quota that was never credited, and quota of an
 * expired month.
 */
export type QuotaTaking = {
  /** Null while the order has no owner. */
  readonly budget: { readonly id: BudgetId; readonly remaining: bigint; readonly leased: bigint } | null;
  readonly quota: bigint;
  /** How much of that quota is no longer there. */
  readonly quotaUsed: bigint;
  /** How much quota earlier refunds of the order took. */
  readonly quotaTaken: bigint;
  /** The running month that a full refund shortens, and from which the quota is taken. */
  readonly subscription: Subscription | null;
  readonly isMonthOver: boolean;
};

/** Whether a refund can be forced: the balance then goes below zero. */
export function isOverridable({ code }: RefundProblem): boolean {
  return code === "quota_used";
}

const nothingTaken: QuotaTaking = {
  budget: null,
  quota: 0n,
  quotaUsed: 0n,
  quotaTaken: 0n,
  subscription: null,
  isMonthOver: false,
};

/**
 * Computes a refund under the locks of the order and of its owner's quota, which the caller's transaction keeps;
 * nothing is taken, and only the use of subscriptions is written. Both `openRefund` and the preview for admins use it.
 * @param amountUsd null: everything that has not gone back yet
 * @throws AppError `not_found`
 */
export async function planRefund(
  tx: Transaction,
  { orderNo, amountUsd }: { readonly orderNo: string; readonly amountUsd: Decimal | null },
): Promise<RefundPlan> {
  const order = await lockOrder(tx, orderNo);
  if (order === null) {
    throw notFound("order");
  }
  const payment = await findPaymentOfOrder(tx, order.id);
  const live = await listLiveRefunds(tx, order.id);
  const refundedCents = live.reduce((sum, each) => sum + toCents(each.amountUsd), 0n);
  const paidCents = payment === null ? 0n : toCents(payment.amountUsd);
  const openCents = paidCents - refundedCents;
  const cents = amountUsd === null ? openCents : toCents(amountUsd);
  const problem = problemOf(order, {
    ...{ paidCents, openCents, cents, isPaid: payment !== null },
    isFree: payment?.gateway === "code" && live.length === 0,
  });
  const plan = {
    order,
    payment,
    paidUsd: fromCents(paidCents),
    refundedUsd: fromCents(refundedCents),
    amountUsd: fromCents(cents),
    leftUsd: fromCents(openCents),
    isWhole: cents === openCents,
  };
  if (problem !== null || payment === null) {
    return { ...plan, taking: nothingTaken, problems: problem === null ? [] : [problem] };
  }
  const refunded = { paidUsd: payment.amountUsd, refundedUsd: fromCents(refundedCents + cents) };
  const taking = await planTaking(tx, order, refunded, live);
  return { ...plan, taking, problems: taking.quotaUsed > 0n ? [quotaUsed] : [] };
}

const quotaUsed: RefundProblem = {
  code: "quota_used",
  message: "Part of this order's balance was already used.",
};

type Amounts = {
  readonly isPaid: boolean;
  /** Nobody paid for the order, and nothing was taken back. */
  readonly isFree: boolean;
  readonly paidCents: bigint;
  readonly openCents: bigint;
  readonly cents: bigint;
};

function problemOf(order: Order, { isPaid, isFree, paidCents, openCents, cents }: Amounts): RefundProblem | null {
  if (order.status !== "settled" || !isPaid || order.resolution === "refund") {
    return { code: "not_paid", message: "Only a paid order can be refunded." };
  }
  if (isFree && cents === 0n) {
    return null;
  }
  if (cents <= 0n || cents > openCents) {
    return { code: "too_much", message: `At most ${fromCents(openCents)} USD of this order can still be refunded.` };
  }
  if (order.userId === null && cents !== paidCents) {
    return { code: "unclaimed", message: "Nobody has claimed this order; it can only be refunded in full." };
  }
  return null;
}

async function planTaking(
  tx: Transaction,
  order: Order,
  { paidUsd, refundedUsd }: { readonly paidUsd: Decimal; readonly refundedUsd: Decimal },
  live: readonly Refund[],
): Promise<QuotaTaking> {
  const owner = await findOwnerOf(tx, order);
  if (owner === null) {
    return nothingTaken;
  }
  const budget = await lockUserQuota(tx, owner.gatewayUserId);
  const running = await countSubscriptions(tx, owner.gatewayUserId, budget.consumed);
  const subscription = subscriptionOf(order, running);
  const quotaTaken = live.reduce((sum, each) => sum + each.quota, 0n);
  const isMonthOver = order.planKind === "monthly" && subscription === null;
  const share = quotaOfRefund({ quota: order.quota, amountUsd: paidUsd }, refundedUsd, quotaTaken);
  const quota = isMonthOver ? 0n : share;
  // The rest of a monthly quota can't replace credit: it is used first, so it would be counted twice.
  const ofMonths = running.reduce((sum, each) => sum + leftOf(each), 0n);
  const available = subscription === null ? budget.remaining - ofMonths : leftOf(subscription);
  const there = available < budget.remaining ? available : budget.remaining;
  const { budgetId: id, remaining, leased } = budget;
  return {
    budget: { id, remaining, leased },
    quota,
    quotaUsed: missingOf(quota, there),
    quotaTaken,
    subscription,
    isMonthOver,
  };
}

function missingOf(quota: bigint, there: bigint): bigint {
  if (quota <= 0n || there >= quota) {
    return 0n;
  }
  return there > 0n ? quota - there : quota;
}

/** The subscription that a monthly order is part of, while its period runs. */
export function subscriptionOf(order: Order, running: readonly Subscription[]): Subscription | null {
  const { planKind, planCode, creditedAt } = order;
  if (planKind !== "monthly" || creditedAt === null) {
    return null;
  }
  return running.find((each) => each.planCode === planCode && creditedAt >= each.periodStart) ?? null;
}

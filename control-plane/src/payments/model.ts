import type { OrderEntry } from "@sluice/contracts/billing";
import type { GatewayUserId, UserId } from "@sluice/contracts/ids";
import type { Locale } from "@sluice/contracts/locales";
import { type Decimal, decimalToScaled } from "@sluice/contracts/money";
import type { PlanNames } from "@sluice/contracts/plan-texts";
import { planNameIn } from "@sluice/contracts/plan-words";
import { dayMs } from "../platform/clock.ts";

export type PlanKind = "wallet_balance" | "monthly";
/** `code`: nobody pays for an order that a redemption code grants. */
export type PayChannel = "none" | "mock" | "walletpay" | "cardpay" | "code";
export type PaymentGateway = Exclude<PayChannel, "none">;
/** An admin's decision about an order whose payment did not match. */
export type Resolution = "settle" | "refund" | "cancel";
export type OrderStatus = "pending" | "settled" | "cancelled" | "expired" | "refunded" | "review";

/** An order's current state; amounts of money as decimal strings with two places. */
export type Order = {
  readonly id: bigint;
  readonly orderNo: string;
  readonly planCode: string;
  readonly planName: string;
  readonly planNames: PlanNames;
  readonly planKind: PlanKind;
  /** The quota that the order credits once it is paid. */
  readonly quota: bigint;
  /** The group that its buyer is in while the month lasts. */
  readonly groupName: string | null;
  readonly amountUsd: Decimal;
  /** The amount that the buyer chose; null where the plan had a fixed price. */
  readonly chosenUsd: Decimal | null;
  readonly currency: string;
  /** The tax that the amount includes, in percent; null for an order that gets no invoice. */
  readonly taxRate: Decimal | null;
  readonly taxNote: string | null;
  /** The coupon that it was placed with, and what that took off the price before tax. */
  readonly couponCode: string | null;
  readonly discountUsd: Decimal | null;
  readonly userId: UserId | null;
  /** The organisation whose account is credited, for which the user placed the order; null for the user's own. */
  readonly organisationId: bigint | null;
  /** The gateway user that is credited: that of the organisation, or else of the user; null when `userId` is null. */
  readonly gatewayUserId: GatewayUserId | null;
  readonly email: string | null;
  readonly payChannel: PayChannel;
  readonly sender: string | null;
  readonly vendor: string | null;
  readonly status: OrderStatus;
  readonly isPaidLate: boolean;
  readonly isMock: boolean;
  readonly reviewReason: string | null;
  readonly resolution: Resolution | null;
  readonly expiresAt: Date;
  readonly settledAt: Date | null;
  /** Null until its quota was credited to its owner. */
  readonly creditedAt: Date | null;
  readonly createdAt: Date;
};

/** A gateway's statement about a payment, after its signature was found valid. */
export type PaidNotice = {
  readonly gateway: PaymentGateway;
  /** Our account at the gateway that was paid. */
  readonly account: string;
  readonly transactionId: string;
  readonly orderNo: string;
  /** In major units. */
  readonly amountUsd: Decimal;
  readonly currency: string;
};

/**
 * `settled`: this call has marked the order paid and credited it. `duplicate`: that was done before, with this same
 * transaction. `review`: something does not match; nothing was credited and a person has to decide. `unknown_order`: it
 * does not exist.
 */
export type SettleResult = "settled" | "duplicate" | "review" | "unknown_order";

export type Payment = {
  readonly orderId: bigint;
  readonly gateway: PaymentGateway;
  readonly account: string;
  readonly transactionId: string;
  readonly amountUsd: Decimal;
  readonly currency: string;
};

/** Why a person has to look at an order. */
export type ReviewReason =
  | "gateway_mismatch"
  | "account_mismatch"
  | "amount_mismatch"
  | "currency_mismatch"
  | "transaction_of_another_order"
  | "second_payment"
  | "payment_changed"
  | "paid_while_in_review"
  | "paid_too_late"
  | "coupon_used_up"
  | "account_closed";

/** The prefix of the review reason of an order whose money went back at the gateway, or is disputed there. */
export const reversalMark = "gateway_reversal";

/** Whether money of this order went back and nobody has looked at that yet. */
export function isReversed({ reviewReason }: Pick<Order, "reviewReason">): boolean {
  return reviewReason?.startsWith(reversalMark) === true;
}

export type Judgement =
  | { readonly kind: "settle"; readonly isLate: boolean }
  | { readonly kind: "duplicate" }
  | { readonly kind: "review"; readonly reason: ReviewReason };

const usdScale = 2;

/**
 * An order keeps its terms, so that a late payer pays the price they were shown. This long after it has expired, a
 * person decides about its price: longer than gateways repeat their notices, and longer than their payment pages stay
 * open.
 */
const lateMsMax = 7 * dayMs;

/** Whether two amounts of money are equal. An amount with fractions of a cent never equals another. */
export function isSameAmount(one: Decimal, other: Decimal): boolean {
  try {
    return decimalToScaled(one, usdScale) === decimalToScaled(other, usdScale);
  } catch {
    return false;
  }
}

/**
 * What a valid notice does to its order. `ofOrder` is the order's payment, `ofTransaction` the one under the notice's
 * transaction, which may belong to another order. `at` is now.
 */
export function judgePayment(
  order: Order,
  notice: PaidNotice,
  known: { readonly ofOrder: Payment | null; readonly ofTransaction: Payment | null; readonly at: Date },
): Judgement {
  const { ofOrder, ofTransaction } = known;
  if (ofTransaction !== null && ofTransaction.orderId !== order.id) {
    return { kind: "review", reason: "transaction_of_another_order" };
  }
  if (ofOrder !== null) {
    if (ofOrder.gateway !== notice.gateway || ofOrder.transactionId !== notice.transactionId) {
      return { kind: "review", reason: "second_payment" };
    }
    return isSamePayment(ofOrder, notice) ? { kind: "duplicate" } : { kind: "review", reason: "payment_changed" };
  }
  const reason = findMismatch(order, notice);
  if (reason !== null) {
    return { kind: "review", reason };
  }
  const isOpen = order.status === "pending";
  if (isReversed(order) || (!isOpen && order.status !== "cancelled" && order.status !== "expired")) {
    // This order already had a mismatch, so even a matching payment needs a review.
    return { kind: "review", reason: "paid_while_in_review" };
  }
  return known.at.getTime() - order.expiresAt.getTime() > lateMsMax
    ? { kind: "review", reason: "paid_too_late" }
    : { kind: "settle", isLate: !isOpen };
}

/** Whether a gateway reports the same about one transaction. */
export function isSamePayment(payment: Omit<Payment, "orderId">, notice: PaidNotice): boolean {
  return (
    payment.transactionId === notice.transactionId &&
    payment.account === notice.account &&
    payment.currency === notice.currency &&
    isSameAmount(payment.amountUsd, notice.amountUsd)
  );
}

function findMismatch(order: Order, notice: PaidNotice): ReviewReason | null {
  if (notice.gateway !== "mock") {
    if (order.payChannel !== notice.gateway) {
      return "gateway_mismatch";
    }
    // The wallet gateway has one account of ours; an order for the card gateway always names its account.
    const mustName = notice.gateway === "cardpay" || order.sender !== null;
    if (mustName && order.sender !== notice.account) {
      return "account_mismatch";
    }
  }
  if (order.currency !== notice.currency) {
    return "currency_mismatch";
  }
  return isSameAmount(order.amountUsd, notice.amountUsd) ? null : "amount_mismatch";
}

/** The ledger reference of an order's credit, which exists once. */
export function creditReference(orderNo: string): string {
  return `order:${orderNo}`;
}

export function creditChangeType(kind: PlanKind): "order_credit" | "subscription_grant" {
  return kind === "monthly" ? "subscription_grant" : "order_credit";
}

/** A running subscription's remaining quota. */
export type MonthlyQuota = {
  readonly id: bigint;
  readonly periodEnd: Date;
  /** Below 0 when more of it was refunded than was left. */
  readonly quotaLeft: bigint;
  /** The user's total consumption when `quotaLeft` was counted. */
  readonly countedTo: bigint;
};

/**
 * Counts what a user has consumed since the last time against the running subscriptions: first the one that ends
 * soonest, until it is used up, then the next. Anything beyond them was used from the balance that does not expire.
 * @param consumed everything that the user has consumed so far
 */
export function countConsumption<T extends MonthlyQuota>(running: readonly T[], consumed: bigint): T[] {
  const byEnd = [...running].sort(
    (one, other) => one.periodEnd.getTime() - other.periodEnd.getTime() || compareIds(one, other),
  );
  const countedTo = byEnd[0]?.countedTo ?? consumed;
  let open = consumed > countedTo ? consumed - countedTo : 0n;
  return byEnd.map((each) => {
    const left = leftOf(each);
    const taken = open < left ? open : left;
    open -= taken;
    return { ...each, quotaLeft: each.quotaLeft - taken, countedTo: consumed };
  });
}

function compareIds(one: MonthlyQuota, other: MonthlyQuota): number {
  return one.id < other.id ? -1 : 1;
}

/** What is left of a subscription, as last counted. */
export function leftOf({ quotaLeft }: MonthlyQuota): bigint {
  return quotaLeft > 0n ? quotaLeft : 0n;
}

/**
 * The quota to take back with a refund: the same share of the credited quota as the refund is of the payment, rounded
 * so that the shares of several refunds add up to the whole.
 * @param refundedUsd everything refunded of the order, with this refund
 */
export function quotaOfRefund(
  order: Pick<Order, "quota" | "amountUsd">,
  refundedUsd: Decimal,
  quotaTaken: bigint,
): bigint {
  const paid = toCents(order.amountUsd);
  // Nobody paid for the order of a code: it is taken back whole.
  const share = paid === 0n ? order.quota : (order.quota * toCents(refundedUsd)) / paid;
  return share > quotaTaken ? share - quotaTaken : 0n;
}

/** US dollars in cents. @throws RangeError for fractions of a cent */
export function toCents(amount: Decimal): bigint {
  return decimalToScaled(amount, usdScale);
}

export function fromCents(cents: bigint): Decimal {
  const digits = cents.toString().padStart(usdScale + 1, "0");
  return `${digits.slice(0, -usdScale)}.${digits.slice(-usdScale)}` as Decimal;
}

/** Without the email address: the number of an order alone must not reveal its owner. */
export function orderEntry(order: Order): OrderEntry {
  return {
    order_no: order.orderNo,
    plan_code: order.planCode,
    plan_name: order.planName,
    plan_names: order.planNames,
    plan_kind: order.planKind,
    quota: order.quota,
    amount_usd: order.amountUsd,
    coupon_code: order.couponCode,
    discount_usd: order.discountUsd,
    currency: order.currency,
    pay_channel: order.payChannel,
    vendor: order.vendor,
    status: order.status,
    is_paid_late: order.isPaidLate,
    is_mock: order.isMock,
    created_at: order.createdAt,
    expires_at: order.expiresAt,
    settled_at: order.settledAt,
  };
}

/** What the plan of an order or a renewal is called in the language of a mail. */
export const nameOfPlan = (
  bought: { readonly planName: string; readonly planNames: PlanNames },
  locale: Locale,
): string => planNameIn({ plan_name: bought.planName, plan_names: bought.planNames }, locale);

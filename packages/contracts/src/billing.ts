import { z } from "zod";
import { visitorId } from "./analytics.ts";
import { demands, waitingResponse } from "./approvals.ts";
import { groupName } from "./groups.ts";
import { idempotencyKey } from "./idempotency.ts";
import type { Decimal } from "./money.ts";
import { planDescription, planFeatures, planName, planNames, planTexts } from "./plan-texts.ts";
import { reasonText } from "./readable-text.ts";
import { strictObject } from "./strict-object.ts";
import { type Unsent, wireCursor, wireDecimal, wireInteger, wireMoment } from "./wire.ts";

export const planCode = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, "up to 64 lower-case letters, digits, - and _");
/** The code of a coupon, as typed: case does not matter. */
export const couponCode = z
  .string()
  .trim()
  .max(32)
  .transform((code) => code.toUpperCase())
  .pipe(z.string().regex(/^[A-Z0-9][A-Z0-9-]{2,31}$/, "3 to 32 letters, digits and -"));
export const orderNo = z.string().regex(/^[A-Z0-9]{2,64}$/, "not an order number");
const claimCode = z.string().min(8).max(64);
const email = z.string().trim().max(254).pipe(z.email());
const reason = reasonText(500);

const withTwoPlaces = (text: string): Decimal => {
  const [whole = "0", cents = ""] = text.split(".");
  return `${whole.replace(/^0+(?=\d)/, "")}.${cents.padEnd(2, "0")}` as Decimal;
};

/** US dollars, at least one cent; converted to text with two places. */
export const usd = z
  .union([z.string(), z.number().transform(String)])
  .pipe(z.string().regex(/^\d{1,7}(\.\d{1,2})?$/, "US dollars with at most two places, like 9.90"))
  .refine((text) => /[1-9]/.test(text), "at least 0.01")
  .transform(withTwoPlaces);

/** The most quota that is moved at once. */
export const quotaMax = 10n ** 15n;

/** A quota amount: an integer, as a number or as text. */
export const signedQuota = z
  .union([z.int().transform(String), z.string()])
  .pipe(z.string().regex(/^-?\d{1,16}$/, "an integer"))
  .transform((text) => BigInt(text))
  .refine((amount) => amount <= quotaMax && amount >= -quotaMax, "out of range");

const id = z
  .union([z.int().positive().transform(String), z.string()])
  .pipe(z.string().regex(/^[1-9]\d{0,17}$/, "not an id"))
  .transform((text) => BigInt(text));

const flag = z.boolean().default(false);

/** One page of a list, newest first; the cursor comes from the previous page. */
export const pageInput = strictObject(() => ({
  cursor: id.optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
}));

export const noInput = z.strictObject({});

export const createOrderInput = strictObject(() => ({
  plan_code: z.string().min(1).max(64),
  /** For a plan whose buyers choose the amount, and only for one. */
  amount_usd: usd.optional(),
  /** The code of a coupon, for a caller with a login. */
  coupon_code: couponCode.optional(),
  /** For an anonymous order: the user who has verified this address gets what it buys. */
  email: email.optional(),
  idempotency_key: idempotencyKey.optional(),
  /** The visitor id that the public pages report; it determines which campaign the payment comes from. */
  visitor_id: visitorId.optional(),
}));

export const orderNumberInput = strictObject(() => ({ order_no: orderNo }));

/** An order of the caller, for an action on it. */
export const ownOrderInput = strictObject(() => ({
  order_no: orderNo,
  /** Required for an anonymous order. */
  claim_code: claimCode.optional(),
}));

export const claimOrderInput = strictObject(() => ({ order_no: orderNo, claim_code: claimCode }));

export const cancelSubscriptionInput = strictObject(() => ({ plan_code: planCode }));

/** A month in UTC. */
const month = z.string().regex(/^20\d\d-(0[1-9]|1[0-2])$/, "a month like 2026-11");

export const statementSumsInput = strictObject(() => ({ month }));

export const statementInput = strictObject(() => ({
  month,
  format: z.enum(["csv", "html"]).default("csv"),
}));

export const savePlanInput = strictObject(() => ({
  plan_code: planCode,
  name: planName,
  kind: z.enum(["wallet_balance", "monthly"]),
  price_usd: usd,
  /** The code of a currency, in either case. */
  currency: z
    .string()
    .max(8)
    .transform((code) => code.toUpperCase())
    .pipe(z.literal("USD", "US dollars only"))
    .default("USD"),
  quota: signedQuota.refine((amount) => amount > 0n, "more than 0"),
  description: planDescription.default(""),
  features: planFeatures.default([]),
  /** Name, description and features in other languages; without it they stay as they are. */
  texts: planTexts.optional(),
  sort_order: z.int().min(-10_000).max(10_000).default(0),
  status: z.enum(["active", "hidden"]).default("active"),
  /** For a monthly plan: the group that its buyers are in until their month ends. */
  group_name: groupName.nullable().default(null),
  /** Buyers choose the amount within these bounds; price and quota are then the rate. */
  own_amount: z.strictObject({ min_usd: usd, max_usd: usd, step_usd: usd }).nullable().default(null),
  /** For a monthly plan: customers can have the card gateway charge for it every month. */
  renews: z.boolean().default(false),
  /** The loaded version of the plan; without it, a new plan is created. */
  version: z.int().positive().optional(),
}));

export const manualAdjustInput = strictObject(() => ({
  gateway_user_id: id,
  /** The amount in quota; negative amounts are debits. */
  amount: signedQuota.refine((amount) => amount !== 0n, "not 0"),
  reason,
  idempotency_key: idempotencyKey.optional(),
  /** Reports the effects without making the change. */
  dry_run: flag,
  /** Allows a debit above the balance. */
  allow_negative: flag,
}));

/** A decision about an order whose payment did not match; `dismiss` removes a mark from an order whose status stays. */
export const resolveOrderInput = strictObject(() => ({
  order_no: orderNo,
  action: z.enum(["settle", "refund", "cancel", "dismiss"]),
  /** Selects the payment, if the order has several. */
  transaction_id: z.string().min(1).max(255).optional(),
  reason,
}));

export const createRefundInput = strictObject(() => ({
  order_no: orderNo,
  /** The amount to refund; by default everything not refunded yet. */
  amount_usd: usd.optional(),
  reason,
  idempotency_key: idempotencyKey.optional(),
  /** Takes the quota back even if some of it was used. */
  allow_negative: flag,
}));

/** The outcome found at the gateway for a refund that it left open. */
export const closeRefundInput = strictObject(() => ({
  refund_no: z.string().regex(/^R[0-9A-Z]{26}$/),
  outcome: z.enum(["done", "failed"]),
  reason,
}));

export const previewRefundInput = strictObject(() => ({ order_no: orderNo, amount_usd: usd.optional() }));

export const planKind = z.enum(["wallet_balance", "monthly"]);

/** The amounts that buyers of a plan may choose: multiples of the step. */
export const ownAmount = strictObject(() => ({
  min_usd: wireDecimal,
  max_usd: wireDecimal,
  step_usd: wireDecimal,
})).nullable();

export const planEntry = strictObject(() => ({
  plan_code: z.string(),
  name: z.string(),
  kind: planKind,
  price_usd: wireDecimal,
  currency: z.literal("USD"),
  quota: wireInteger,
  description: z.string(),
  features: z.array(z.string()),
  texts: planTexts,
  sort_order: z.int(),
  /** The group that its buyers are in until their month ends, and what calls cost in it; null for none. */
  group: z.strictObject({ name: z.string(), multiplier: wireDecimal }).nullable(),
  /** What buyers may choose; price and quota are then the rate. Null for a fixed price. */
  own_amount: ownAmount,
  /** Whether the card gateway can charge for it every month, until it is cancelled. */
  renews: z.boolean(),
}));
export type PlanEntry = Unsent<z.output<typeof planEntry>>;
export const planListResponse = strictObject(() => ({ currency: z.literal("USD"), plans: z.array(planEntry) }));

export const adminPlanEntry = planEntry.extend({
  status: z.enum(["active", "hidden"]),
  version: z.int(),
  updated_at: wireMoment,
});
export type AdminPlanEntry = Unsent<z.output<typeof adminPlanEntry>>;
export const savePlanOutput = z.union([strictObject(() => ({ plan: adminPlanEntry })), waitingResponse]);

export const orderEntry = strictObject(() => ({
  order_no: z.string(),
  plan_code: z.string(),
  plan_name: z.string(),
  plan_names: planNames,
  plan_kind: planKind,
  quota: wireInteger,
  amount_usd: wireDecimal,
  /** The coupon that it was placed with, and what that took off the price before tax; null without one. */
  coupon_code: z.string().nullable(),
  discount_usd: wireDecimal.nullable(),
  currency: z.string(),
  pay_channel: z.enum(["none", "mock", "walletpay", "cardpay", "code"]),
  vendor: z.string().nullable(),
  status: z.enum(["pending", "settled", "cancelled", "expired", "refunded", "review"]),
  is_paid_late: z.boolean(),
  is_mock: z.boolean(),
  created_at: wireMoment,
  expires_at: wireMoment,
  settled_at: wireMoment.nullable(),
}));
export type OrderEntry = Unsent<z.output<typeof orderEntry>>;
export const orderResponse = strictObject(() => ({ order: orderEntry }));
/** `claim_code` is returned once, with an anonymous order. */
export const createdOrderResponse = strictObject(() => ({ order: orderEntry, claim_code: z.string().optional() }));
export const orderListResponse = strictObject(() => ({ orders: z.array(orderEntry), next_cursor: wireCursor }));
export const mockSettleResponse = strictObject(() => ({
  result: z.enum(["settled", "duplicate", "review", "unknown_order"]),
  order: orderEntry,
}));

/**
 * `ledger_balance_quota` and `remaining_quota` differ by the holds of running calls and by usage that is not settled
 * yet.
 */
export const balanceResponse = strictObject(() => ({
  /** For members of an organisation who may not see its usage, only what they can still spend. */
  balance: z.strictObject({
    remaining_quota: wireInteger,
    /** Null for them, as the next one is. */
    used_quota: wireInteger.nullable(),
    ledger_balance_quota: wireInteger.nullable(),
    remaining_usd: wireDecimal,
  }),
  /** What operators let the account spend per UTC day and month, and what of it is spent, in quota; empty without limits, and for them. */
  spend_limits: z.array(
    z.strictObject({
      period: z.enum(["daily", "monthly"]),
      limit_quota: wireInteger,
      spent_quota: wireInteger,
      resets_at: wireMoment,
    }),
  ),
}));

/** Amounts are quota. */
export const ledgerLine = strictObject(() => ({
  id: wireInteger,
  change_type: z.string(),
  reference: z.string(),
  note: z.string().nullable(),
  amount: wireInteger,
  balance_after: wireInteger,
  created_at: wireMoment,
}));
/** Amounts are quota: the opening balance of a month and its sums add up to the closing balance. */
export const statementSumsResponse = strictObject(() => ({
  statement: z.strictObject({
    month,
    opening_quota: wireInteger,
    sums: z.array(z.strictObject({ change_type: z.string(), amount: wireInteger })),
    closing_quota: wireInteger,
  }),
}));
export const ledgerResponse = strictObject(() => ({ entries: z.array(ledgerLine), next_cursor: wireCursor }));

export const subscriptionEntry = strictObject(() => ({
  plan_code: z.string(),
  plan_name: z.string(),
  plan_names: planNames,
  status: z.enum(["active", "cancelled", "expired"]),
  period_start: wireMoment,
  period_end: wireMoment,
  quota_granted: wireInteger,
  is_cancelled_at_end: z.boolean(),
  /** The group that the user has until the period ends; null for none. */
  group: z.string().nullable(),
  /** Whether a subscription that renews paid for it: that one is cancelled, and not the month. */
  renews: z.boolean(),
}));
export type SubscriptionEntry = Unsent<z.output<typeof subscriptionEntry>>;
export const subscriptionListResponse = strictObject(() => ({ subscriptions: z.array(subscriptionEntry) }));

/** In a dry run, the rights that the adjustment requires of the caller. */
const manualAdjustAnswer = strictObject(() => ({
  gateway_user_id: wireInteger,
  /** Whose account it is: the e-mail of a user, or the name of an organisation. */
  owner: z.string().nullable(),
  amount: wireInteger,
  dry_run: z.boolean(),
  is_new: z.boolean(),
  remaining_before: wireInteger,
  remaining_after: wireInteger,
  /** For a dry run: what it requires of the caller. */
  demand: z.enum(demands).optional(),
}));

/** The adjustment, or the approval that it waits for. */
export const manualAdjustOutput = z.union([manualAdjustAnswer, waitingResponse]);

export const refundEntry = strictObject(() => ({
  refund_no: z.string(),
  order_no: z.string(),
  amount_usd: wireDecimal,
  quota: wireInteger,
  status: z.enum(["pending", "done", "failed"]),
  gateway_refund_id: z.string().nullable(),
  error: z.string().nullable(),
}));
export type RefundEntry = Unsent<z.output<typeof refundEntry>>;
const resolvedOrderAnswer = strictObject(() => ({
  is_new: z.boolean(),
  order: orderEntry.nullable(),
  /** The refund of a payment that is sent back. */
  refund: refundEntry.nullable(),
}));
const refundAnswer = strictObject(() => ({ refund: refundEntry }));
/** The response to decisions that create or end a refund. */
export const refundOutput = z.union([refundAnswer, waitingResponse]);
export const resolveOrderOutput = z.union([resolvedOrderAnswer, waitingResponse]);

/** The effects that a refund would have now. */
export const refundPreview = strictObject(() => ({
  order_no: z.string(),
  /** The gateway that took the payment; null for an unpaid order. */
  gateway: z.string().nullable(),
  currency: z.string(),
  paid_usd: wireDecimal,
  /** The amount that was refunded before, or is on its way. */
  refunded_usd: wireDecimal,
  amount_usd: wireDecimal,
  left_usd: wireDecimal,
  is_whole: z.boolean(),
  /** The quota that the order credited, that earlier refunds took, and that this refund takes. */
  quota_granted: wireInteger,
  quota_taken_before: wireInteger,
  quota: wireInteger,
  /** How much of `quota` was already used. */
  quota_used: wireInteger,
  /** The owner's balance; null until someone claims the order. */
  remaining_before: wireInteger.nullable(),
  remaining_after: wireInteger.nullable(),
  /** Quota that is lent to running calls, which the balance does not include. */
  leased: wireInteger.nullable(),
  /** The end of the running month that the order is part of, and whether it ends a month earlier. */
  period_end: wireMoment.nullable(),
  is_month_taken: z.boolean(),
  /** Whether the order's month is over. Its quota expired with it, so none is taken. */
  is_month_over: z.boolean(),
  /** The reasons why the refund would be refused; empty if it would not be. */
  /** The rights that the refund requires of the caller. */
  demand: z.enum(demands),
  problems: z.array(
    z.strictObject({
      code: z.enum(["not_paid", "too_much", "unclaimed", "quota_used"]),
      message: z.string(),
      /** Whether `allow_negative` would permit the refund. */
      is_overridable: z.boolean(),
    }),
  ),
}));
export type RefundPreview = Unsent<z.output<typeof refundPreview>>;
export const refundPreviewResponse = strictObject(() => ({ preview: refundPreview }));

/** The violations of money invariants; `count` may exceed the number shown. */
export const moneyCheckResponse = strictObject(() => ({
  holds: z.boolean(),
  count: z.int().min(0),
  violations: z.array(z.strictObject({ invariant: z.string(), subject: z.string(), detail: z.string() })),
}));

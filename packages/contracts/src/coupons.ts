import { z } from "zod";
import { waitingResponse } from "./approvals.ts";
import { couponCode, planCode, usd } from "./billing.ts";
import { idempotencyKey } from "./idempotency.ts";
import { quoteResponse } from "./invoices.ts";
import { recordId } from "./keys.ts";
import { choiceOf, exactText, flagText, listContract } from "./lists.ts";
import { momentText } from "./moments.ts";
import type { Decimal } from "./money.ts";
import { reasonText } from "./readable-text.ts";
import { strictObject } from "./strict-object.ts";
import { type Unsent, wireDecimal, wireInteger, wireMoment } from "./wire.ts";

/** Coupons: codes that lower the price of an order, or add to what it grants. */

/** `percent` and `amount` are taken off the price, before tax; `bonus` is a percentage of the plan's quota, added to it. */
export const couponKinds = ["percent", "amount", "bonus"] as const;
export type CouponKind = (typeof couponKinds)[number];

export const couponUsesMax = 1_000_000;
const plansMax = 50;

/** An exact percentage with at most two places. */
const percent = z
  .string()
  .trim()
  .regex(/^(100(\.0{1,2})?|\d{1,2}(\.\d{1,2})?)$/, "A percentage up to 100 with at most two places, such as 12.5.")
  .refine((text) => /[1-9]/.test(text), "more than 0")
  .transform((text) => text as Decimal);

export const createCouponInput = strictObject(() => ({
  code: couponCode,
  kind: z.enum(couponKinds),
  percent: percent.nullable().default(null),
  amount_usd: usd.nullable().default(null),
  /** For the operator alone. */
  note: z.string().trim().max(500).default(""),
  starts_at: momentText.nullable().default(null),
  expires_at: momentText.nullable().default(null),
  /** In all; null for any number. */
  uses_max: z.int().min(1).max(couponUsesMax).nullable().default(null),
  uses_per_user: z.int().min(1).max(1_000).nullable().default(1),
  /** Only for users who have not paid for anything yet. */
  is_first_purchase: z.boolean().default(false),
  /** The plans that it is for; empty for all. */
  plan_codes: z.array(planCode).max(plansMax).default([]),
  /** The lowest price, before the discount, that it is for. */
  minimum_usd: usd.nullable().default(null),
  /** The same key with the same content makes one coupon. */
  idempotency_key: idempotencyKey.optional(),
}))
  .refine(({ kind, amount_usd }) => (kind === "amount") === (amount_usd !== null), {
    path: ["amount_usd"],
    message: "An amount, for a coupon of an amount and no other.",
  })
  .refine(({ kind, percent: share }) => (kind === "amount") === (share === null), {
    path: ["percent"],
    message: "A percentage, for a coupon of a percentage or a bonus.",
  })
  .refine(({ kind, percent: share }) => kind !== "percent" || share === null || !share.startsWith("100"), {
    path: ["percent"],
    message: "Less than 100: give codes away instead.",
  })
  .refine(
    ({ starts_at, expires_at }) =>
      starts_at === null || expires_at === null || Date.parse(starts_at) < Date.parse(expires_at),
    {
      path: ["expires_at"],
      message: "The end is before the start.",
    },
  );

const couponStates = ["usable", "upcoming", "used_up", "expired", "revoked"] as const;

export const couponEntry = strictObject(() => ({
  coupon_id: wireInteger,
  code: z.string(),
  kind: z.enum(couponKinds),
  percent: wireDecimal.nullable(),
  amount_usd: wireDecimal.nullable(),
  note: z.string(),
  starts_at: wireMoment.nullable(),
  expires_at: wireMoment.nullable(),
  uses_max: z.int().nullable(),
  uses_per_user: z.int().nullable(),
  is_first_purchase: z.boolean(),
  plan_codes: z.array(z.string()),
  minimum_usd: wireDecimal.nullable(),
  /** Reserved by orders that wait for their payment, and consumed by paid ones. */
  uses: z.int(),
  revoked_at: wireMoment.nullable(),
  created_by: z.string(),
  created_at: wireMoment,
}));
export type CouponEntry = Unsent<z.output<typeof couponEntry>>;

/** The coupon, or the approval that it waits for. */
export const createCouponOutput = z.union([strictObject(() => ({ coupon: couponEntry })), waitingResponse]);

export const revokeCouponInput = strictObject(() => ({ coupon_id: recordId, reason: reasonText(500) }));
export const revokedCouponResponse = strictObject(() => ({ coupon: couponEntry }));

export const checkCouponInput = strictObject(() => ({
  plan_code: planCode,
  amount_usd: usd.optional(),
  coupon_code: couponCode,
}));
/** What an order would cost now with the coupon. The price before it is without tax, as the discount is. */
export const checkedCouponResponse = quoteResponse.extend({
  coupon_code: z.string(),
  price_usd: wireDecimal,
  discount_usd: wireDecimal,
  bonus_quota: wireInteger,
});

export const couponList = listContract({
  name: "coupons",
  rowId: "coupon_id",
  row: couponEntry.extend({
    state: z.enum(couponStates),
    /** Of paid orders. */
    consumed: wireInteger,
    discounts_usd: wireDecimal,
  }),
  filters: {
    coupon_id: recordId,
    code: exactText(32),
    kind: choiceOf(couponKinds),
    state: choiceOf(couponStates),
    is_first_purchase: flagText,
  },
  sorts: ["created_at", "uses"],
  defaultSort: "-created_at",
});

import { z } from "zod";
import type { Decimal } from "./money.ts";

const planCode = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, "small letters, digits, - and _, at most 64");
const orderNo = z.string().regex(/^[A-Z0-9]{2,64}$/, "not the number of an order");
const claimCode = z.string().min(8).max(64);
const email = z.string().trim().max(254).pipe(z.email());
/** Chosen by the caller, like a UUID; it can also come as the header `Idempotency-Key`. */
const idempotencyKey = z.string().regex(/^[\x21-\x7e]{8,200}$/, "8 to 200 visible characters without spaces");
const reason = z.string().trim().min(3).max(500);

const withTwoPlaces = (text: string): Decimal => {
  const [whole = "0", cents = ""] = text.split(".");
  return `${whole.replace(/^0+(?=\d)/, "")}.${cents.padEnd(2, "0")}` as Decimal;
};

/** US dollars, at least one cent; becomes text with two places. */
const usd = z
  .union([z.string(), z.number().transform(String)])
  .pipe(z.string().regex(/^\d{1,7}(\.\d{1,2})?$/, "US dollars with at most two places, like 9.90"))
  .refine((text) => /[1-9]/.test(text), "at least 0.01")
  .transform(withTwoPlaces);

const quotaMax = 10n ** 15n;

/** A number of quota: an integer, as a number or as text. */
const signedQuota = z
  .union([z.int().transform(String), z.string()])
  .pipe(z.string().regex(/^-?\d{1,16}$/, "an integer"))
  .transform((text) => BigInt(text))
  .refine((amount) => amount <= quotaMax && amount >= -quotaMax, "out of range");

const id = z
  .union([z.int().positive().transform(String), z.string()])
  .pipe(z.string().regex(/^[1-9]\d{0,17}$/, "not an id"))
  .transform((text) => BigInt(text));

const flag = z.boolean().default(false);

/** One page of a list, the newest first; the cursor is what the page before gave out. */
export const pageInput = z.strictObject({
  cursor: id.optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

export const noInput = z.strictObject({});

export const createOrderInput = z.strictObject({
  plan_code: z.string().min(1).max(64),
  /** Of an order without a login: the user whose verified address this is gets what it buys. */
  email: email.optional(),
  idempotency_key: idempotencyKey.optional(),
});

export const idempotencyHeader = idempotencyKey;

export const orderNumberInput = z.strictObject({ order_no: orderNo });

export const cancelOrderInput = z.strictObject({
  order_no: orderNo,
  /** For an order that was placed without a login. */
  claim_code: claimCode.optional(),
});

export const claimOrderInput = z.strictObject({ order_no: orderNo, claim_code: claimCode });

export const cancelSubscriptionInput = z.strictObject({ plan_code: planCode });

export const statementInput = z.strictObject({
  /** UTC. */
  month: z.string().regex(/^20\d\d-(0[1-9]|1[0-2])$/, "a month like 2026-11"),
  format: z.enum(["csv", "html"]).default("csv"),
});

export const savePlanInput = z.strictObject({
  plan_code: planCode,
  name: z.string().trim().min(1).max(100),
  kind: z.enum(["wallet_balance", "monthly"]),
  price_usd: usd,
  currency: z.literal("USD").default("USD"),
  quota: signedQuota.refine((amount) => amount > 0n, "more than 0"),
  description: z.string().trim().max(1_000).default(""),
  features: z.array(z.string().trim().min(1).max(200)).max(20).default([]),
  sort_order: z.int().min(-10_000).max(10_000).default(0),
  status: z.enum(["active", "hidden"]).default("active"),
  /** Of the plan as it was loaded; without it a plan is made that must not exist yet. */
  version: z.int().positive().optional(),
});

export const manualAdjustInput = z.strictObject({
  gateway_user_id: id,
  /** Quota; negative takes. */
  amount: signedQuota.refine((amount) => amount !== 0n, "not 0"),
  reason,
  idempotency_key: idempotencyKey.optional(),
  /** Only says what would come of it. */
  dry_run: flag,
  /** Takes more than there is. */
  allow_negative: flag,
});

export const createRefundInput = z.strictObject({
  order_no: orderNo,
  /** Everything that has not gone back yet, when absent. */
  amount_usd: usd.optional(),
  reason,
  idempotency_key: idempotencyKey.optional(),
  /** Takes the quota back although it was used in part. */
  allow_negative: flag,
});

export type PlanEntry = {
  readonly plan_code: string;
  readonly name: string;
  readonly kind: "wallet_balance" | "monthly";
  readonly price_usd: string;
  readonly currency: "USD";
  readonly quota: bigint;
  readonly description: string;
  readonly features: readonly string[];
  readonly sort_order: number;
};

export type AdminPlanEntry = PlanEntry & {
  readonly status: "active" | "hidden";
  readonly version: number;
  readonly updated_at: Date;
};

export type OrderEntry = {
  readonly order_no: string;
  readonly plan_code: string;
  readonly plan_name: string;
  readonly plan_kind: "wallet_balance" | "monthly";
  readonly quota: bigint;
  readonly amount_usd: string;
  readonly currency: string;
  readonly pay_channel: "none" | "mock" | "walletpay" | "cardpay";
  readonly vendor: string | null;
  readonly status: "pending" | "settled" | "cancelled" | "expired" | "refunded" | "review";
  readonly is_paid_late: boolean;
  readonly is_mock: boolean;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly settled_at: Date | null;
};

export type LedgerLine = {
  readonly id: bigint;
  readonly change_type: string;
  readonly reference: string;
  readonly note: string | null;
  /** Quota. */
  readonly amount: bigint;
  readonly balance_after: bigint;
  readonly created_at: Date;
};

export type SubscriptionEntry = {
  readonly plan_code: string;
  readonly status: "active" | "cancelled" | "expired";
  readonly period_start: Date;
  readonly period_end: Date;
  readonly quota_granted: bigint;
  readonly is_cancelled_at_end: boolean;
};

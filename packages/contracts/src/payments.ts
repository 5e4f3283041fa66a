import { z } from "zod";

/** Our accounts at the card gateway; the two others are kept for what was built on them. */
export const cardSenders = ["default", "account_a", "account_b"] as const;
export type CardSender = (typeof cardSenders)[number];

export const cardVendors = [
  "cardpay_card",
  "cardpay_wechat_pay",
  "cardpay_alipay",
  "cardpay_paypal",
  "cardpay_crypto",
  "cardpay_apple_pay",
  "cardpay_google_pay",
] as const;
export type CardVendor = (typeof cardVendors)[number];

const planCode = z.string().min(1).max(100);
/** Where an order without a login may end up: with the user whose verified address this is. */
const email = z.email().max(254).optional();
const dryRun = z.boolean().default(false);

export const createWalletPaymentInput = z.strictObject({
  plan_code: planCode,
  /** One of those that the operator lists. */
  vendor: z.string().regex(/^[a-z0-9_]{1,40}$/, "a vendor of the wallet gateway"),
  dry_run: dryRun,
  email,
});

export const createCardPaymentInput = z.strictObject({
  plan_code: planCode,
  sender: z.enum(cardSenders).default("default"),
  vendor: z.enum(cardVendors),
  dry_run: dryRun,
  email,
});

/** Chosen by the caller: the same key with the same content gives the same order. */
export const paymentIdempotencyHeader = z
  .string()
  .regex(/^[\x21-\x7e]{8,200}$/)
  .nullable();

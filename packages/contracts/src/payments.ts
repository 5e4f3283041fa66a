import { z } from "zod";
import { createOrderInput, type OrderEntry } from "./billing.ts";

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

/** Shows the request to the gateway instead of sending it. */
const dryRun = z.boolean().default(false);

/** What every order has, and how it is paid. */
export const createWalletPaymentInput = createOrderInput.extend({
  /** One of those that the operator lists. */
  vendor: z.string().regex(/^[a-z0-9_]{1,40}$/, "a vendor of the wallet gateway"),
  dry_run: dryRun,
});

export const createCardPaymentInput = createOrderInput.extend({
  sender: z.enum(cardSenders).default("default"),
  vendor: z.enum(cardVendors),
  dry_run: dryRun,
});

/** What a gateway gets, as it gets it. */
export type GatewayRequest = {
  readonly method: "POST";
  /** Path at the gateway. */
  readonly path: string;
  readonly content_type: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** The body, byte for byte. */
  readonly body: string;
};

export type CreatedPayment = {
  readonly order: OrderEntry;
  /** With it somebody with a login can take an order that was placed without one. */
  readonly claim_code: string | null;
  readonly dry_run: boolean;
  /** Of a dry run. */
  readonly request: GatewayRequest | null;
  /** Where the payer goes on, unless it is a dry run. */
  readonly checkout_url: string | null;
};

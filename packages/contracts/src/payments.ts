import { z } from "zod";
import { createOrderInput, orderEntry } from "./billing.ts";
import { recordId } from "./keys.ts";
import { strictObject } from "./strict-object.ts";
import { type Unsent, wireInteger } from "./wire.ts";

/** Our accounts at the card gateway; the other two are kept for existing integrations. */
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

/** An order and the way in which it is paid. */
export const createWalletPaymentInput = createOrderInput.extend({
  /** One of the vendors that the operator has listed. */
  vendor: z.string().regex(/^[a-z0-9_]{1,40}$/, "a vendor of the wallet gateway"),
  dry_run: dryRun,
});

export const createCardPaymentInput = createOrderInput.extend({
  sender: z.enum(cardSenders).default("default"),
  vendor: z.enum(cardVendors),
  dry_run: dryRun,
});

/** The request in the form in which the gateway gets it. */
const gatewayRequest = strictObject(() => ({
  method: z.literal("POST"),
  /** The path at the gateway. */
  path: z.string(),
  content_type: z.string(),
  fields: z.record(z.string(), z.unknown()),
  /** The body, byte for byte. */
  body: z.string(),
}));
export type GatewayRequest = Unsent<z.output<typeof gatewayRequest>>;

export const createdPayment = strictObject(() => ({
  order: orderEntry,
  /** Lets a logged-in user claim an anonymous order. */
  claim_code: z.string().nullable(),
  dry_run: z.boolean(),
  /** The request of a dry run. */
  request: gatewayRequest.nullable(),
  /** The page where the payer continues, except in a dry run. */
  checkout_url: z.string().nullable(),
}));
export type CreatedPayment = Unsent<z.output<typeof createdPayment>>;

/** The available payment methods, and whether an order can be tried without money. */
export const paymentOptionsResponse = strictObject(() => ({
  /** Whether a checkout can be opened; a dry run may be possible even if not. */
  is_wallet_ready: z.boolean(),
  wallet_vendors: z.array(z.string()),
  is_card_ready: z.boolean(),
  card_vendors: z.array(z.enum(cardVendors)),
  /** Whether orders can be settled without a payment: never with real customers. */
  is_mock_offered: z.boolean(),
}));
export type PaymentOptions = Unsent<z.output<typeof paymentOptionsResponse>>;

/**
 * The results of processing a gateway message; the first three are not final. `applied`: the state of a subscription was
 * taken over, and no payment came with it.
 */
export const noticeResults = [
  ...(["received", "unconfirmed", "unknown_order", "settled", "duplicate"] as const),
  ...(["review", "ignored", "flagged", "wrong_mode", "applied"] as const),
] as const;

/** The result of processing a card gateway message. */
export const cardNoticeResponse = strictObject(() => ({ received: z.literal(true), result: z.enum(noticeResults) }));

export const replayNoticeInput = strictObject(() => ({ gateway_event_id: recordId }));

/** The result of processing a message again. */
export const replayedNotice = strictObject(() => ({
  gateway_event_id: wireInteger,
  result_before: z.enum(noticeResults),
  result: z.enum(noticeResults),
  /** False for a message that had already been processed: nothing was done. */
  is_new: z.boolean(),
}));

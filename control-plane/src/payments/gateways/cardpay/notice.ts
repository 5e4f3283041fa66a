import type { Decimal } from "@sluice/contracts/money";
import type { CardSender } from "@sluice/contracts/payments";
import { sha256 } from "../../../platform/crypto/digest.ts";
import { AppError } from "../../../platform/errors.ts";
import {
  fromCents,
  type GatewayNotice,
  type NoticeMeaning,
  type PaidFacts,
  type RenewalHint,
  type Reversal,
} from "../model.ts";
import type { CardEvent } from "./signed-event.ts";

const paidKind = "payment_intent.succeeded";
const totalKind = "charge.refunded";
const refundKinds = /^(charge\.refund\.|refund\.)/;
const failedStates: readonly unknown[] = ["failed", "canceled"];
const disputeKinds = /^(charge\.dispute\.|radar\.early_fraud_warning\.)/;
const idPattern = /^[A-Za-z0-9_.-]{1,255}$/;
const numberPattern = /^[A-Za-z0-9_.-]{1,64}$/;
const currencyPattern = /^[A-Z]{3}$/;

/**
 * The meaning of an event with a valid signature.
 * @param isLive whether the account takes real money
 * @throws AppError `account_mismatch`, and `invalid_value` for a payment with missing fields
 */
export function readCardNotice(event: CardEvent, account: CardSender, isLive: boolean): GatewayNotice {
  // Metadata of connected accounts is written by others.
  if (event.account !== null && event.account !== undefined) {
    throw new AppError("account_mismatch");
  }
  return {
    gateway: "cardpay",
    account,
    eventId: event.id,
    eventKind: event.type,
    orderNo: readOrderNo(event.data.object["metadata"]),
    contentHash: hashOf(event),
    meaning: event.livemode === isLive ? meaningOf(event) : { kind: "wrong_mode" },
  };
}

/** The gateway counts open deliveries inside the event; two deliveries of an event may differ in nothing else. */
function hashOf(event: CardEvent): Uint8Array {
  const { pending_webhooks: _, ...content } = event;
  return sha256(JSON.stringify(content));
}

function meaningOf(event: CardEvent): NoticeMeaning {
  const what = readReversal(event);
  if (what !== null) {
    const { payment_intent: payment } = event.data.object;
    return { kind: "reversal", transactionId: typeof payment === "string" ? payment : null, what };
  }
  const hint = readRenewal(event);
  if (hint !== null) {
    return { kind: "renewal", hint, isLive: event.livemode };
  }
  if (event.type !== paidKind) {
    return { kind: "other" };
  }
  const paid = readPaid(event.data.object);
  return paid === null ? { kind: "other" } : { kind: "paid", paid, isLive: event.livemode };
}

const checkoutKind = "checkout.session.completed";
const invoiceKinds = /^invoice\.(paid|payment_failed|payment_action_required|voided|marked_uncollectible)$/;
const subscriptionKinds = /^customer\.subscription\./;

/** The subscription that an event is about; null for any other event. */
function readRenewal({ type, data: { object } }: CardEvent): RenewalHint | null {
  if (type === checkoutKind) {
    return hintOf(object["subscription"], object["metadata"], object["invoice"]);
  }
  if (subscriptionKinds.test(type)) {
    return hintOf(object["id"], object["metadata"], null);
  }
  if (!invoiceKinds.test(type)) {
    return null;
  }
  const details = fieldOf(fieldOf(object, "parent"), "subscription_details");
  return hintOf(fieldOf(details, "subscription"), fieldOf(details, "metadata"), object["id"]);
}

/** Null without a subscription, as in the event of a checkout that is paid once. */
function hintOf(subscription: unknown, metadata: unknown, invoice: unknown): RenewalHint | null {
  const subscriptionId = readId(subscription);
  return subscriptionId === null
    ? null
    : { subscriptionId, renewalNo: readNumber(metadata, "renewal_no"), invoiceId: readId(invoice) };
}

const readId = (value: unknown): string | null => (typeof value === "string" && idPattern.test(value) ? value : null);

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;

/** An event of a charge reports how much of it was refunded so far; an event of a refund concerns only that refund. */
function readReversal({ type, data: { object } }: CardEvent): Reversal | null {
  if (disputeKinds.test(type)) {
    return { kind: "dispute" };
  }
  if (type === totalKind) {
    return { kind: "total", backUsd: readAmount(object["amount_refunded"], "USD") };
  }
  if (!refundKinds.test(type)) {
    return null;
  }
  const refundNo = readNumber(object["metadata"], "refund_no");
  return { kind: "refund", refundNo, isFailed: failedStates.includes(object["status"]) };
}

/** Currencies without minor units at the gateway, and those with thousandths; all others have hundredths. */
const wholeCurrencies = new Set("BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF".split(" "));
const thousandthCurrencies = new Set("BHD JOD KWD OMR TND".split(" "));
/** More than any payment, and less than the amount columns hold. */
const centsEnd = 1_000_000_000_000n;

/** In major units, from the currency's smallest ones; null for an invalid amount. */
export function readAmount(value: unknown, currency: string): Decimal | null {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) {
    return null;
  }
  const amount = BigInt(value);
  const isWhole = wholeCurrencies.has(currency);
  const cents = isWhole ? amount * 100n : thousandthCurrencies.has(currency) ? amount / 10n : amount;
  return cents < centsEnd ? fromCents(cents) : null;
}

/** Null for a payment that is not for one of our orders: the account may serve other shops as well. */
export function readPaid(intent: Record<string, unknown>): PaidFacts | null {
  const orderNo = readOrderNo(intent["metadata"]);
  if (orderNo === null) {
    return null;
  }
  const { id, status, currency: value } = intent;
  const currency = typeof value === "string" ? value.toUpperCase() : "";
  const amountUsd = readAmount(intent["amount_received"], currency);
  const isWhole =
    typeof id === "string" && idPattern.test(id) && status === "succeeded" && currencyPattern.test(currency);
  if (!isWhole || amountUsd === null) {
    throw new AppError("invalid_value", { internal: { orderNo, reason: "a payment without its fields" } });
  }
  return { transactionId: id, orderNo, currency, amountUsd };
}

const readOrderNo = (metadata: unknown): string | null => readNumber(metadata, "trade_no");

/** One of our numbers, from the metadata that we gave the gateway with a payment, a refund or a subscription. */
export function readNumber(metadata: unknown, name: "trade_no" | "refund_no" | "renewal_no"): string | null {
  const value = fieldOf(metadata, name);
  return typeof value === "string" && numberPattern.test(value) ? value : null;
}

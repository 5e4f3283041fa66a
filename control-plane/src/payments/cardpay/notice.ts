import type { CardSender } from "@sluice/contracts/payments";
import { sha256 } from "../../platform/crypto/digest.ts";
import { AppError } from "../../platform/errors.ts";
import { fromCents, type GatewayNotice, type NoticeMeaning, type PaidFacts } from "../model.ts";
import type { CardEvent } from "./signed-event.ts";

const paidKind = "payment_intent.succeeded";
const refundKinds = /^(charge\.refund|refund\.)/;
const disputeKinds = /^(charge\.dispute\.|radar\.early_fraud_warning\.)/;
const idPattern = /^[A-Za-z0-9_.-]{1,255}$/;
const orderPattern = /^[A-Za-z0-9_.-]{1,64}$/;
const currencyPattern = /^[a-z]{3}$/i;

/**
 * What an event with a good signature says.
 * @param isLive whether the account is for real money
 * @throws AppError `account_mismatch`, and `invalid_value` for a payment that lacks what belongs to it
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

/** The gateway counts open deliveries inside the event: the one thing that may differ between two of them. */
function hashOf(event: CardEvent): Uint8Array {
  const { pending_webhooks: _, ...content } = event;
  return sha256(JSON.stringify(content));
}

function meaningOf(event: CardEvent): NoticeMeaning {
  if (refundKinds.test(event.type) || disputeKinds.test(event.type)) {
    const { payment_intent: payment } = event.data.object;
    const isDispute = !refundKinds.test(event.type);
    return { kind: "reversal", transactionId: typeof payment === "string" ? payment : null, isDispute };
  }
  if (event.type !== paidKind) {
    return { kind: "other" };
  }
  const paid = readPaid(event.data.object);
  return paid === null ? { kind: "other" } : { kind: "paid", paid, isLive: event.livemode };
}

/** Null for a payment that is not about an order of ours: the account may serve other shops as well. */
function readPaid(intent: Record<string, unknown>): PaidFacts | null {
  const orderNo = readOrderNo(intent["metadata"]);
  if (orderNo === null) {
    return null;
  }
  const { id, status, currency, amount_received: received } = intent;
  const isWhole =
    typeof id === "string" &&
    idPattern.test(id) &&
    status === "succeeded" &&
    typeof currency === "string" &&
    currencyPattern.test(currency) &&
    typeof received === "number" &&
    Number.isSafeInteger(received) &&
    received >= 0 &&
    received < 1e12;
  if (!isWhole) {
    throw new AppError("invalid_value", { internal: { orderNo, reason: "a payment without its fields" } });
  }
  return { transactionId: id, orderNo, currency: currency.toUpperCase(), amountUsd: fromCents(BigInt(received)) };
}

function readOrderNo(metadata: unknown): string | null {
  const said = typeof metadata === "object" && metadata !== null && "trade_no" in metadata ? metadata.trade_no : null;
  return typeof said === "string" && orderPattern.test(said) ? said : null;
}

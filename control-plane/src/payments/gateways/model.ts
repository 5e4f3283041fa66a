import { type Decimal, decimalToScaled, parseDecimal } from "@sluice/contracts/money";
import type { CardSender, CardVendor, noticeResults } from "@sluice/contracts/payments";

/** The order, as far as a gateway has to know it. */
export type PayableOrder = {
  readonly orderNo: string;
  readonly planCode: string;
  readonly planName: string;
  readonly amountUsd: Decimal;
  readonly email: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
};

/** The payment page, and the gateway's id for it. */
export type Checkout = { readonly url: string; readonly reference: string };

export type CardCheckoutRequest = {
  readonly order: PayableOrder;
  readonly sender: CardSender;
  readonly vendor: CardVendor;
};

export type WalletCheckoutRequest = { readonly order: PayableOrder; readonly vendor: string };

/** A received payment, as the gateway reports it. */
export type PaidFacts = {
  readonly transactionId: string;
  readonly orderNo: string;
  readonly amountUsd: Decimal;
  /** Upper case. */
  readonly currency: string;
};

/**
 * How money went back. `dispute`: the payer disputes the payment. `total`: how much of the payment has gone back so
 * far, null for all of it. `refund`: one refund, under our number or by someone else; if it `isFailed`, the money
 * stayed with us or came back.
 */
export type Reversal =
  | { readonly kind: "dispute" }
  | { readonly kind: "total"; readonly backUsd: Decimal | null }
  | { readonly kind: "refund"; readonly refundNo: string | null; readonly isFailed: boolean };

/** A subscription of the card gateway that a message is about. What happened is asked of the gateway itself. */
export type RenewalHint = {
  /** Our number, from the metadata that we gave the subscription. */
  readonly renewalNo: string | null;
  readonly subscriptionId: string;
  readonly invoiceId: string | null;
};

/** The meaning of a validly signed gateway message. What is stored of it is in `notice-facts.ts`. */
export type NoticeMeaning =
  | {
      readonly kind: "paid";
      readonly paid: PaidFacts;
      /** Whether it is from an account for real money; null for a gateway that has no others. */
      readonly isLive: boolean | null;
    }
  /** Money went back or is disputed. A person has to look at it, unless we sent the money ourselves. */
  | { readonly kind: "reversal"; readonly transactionId: string | null; readonly what: Reversal }
  | { readonly kind: "renewal"; readonly hint: RenewalHint; readonly isLive: boolean }
  /** The message came from the wrong mode: test money at a live account, or the other way round. */
  | { readonly kind: "wrong_mode" }
  | { readonly kind: "other" };

/** A gateway message with a valid signature. */
export type GatewayNotice = {
  readonly gateway: "walletpay" | "cardpay";
  readonly account: string;
  readonly eventId: string;
  /** The gateway's own name for the kind of event. */
  readonly eventKind: string;
  readonly orderNo: string | null;
  /** SHA-256 over what must not differ between two deliveries of the same message. */
  readonly contentHash: Uint8Array;
  readonly meaning: NoticeMeaning;
};

export type NoticeResult = (typeof noticeResults)[number];

const unfinished: readonly NoticeResult[] = ["received", "unconfirmed", "unknown_order"];

/** Whether a repeated message has already been processed for good. */
export function isFinished(result: NoticeResult): boolean {
  return !unfinished.includes(result);
}

const usdPlaces = 2;
/** The most that the card gateway accepts: eight digits. */
const centsMax = 99_999_999n;

/**
 * Dollars as whole cents, the card gateway's unit.
 * @throws RangeError for fractions of a cent, and for more than eight digits
 */
export function toCents(amountUsd: Decimal): number {
  const cents = decimalToScaled(amountUsd, usdPlaces);
  if (cents > centsMax) {
    throw new RangeError("more than the card gateway takes");
  }
  return Number(cents);
}

/** Cents as dollars with two places. */
export function fromCents(cents: bigint): Decimal {
  const digits = cents.toString().padStart(usdPlaces + 1, "0");
  return parseDecimal(`${digits.slice(0, -usdPlaces)}.${digits.slice(-usdPlaces)}`);
}

const amountPattern = /^\d{1,9}(\.\d{1,2})?$/;

/** An amount in the wallet gateway's notation, with two places; null for anything else. */
export function readAmount(text: string): Decimal | null {
  return amountPattern.test(text) ? fromCents(decimalToScaled(parseDecimal(text), usdPlaces)) : null;
}

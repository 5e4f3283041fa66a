import type { PayableOrder } from "../model.ts";

/** Our identity at the gateway. */
export type WalletCredentials = {
  readonly merchantNo: string;
  readonly storeNo: string;
  /** The token signs outgoing requests and checks incoming ones. */
  readonly token: string;
};

type Party = Pick<WalletCredentials, "merchantNo" | "storeNo">;

/** Paths at the gateway. */
export const walletPaths = {
  checkout: "/online/v3/secure-pay",
  query: "/app-data-search/v3/tran-query",
  refund: "/app-data-search/v3/refund",
} as const;

const descriptionLengthMax = 100;
/** This is the gateway's own default, and what its documentation shows. */
const openMinutesMax = 120;
const currency = "USD";

export type WalletAddresses = { readonly ipnUrl: string; readonly callbackUrl: string };

/**
 * The fields of a checkout before they are signed. Empty fields are left out: sources disagree on whether they are
 * signed.
 */
export function checkoutFields(
  party: Party,
  { order, vendor }: { readonly order: PayableOrder; readonly vendor: string },
  { ipnUrl, callbackUrl }: WalletAddresses,
): Record<string, string> {
  const description = [...order.planName].slice(0, descriptionLengthMax).join("");
  return {
    merchantNo: party.merchantNo,
    storeNo: party.storeNo,
    amount: order.amountUsd,
    currency,
    settleCurrency: currency,
    vendor,
    terminal: "ONLINE",
    reference: order.orderNo,
    ipnUrl,
    callbackUrl,
    timeout: openMinutes(order).toString(),
    ...(description === "" ? {} : { description }),
  };
}

/** How long the gateway's page accepts a payment, in the gateway's minutes; never longer than the order waits. */
function openMinutes({ createdAt, expiresAt }: PayableOrder): number {
  const waits = Math.floor((expiresAt.getTime() - createdAt.getTime()) / 60_000);
  return Math.max(1, Math.min(waits, openMinutesMax));
}

/** What a transaction is looked up by: the number that we gave it, of an order or a refund, or the gateway's own. */
export type QueriedTransaction = { readonly reference: string } | { readonly transactionNo: string };

export function queryFields(party: Party, queried: QueriedTransaction): Record<string, string> {
  return { merchantNo: party.merchantNo, storeNo: party.storeNo, ...queried };
}

export function refundFields(
  party: Party,
  refund: { readonly transactionId: string; readonly refundNo: string; readonly amountUsd: string },
): Record<string, string> {
  return {
    merchantNo: party.merchantNo,
    storeNo: party.storeNo,
    refundAmount: refund.amountUsd,
    currency,
    settleCurrency: currency,
    transactionNo: refund.transactionId,
    // The number by which it is found again at the gateway.
    refundReference: refund.refundNo,
  };
}

import type { PayableOrder } from "../model.ts";

/** Who we are at the gateway. */
export type WalletCredentials = {
  readonly merchantNo: string;
  readonly storeNo: string;
  /** Signs what goes out and what comes in. */
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
const currency = "USD";

export type WalletAddresses = { readonly ipnUrl: string; readonly callbackUrl: string };

/** The fields of a checkout before they are signed. Empty fields are left out: whether they are signed is told in two ways. */
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
    ...(description === "" ? {} : { description }),
  };
}

export function queryFields(party: Party, orderNo: string): Record<string, string> {
  return { merchantNo: party.merchantNo, storeNo: party.storeNo, reference: orderNo };
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
    // The gateway gives nothing back twice under one of these.
    refundReference: refund.refundNo,
  };
}

import { z } from "zod";
import { readAmount } from "../model.ts";
import type { RefundAnswer, RefundRequest } from "../port.ts";
import type { QueriedTransaction } from "./requests.ts";
import { type WalletAnswer, walletSuccess, walletUnknown, wordsOf } from "./wallet-client.ts";

/**
 * The codes with which the gateway refuses a refund that it was asked for the first time, so that it certainly sends nothing:
 * a field that is missing, nothing on record of the payment, fields that don't fit, a value that is wrong, no right to it, an
 * account that is empty. Every other code leaves open what became of it.
 */
export const refusedRefundCodes: ReadonlySet<string> = new Set([
  "000020",
  "000021",
  "000022",
  "000023",
  "000030",
  "000040",
]);

/** Where a refund is looked for: in what the gateway says of its payment, or as a transaction of its own. */
export type RefundLookup = { readonly of: "payment" | "refund"; readonly queried: QueriedTransaction };

/** Amounts are texts in its examples and numbers in its tables. */
const amountText = z.union([z.string(), z.number().transform(String)]);

const refundRecord = z.object({
  refundReference: z.string(),
  refundAmount: amountText.optional(),
  refundTransactionNo: z.string().optional(),
  refundTransactionId: z.string().optional(),
  status: z.string().optional(),
});

/** Of a payment that is on record as anything but paid, nothing is believed to be missing. */
const paymentResult = z.object({
  transactionNo: z.string(),
  status: z.literal("success"),
  refundInfo: z.union([z.array(refundRecord), refundRecord.transform((one) => [one])]).optional(),
});

const refundResult = z.object({
  transactionNo: z.string(),
  transactionType: z.literal("refund"),
  amount: amountText.optional(),
  status: z.string(),
});

type Found = { readonly id: string; readonly amount: string | undefined; readonly status: string };

/** What an answer to a question about a refund says; null when it says that there is no such refund. */
export function readRefundRecord(
  answer: WalletAnswer,
  of: RefundLookup["of"],
  request: RefundRequest,
): RefundAnswer | null {
  if (of === "refund" && answer.code === walletUnknown) {
    return null;
  }
  const found =
    answer.code === walletSuccess ? (of === "payment" ? ofPayment : ofRefund)(answer.result, request) : false;
  if (found === false) {
    return { kind: "unclear", said: wordsOf(answer) };
  }
  if (found === null) {
    return null;
  }
  const { id, amount, status } = found;
  if (amount !== undefined && readAmount(amount) !== request.amountUsd) {
    return { kind: "unclear", said: `another amount than ours is on record: ${amount}`.slice(0, 300) };
  }
  switch (status) {
    case "success":
    case "refunded":
      return { kind: "done", gatewayRefundId: id };
    case "fail":
    case "failed":
    case "closed":
      return { kind: "failed", error: `on record as ${status}` };
    default:
      return { kind: "pending" };
  }
}

/** False for an answer that can't be read, null for none. */
function ofPayment(result: unknown, { refundNo, transactionId }: RefundRequest): Found | null | false {
  const read = paymentResult.safeParse(result);
  if (!read.success || read.data.transactionNo !== transactionId) {
    return false;
  }
  const record = read.data.refundInfo?.find(({ refundReference }) => refundReference === refundNo);
  if (record === undefined) {
    return null;
  }
  const { refundTransactionNo, refundTransactionId, refundAmount: amount, status = "success" } = record;
  return { id: refundTransactionNo ?? refundTransactionId ?? refundNo, amount, status };
}

function ofRefund(result: unknown): Found | false {
  const read = refundResult.safeParse(result);
  if (!read.success) {
    return false;
  }
  const { transactionNo: id, amount, status } = read.data;
  return { id, amount, status };
}

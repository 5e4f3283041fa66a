import { z } from "zod";
import { readAmount } from "../model.ts";
import type { RefundAnswer, RefundRequest } from "../port.ts";
import type { QueriedTransaction } from "./requests.ts";
import { amountText, type WalletResponse, walletSuccess, walletUnknown, wordsOf } from "./wallet-client.ts";

/**
 * The codes with which the gateway refuses a first refund request so that it certainly sends nothing: a missing field,
 * no record of the payment, fields that don't match, a wrong value, a missing permission, an empty account. Every other
 * code leaves the outcome open.
 */
const refusedRefundCodes: ReadonlySet<string> = new Set(["000020", "000021", "000022", "000023", "000030", "000040"]);

/** Where a refund is found: in the record of its payment, or as a separate transaction. */
export type RefundLookup = { readonly of: "payment" | "refund"; readonly queried: QueriedTransaction };

const refundFields = z.object({
  refundReference: z.string().optional(),
  refundAmount: amountText.optional(),
  refundTransactionNo: z.string().optional(),
  refundTransactionId: z.string().optional(),
  status: z.string().optional(),
});
const refundRecord = refundFields.required({ refundReference: true });

const paymentResult = z.object({
  transactionNo: z.string(),
  status: z.string(),
  refundInfo: z.union([z.array(refundRecord), refundRecord.transform((one) => [one])]).optional(),
});

const refundResult = z.object({
  transactionNo: z.string(),
  transactionType: z.literal("refund"),
  amount: amountText.optional(),
  status: z.string(),
});

type Found = { readonly id: string; readonly amount: string | undefined; readonly status: string };

/** The result of a refund query; null when the refund does not exist. */
export function readRefundRecord(
  answer: WalletResponse,
  of: RefundLookup["of"],
  request: RefundRequest,
): RefundAnswer | null {
  if (of === "refund" && answer.code === walletUnknown) {
    return null;
  }
  const found =
    answer.code === walletSuccess ? (of === "payment" ? ofPayment : ofRefund)(answer.result, request) : false;
  if (found === false) {
    return { kind: "unclear", message: wordsOf(answer) };
  }
  if (found === null) {
    return null;
  }
  return answerOf(found, request);
}

/** The result of a refund request. */
export function readSentRefund(answer: WalletResponse, request: RefundRequest): RefundAnswer {
  const outcome = answer.code === walletSuccess ? readTakenRefund(answer.result, request) : readRefusal(answer);
  // The gateway may refuse a repeated request because the first one succeeded.
  return outcome.kind === "failed" && !request.isFirst ? { kind: "unclear", message: outcome.error } : outcome;
}

function readRefusal(answer: WalletResponse): RefundAnswer {
  const message = wordsOf(answer);
  return refusedRefundCodes.has(answer.code) ? { kind: "failed", error: message } : { kind: "unclear", message };
}

/** The gateway may accept a refund before it makes it. Fields missing from the response have the requested values. */
function readTakenRefund(result: unknown, request: RefundRequest): RefundAnswer {
  const read = refundFields.safeParse(result ?? {});
  if (!read.success || (read.data.refundReference ?? request.refundNo) !== request.refundNo) {
    return { kind: "unclear", message: "the answer is about another refund, or can't be read" };
  }
  return answerOf(foundIn(read.data, request.refundNo), request);
}

function answerOf({ id, amount, status }: Found, request: RefundRequest): RefundAnswer {
  if (amount !== undefined && readAmount(amount) !== request.amountUsd) {
    return { kind: "unclear", message: `another amount than ours is on record: ${amount}`.slice(0, 300) };
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

/** Returns false for an unreadable response, and null if the refund does not exist. */
function ofPayment(result: unknown, { refundNo, transactionId }: RefundRequest): Found | null | false {
  const read = paymentResult.safeParse(result);
  if (!read.success || read.data.transactionNo !== transactionId) {
    return false;
  }
  const record = read.data.refundInfo?.find(({ refundReference }) => refundReference === refundNo);
  if (record === undefined) {
    // If the gateway's record does not say that the payment was paid, a missing refund is not certain.
    return read.data.status === "success" ? null : false;
  }
  return foundIn(record, refundNo);
}

function foundIn(record: z.output<typeof refundFields>, refundNo: string): Found {
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

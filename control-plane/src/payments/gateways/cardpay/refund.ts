import type { Stripe } from "stripe";
import { toCents } from "../model.ts";
import type { RefundAnswer, RefundRequest } from "../port.ts";
import { failureOf, isInvalidRequest } from "./failure.ts";

/** A payment has fewer refunds than this. */
const refundsMax = 100;
const wordsMax = 300;

/**
 * The codes with which the gateway refuses a refund so that it certainly sends nothing, and sent nothing before.
 * "Already refunded" is not among them: that money is gone, whatever the reason.
 */
const refusedRefundCodes: ReadonlySet<string> = new Set([
  "amount_too_large",
  "amount_too_small",
  "balance_insufficient",
  "charge_disputed",
  "charge_not_refundable",
  "insufficient_funds",
  "parameter_invalid_empty",
  "parameter_invalid_integer",
  "parameter_missing",
  "parameter_unknown",
  "payment_intent_unexpected_state",
  "refund_disputed_payment",
  "resource_missing",
]);

/**
 * The gateway forgets an idempotency key after a day, and a second part of a payment can be refunded as well as the
 * first. So the refund with this number is looked up before a new one is requested.
 * @throws AppError `payment_gateway_failed` when it is not known what happened
 */
export async function refundAtGateway(client: Stripe, request: RefundRequest): Promise<RefundAnswer> {
  try {
    const { known, isWhole } = await findRefund(client, request);
    if (known === null && !isWhole) {
      return { kind: "unclear", message: "the payment has more refunds than can be looked at" };
    }
    return answerOf(known ?? (await createRefund(client, request)));
  } catch (error) {
    if (!isInvalidRequest(error)) {
      throw failureOf(error);
    }
    const message = (error.code ?? error.message).slice(0, wordsMax);
    // The gateway may refuse a repeated request because the first one succeeded.
    const isCertain = request.isFirst && refusedRefundCodes.has(error.code ?? "");
    return isCertain ? { kind: "failed", error: message } : { kind: "unclear", message };
  }
}

async function findRefund(
  client: Stripe,
  { transactionId, refundNo }: RefundRequest,
): Promise<{ readonly known: Stripe.Refund | null; readonly isWhole: boolean }> {
  const { data, has_more: hasMore } = await client.refunds.list({ payment_intent: transactionId, limit: refundsMax });
  return { known: data.find(({ metadata }) => metadata?.["refund_no"] === refundNo) ?? null, isWhole: !hasMore };
}

async function createRefund(client: Stripe, request: RefundRequest): Promise<Stripe.Refund> {
  const { transactionId, refundNo, orderNo, amountUsd } = request;
  const metadata = { refund_no: refundNo, trade_no: orderNo };
  return await client.refunds.create(
    { payment_intent: transactionId, amount: toCents(amountUsd), metadata },
    { idempotencyKey: `refund:${refundNo}` },
  );
}

function answerOf({ id, status, failure_reason: reason }: Stripe.Refund): RefundAnswer {
  if (status === "failed" || status === "canceled") {
    return { kind: "failed", error: (reason ?? status).slice(0, wordsMax) };
  }
  return status === "succeeded" ? { kind: "done", gatewayRefundId: id } : { kind: "pending" };
}

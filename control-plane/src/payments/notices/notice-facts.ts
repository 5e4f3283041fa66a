import type { Decimal } from "@sluice/contracts/money";
import { strictObject } from "@sluice/contracts/strict-object";
import { z } from "zod";
import type { NoticeMeaning, Reversal } from "../gateways/model.ts";

const facts = z.discriminatedUnion("kind", [
  strictObject(() => ({
    kind: z.literal("paid"),
    transaction_id: z.string(),
    order_no: z.string(),
    amount_usd: z.string(),
    currency: z.string(),
    is_live: z.boolean().nullable(),
  })),
  strictObject(() => ({
    kind: z.literal("reversal"),
    transaction_id: z.string().nullable(),
    is_dispute: z.boolean(),
    /**
     * Absent for disputes, and for messages from before it was stored: these count as a return of the whole payment.
     */
    back_usd: z.string().nullable().optional(),
    refund: z.strictObject({ refund_no: z.string().nullable(), is_failed: z.boolean() }).optional(),
  })),
  strictObject(() => ({
    kind: z.literal("renewal"),
    renewal_no: z.string().nullable(),
    subscription_id: z.string(),
    invoice_id: z.string().nullable(),
    is_live: z.boolean(),
  })),
  strictObject(() => ({ kind: z.literal("wrong_mode") })),
  strictObject(() => ({ kind: z.literal("other") })),
]);

/** What is stored of a message for processing it again: its meaning, and nothing about the payer or signatures. */
export function factsOf(meaning: NoticeMeaning): z.output<typeof facts> {
  switch (meaning.kind) {
    case "paid": {
      const { transactionId, orderNo, amountUsd, currency } = meaning.paid;
      const order = { transaction_id: transactionId, order_no: orderNo };
      return { kind: "paid", ...order, amount_usd: amountUsd, currency, is_live: meaning.isLive };
    }
    case "reversal":
      return { kind: "reversal", transaction_id: meaning.transactionId, ...reversalFacts(meaning.what) };
    case "renewal": {
      const { renewalNo, subscriptionId, invoiceId } = meaning.hint;
      const hint = { renewal_no: renewalNo, subscription_id: subscriptionId, invoice_id: invoiceId };
      return { kind: "renewal", ...hint, is_live: meaning.isLive };
    }
    default:
      return meaning;
  }
}

/** The meaning of a message from what was stored. @throws ZodError for anything `factsOf` never wrote */
export function meaningOf(kept: unknown): NoticeMeaning {
  const parsed = facts.parse(kept);
  switch (parsed.kind) {
    case "paid": {
      const { transaction_id: transactionId, order_no: orderNo, amount_usd: amountUsd, currency } = parsed;
      const paid = { transactionId, orderNo, amountUsd: amountUsd as Decimal, currency };
      return { kind: "paid", paid, isLive: parsed.is_live };
    }
    case "reversal":
      return { kind: "reversal", transactionId: parsed.transaction_id, what: reversalOf(parsed) };
    case "renewal": {
      const { renewal_no: renewalNo, subscription_id: subscriptionId, invoice_id: invoiceId } = parsed;
      return { kind: "renewal", hint: { renewalNo, subscriptionId, invoiceId }, isLive: parsed.is_live };
    }
    default:
      return parsed;
  }
}

type ReversalFacts = Omit<Extract<z.output<typeof facts>, { kind: "reversal" }>, "kind" | "transaction_id">;

function reversalFacts(what: Reversal): ReversalFacts {
  switch (what.kind) {
    case "dispute":
      return { is_dispute: true };
    case "total":
      return { is_dispute: false, back_usd: what.backUsd };
    case "refund":
      return { is_dispute: false, refund: { refund_no: what.refundNo, is_failed: what.isFailed } };
  }
}

function reversalOf({ is_dispute: isDispute, back_usd: backUsd, refund }: ReversalFacts): Reversal {
  if (isDispute) {
    return { kind: "dispute" };
  }
  return refund === undefined
    ? { kind: "total", backUsd: (backUsd ?? null) as Decimal | null }
    : { kind: "refund", refundNo: refund.refund_no, isFailed: refund.is_failed };
}

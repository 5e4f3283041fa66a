import { asc, eq } from "drizzle-orm";
import { countOfRows, now } from "../../db/expressions.ts";
import { salesOrder as order, refund, reviewPayment } from "../../db/schema/billing.ts";
import type { Queryable } from "../../platform/db.ts";
import type { PaidNotice, Resolution, ReviewReason } from "../model.ts";

/** Stores a gateway's report about a payment that did not match its order; once, however often it is reported. */
export async function insertReviewPayment(
  tx: Queryable,
  orderId: bigint,
  notice: PaidNotice,
  reason: ReviewReason,
): Promise<void> {
  const { gateway, account, transactionId, amountUsd, currency } = notice;
  await tx.drizzle
    .insert(reviewPayment)
    .values({ orderId, gateway, account, transactionId, amountUsd, currency, reason })
    .onConflictDoNothing({ target: [reviewPayment.orderId, reviewPayment.gateway, reviewPayment.transactionId] });
}

/** The payments of an order that did not match it, oldest first. */
export async function listReviewPayments(db: Queryable, orderId: bigint, orderNo: string): Promise<PaidNotice[]> {
  const rows = await db.drizzle
    .select({
      gateway: reviewPayment.gateway,
      account: reviewPayment.account,
      transactionId: reviewPayment.transactionId,
      amountUsd: reviewPayment.amountUsd,
      currency: reviewPayment.currency,
    })
    .from(reviewPayment)
    .where(eq(reviewPayment.orderId, orderId))
    .orderBy(asc(reviewPayment.id))
    .limit(100);
  return rows.map((row) => ({ ...row, orderNo }));
}

/** Records the decision, which ends the review. */
export async function markResolved(tx: Queryable, orderId: bigint, resolution: Resolution): Promise<void> {
  await tx.drizzle
    .update(order)
    .set({
      resolution,
      reviewReason: null,
      updatedAt: now,
      ...(resolution === "cancel" ? { status: "cancelled" as const } : {}),
    })
    .where(eq(order.id, orderId));
}

/** Removes the review mark from an order whose status stays. */
export async function clearReviewReason(tx: Queryable, orderId: bigint): Promise<void> {
  await tx.drizzle.update(order).set({ reviewReason: null, updatedAt: now }).where(eq(order.id, orderId));
}

export async function countRefunds(db: Queryable, orderId: bigint): Promise<number> {
  const [row] = await db.drizzle.select({ count: countOfRows }).from(refund).where(eq(refund.orderId, orderId));
  return row?.count ?? 0;
}

import type { Decimal } from "@sluice/contracts/money";
import type { Queryable } from "../../platform/db.ts";
import type { PaidNotice, PaymentGateway, Resolution, ReviewReason } from "../model.ts";

/** Stores a gateway's report about a payment that did not match its order; once, however often it is reported. */
export async function insertReviewPayment(
  tx: Queryable,
  orderId: bigint,
  notice: PaidNotice,
  reason: ReviewReason,
): Promise<void> {
  await tx.sql`
    insert into review_payment (order_id, gateway, account, transaction_id, amount_usd, currency, reason)
    values (${orderId}::bigint, ${notice.gateway}, ${notice.account}, ${notice.transactionId},
      ${notice.amountUsd}::numeric, ${notice.currency}, ${reason})
    on conflict (order_id, gateway, transaction_id) do nothing`;
}

/** An order's mismatched payments, oldest first. */
export async function listReviewPayments(db: Queryable, orderId: bigint, orderNo: string): Promise<PaidNotice[]> {
  const rows = await db.sql<{
    gateway: PaymentGateway;
    account: string;
    transaction_id: string;
    amount_usd: string;
    currency: string;
  }>`
    select gateway, account, transaction_id, amount_usd, currency from review_payment
    where order_id = ${orderId}::bigint order by id limit 100`;
  return rows.map((row) => ({
    gateway: row.gateway,
    account: row.account,
    transactionId: row.transaction_id,
    orderNo,
    amountUsd: row.amount_usd as Decimal,
    currency: row.currency,
  }));
}

/** Records the decision; there is nothing left to review then. */
export async function markResolved(tx: Queryable, orderId: bigint, resolution: Resolution): Promise<void> {
  await tx.sql`
    update sales_order set resolution = ${resolution}, review_reason = null, updated_at = now(),
      status = case when ${resolution} = 'cancel' then 'cancelled' else status end
    where id = ${orderId}::bigint`;
}

/** Removes the review mark from an order whose status stays. */
export async function clearReviewReason(tx: Queryable, orderId: bigint): Promise<void> {
  await tx.sql`update sales_order set review_reason = null, updated_at = now() where id = ${orderId}::bigint`;
}

export async function countRefunds(db: Queryable, orderId: bigint): Promise<number> {
  const [row] = await db.sql<{ count: number }>`
    select count(*)::int as count from refund where order_id = ${orderId}::bigint`;
  return row?.count ?? 0;
}

import type { Decimal } from "@sluice/contracts/money";
import type { Queryable } from "../../platform/db.ts";
import type { PaidNotice, PaymentGateway, Resolution, ReviewReason } from "../model.ts";

/** Keeps what a gateway reported about a payment that did not match its order; once, however often it reports it. */
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

/** The payments of an order that did not fit it, the first first. */
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

/** Writes down what was decided; there is nothing left to look at then. */
export async function markResolved(tx: Queryable, orderId: bigint, resolution: Resolution): Promise<void> {
  await tx.sql`
    update sales_order set resolution = ${resolution}, review_reason = null, updated_at = now(),
      status = case when ${resolution} = 'cancel' then 'cancelled' else status end
    where id = ${orderId}::bigint`;
}

/** Takes the mark off an order whose state stays. */
export async function clearReviewReason(tx: Queryable, orderId: bigint): Promise<void> {
  await tx.sql`update sales_order set review_reason = null, updated_at = now() where id = ${orderId}::bigint`;
}

export async function countRefunds(db: Queryable, orderId: bigint): Promise<number> {
  const [row] = await db.sql<{ count: number }>`
    select count(*)::int as count from refund where order_id = ${orderId}::bigint`;
  return row?.count ?? 0;
}

import type { GatewayNotice } from "../payments/model.ts";
import type { Queryable } from "../platform/db.ts";

/** Remembers what the gateway calls the checkout of an order. */
export async function setGatewayReference(db: Queryable, orderNo: string, reference: string): Promise<void> {
  await db.sql`
    update sales_order set gateway_reference = ${reference}, updated_at = now() where order_no = ${orderNo}`;
}

export type Reversal = {
  readonly gateway: GatewayNotice["gateway"];
  readonly transactionId: string | null;
  readonly orderNo: string | null;
  readonly isDispute: boolean;
  readonly reason: string;
};

/**
 * Marks the order whose money went back at the gateway as one that a person has to look at; its state stays. A refund
 * that we gave is no news. Returns the number of the order that was marked, or null.
 */
export async function flagReversal(db: Queryable, reversal: Reversal): Promise<string | null> {
  const { gateway, transactionId, orderNo, isDispute, reason } = reversal;
  const [row] = await db.sql<{ orderNo: string }>`
    update sales_order o set review_reason = ${reason}, updated_at = now()
    where o.id = coalesce(
        (select p.order_id from payment p where p.gateway = ${gateway} and p.transaction_id = ${transactionId}),
        (select s.id from sales_order s where s.order_no = ${orderNo} and s.pay_channel = ${gateway}))
      and (${isDispute} or not exists (select 1 from refund r where r.order_id = o.id))
    returning o.order_no as "orderNo"`;
  return row?.orderNo ?? null;
}

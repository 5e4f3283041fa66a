import type { Checkout, GatewayNotice } from "../payments/model.ts";
import type { Queryable } from "../platform/db.ts";

/** Whoever opens a checkout and does not come back is believed dead after this. */
const openingSeconds = 60;

/**
 * Makes the caller the one who opens the checkout of an order. Of those who come meanwhile, and of an order that has one,
 * nobody does.
 */
export async function beginOpening(db: Queryable, orderNo: string): Promise<boolean> {
  const rows = await db.sql`
    update sales_order set opening_until = now() + make_interval(secs => ${openingSeconds}::int)
    where order_no = ${orderNo} and checkout_url is null and coalesce(opening_until, now()) <= now() returning 1`;
  return rows.length > 0;
}

/** Remembers the checkout of an order, or that none was opened. */
export async function endOpening(db: Queryable, orderNo: string, checkout: Checkout | null): Promise<void> {
  const { url, reference } = checkout ?? { url: null, reference: null };
  await db.sql`
    update sales_order set opening_until = null, checkout_url = coalesce(${url}::text, checkout_url),
      gateway_reference = coalesce(${reference}::text, gateway_reference), updated_at = now()
    where order_no = ${orderNo}`;
}

/** The checkout that was opened for an order; null while there is none. */
export async function findCheckout(db: Queryable, orderNo: string): Promise<Checkout | null> {
  const [row] = await db.sql<{ url: string | null; reference: string | null }>`
    select checkout_url as url, gateway_reference as reference from sales_order where order_no = ${orderNo}`;
  const { url = null, reference = null } = row ?? {};
  return url === null || reference === null ? null : { url, reference };
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

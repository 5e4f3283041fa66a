import { and, eq, isNull, sql } from "drizzle-orm";
import { fromNow, now } from "../../db/expressions.ts";
import { salesOrder as order } from "../../db/schema/billing.ts";
import type { Queryable } from "../../platform/db.ts";
import type { Checkout, GatewayNotice, Reversal } from "../gateways/model.ts";

/** A caller that takes longer than this to open a checkout is assumed dead. */
const openingSeconds = 60;

/** Lets one caller at a time open an order's checkout; refuses if the order already has one. */
export async function beginOpening(db: Queryable, orderNo: string): Promise<boolean> {
  const rows = await db.drizzle
    .update(order)
    .set({ openingUntil: fromNow(openingSeconds, "seconds") })
    .where(
      and(eq(order.orderNo, orderNo), isNull(order.checkoutUrl), sql`coalesce(${order.openingUntil}, now()) <= now()`),
    )
    .returning({ id: order.id });
  return rows.length > 0;
}

/** Stores the checkout of an order, or records that none was opened. */
export async function endOpening(db: Queryable, orderNo: string, checkout: Checkout | null): Promise<void> {
  const opened = checkout === null ? {} : { checkoutUrl: checkout.url, gatewayReference: checkout.reference };
  await db.drizzle
    .update(order)
    .set({ ...opened, openingUntil: null, updatedAt: now })
    .where(eq(order.orderNo, orderNo));
}

/** The checkout that was opened for an order; null while there is none. */
export async function findCheckout(db: Queryable, orderNo: string): Promise<Checkout | null> {
  const [row] = await db.drizzle
    .select({ url: order.checkoutUrl, reference: order.gatewayReference })
    .from(order)
    .where(eq(order.orderNo, orderNo));
  const { url = null, reference = null } = row ?? {};
  return url === null || reference === null ? null : { url, reference };
}

export type ReversalNotice = {
  readonly gateway: GatewayNotice["gateway"];
  readonly transactionId: string | null;
  readonly orderNo: string | null;
  readonly what: Reversal;
  readonly reason: string;
};

/**
 * Marks an order whose money went back at the gateway for review; its status stays. A return that we made, or are
 * making, is not news: our own refund, unless the gateway reports that it failed after we counted it as done; and a
 * total that our refunds add up to, without failed ones. Returns the number of the marked order, or null.
 */
export async function flagReversal(db: Queryable, reversal: ReversalNotice): Promise<string | null> {
  const { gateway, transactionId, orderNo, what, reason } = reversal;
  const refundNo = what.kind === "refund" ? what.refundNo : null;
  const isFailed = what.kind === "refund" && what.isFailed;
  const backUsd = what.kind === "total" ? what.backUsd : null;
  const [row] = await db.sql<{ orderNo: string }>`
    update sales_order o set review_reason = ${reason}, updated_at = now()
    where o.id = coalesce(
        (select p.order_id from payment p where p.gateway = ${gateway} and p.transaction_id = ${transactionId}),
        (select s.id from sales_order s where s.order_no = ${orderNo} and s.pay_channel = ${gateway}))
      and not case ${what.kind}
        when 'refund' then exists (select 1 from refund r where r.order_id = o.id and r.refund_no = ${refundNo}::text
          and r.status = any (case when ${isFailed}::boolean then '{pending,failed}' else '{pending,done}' end::text[]))
        when 'total' then (select coalesce(sum(r.amount_usd), 0) from refund r
            where r.order_id = o.id and r.status <> 'failed')
          >= coalesce(${backUsd}::numeric, (select p.amount_usd from payment p where p.order_id = o.id), 'Infinity')
        else false
      end
    returning o.order_no as "orderNo"`;
  return row?.orderNo ?? null;
}

import type { Transaction } from "../../platform/db.ts";
import { takeAdvisoryLock } from "../../platform/db-locks.ts";
import type { GatewayNotice, Reversal } from "../gateways/model.ts";
import { type Order, type PaidNotice, reversalMark } from "../model.ts";

/**
 * Payment and return of one transaction of a gateway wait for each other, before either locks an order: the one that
 * comes second finds the other.
 */
export async function lockTransaction(tx: Transaction, gateway: string, transactionId: string): Promise<void> {
  await takeAdvisoryLock(tx, `payment:${gateway}:${transactionId}`);
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
export async function flagReversal(tx: Transaction, reversal: ReversalNotice): Promise<string | null> {
  const { gateway, transactionId, orderNo, what, reason } = reversal;
  if (transactionId !== null) {
    await lockTransaction(tx, gateway, transactionId);
  }
  const refundNo = what.kind === "refund" ? what.refundNo : null;
  const isFailed = what.kind === "refund" && what.isFailed;
  const backUsd = what.kind === "total" ? what.backUsd : null;
  const [row] = await tx.sql<{ orderNo: string }>`
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

/**
 * Marks an order whose payment the gateway reported as returned before it reported the payment, and without naming the
 * order. A report marks once, as a person may
 * dismiss the mark.
 */
export async function flagEarlierReversal(tx: Transaction, order: Order, notice: PaidNotice): Promise<Order> {
  const { gateway, account, transactionId } = notice;
  const [row] = await tx.sql<{ reviewReason: string }>`
    with reported as (
      update gateway_event set result = 'flagged'
      where facts ->> 'kind' = 'reversal' and facts ->> 'transaction_id' = ${transactionId}
        and gateway = ${gateway} and account = ${account} and result <> 'flagged'
      returning id, kind)
    update sales_order set updated_at = now(),
      review_reason = concat(${reversalMark}::text, ': ', (select kind from reported order by id limit 1))
    where id = ${order.id}::bigint and exists (select from reported)
    returning review_reason as "reviewReason"`;
  return row === undefined ? order : { ...order, reviewReason: row.reviewReason };
}

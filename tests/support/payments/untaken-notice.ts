import type { Database } from "@sluice/control-plane/platform/db.ts";

/** An order that waits for its payment, and a gateway message about it that was not fully processed. */
export async function leaveUntakenNotice(db: Database, orderNo: string): Promise<void> {
  await db.sql`
    insert into sales_order (order_no, plan_code, plan_name, plan_kind, quota, amount_usd, currency, email, pay_channel, sender,
      status, expires_at)
    select ${orderNo}, plan_code, name, kind, quota, price_usd, 'USD', 'new@example.org', 'walletpay', 'default', 'pending',
      now() + interval '1 hour' from plan where plan_code = 'credit-10'`;
  await db.sql`
    insert into gateway_event (gateway, account, event_id, kind, body_hash, order_no, result, last_error, facts)
    select 'walletpay', 'default', 'evt_cut_off', 'success', '\\x00', order_no, 'received',
      'temporarily_unavailable', jsonb_build_object('kind', 'paid', 'transaction_id', 'pi_1', 'order_no', order_no,
        'amount_usd', amount_usd::text, 'currency', 'USD', 'is_live', null)
    from sales_order where order_no = ${orderNo}`;
  await db.sql`update gateway_event set received_at = now() - interval '1 minute'`;
}

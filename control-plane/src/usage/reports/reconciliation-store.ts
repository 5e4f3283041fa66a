import type { mismatchKinds } from "@sluice/contracts/reports";
import type { Queryable } from "../../platform/db.ts";
import type { Span } from "./range.ts";

export type GatewaySums = {
  readonly gateway: string;
  readonly orders: bigint;
  readonly orders_usd: string;
  readonly payments: bigint;
  readonly payments_usd: string;
  readonly refunds_usd: string;
  readonly credited_quota: bigint;
  readonly unclaimed_quota: bigint;
};

export type Mismatch = {
  readonly kind: (typeof mismatchKinds)[number];
  readonly subject: string;
  readonly at: Date;
  readonly detail: string;
};

/**
 * The orders of the range, each with its payment and credit. A paid order counts at its payment, an unpaid one when it
 * was placed.
 */
const ordersOfRange = `
  ordered as (
    select o.*, u.gateway_user_id as owner, o.status in ('settled', 'refunded') as is_paid,
      coalesce(o.settled_at, o.created_at) as at, p.id as payment_id, p.gateway, p.amount_usd as paid_usd,
      p.currency as paid_currency, c.amount as credited
    from sales_order o
    left join user_profile u on u.id = o.user_id
    left join payment p on p.order_id = o.id
    left join lateral (
      select sum(e.amount) as amount from unnest('{order_credit,subscription_grant}'::text[]) t (kind)
      join ledger_posting l on l.change_type = t.kind and l.reference = 'order:' || o.order_no
      join ledger_entry e on e.posting_id = l.id
      join ledger_account a on a.id = e.account_id and a.gateway_user_id is not null
    ) c on true
    where coalesce(o.settled_at, o.created_at) >= $1::timestamptz and coalesce(o.settled_at, o.created_at) < $2::timestamptz
  )`;

/** What orders asked for, gateways were paid and the ledger credited, by gateway. */
export async function sumGateways(db: Queryable, { from, to }: Span): Promise<GatewaySums[]> {
  return await db.query<GatewaySums>(
    `with ${ordersOfRange}
     select coalesce(o.gateway, o.pay_channel) as gateway, count(*) as orders,
       sum(o.amount_usd)::numeric(20,2)::text as orders_usd, count(o.payment_id) as payments,
       coalesce(sum(o.paid_usd), 0)::numeric(20,2)::text as payments_usd,
       coalesce(sum(r.usd), 0)::numeric(20,2)::text as refunds_usd, coalesce(sum(o.credited), 0)::bigint as credited_quota,
       coalesce(sum(o.quota) filter (where o.owner is null), 0)::bigint as unclaimed_quota
     from ordered o
     left join lateral (select sum(amount_usd) as usd from refund r where r.order_id = o.id and r.status = 'done') r on true
     where o.is_paid or o.payment_id is not null
     group by 1 order by 1`,
    [from, to],
  );
}

/** All mismatches of the range, newest first, and their number. */
export async function listMismatches(
  db: Queryable,
  { from, to }: Span,
  limit: number,
): Promise<{ readonly rows: Mismatch[]; readonly count: bigint }> {
  const found = await db.query<Mismatch & { total: bigint }>(
    `with ${ordersOfRange}, mismatch as (
       select 'order_without_payment' as kind, order_no as subject, at, status as detail
       from ordered where is_paid and payment_id is null
       union all
       select 'payment_without_order', order_no, at, status || ', ' || gateway || ' ' || paid_usd
       from ordered where payment_id is not null and not is_paid
       union all
       select 'amounts_differ', order_no, at, paid_usd || ' ' || paid_currency || ' for ' || amount_usd || ' ' || currency
       from ordered where paid_usd <> amount_usd or paid_currency <> currency
       union all
       select 'paid_without_credit', order_no, at, 'nothing of ' || quota
       from ordered where is_paid and owner is not null and quota > 0 and credited is null
       union all
       select 'credit_without_payment', order_no, at, credited::text from ordered where credited is not null and payment_id is null
       union all
       select 'credit_differs', order_no, at, credited || ' for ' || quota from ordered where credited <> quota
       union all
       select 'order_in_review', order_no, at, coalesce(review_reason, 'no reason was written down')
       from ordered where status = 'review' or review_reason is not null
       union all
       select 'refund_not_in_ledger', r.refund_no, r.created_at, coalesce(l.amount, 0) || ' for ' || r.status || ' ' || r.quota
       from refund r left join lateral (
         select sum(e.amount) as amount from unnest('{refund,refund_failed}'::text[]) t (kind)
         join ledger_posting p on p.change_type = t.kind and p.reference = t.kind || ':' || r.refund_no
         join ledger_entry e on e.posting_id = p.id
         join ledger_account a on a.id = e.account_id and a.gateway_user_id is not null
       ) l on true
       where r.created_at >= $1::timestamptz and r.created_at < $2::timestamptz
         and coalesce(l.amount, 0) <> case r.status when 'failed' then 0 else -r.quota end
       union all
       select 'refund_waits', r.refund_no, r.created_at, r.amount_usd || ' USD, ' || coalesce(r.error, 'no answer yet')
       from refund r where r.status = 'pending' and r.created_at >= $1::timestamptz and r.created_at < $2::timestamptz
       union all
       select 'notice_without_result', event_id, received_at, gateway || ' ' || account || ' ' || kind || ': ' || result
       from gateway_event where result in ('received', 'unconfirmed', 'unknown_order')
         and received_at >= $1::timestamptz and received_at < $2::timestamptz
     )
     select kind, subject, at, detail, count(*) over () as total from mismatch order by at desc, kind, subject
     limit $3::integer`,
    [from, to, limit],
  );
  return { rows: found.map(({ total: _, ...mismatch }) => mismatch), count: found[0]?.total ?? 0n };
}

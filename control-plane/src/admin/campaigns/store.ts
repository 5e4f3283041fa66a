import { defaultCampaign, type LandingInput } from "@sluice/contracts/analytics";
import { type Queryable, rowsWritten } from "../../platform/db.ts";
import { arrayLiteral } from "../../platform/db-array-literal.ts";

export async function insertLandingEvent(
  db: Queryable,
  { isBot, ...event }: LandingInput & { readonly isBot: boolean },
): Promise<void> {
  const campaign = event.campaign ?? event.utm_campaign ?? defaultCampaign;
  await db.sql`
    insert into campaign_event (kind, campaign, utm_source, utm_medium, visitor_id, path, referrer, language, viewport,
      target, is_bot)
    values (${event.kind}, ${campaign}, ${event.utm_source ?? null}::text, ${event.utm_medium ?? null}::text,
      ${event.visitor_id ?? null}::text, ${event.path ?? null}::text, ${event.referrer ?? null}::text,
      ${event.language ?? null}::text, ${event.viewport ?? null}::text, ${event.target ?? null}::text, ${isBot})`;
}

/** Settled orders that are not in the statistics yet, oldest first. */
export async function listUncounted(db: Queryable, limit: number): Promise<bigint[]> {
  const rows = await db.sql<{ id: bigint }>`
    select id from sales_order where campaign_counted_at is null and settled_at is not null
    order by settled_at, id limit ${limit}::int`;
  return rows.map(({ id }) => id);
}

/**
 * Records that orders were paid, each under the campaign that last brought its visitor here within 90 days: once for
 * each order, and not for a payment that was only refunded.
 */
export async function insertPaymentEvents(db: Queryable, orderIds: readonly bigint[]): Promise<void> {
  await db.sql`
    insert into campaign_event (kind, campaign, utm_source, utm_medium, visitor_id, order_id, amount_usd, created_at)
    select 'payment_settled', coalesce(e.campaign, ${defaultCampaign}), e.utm_source, e.utm_medium, o.visitor_id, o.id,
      p.amount_usd, o.settled_at
    from sales_order o join payment p on p.order_id = o.id
    left join lateral (
      select campaign, utm_source, utm_medium from campaign_event v
      where v.visitor_id = o.visitor_id and v.kind <> 'payment_settled' and v.created_at <= o.settled_at
        and v.created_at > o.settled_at - interval '90 days'
      order by v.id desc limit 1
    ) e on true
    where o.id = any (${arrayLiteral(orderIds)}::bigint[]) and o.resolution is distinct from 'refund'
    on conflict (order_id, kind) where order_id is not null do nothing`;
}

/** Skips locked orders, which are marked next time: the statistics wait for nobody, and nobody waits for them. */
export async function markCounted(db: Queryable, orderIds: readonly bigint[]): Promise<void> {
  await db.sql`
    update sales_order set campaign_counted_at = now() where id in (
      select id from sales_order where id = any (${arrayLiteral(orderIds)}::bigint[]) and campaign_counted_at is null
      order by id for update skip locked)`;
}

/** Removes what is older than this many days, at most `limit` events; returns how many. */
export async function deleteOldEvents(db: Queryable, days: number, limit: number): Promise<number> {
  const result = await db.sql`
    delete from campaign_event where id in (
      select id from campaign_event where created_at < now() - make_interval(days => ${days}::integer)
      order by created_at limit ${limit}::integer)`;
  return rowsWritten(result);
}

import { defaultCampaign, type LandingInput } from "@sluice/contracts/analytics";
import { type Queryable, rowsWritten } from "../platform/db.ts";

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

/**
 * Writes down that an order was paid, under the campaign that brought its visitor here last, within 90 days. Once for each
 * order.
 */
export async function insertPaymentEvent(tx: Queryable, orderId: bigint): Promise<void> {
  await tx.sql`
    insert into campaign_event (kind, campaign, utm_source, utm_medium, visitor_id, order_id, amount_usd)
    select 'payment_settled', coalesce(e.campaign, ${defaultCampaign}), e.utm_source, e.utm_medium, o.visitor_id, o.id,
      o.amount_usd
    from sales_order o
    left join lateral (
      select campaign, utm_source, utm_medium from campaign_event v
      where v.visitor_id = o.visitor_id and v.kind <> 'payment_settled' and v.created_at > now() - interval '90 days'
      order by v.id desc limit 1
    ) e on true
    where o.id = ${orderId}::bigint
    on conflict (order_id, kind) where order_id is not null do nothing`;
}

/** Removes what is older than so many days, at most `limit` events; returns how many. */
export async function deleteOldEvents(db: Queryable, days: number, limit: number): Promise<number> {
  const result = await db.sql`
    delete from campaign_event where id in (
      select id from campaign_event where created_at < now() - make_interval(days => ${days}::integer)
      order by created_at limit ${limit}::integer)`;
  return rowsWritten(result);
}

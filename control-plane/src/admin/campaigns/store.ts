import { defaultCampaign, type LandingInput } from "@sluice/contracts/analytics";
import { and, asc, inArray, isNotNull, isNull, lt } from "drizzle-orm";
import { ago, isAnyOf, now } from "../../db/expressions.ts";
import { campaignEvent as event } from "../../db/schema/analytics.ts";
import { salesOrder as order } from "../../db/schema/billing.ts";
import { type Queryable, rowsWritten } from "../../platform/db.ts";
import { arrayLiteral } from "../../platform/db-array-literal.ts";

export async function insertLandingEvent(
  db: Queryable,
  { isBot, ...seen }: LandingInput & { readonly isBot: boolean },
): Promise<void> {
  await db.drizzle.insert(event).values({
    kind: seen.kind,
    campaign: seen.campaign ?? seen.utm_campaign ?? defaultCampaign,
    utmSource: seen.utm_source,
    utmMedium: seen.utm_medium,
    visitorId: seen.visitor_id,
    path: seen.path,
    referrer: seen.referrer,
    language: seen.language,
    viewport: seen.viewport,
    target: seen.target,
    isBot,
  });
}

/** Settled orders that are not in the statistics yet, oldest first. */
export async function listUncounted(db: Queryable, limit: number): Promise<bigint[]> {
  const rows = await db.drizzle
    .select({ id: order.id })
    .from(order)
    .where(and(isNull(order.campaignCountedAt), isNotNull(order.settledAt)))
    .orderBy(asc(order.settledAt), asc(order.id))
    .limit(limit);
  return rows.map(({ id }) => id);
}

/**
 * Records that orders were paid, each under the campaign that last brought its visitor here within 90 days: once for
 * each order, and never for a payment that was refunded without a credit.
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
  const free = db.drizzle
    .select({ id: order.id })
    .from(order)
    .where(and(isAnyOf(order.id, orderIds), isNull(order.campaignCountedAt)))
    .orderBy(asc(order.id))
    .for("update", { skipLocked: true });
  await db.drizzle.update(order).set({ campaignCountedAt: now }).where(inArray(order.id, free));
}

/** Removes what is older than this many days, at most `limit` events; returns how many. */
export async function deleteOldEvents(db: Queryable, days: number, limit: number): Promise<number> {
  const old = db.drizzle
    .select({ id: event.id })
    .from(event)
    .where(lt(event.createdAt, ago(days, "days")))
    .orderBy(asc(event.createdAt))
    .limit(limit);
  return rowsWritten(await db.drizzle.delete(event).where(inArray(event.id, old)));
}

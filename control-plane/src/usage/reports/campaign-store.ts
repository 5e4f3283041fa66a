import { and, eq, gte, lt, sql } from "drizzle-orm";
import { campaignEvent as event } from "../../db/schema/analytics.ts";
import type { Queryable } from "../../platform/db.ts";
import type { Span } from "./range.ts";

export type CampaignSums = {
  readonly page_views: bigint;
  readonly visitors: bigint;
  readonly cta_clicks: bigint;
  readonly payments: bigint;
  readonly revenue_usd: string;
};

export type CampaignPart = CampaignSums & {
  readonly campaign: string;
  readonly utm_source: string | null;
  readonly utm_medium: string | null;
};

const sums = `count(*) filter (where e.kind = 'page_view') as page_views,
  count(distinct e.visitor_id) filter (where e.kind <> 'payment_settled') as visitors,
  count(*) filter (where e.kind = 'cta_click') as cta_clicks,
  count(*) filter (where e.kind = 'payment_settled' and not o.is_mock) as payments,
  coalesce(sum(e.amount_usd) filter (where e.kind = 'payment_settled' and not o.is_mock), 0)::numeric(20,2)::text
    as revenue_usd`;

// Few events have an order, so that each is looked up.
const events = `campaign_event e left join lateral (
    select o.is_mock from sales_order o where o.id = e.order_id offset 0
  ) o on true
  where e.created_at >= $1::timestamptz and e.created_at < $2::timestamptz and not e.is_bot`;

/**
 * Visitors and buyers by campaign, source and medium, the most visited campaign first. A visitor who came by several
 * campaigns counts for each.
 */
export async function sumCampaigns(db: Queryable, { from, to }: Span, limit: number): Promise<CampaignPart[]> {
  return await db.query<CampaignPart>(
    `select e.campaign, e.utm_source, e.utm_medium, ${sums} from ${events}
     group by e.campaign, e.utm_source, e.utm_medium
     order by sum(e.amount_usd) desc nulls last, count(*) desc, 1, 2, 3 limit $3::integer`,
    [from, to, limit],
  );
}

/** Totals for the whole range; each visitor counts once. */
export async function sumAllCampaigns(db: Queryable, { from, to }: Span): Promise<CampaignSums> {
  const [row] = await db.query<CampaignSums>(`select ${sums} from ${events}`, [from, to]);
  return row ?? { page_views: 0n, visitors: 0n, cta_clicks: 0n, payments: 0n, revenue_usd: "0.00" };
}

export async function countBotEvents(db: Queryable, { from, to }: Span): Promise<bigint> {
  const [row] = await db.drizzle
    .select({ events: sql<bigint>`count(*)` })
    .from(event)
    .where(and(eq(event.isBot, true), gte(event.createdAt, from), lt(event.createdAt, to)));
  return row?.events ?? 0n;
}

import type { GatewayUserId } from "@sluice/contracts/ids";
import { and, asc, gt, isNotNull, max } from "drizzle-orm";
import { budget } from "../../db/schema/gateway-keys.ts";
import type { Queryable } from "../../platform/db.ts";

/** A user whose quota has fallen below a threshold of the last grant, and who has not been notified yet. */
export type LowQuota = {
  readonly budgetId: bigint;
  /** The grant that the threshold is a percentage of. */
  readonly grantId: bigint;
  readonly thresholdPercent: number;
  readonly remaining: bigint;
  readonly userId: bigint;
  readonly gatewayUserId: GatewayUserId;
  readonly email: string;
  readonly locale: string;
};

/** The last of the next `count` budgets of users after this one, or null when there is none. */
export async function findEndOfBatch(db: Queryable, after: bigint, count: number): Promise<bigint | null> {
  const batch = db.drizzle
    .select({ id: budget.id })
    .from(budget)
    .where(and(gt(budget.id, after), isNotNull(budget.gatewayUserId)))
    .orderBy(asc(budget.id))
    .limit(count)
    .as("batch");
  const [row] = await db.drizzle.select({ last: max(batch.id) }).from(batch);
  return row?.last ?? null;
}

type Row = {
  budget_id: bigint;
  grant_id: bigint;
  percent: number;
  remaining: bigint;
  user_id: bigint;
  gateway_user_id: GatewayUserId;
  email: string;
  locale: string;
};

/**
 * The budgets of this batch that are below 20 % or 5 % of the last grant. Quota that only moves back and forth
 * (settlement, refunds, the end of a period) is not a grant.  After the notice for 5 %, the user gets none for 20 %.
 */
export async function findLowQuota(db: Queryable, after: bigint, upTo: bigint): Promise<LowQuota[]> {
  const rows = await db.sql<Row>`
    with low as (
      select b.id as budget_id, g.id as grant_id, r.remaining, p.id as user_id, p.gateway_user_id, p.email, p.locale,
        case when r.remaining * 100 < g.amount * 5 then 5 else 20 end as percent
      from budget b
      join user_profile p on p.gateway_user_id = b.gateway_user_id
      cross join lateral (select b.granted - (b.used - b.period_base) - b.reserved as remaining) r
      cross join lateral (select id, amount from quota_grant q where q.budget_id = b.id and q.amount > 0
        and q.change_type not in ('usage_quota', 'refund', 'subscription_expiry') order by q.id desc limit 1) g
      where b.id > ${after}::bigint and b.id <= ${upTo}::bigint and b.gateway_user_id is not null
        and p.status = 'active' and p.email_verified_at is not null and r.remaining * 100 < g.amount * 20
    )
    select * from low where not exists (select 1 from mail_log m where m.dedupe_key in (
      'quota_low:' || budget_id || ':' || grant_id || ':5', 'quota_low:' || budget_id || ':' || grant_id || ':' || percent))
    order by budget_id`;
  return rows.map((row) => ({
    budgetId: row.budget_id,
    grantId: row.grant_id,
    thresholdPercent: row.percent,
    remaining: row.remaining,
    userId: row.user_id,
    gatewayUserId: row.gateway_user_id,
    email: row.email,
    locale: row.locale,
  }));
}

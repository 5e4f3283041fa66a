import type { GatewayUserId } from "@sluice/contracts/ids";
import { mayInOrganisation, organisationRoles } from "@sluice/contracts/organisation-rights";
import { and, asc, gt, isNotNull, max } from "drizzle-orm";
import { budget } from "../../db/schema/gateway-keys.ts";
import type { Queryable } from "../../platform/db.ts";
import { arrayLiteral } from "../../platform/db-array-literal.ts";

/**
 * Somebody who is to be notified that the quota of an account has fallen below a threshold of the last grant: its user,
 * or a member of its organisation who may top it up.
 */
export type LowQuota = {
  readonly budgetId: bigint;
  /** The grant that the threshold is a percentage of. */
  readonly grantId: bigint;
  readonly thresholdPercent: number;
  readonly remaining: bigint;
  /** The name of the organisation whose account it is; null for that of a person. */
  readonly organisation: string | null;
  /** Whether this is the first recipient for the account, whose mail records that all were notified. */
  readonly isFirst: boolean;
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
  organisation: string | null;
  is_first: boolean;
  user_id: bigint;
  gateway_user_id: GatewayUserId;
  email: string;
  locale: string;
};

/** The roles of members who may top up. */
const payers = organisationRoles.filter((role) => mayInOrganisation(role, "billing"));

/**
 * The budgets of this batch that are below 20 % or 5 % of the last grant. Quota that only moves back and forth
 * (settlement, refunds, the end of a period) is not a grant. After the notice for 5 %, there is none for 20 %.
 */
export async function findLowQuota(db: Queryable, after: bigint, upTo: bigint): Promise<LowQuota[]> {
  const rows = await db.sql<Row>`
    with low as (
      select b.id as budget_id, g.id as grant_id, r.remaining, b.gateway_user_id,
        case when r.remaining * 100 < g.amount * 5 then 5 else 20 end as percent
      from budget b
      cross join lateral (select b.granted - (b.used - b.period_base) - b.reserved as remaining) r
      cross join lateral (select id, amount from quota_grant q where q.budget_id = b.id and q.amount > 0
        and q.change_type not in ('usage_quota', 'refund', 'subscription_expiry') order by q.id desc limit 1) g
      where b.id > ${after}::bigint and b.id <= ${upTo}::bigint and b.gateway_user_id is not null
        and r.remaining * 100 < g.amount * 20
    ), recipients as (
      select p.gateway_user_id, null as organisation, p.id from user_profile p
      where p.gateway_user_id in (select gateway_user_id from low)
      union all
      select o.gateway_user_id, o.name, m.user_id from organisation o
      join organisation_member m on m.organisation_id = o.id and m.left_at is null
        and m.role = any (${arrayLiteral(payers)}::text[])
      where o.gateway_user_id in (select gateway_user_id from low) and o.status = 'active'
    )
    select low.*, r.organisation, p.id as user_id, p.email, p.locale,
      row_number() over (partition by low.budget_id order by p.id) = 1 as is_first
    from low
    join recipients r on r.gateway_user_id = low.gateway_user_id
    join user_profile p on p.id = r.id
    where p.status = 'active' and p.email_verified_at is not null and not exists (
      select 1 from mail_log m where m.dedupe_key in (
        'quota_low:' || budget_id || ':' || grant_id || ':5', 'quota_low:' || budget_id || ':' || grant_id || ':' || percent))
    order by low.budget_id, p.id`;
  return rows.map((row) => ({
    budgetId: row.budget_id,
    grantId: row.grant_id,
    thresholdPercent: row.percent,
    remaining: row.remaining,
    organisation: row.organisation,
    isFirst: row.is_first,
    userId: row.user_id,
    gatewayUserId: row.gateway_user_id,
    email: row.email,
    locale: row.locale,
  }));
}

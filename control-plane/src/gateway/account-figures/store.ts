import type { ApiKeyId, GatewayUserId } from "@sluice/contracts/ids";
import type { OrganisationRole } from "@sluice/contracts/organisation-rights";
import { eq } from "drizzle-orm";
import { isSet } from "../../db/expressions.ts";
import { apiKey } from "../../db/schema/gateway-keys.ts";
import { organisationMember as member } from "../../db/schema/organisations.ts";
import type { Queryable } from "../../platform/db.ts";
import type { DayRange, DaySums, SpanSums } from "./model.ts";

/**
 * What an account has left, and all that it was ever given, from one snapshot. The settlement changes grants as well, by
 * what a multiplier adds to calls: that is usage, and the index over the kinds of grants leaves it out.
 */
export async function selectAccountFunds(
  db: Queryable,
  gatewayUserId: GatewayUserId,
): Promise<{ readonly remaining: bigint; readonly given: bigint }> {
  const [row] = await db.sql<{ remaining: bigint; given: bigint }>`
    select b.granted - (b.used - b.period_base) - b.reserved as remaining,
      (select coalesce(sum(g.amount), 0)::bigint from quota_grant g
       where g.budget_id = b.id and (g.change_type < 'usage_quota' or g.change_type > 'usage_quota')) as given
    from budget b where b.gateway_user_id = ${gatewayUserId}::bigint`;
  return row ?? { remaining: 0n, given: 0n };
}

/**
 * The sums of the UTC days on which an account made calls. Each day is looked up: an account can have nearly a hundred
 * quarter hours in each.
 */
export async function selectDays(
  db: Queryable,
  gatewayUserId: GatewayUserId,
  { fromDay, toDay }: DayRange,
): Promise<DaySums[]> {
  return await db.sql<DaySums>`
    select d.day::date::text as day, s.calls, s.input_tokens, s.output_tokens, s.settled_quota
    from generate_series(${fromDay}::text::date::timestamp, ${toDay}::text::date::timestamp, interval '1 day') d (day)
    cross join lateral (
      select * from usage_rollup r where r.slice = 'user_day' and r.starts_at = d.day at time zone 'UTC'
        and r.gateway_user_id = ${gatewayUserId}::bigint offset 0
    ) s
    order by d.day`;
}

/** What an account spent today, in the week that began on Monday, and in the month, by UTC. */
export async function selectSpans(db: Queryable, gatewayUserId: GatewayUserId, now: Date): Promise<SpanSums> {
  const [row] = await db.sql<SpanSums>`
    select coalesce(sum(settled_quota) filter (where starts_at >= date_trunc('day', t.now, 'UTC')), 0)::bigint as daily,
      coalesce(sum(settled_quota) filter (where starts_at >= date_trunc('week', t.now, 'UTC')), 0)::bigint as weekly,
      coalesce(sum(settled_quota) filter (where starts_at >= date_trunc('month', t.now, 'UTC')), 0)::bigint as monthly
    from (select ${now}::timestamptz as now) t
    join usage_rollup on slice = 'user' and gateway_user_id = ${gatewayUserId}::bigint
      and starts_at >= least(date_trunc('week', t.now, 'UTC'), date_trunc('month', t.now, 'UTC'))`;
  return row ?? { daily: 0n, weekly: 0n, monthly: 0n };
}

/** The member of an organisation who made a key; null for a key of a person's account. */
export async function findMaker(
  db: Queryable,
  apiKeyId: ApiKeyId,
): Promise<{ readonly memberId: bigint; readonly role: OrganisationRole; readonly hasLeft: boolean } | null> {
  const [row] = await db.drizzle
    .select({ memberId: member.id, role: member.role, hasLeft: isSet(member.leftAt) })
    .from(apiKey)
    .innerJoin(member, eq(member.id, apiKey.memberId))
    .where(eq(apiKey.id, apiKeyId));
  return row ?? null;
}

/**
 * What a key of a member can still spend, and what the member's keys have spent this month: by the member's budget, or else
 * as settled.
 */
export async function selectMemberFunds(
  db: Queryable,
  { apiKeyId, memberId, now }: { readonly apiKeyId: ApiKeyId; readonly memberId: bigint; readonly now: Date },
): Promise<{ readonly remaining: bigint; readonly used: bigint }> {
  const [row] = await db.sql<{ remaining: bigint; used: bigint }>`
    with limits as (
      select b.member_id, b.granted, b.reserved,
        case when b.period_ends_at <= ${now}::timestamptz then 0 else b.used - b.period_base end as used
      from api_key k join budget b on b.is_enforced and (b.member_id = k.member_id or b.project_id = k.project_id)
      where k.id = ${apiKeyId}::bigint
    )
    select least(w.granted - (w.used - w.period_base) - w.reserved,
        (select min(greatest(granted - used - reserved, 0)) from limits)) as remaining,
      coalesce((select used from limits where member_id is not null), (
        select sum(s.settled_quota) from usage_user_sum s join api_key k on k.id = s.api_key_id
        where s.gateway_user_id = w.gateway_user_id and s.grain = 'hours' and k.member_id = ${memberId}::bigint
          and s.starts_at >= date_trunc('month', ${now}::timestamptz, 'UTC')
      ), 0)::bigint as used
    from api_key k join budget w on w.gateway_user_id = k.gateway_user_id where k.id = ${apiKeyId}::bigint`;
  return row ?? { remaining: 0n, used: 0n };
}

/** As `selectDays`, of the keys that a member has made. */
export async function selectMemberDays(
  db: Queryable,
  { gatewayUserId, memberId }: { readonly gatewayUserId: GatewayUserId; readonly memberId: bigint },
  { fromDay, toDay }: DayRange,
): Promise<DaySums[]> {
  return await db.sql<DaySums>`
    select (s.starts_at at time zone 'UTC')::date::text as day, sum(s.calls)::bigint as calls,
      sum(s.input_tokens)::bigint as input_tokens, sum(s.output_tokens)::bigint as output_tokens,
      sum(s.settled_quota)::bigint as settled_quota
    from usage_user_sum s join api_key k on k.id = s.api_key_id
    where s.gateway_user_id = ${gatewayUserId}::bigint and s.grain = 'hours' and k.member_id = ${memberId}::bigint
      and s.starts_at >= (${fromDay}::text::date::timestamp at time zone 'UTC')
      and s.starts_at < ((${toDay}::text::date + 1)::timestamp at time zone 'UTC')
    group by 1 order by 1`;
}

/** As `selectSpans`, of the keys that a member has made. */
export async function selectMemberSpans(
  db: Queryable,
  { gatewayUserId, memberId }: { readonly gatewayUserId: GatewayUserId; readonly memberId: bigint },
  now: Date,
): Promise<SpanSums> {
  const [row] = await db.sql<SpanSums>`
    select coalesce(sum(settled_quota) filter (where starts_at >= date_trunc('day', t.now, 'UTC')), 0)::bigint as daily,
      coalesce(sum(settled_quota) filter (where starts_at >= date_trunc('week', t.now, 'UTC')), 0)::bigint as weekly,
      coalesce(sum(settled_quota) filter (where starts_at >= date_trunc('month', t.now, 'UTC')), 0)::bigint as monthly
    from (select ${now}::timestamptz as now) t
    join usage_user_sum s on s.gateway_user_id = ${gatewayUserId}::bigint and s.grain = 'hours'
      and s.starts_at >= least(date_trunc('week', t.now, 'UTC'), date_trunc('month', t.now, 'UTC'))
    join api_key k on k.id = s.api_key_id and k.member_id = ${memberId}::bigint`;
  return row ?? { daily: 0n, weekly: 0n, monthly: 0n };
}

import type { GatewayUserId } from "@sluice/contracts/ids";
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

/** The sums of the UTC days on which an account made calls, from the sums by quarter hour. */
export async function selectDays(
  db: Queryable,
  gatewayUserId: GatewayUserId,
  { fromDay, toDay }: DayRange,
): Promise<DaySums[]> {
  return await db.sql<DaySums>`
    select (starts_at at time zone 'UTC')::date::text as day, sum(calls)::bigint as calls,
      sum(input_tokens)::bigint as input_tokens, sum(output_tokens)::bigint as output_tokens,
      sum(settled_quota)::bigint as settled_quota
    from usage_rollup
    where slice = 'user' and gateway_user_id = ${gatewayUserId}::bigint
      and starts_at >= (${fromDay}::text::date::timestamp at time zone 'UTC')
      and starts_at < ((${toDay}::text::date + 1)::timestamp at time zone 'UTC')
    group by 1 order by 1`;
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

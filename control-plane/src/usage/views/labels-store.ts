import type { GatewayUserId } from "@sluice/contracts/ids";
import { tokenColumns } from "@sluice/contracts/priced-units";
import type { UsageCourseDay, UsageSums } from "@sluice/contracts/usage";
import { and, eq, ne } from "drizzle-orm";
import { countOfCall, now } from "../../db/expressions.ts";
import { gatewayUser } from "../../db/schema/gateway-keys.ts";
import type { Queryable } from "../../platform/db.ts";
import type { UsageFilter } from "./model.ts";
import { filterValues, isMeant, tokenSums, tokens } from "./views-store.ts";

/** A sum over the calls for an end user, or over those with a tag. */
export type LabelSum = UsageSums & { readonly kind: "end_user" | "tag"; readonly label: string };

const ofCalls = tokenColumns.map((count) => `${countOfCall(count)} as ${count}`).join(", ");

/**
 * The sums of the most expensive end users and tags of a filter, up to `most` of each. Reads the calls from the log, because only
 * these have what may be personal, and end with it.
 */
export async function sumLabels(db: Queryable, filter: UsageFilter, most: number): Promise<LabelSum[]> {
  return await db.query<LabelSum>(
    `with calls as materialized (
       select u.end_user, u.tags, u.outcome, ${ofCalls}, u.quota, ceil(u.quota * u.rate_multiplier) as settled_quota
       from usage_log u where ${isMeant(filter)} and (u.end_user is not null or u.tags is not null)
     ), labelled as (
       select 'end_user' as kind, end_user as label, outcome, ${tokens}, quota, settled_quota from calls where end_user is not null
       union all
       select 'tag', t.tag, c.outcome, ${tokens}, c.quota, c.settled_quota from calls c cross join unnest(c.tags) t (tag)
     ), sums as (
       select kind, label, count(*) as calls, count(*) filter (where outcome = 'completed') as completed_calls,
         count(*) filter (where outcome = 'failed') as failed_calls, ${tokenSums},
         sum(quota)::bigint as quota, sum(settled_quota)::bigint as settled_quota,
         row_number() over (partition by kind order by sum(settled_quota) desc, count(*) desc, label) as place
       from labelled group by kind, label
     )
     select kind, label, calls, completed_calls, failed_calls, ${tokens}, quota, settled_quota from sums
     where place <= $13::integer order by kind, place`,
    [...filterValues(filter), most],
  );
}

/** A sum over the calls of a day with one of the most expensive labels; null for all other labels. */
export type LabelDay = UsageCourseDay & { readonly label: string | null };

/** The sums of the `most` most expensive end users or tags by day of the zone, read as above. */
export async function sumLabelDays(
  db: Queryable,
  filter: UsageFilter,
  { kind, most }: { readonly kind: "end_user" | "tag"; readonly most: number },
): Promise<LabelDay[]> {
  const [label, calls] =
    kind === "tag"
      ? ["t.tag", "calls c cross join unnest(c.tags) t (tag)"]
      : ["c.end_user", "calls c where c.end_user is not null"];
  return await db.query<LabelDay>(
    `with calls as materialized (
       select u.end_user, u.tags, (u.started_at at time zone $4::text)::date as day, u.outcome,
         usage_count(u.input_tokens) as input_tokens, usage_count(u.output_tokens) as output_tokens,
         ceil(u.quota * u.rate_multiplier) as settled_quota
       from usage_log u where ${isMeant(filter)} and (u.end_user is not null or u.tags is not null)
     ), labelled as (
       select ${label} as label, c.* from ${calls}
     ), places as (
       select label, row_number() over (order by sum(settled_quota) desc, count(*) desc, label) as place
       from labelled group by label
     )
     select case when p.place <= $13::integer then l.label end as label, l.day::text as day, count(*) as calls,
       count(*) filter (where l.outcome = 'completed') as completed_calls,
       count(*) filter (where l.outcome = 'failed') as failed_calls, sum(l.input_tokens)::bigint as input_tokens,
       sum(l.output_tokens)::bigint as output_tokens, sum(l.settled_quota)::bigint as settled_quota
     from labelled l join places p on p.label = l.label group by 1, 2 order by min(p.place), 2`,
    [...filterValues(filter), most],
  );
}

export async function readLabelsKept(db: Queryable, id: GatewayUserId): Promise<boolean> {
  const [row] = await db.drizzle
    .select({ areLabelsKept: gatewayUser.areLabelsKept })
    .from(gatewayUser)
    .where(eq(gatewayUser.id, id));
  return row?.areLabelsKept === true;
}

/** The database notifies the replicas. @returns whether it was otherwise before */
export async function changeLabelsKept(db: Queryable, id: GatewayUserId, areLabelsKept: boolean): Promise<boolean> {
  const changed = await db.drizzle
    .update(gatewayUser)
    .set({ areLabelsKept, updatedAt: now })
    .where(and(eq(gatewayUser.id, id), ne(gatewayUser.areLabelsKept, areLabelsKept)))
    .returning({ id: gatewayUser.id });
  return changed.length > 0;
}

import type { GatewayUserId } from "@sluice/contracts/ids";
import { tokenColumns } from "@sluice/contracts/priced-units";
import type { UsageSums } from "@sluice/contracts/usage";
import { and, eq, ne } from "drizzle-orm";
import { now } from "../../db/expressions.ts";
import { gatewayUser } from "../../db/schema/gateway-keys.ts";
import type { Queryable } from "../../platform/db.ts";
import type { UsageFilter } from "./model.ts";
import { filterValues, isMeant, tokenSums, tokens } from "./views-store.ts";

/** A sum over the calls for an end user, or over those with a tag. */
export type LabelSum = UsageSums & { readonly kind: "end_user" | "tag"; readonly label: string };

const ofCalls = tokenColumns.map((count) => `u.${count}`).join(", ");

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
       select kind, label, count(*) as calls, count(*) filter (where outcome = 'completed') as completed_calls, ${tokenSums},
         sum(quota)::bigint as quota, sum(settled_quota)::bigint as settled_quota,
         row_number() over (partition by kind order by sum(settled_quota) desc, count(*) desc, label) as place
       from labelled group by kind, label
     )
     select kind, label, calls, completed_calls, ${tokens}, quota, settled_quota from sums
     where place <= $13::integer order by kind, place`,
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

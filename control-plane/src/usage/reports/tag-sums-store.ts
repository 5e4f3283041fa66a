import { tokenColumns } from "@sluice/contracts/priced-units";
import { usageLabelsMax } from "@sluice/contracts/usage-label-limits";
import type { Queryable } from "../../platform/db.ts";
import { arrayLiteral } from "../../platform/db-array-literal.ts";
import type { Span } from "./range.ts";
import type { UsageSums } from "./usage-sums-store.ts";

/** The sums over the calls with a tag. */
export type TagSums = UsageSums & { readonly tag: string };

const countsOfCall = tokenColumns.map((count) => `usage_count(u.${count}) as ${count}`).join(", ");

/**
 * A row `l` for each tag of each call, read from the log: only its rows have what may be personal, and end with it. A call counts for
 * each of its tags.
 */
const labelled = `(
  select t.tag, u.started_at, u.outcome, ${countsOfCall}, u.quota, ceil(u.quota * u.rate_multiplier) as settled_quota
  from usage_log u cross join unnest(u.tags) t (tag)
  where u.tags is not null and u.started_at >= $1::timestamptz and u.started_at < $2::timestamptz
    and u.day between ($1::timestamptz at time zone 'UTC')::date and ($2::timestamptz at time zone 'UTC')::date
) l`;

const ended = (outcome: string): string => `count(*) filter (where l.outcome = '${outcome}') as ${outcome}`;
const sums = [
  "count(*) as calls",
  ...["completed", "aborted", "failed", "refused"].map(ended),
  ...[...tokenColumns, "quota", "settled_quota"].map((name) => `sum(l.${name})::bigint as ${name}`),
].join(", ");
const dearest = "sum(l.settled_quota) desc, count(*) desc, l.tag";

/** The most expensive tags. */
export async function sumTags(db: Queryable, { from, to }: Span): Promise<TagSums[]> {
  return await db.query<TagSums>(
    `select l.tag, ${sums} from ${labelled} group by l.tag order by ${dearest} limit $3::integer`,
    [from, to, usageLabelsMax],
  );
}

/** The sums of a tag by bar, which counts from 0; null for all but the `most` most expensive tags together. */
export async function sumTagsByBar(
  db: Queryable,
  { from, to }: Span,
  { starts, most }: { readonly starts: readonly Date[]; readonly most: number },
): Promise<(UsageSums & { readonly tag: string | null; readonly bar: number })[]> {
  return await db.query<UsageSums & { tag: string | null; bar: number }>(
    `with labelled as materialized (select * from ${labelled}),
     places as (select l.tag, row_number() over (order by ${dearest}) as place from labelled l group by l.tag)
     select case when p.place <= $4::integer then l.tag end as tag,
       width_bucket(l.started_at, $3::timestamptz[]) - 1 as bar, ${sums}
     from labelled l join places p on p.tag = l.tag group by 1, 2 order by min(p.place), 2`,
    [from, to, arrayLiteral(starts), most],
  );
}

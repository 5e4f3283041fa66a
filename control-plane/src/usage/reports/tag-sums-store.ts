import { tokenColumns } from "@sluice/contracts/priced-units";
import { usageLabelsMax } from "@sluice/contracts/usage-label-limits";
import type { Queryable } from "../../platform/db.ts";
import { arrayLiteral } from "../../platform/db-array-literal.ts";
import { grainMs, piecesOf, type Span } from "./range.ts";
import { noUsage, type UsageSums } from "./usage-sums-store.ts";

/** The sums over the calls with a tag. A call counts for each of its tags. */
export type TagSums = UsageSums & { readonly tag: string };
type TagBar = UsageSums & { readonly tag: string | null; readonly bar: number };

const counts = [...tokenColumns, "quota", "settled_quota"];

const ended = (outcome: string): string =>
  `coalesce(sum(l.calls) filter (where l.outcome = '${outcome}'), 0)::bigint as ${outcome}`;
const sums = [
  "sum(l.calls)::bigint as calls",
  ...["completed", "aborted", "failed", "refused"].map(ended),
  ...counts.map((name) => `sum(l.${name})::bigint as ${name}`),
].join(", ");
const dearest = "sum(l.settled_quota) desc, sum(l.calls) desc, l.tag";

/** The sums of all users `s` in the pieces `p`. Without the no-op limit the planner might read all sums to join them. */
const summed = (kind: "tag" | "tags", condition: string): string => `cross join lateral (
  select * from usage_label_sum u
  where u.gateway_user_id = 0 and u.kind = '${kind}' and u.grain = p.grain and ${condition} offset 0
) s`;
const withinPiece = "u.starts_at >= p.from_at and u.starts_at < p.to_at";
const ofSum = `s.outcome, s.calls, ${counts.map((name) => `s.${name}`).join(", ")}`;

/** A row `l` for each tag of each call, read from the log. */
const logged = `(
  select t.tag, u.started_at, u.outcome, 1 as calls, ${tokenColumns.map((count) => `usage_count(u.${count}) as ${count}`).join(", ")},
    u.quota, ceil(u.quota * u.rate_multiplier) as settled_quota
  from usage_log u cross join unnest(u.tags) t (tag)
  where u.tags is not null and u.started_at >= $1::timestamptz and u.started_at < $2::timestamptz
    and u.day between ($1::timestamptz at time zone 'UTC')::date and ($2::timestamptz at time zone 'UTC')::date
) l`;

/** Whether the sums by tag have caught up after an upgrade; until then the log is read. */
async function areSummed(db: Queryable): Promise<boolean> {
  const [row] = await db.sql<{ are_summed: boolean }>`
    select bool_and(label_sums_reach(shard)) as are_summed from generate_series(0::bigint, 15) shard`;
  return row?.are_summed === true;
}

/** The most expensive tags. */
export async function sumTags(db: Queryable, span: Span): Promise<TagSums[]> {
  if (!(await areSummed(db))) {
    return await db.query<TagSums>(
      `select l.tag, ${sums} from ${logged} group by l.tag order by ${dearest} limit $3::integer`,
      [span.from, span.to, usageLabelsMax],
    );
  }
  const pieces = piecesOf(span);
  return await db.query<TagSums>(
    `select l.tag, ${sums} from (
       select s.label as tag, ${ofSum} from unnest($2::text[], $3::timestamptz[], $4::timestamptz[]) p (grain, from_at, to_at)
       ${summed("tag", `${withinPiece} and u.label <> ''`)}
     ) l group by l.tag order by ${dearest} limit $1::integer`,
    [
      usageLabelsMax,
      ...[pieces.map(({ grain }) => grain), pieces.map(({ from }) => from), pieces.map(({ to }) => to)].map((list) =>
        arrayLiteral(list),
      ),
    ],
  );
}

/** The sums of a tag by bar, which counts from 0; null for all but the `most` most expensive tags together. */
export async function sumTagsByBar(
  db: Queryable,
  { from, to }: Span,
  { starts, most }: { readonly starts: readonly Date[]; readonly most: number },
): Promise<TagBar[]> {
  if (!(await areSummed(db))) {
    return await db.query<TagBar>(
      `with labelled as materialized (select * from ${logged}),
       places as (select l.tag, row_number() over (order by ${dearest}) as place from labelled l group by l.tag)
       select case when p.place <= $4::integer then l.tag end as tag,
         width_bucket(l.started_at, $3::timestamptz[]) - 1 as bar, ${sums}
       from labelled l join places p on p.tag = l.tag group by 1, 2 order by min(p.place), 2`,
      [from, to, arrayLiteral(starts), most],
    );
  }
  const dearestTags = (await sumTags(db, { from, to })).slice(0, most).map(({ tag }) => tag);
  const pieces = starts.flatMap((start, bar) =>
    piecesOf({ from: start, to: starts[bar + 1] ?? to }).map((piece) => ({ ...piece, bar })),
  );
  const bars = await db.query<TagBar>(
    `select l.tag, l.bar, ${sums} from (
       select t.tag, t.place, p.bar, ${ofSum}
       from unnest($1::integer[], $2::text[], $3::timestamptz[], $4::timestamptz[], $5::interval[]) p (bar, grain, from_at, to_at, step)
       cross join unnest($6::text[]) with ordinality t (tag, place)
       cross join generate_series(p.from_at, p.to_at - p.step, p.step) m (starts_at)
       ${summed("tag", "u.starts_at = m.starts_at and u.label = t.tag")}
       union all
       select null, null, p.bar, ${ofSum}
       from unnest($1::integer[], $2::text[], $3::timestamptz[], $4::timestamptz[]) p (bar, grain, from_at, to_at)
       ${summed("tags", withinPiece)}
     ) l group by l.tag, l.place, l.bar order by l.place, l.bar`,
    [
      pieces.map(({ bar }) => bar),
      pieces.map(({ grain }) => grain),
      pieces.map((piece) => piece.from),
      pieces.map((piece) => piece.to),
      pieces.map(({ grain }) => `${grainMs[grain]} ms`),
      dearestTags,
    ].map((list) => arrayLiteral(list)),
  );
  return withOthers(bars);
}

/** The sums of all tags as those of the others: without the named ones of their bar. */
function withOthers(bars: readonly TagBar[]): TagBar[] {
  const named = Map.groupBy(
    bars.filter(({ tag }) => tag !== null),
    ({ bar }) => bar,
  );
  return bars
    .map((whole) => (whole.tag === null ? { ...whole, ...less(whole, named.get(whole.bar) ?? []) } : whole))
    .filter(({ calls }) => calls > 0n);
}

function less(whole: UsageSums, parts: readonly UsageSums[]): UsageSums {
  const names = Object.keys(noUsage) as (keyof UsageSums)[];
  return Object.fromEntries(
    names.map((name) => [name, parts.reduce((rest, part) => rest - part[name], whole[name])]),
  ) as UsageSums;
}

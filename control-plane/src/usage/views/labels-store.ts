import type { GatewayUserId } from "@sluice/contracts/ids";
import { tokenColumns } from "@sluice/contracts/priced-units";
import type { UsageCourseDay, UsageSums } from "@sluice/contracts/usage";
import { and, eq, ne } from "drizzle-orm";
import { now } from "../../db/expressions.ts";
import { gatewayUser } from "../../db/schema/gateway-keys.ts";
import type { Queryable, SqlValue } from "../../platform/db.ts";
import { arrayLiteral } from "../../platform/db-array-literal.ts";
import { grainMs, type Piece, piecesOf, type Span } from "../reports/range.ts";
import type { UsageFilter } from "./model.ts";
import { daysOf, hasLabels, keysOf, tokenSums, tokens } from "./views-store.ts";

/** A sum over the calls for an end user, or over those with a tag; null for all that have no sums of their own. */
export type LabelSum = UsageSums & { readonly kind: "end_user" | "tag"; readonly label: string | null };

const partColumns = `${tokens}, quota, settled_quota`;
const ofCall = `${tokenColumns.map((count) => `usage_count(u.${count}) as ${count}`).join(", ")}, u.quota,
  ceil(u.quota * u.rate_multiplier)::bigint as settled_quota`;
const courseSums = ["calls", "completed_calls", "failed_calls", "input_tokens", "output_tokens", "settled_quota"];

/** The moments of a request, in the sums that it needs: `$1` to `$6` of every statement here. */
type Moments = { readonly from: Date; readonly to: Date; readonly pieces: readonly Piece[] };

/** The sums don't know what else is said of a call with a label. */
const isFromLog = ({ endUser, tag, askedModel }: UsageFilter): boolean =>
  endUser !== null || tag !== null || askedModel !== null;

/** Which stored sums or calls `u` are meant; the values are `$7` to `$11`. */
const isOfFilter = `($7::bigint is null or u.api_key_id = $7::bigint) and ($8::text is null or u.model = $8::text)
  and ($9::text is null or u.outcome = $9::text)
  and (($10::bigint is null and $11::bigint is null) or u.api_key_id in (${keysOf("$1", "$10", "$11")}))`;

/** The calls with labels that are in no sum: `$12` to `$14` are values of the filter, too. */
function waitingCalls(filter: UsageFilter): string {
  const logged = `(
    select * from usage_log l where l.gateway_user_id = $1::bigint and (l.end_user is not null or l.tags is not null)
      and l.day between ($5::timestamptz at time zone 'UTC')::date - 1 and ($6::timestamptz at time zone 'UTC')::date + 1
      and l.started_at >= $5::timestamptz and l.started_at < $6::timestamptz
  )`;
  return `(
    select u.* from ${isFromLog(filter) ? logged : "unsummed_labels($1::bigint, $5::timestamptz, $6::timestamptz)"} u
    where ${isOfFilter} and ${hasLabels(filter, "$12", "$13")}
      and ${filter.askedModel === null ? "$14::text is null" : "u.asked_model = $14::text"}
  )`;
}

function values(filter: UsageFilter, { from, to, pieces }: Moments): SqlValue[] {
  const { gatewayUserId, keyId, model, outcome, memberId, projectId, endUser, tag, askedModel } = filter;
  const lists = [pieces.map(({ grain }) => grain), pieces.map((piece) => piece.from), pieces.map((piece) => piece.to)];
  const labels = [endUser, tag, askedModel];
  return [
    gatewayUserId,
    ...lists.map((list) => arrayLiteral(list)),
    from,
    to,
    keyId,
    model,
    outcome,
    memberId,
    projectId,
    ...labels,
  ];
}

function momentsOf(days: readonly Span[], filter: UsageFilter): Moments {
  const [from, to] = [days[0]?.from ?? new Date(0), days.at(-1)?.to ?? new Date(0)];
  return { from, to, pieces: isFromLog(filter) ? [] : piecesOf({ from, to }) };
}

/** The pieces of the whole request as a table `p`, if the sums have every call that is not waiting. */
const wholePieces = `(select 1 where has_label_sums($1::bigint)) reached
  cross join unnest($2::text[], $3::timestamptz[], $4::timestamptz[]) p (grain, from_at, to_at)`;

/** The stored sums of a kind within a piece. Without the no-op limit the planner might read all sums to join them. */
const summed = (kind: string, condition: string): string => `cross join lateral (
    select * from usage_label_sum u
    where u.gateway_user_id = $1::bigint and u.kind = ${kind} and u.grain = p.grain and ${condition} and ${isOfFilter} offset 0
  ) s`;
const withinPiece = "u.starts_at >= p.from_at and u.starts_at < p.to_at";

/**
 * The sums of the most expensive end users and tags of a filter, up to `most` of each, and those of all that have no sums of their
 * own, with null. From the stored sums and the calls that are not in these yet, all as of one moment.
 */
export async function sumLabels(db: Queryable, filter: UsageFilter, most: number): Promise<LabelSum[]> {
  const days = daysOf(filter.fromDay, filter.toDay, filter.zone);
  return await db.query<LabelSum>(
    `with waiting as materialized (select u.end_user, u.tags, u.outcome, ${ofCall} from ${waitingCalls(filter)} u),
     parts as (
       select k.kind, s.label, s.outcome, s.calls, ${partColumns}
       from unnest('{end_user,tag}'::text[]) k (kind) cross join ${wholePieces} ${summed("k.kind", withinPiece)}
       union all
       select 'end_user', end_user, outcome, 1, ${partColumns} from waiting where end_user is not null
       union all
       select 'tag', t.tag, w.outcome, 1, ${partColumns} from waiting w cross join unnest(w.tags) t (tag)
     ), sums as (
       select kind, label, sum(calls)::bigint as calls, ${ended("completed")}, ${ended("failed")}, ${tokenSums},
         sum(quota)::bigint as quota, sum(settled_quota)::bigint as settled_quota,
         row_number() over (partition by kind, label = '' order by sum(settled_quota) desc, sum(calls) desc, label) as place
       from parts group by kind, label
     )
     select kind, nullif(label, '') as label, calls, completed_calls, failed_calls, ${partColumns} from sums
     where place <= $15::integer order by kind, label = '', place`,
    [...values(filter, momentsOf(days, filter)), most],
  );
}

const ended = (outcome: string): string =>
  `coalesce(sum(calls) filter (where outcome = '${outcome}'), 0)::bigint as ${outcome}_calls`;

/** A sum over the calls of a day with one of the most expensive labels; null for all other labels. */
export type LabelDay = UsageCourseDay & { readonly label: string | null };

const daySums = `sum(calls)::bigint as calls, ${ended("completed")}, ${ended("failed")},
  ${["input_tokens", "output_tokens", "settled_quota"].map((name) => `sum(${name})::bigint as ${name}`).join(", ")}`;
const dayColumns = "outcome, calls, input_tokens, output_tokens, settled_quota";

/**
 * The sums of the `most` most expensive end users or tags by day of the zone, read as above. Only these are read by day; the others
 * of a day are the rest of its sum.
 */
export async function sumLabelDays(
  db: Queryable,
  filter: UsageFilter,
  { kind, most }: { readonly kind: "end_user" | "tag"; readonly most: number },
): Promise<LabelDay[]> {
  const days = daysOf(filter.fromDay, filter.toDay, filter.zone);
  const pieces = isFromLog(filter)
    ? []
    : days.flatMap((span, day) => piecesOf(span).map((piece) => ({ ...piece, day })));
  const label = kind === "tag" ? "unnest(u.tags)" : "u.end_user";
  const dayPieces = `(select 1 where has_label_sums($1::bigint)) reached cross join
    unnest($17::integer[], $18::text[], $19::timestamptz[], $20::timestamptz[], $21::interval[]) p (day, grain, from_at, to_at, step)`;
  return await db.query<LabelDay>(
    `with waiting as materialized (
       select ${label} as label, width_bucket(u.started_at, $16::timestamptz[]) - 1 as day, u.outcome, 1 as calls, ${ofCall}
       from ${waitingCalls(filter)} u where u.${kind === "tag" ? "tags" : "end_user"} is not null
     ), top as materialized (
       select label, row_number() over (order by sum(settled_quota) desc, sum(calls) desc, label) as place
       from (
         select s.label, s.calls, s.settled_quota from ${wholePieces} ${summed(`'${kind}'`, withinPiece)}
         union all
         select label, calls, settled_quota from waiting
       ) parts
       where label <> '' group by label order by place limit $15::integer
     ), named as (
       select place, label, day, ${daySums}
       from (
         select t.place, t.label, p.day, ${dayColumns}
         from ${dayPieces} cross join top t cross join generate_series(p.from_at, p.to_at - p.step, p.step) m (starts_at)
         ${summed(`'${kind}'`, "u.starts_at = m.starts_at and u.label = t.label")}
         union all
         select t.place, t.label, w.day, ${dayColumns} from waiting w join top t on t.label = w.label
       ) parts
       group by place, label, day
     ), whole as (
       select day, ${daySums}
       from (
         select p.day, ${dayColumns} from ${dayPieces} ${summed(`'${kind}s'`, withinPiece)}
         union all
         select day, ${dayColumns} from waiting
       ) parts
       group by day
     ), days as (
       select place, label, day, ${courseSums.join(", ")} from named
       union all
       select null, null, w.day, ${courseSums.map((name) => `w.${name} - coalesce(sum(n.${name}), 0)::bigint`).join(", ")}
       from whole w left join named n on n.day = w.day
       group by w.day, ${courseSums.map((name) => `w.${name}`).join(", ")} having w.calls > coalesce(sum(n.calls), 0)
     )
     select label, ($22::text::date + day)::text as day, ${courseSums.join(", ")} from days order by place, day`,
    [
      ...values(filter, momentsOf(days, filter)),
      most,
      ...[
        days.map(({ from }) => from),
        pieces.map(({ day }) => day),
        pieces.map(({ grain }) => grain),
        pieces.map(({ from }) => from),
        pieces.map(({ to }) => to),
        pieces.map(({ grain }) => `${grainMs[grain]} ms`),
      ].map((list) => arrayLiteral(list)),
      filter.fromDay,
    ],
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

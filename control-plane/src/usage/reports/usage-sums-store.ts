import { usageSums } from "@sluice/contracts/reports";
import type { Queryable } from "../../platform/db.ts";
import { arrayLiteral } from "../../platform/db-array-literal.ts";
import { type Grain, piecesOf, type Span } from "./range.ts";

/** Sums of calls, as in `usage_rollup`. */
export type UsageSums = { readonly [Name in keyof typeof usageSums]: bigint };

const sumColumns = Object.keys(usageSums) as (keyof UsageSums)[];

const sums = sumColumns.map((name) => `sum(${name})::bigint as ${name}`).join(", ");
const plain = sumColumns.join(", ");

/** Sums by bar; a bar without calls has no row. `bar` counts from 0. */
export async function sumByBar(
  db: Queryable,
  { from, to }: Span,
  starts: readonly Date[],
): Promise<(UsageSums & { bar: number })[]> {
  return await db.query<UsageSums & { bar: number }>(
    `select width_bucket(starts_at, $3::timestamptz[]) - 1 as bar, ${sums}
     from usage_rollup where slice = 'total' and starts_at >= $1::timestamptz and starts_at < $2::timestamptz
     group by 1 order by 1`,
    [from, to, arrayLiteral(starts)],
  );
}

/** Sums of calls for the whole span, without bars; zeros when there are no calls. */
export async function sumTotal(db: Queryable, span: Span): Promise<UsageSums> {
  const [row] = await sumByBar(db, span, [span.from]);
  if (row === undefined) {
    return noUsage;
  }
  const { bar: _, ...whole } = row;
  return whole;
}

export const noUsage = Object.fromEntries(sumColumns.map((name) => [name, 0n])) as UsageSums;

/**
 * The pieces of spans as a table `p` of bar, slice, from and to, for parameters from `$1` on. Each of them is looked up
 * in the sums separately, however many there are.
 */
export const piecesTable = `unnest($1::integer[], $2::text[], $3::timestamptz[], $4::timestamptz[]) p (bar, slice, from_at, to_at)`;

/** The parameters of `piecesTable`. */
export function pieceValues(slice: "route" | "user" | "error" | "attempt", spans: readonly Span[]): string[] {
  // No two-hour sums are kept by user: there would be nearly as many of them as of quarter hours.
  const grains: readonly Grain[] = slice === "user" ? ["day", "quarter"] : ["day", "hours", "quarter"];
  const pieces = spans.flatMap((span, bar) => piecesOf(span, grains).map((piece) => ({ ...piece, bar })));
  return [
    arrayLiteral(pieces.map(({ bar }) => bar)),
    arrayLiteral(pieces.map(({ grain }) => (grain === "quarter" ? slice : `${slice}_${grain}`))),
    arrayLiteral(pieces.map(({ from }) => from)),
    arrayLiteral(pieces.map(({ to }) => to)),
  ];
}

/** The sums of all pieces. Without the no-op limit the planner might read all sums to join them. */
const pieced = (columns: string): string => `${piecesTable} cross join lateral (
    select ${columns}, ${plain} from usage_rollup r
    where r.slice = p.slice and r.starts_at >= p.from_at and r.starts_at < p.to_at offset 0
  ) part`;

export type RouteSums = UsageSums & {
  /** '' for calls that ended before a model was known. */
  readonly model: string;
  /** Null for calls that went through no channel. */
  readonly channel_id: bigint | null;
  readonly channel_name: string | null;
  readonly node_code: string | null;
  readonly node_name: string | null;
};

/** Sums by model and channel, with their current names. */
export async function sumRoutes(db: Queryable, span: Span): Promise<RouteSums[]> {
  const rows = await sumRoutesByBar(db, [span]);
  return rows.map(({ bar: _, ...row }) => row);
}

/** The same for each of several spans, which `bar` counts from 0. */
export async function sumRoutesByBar(
  db: Queryable,
  spans: readonly Span[],
): Promise<(RouteSums & { readonly bar: number })[]> {
  return await db.query<RouteSums & { bar: number }>(
    `select r.bar, r.model, nullif(r.channel_id, 0) as channel_id, c.name as channel_name, n.node_code, n.name as node_name,
       ${plain}
     from (
       select bar, model, channel_id, ${sums} from ${pieced("model, channel_id")} group by bar, model, channel_id
     ) r
     left join channel c on c.id = r.channel_id
     left join exit_node n on n.node_code = c.exit_node_code
     order by r.bar, settled_quota desc, calls desc, r.model, r.channel_id`,
    pieceValues("route", spans),
  );
}

export type AttemptSums = {
  readonly channel_id: bigint;
  readonly channel_name: string | null;
  readonly answered: bigint;
  readonly failed: bigint;
};

/** How the attempts at each channel ended, also of calls that another channel answered. */
export async function sumAttempts(db: Queryable, span: Span): Promise<AttemptSums[]> {
  return await db.query<AttemptSums>(
    `select r.channel_id, c.name as channel_name, r.answered, r.failed
     from (
       select channel_id, sum(completed)::bigint as answered, sum(failed)::bigint as failed
       from ${pieced("channel_id")} group by channel_id
     ) r
     left join channel c on c.id = r.channel_id order by r.channel_id`,
    pieceValues("attempt", [span]),
  );
}

export type UserSums = UsageSums & { readonly gateway_user_id: bigint; readonly email: string | null };

/** Sums by user, those with the most expensive calls first. */
export async function sumUsers(db: Queryable, span: Span): Promise<UserSums[]> {
  return await db.query<UserSums>(
    `select u.gateway_user_id, p.email, ${plain}
     from (
       select gateway_user_id, ${sums} from ${pieced("gateway_user_id")} group by gateway_user_id
     ) u
     left join user_profile p on p.gateway_user_id = u.gateway_user_id
     order by settled_quota desc, calls desc, u.gateway_user_id`,
    pieceValues("user", [span]),
  );
}

/**
 * The sums of all pieces of some users, a table `u` of their ids. Their quarter hours are in an index by user, their days
 * are looked up one by one: the sums of all others are not read.
 */
export const piecesOfUsers = (users: string, columns: string): string => `${piecesTable} cross join ${users}
  cross join lateral (
    select gateway_user_id, ${columns} from usage_rollup r
    where p.slice = 'user' and r.slice = 'user' and r.gateway_user_id = u.id and r.starts_at >= p.from_at and r.starts_at < p.to_at
    union all
    select d.* from generate_series(p.from_at, p.to_at - interval '1 day', interval '1 day', 'UTC') utc (day)
    cross join lateral (
      select gateway_user_id, ${columns} from usage_rollup r
      where r.slice = 'user_day' and r.starts_at = utc.day and r.gateway_user_id = u.id offset 0
    ) d
    where p.slice = 'user_day'
  ) part`;

/** The sums of these users alone, for each of several spans. */
export async function sumUsersByBar(
  db: Queryable,
  ids: readonly bigint[],
  spans: readonly Span[],
): Promise<(UsageSums & { readonly bar: number; readonly gateway_user_id: bigint })[]> {
  return await db.query<UsageSums & { bar: number; gateway_user_id: bigint }>(
    `select bar, gateway_user_id, ${sums} from ${piecesOfUsers("unnest($5::bigint[]) u (id)", plain)} group by bar, gateway_user_id`,
    [...pieceValues("user", spans), arrayLiteral(ids)],
  );
}

export type CauseSums = {
  readonly code: string;
  readonly calls: bigint;
  readonly provider: string | null;
  readonly first_at: Date;
  readonly last_at: Date;
};

/** Failures by cause, the most frequent first. */
export async function sumCauses(db: Queryable, span: Span, limit: number): Promise<CauseSums[]> {
  return await db.query<CauseSums>(
    `with part as (
       select error_code, channel_id, sum(calls)::bigint as calls, min(first_at) as first_at, max(last_at) as last_at
       from ${piecesTable} cross join lateral (
         select error_code, channel_id, calls, first_at, last_at from usage_rollup r
         where r.slice = p.slice and r.starts_at >= p.from_at and r.starts_at < p.to_at offset 0
       ) part
       group by error_code, channel_id
     ), most as (
       select distinct on (error_code) error_code, channel_id from part order by error_code, calls desc, channel_id
     )
     select p.error_code as code, sum(p.calls)::bigint as calls, min(c.name) as provider, min(p.first_at) as first_at,
       max(p.last_at) as last_at
     from part p join most m on m.error_code = p.error_code left join channel c on c.id = m.channel_id
     group by p.error_code order by sum(p.calls) desc, p.error_code limit $5::integer`,
    [...pieceValues("error", [span]), limit],
  );
}

/**
 * The time up to which calls are in the sums. Both the settlement and the sums of every shard must have been complete
 * then. Null before the first time.
 * @param follows the checkpoints of the sums: those by tag are added with those of users
 */
export async function readUsageAsOf(
  db: Queryable,
  follows: "usage_settlement" | "usage_user_sum" = "usage_settlement",
): Promise<Date | null> {
  const [row] = await db.sql<{ as_of: Date | null }>`
    select least(r.at, s.at) as as_of
    from (
      select min(caught_up_at) as at from usage_rollup_checkpoint
      where source like ${follows} || ':%' having count(*) = count(caught_up_at)
    ) r, (select min(updated_at) as at from settlement_checkpoint where source like 'usage_log:%') s
    where r.at is not null and s.at > '-infinity'`;
  return row?.as_of ?? null;
}

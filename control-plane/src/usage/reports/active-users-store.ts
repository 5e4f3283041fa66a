import { dayMs } from "../../platform/clock.ts";
import type { Queryable } from "../../platform/db.ts";
import { type Span, wholeQuartersOf } from "./range.ts";

/** How many users made a call in a span, and how many of them had made one before it. */
export type ActiveUsers = { readonly active: bigint; readonly repeat: bigint };

/** New counts that can be kept: the same span has the same users as long as the sums before its end are unchanged. */
export type FreshCount = ActiveUsers & { readonly span: Span; readonly version: bigint };

/**
 * The users of a span. For a span that is not over, the times of each user's first and last call answer this immediately. For a
 * span that is over, a stored count is used as long as nothing before its end has changed; else the users of its days
 * are counted.
 * @returns `fresh` is what `keepCounts` should be given when the transaction is over
 */
export async function countActiveUsers(
  db: Queryable,
  asked: Span,
  now: Date,
): Promise<ActiveUsers & { readonly fresh: FreshCount | null }> {
  const span = wholeQuartersOf(asked);
  if (span.to > now) {
    return { ...(await countOpen(db, span)), fresh: null };
  }
  const { version, active, repeat } = await findCount(db, span);
  if (active !== null && repeat !== null) {
    return { active, repeat, fresh: null };
  }
  const counted = await countOver(db, span);
  return { ...counted, fresh: { ...counted, span, version } };
}

const countsMax = 1_000;

/**
 * Keeps the newest counts for later queries. Runs outside the transaction that counted, which sees a snapshot and would
 * fail if another one has kept the same.
 */
export async function keepCounts(db: Queryable, counts: readonly (FreshCount | null)[]): Promise<void> {
  for (const count of counts) {
    if (count === null) {
      continue;
    }
    const { span, version, active, repeat } = count;
    await db.sql`
      insert into usage_active as a (from_at, to_at, active, repeat, version)
      values (${span.from}::timestamptz, ${span.to}::timestamptz, ${active}::bigint, ${repeat}::bigint, ${version}::bigint)
      on conflict (from_at, to_at) do update set active = excluded.active, repeat = excluded.repeat,
        version = excluded.version, counted_at = now()
      where a.version < excluded.version`;
    await db.sql`
      delete from usage_active where counted_at < (
        select counted_at from usage_active order by counted_at desc offset ${countsMax}::integer limit 1)`;
  }
}

/** The stored counts, with the current version; null counts if none are stored or they are out of date. */
async function findCount(db: Queryable, { from, to }: Span) {
  const [row] = await db.sql<{ version: bigint; active: bigint | null; repeat: bigint | null }>`
    select c.version, a.active, a.repeat
    from (select coalesce(max(version), 0) as version from usage_rollup_checkpoint where source = 'usage_settlement') c
    left join usage_active a on a.from_at = ${from}::timestamptz and a.to_at = ${to}::timestamptz
      and not exists (select 1 from usage_change u where u.version > a.version and u.starts_at < ${to}::timestamptz)`;
  return row ?? { version: 0n, active: null, repeat: null };
}

const none: ActiveUsers = { active: 0n, repeat: 0n };

async function countOpen(db: Queryable, { from, to }: Span): Promise<ActiveUsers> {
  const [row] = await db.sql<ActiveUsers>`
    select count(*) as active, count(*) filter (where u.first_at < ${from}::timestamptz) as repeat
    from usage_user u
    where u.first_at < ${to}::timestamptz and u.last_at >= ${from}::timestamptz
      -- Calls before and behind it say nothing of the time between; there are some behind it only when a clock was wrong.
      and (u.first_at >= ${from}::timestamptz or u.last_at < ${to}::timestamptz or exists (
        select 1 from usage_rollup r
        where r.slice = 'user' and r.gateway_user_id = u.gateway_user_id and r.starts_at >= ${from}::timestamptz
          and r.starts_at < ${to}::timestamptz))`;
  return row ?? none;
}

const dayOf = (at: Date): Date => new Date(Math.floor(at.getTime() / dayMs) * dayMs);

/**
 * From the sums by user and UTC day, which contain the times of the first and the last call of the day: for the days in
 * which the span begins and ends, that shows who called within it. Only if both are the same day, quarter hours have to
 * be read.
 */
async function countOver(db: Queryable, { from, to }: Span): Promise<ActiveUsers> {
  const [first, last] = [dayOf(from), dayOf(to)];
  if (first < from && first.getTime() === last.getTime()) {
    return await countWithinDay(db, { from, to }, first);
  }
  const wholeFrom = first < from ? new Date(first.getTime() + dayMs) : first;
  const [row] = await db.sql<ActiveUsers>`
    with called as (
      select gateway_user_id from usage_rollup
      where slice = 'user_day' and starts_at >= ${wholeFrom}::timestamptz and starts_at < ${last}::timestamptz
      union
      select gateway_user_id from usage_rollup
      where slice = 'user_day' and starts_at = ${first}::timestamptz and starts_at < ${from}::timestamptz
        and last_at >= ${from}::timestamptz
      union
      select gateway_user_id from usage_rollup
      where slice = 'user_day' and starts_at = ${last}::timestamptz and first_at < ${to}::timestamptz
    )
    select count(*) as active, count(*) filter (where u.first_at < ${from}::timestamptz) as repeat
    from called left join usage_user u using (gateway_user_id)`;
  return row ?? none;
}

async function countWithinDay(db: Queryable, { from, to }: Span, day: Date): Promise<ActiveUsers> {
  const [row] = await db.sql<ActiveUsers>`
    select count(*) as active, count(*) filter (where u.first_at < ${from}::timestamptz) as repeat
    from usage_rollup d left join usage_user u using (gateway_user_id)
    where d.slice = 'user_day' and d.starts_at = ${day}::timestamptz and d.first_at < ${to}::timestamptz
      and d.last_at >= ${from}::timestamptz
      and (d.first_at >= ${from}::timestamptz or d.last_at < ${to}::timestamptz or exists (
        select 1 from usage_rollup r
        where r.slice = 'user' and r.gateway_user_id = d.gateway_user_id and r.starts_at >= ${from}::timestamptz
          and r.starts_at < ${to}::timestamptz))`;
  return row ?? none;
}

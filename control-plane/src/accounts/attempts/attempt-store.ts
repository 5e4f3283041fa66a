import { eq, lt, sql } from "drizzle-orm";
import { now } from "../../db/expressions.ts";
import { attemptCounter as counter } from "../../db/schema/accounts.ts";
import type { Queryable } from "../../platform/db.ts";
import type { AttemptLimit } from "./model.ts";

/**
 * Counts an attempt before it is made, in one statement, so that all replicas and simultaneous attempts share one
 * count. A refused attempt is not counted: it does not prolong the wait.
 * @returns null when the attempt may be made, else the seconds to wait
 */
export async function countAttempt(db: Queryable, key: string, limit: AttemptLimit): Promise<number | null> {
  const { free, windowSeconds, delaySecondsMin, delaySecondsMax } = limit;
  const [row] = await db.sql<{ count: bigint }>`
    insert into attempt_counter as c (key, count, window_ends_at)
    values (${key}, 1, now() + make_interval(secs => ${windowSeconds}::int))
    on conflict (key) do update set
      count = case when c.window_ends_at <= now() then 1 else c.count + 1 end,
      window_ends_at = now() + make_interval(secs => ${windowSeconds}::int)
    where c.window_ends_at <= now() or c.count < ${free}::int
      or c.window_ends_at - make_interval(secs => ${windowSeconds}::int)
        + make_interval(secs => least(${delaySecondsMax}::int, ${delaySecondsMin}::int * 2 ^ least(c.count - ${free}::int, 20))) <= now()
    returning count`;
  return row === undefined ? await secondsToWait(db, key, limit) : null;
}

async function secondsToWait(db: Queryable, key: string, limit: AttemptLimit): Promise<number> {
  const { free, windowSeconds, delaySecondsMin, delaySecondsMax } = limit;
  const [row] = await db.sql<{ seconds: bigint }>`
    select ceil(extract(epoch from window_ends_at - make_interval(secs => ${windowSeconds}::int)
      + make_interval(secs => least(${delaySecondsMax}::int,
        ${delaySecondsMin}::int * 2 ^ greatest(0, least(count - ${free}::int, 20)))) - now()))::int8
      as seconds
    from attempt_counter where key = ${key}`;
  return Math.max(1, Number(row?.seconds ?? 1n));
}

/** Uncounts an attempt that turned out to be legitimate. */
export async function uncountAttempt(db: Queryable, key: string): Promise<void> {
  await db.drizzle
    .update(counter)
    .set({ count: sql`greatest(0, ${counter.count} - 1)` })
    .where(eq(counter.key, key));
}

export async function forgetAttempts(db: Queryable, key: string): Promise<void> {
  await db.drizzle.delete(counter).where(eq(counter.key, key));
}

export async function deleteOldAttempts(db: Queryable): Promise<void> {
  await db.drizzle.delete(counter).where(lt(counter.windowEndsAt, now));
}

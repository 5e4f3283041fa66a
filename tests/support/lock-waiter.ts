import type { Queryable } from "@sluice/control-plane/platform/db.ts";

const triesMax = 2_000;

/**
 * Resolves as soon as a connection to this database waits for a lock, or so many do, with what kind of lock it is.
 * @throws Error when not so many have waited within 10 s
 */
export async function lockWaiter(db: Queryable, count = 1): Promise<string> {
  for (let tried = 0; tried < triesMax; tried += 1) {
    const [waiting] = await db.sql<{ locktype: string }>`
      select min(l.locktype) as locktype from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where not l.granted and a.datname = current_database() having count(distinct l.pid) >= ${count}::integer`;
    if (waiting !== undefined) {
      return waiting.locktype;
    }
    await Bun.sleep(5);
  }
  throw new Error(count === 1 ? "nobody waits for a lock" : `fewer than ${count} wait for a lock`);
}

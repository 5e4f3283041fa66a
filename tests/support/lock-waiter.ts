import type { Queryable } from "@sluice/control-plane/platform/db.ts";

const triesMax = 400;

/**
 * Resolves as soon as a connection to this database waits for a lock, with what kind of lock it is.
 * @throws Error when nobody has waited for 2 s
 */
export async function lockWaiter(db: Queryable): Promise<string> {
  for (let tried = 0; tried < triesMax; tried += 1) {
    const [waiting] = await db.sql<{ locktype: string }>`
      select l.locktype from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where not l.granted and a.datname = current_database() limit 1`;
    if (waiting !== undefined) {
      return waiting.locktype;
    }
    await Bun.sleep(5);
  }
  throw new Error("nobody waits for a lock");
}

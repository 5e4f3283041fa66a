import type { Database, Queryable, Transaction } from "@sluice/control-plane/platform/db.ts";
import { patienceMs } from "../values/patience.ts";

/** A transaction that keeps its locks until it is ended. */
export type HeldLock = AsyncDisposable & {
  /** Resolves when this many other sessions wait for the lock, directly or indirectly. */
  waitForWaiters(count: number): Promise<void>;
  /** Runs one more statement in the transaction that holds the lock. */
  run(statement: (tx: Transaction) => Promise<unknown>): Promise<void>;
  /** Commits and lets the others continue. */
  release(): Promise<void>;
};

const pollMs = 5;

/**
 * Takes a lock in a separate transaction, so that a test can see who waits for it instead of hoping for a race.
 * @param lock takes the lock, for example `select 1 from budget where id = 1 for update`
 */
export async function holdLock(db: Database, lock: (tx: Transaction) => Promise<unknown>): Promise<HeldLock> {
  const begun = Promise.withResolvers<{ readonly tx: Transaction; readonly pid: number }>();
  const ended = Promise.withResolvers<void>();
  const holding = db.withTransaction(async (tx) => {
    await tx.sql`set local idle_in_transaction_session_timeout = 0`;
    await lock(tx);
    const [row] = await tx.sql<{ pid: number }>`select pg_backend_pid() as pid`;
    begun.resolve({ tx, pid: row?.pid ?? 0 });
    await ended.promise;
  });
  holding.catch(begun.reject);
  const held = await begun.promise;
  const release = async (): Promise<void> => {
    ended.resolve();
    await holding;
  };
  return {
    waitForWaiters: async (count) => {
      await waitUntilSeen(() => hasWaiters(db, held.pid, count), `${count} waiters for the lock`);
    },
    run: async (statement) => {
      await statement(held.tx);
    },
    release,
    [Symbol.asyncDispose]: release,
  };
}

/** Does something twice at once, while the same rows are locked, and releases both at the same moment. */
export async function runBothBehind<Answer>(
  db: Database,
  lock: (tx: Transaction) => Promise<unknown>,
  runs: readonly [() => Promise<Answer>, () => Promise<Answer>],
): Promise<[Answer, Answer]> {
  await using held = await holdLock(db, lock);
  const both = Promise.all([runs[0](), runs[1]()]);
  both.catch(() => undefined);
  await held.waitForWaiters(2);
  await held.release();
  return await both;
}

/** For a lock that the product itself holds: resolves when a session of this database waits for one, with its kind. */
export async function waitForAnyWaiter(db: Queryable): Promise<string> {
  const select = async (): Promise<string | null> => {
    const [waiting] = await db.sql<{ locktype: string }>`
      select l.locktype from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where not l.granted and a.datname = current_database() limit 1`;
    return waiting?.locktype ?? null;
  };
  return await waitUntilSeen(select, "a waiter for a lock");
}

/** Of several sessions that wait for one row, only the first waits for the holder; the others wait for the first. */
async function hasWaiters(db: Queryable, pid: number, atLeast: number): Promise<true | null> {
  const [row] = await db.sql<{ waiting: number }>`
    with recursive waiting as (
      select a.pid from pg_stat_activity a where ${pid}::int = any(pg_blocking_pids(a.pid))
      union select a.pid from waiting w, pg_stat_activity a where w.pid = any(pg_blocking_pids(a.pid))
    ) select count(*)::int as waiting from waiting`;
  return (row?.waiting ?? 0) >= atLeast ? true : null;
}

async function waitUntilSeen<Seen>(look: () => Promise<Seen | null>, what: string): Promise<Seen> {
  for (const endsAt = performance.now() + patienceMs; performance.now() < endsAt; await Bun.sleep(pollMs)) {
    const seen = await look();
    if (seen !== null) {
      return seen;
    }
  }
  throw new Error(`${what} was not seen within ${patienceMs} ms`);
}

import type { Database, Transaction } from "@sluice/control-plane/platform/db.ts";

/** A transaction that keeps its locks until it is ended. */
export type HeldLock = AsyncDisposable & {
  /** Resolves when so many other sessions wait for what is held. */
  waitForWaiters(count: number): Promise<void>;
  /** Runs one more statement in the transaction that holds the lock. */
  run(statement: (tx: Transaction) => Promise<unknown>): Promise<void>;
  /** Commits and lets the others go on. */
  release(): Promise<void>;
};

const waitMsMax = 20_000;
const pollMs = 5;

/**
 * Takes a lock in a transaction of its own, so that a test can see who waits for it instead of hoping for a race.
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
    waitForWaiters: (count) => waitForWaiters(db, held.pid, count),
    run: async (statement) => {
      await statement(held.tx);
    },
    release,
    [Symbol.asyncDispose]: release,
  };
}

async function waitForWaiters(db: Database, pid: number, count: number): Promise<void> {
  for (const endsAt = performance.now() + waitMsMax; performance.now() < endsAt; ) {
    const [row] = await db.sql<{ waiting: number }>`
      select count(*)::int as waiting from pg_stat_activity where ${pid}::int = any(pg_blocking_pids(pid))`;
    if ((row?.waiting ?? 0) >= count) {
      return;
    }
    await Bun.sleep(pollMs);
  }
  throw new Error(`fewer than ${count} sessions waited for the lock within ${waitMsMax} ms`);
}

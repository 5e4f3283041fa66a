import type { Database, Queryable } from "@sluice/control-plane/platform/db.ts";
import { lockWaiter } from "./lock-waiter.ts";

/** Locks that are held until it is ended. */
export type Held = AsyncDisposable & { end(): Promise<void> };

/** Runs a statement that locks rows, in a transaction that stays open until it is ended. Resolves when they are locked. */
export async function holdRows(db: Database, lock: (tx: Queryable) => Promise<unknown>): Promise<Held> {
  const locked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const holding = db.withTransaction(async (tx) => {
    await tx.sql`set local idle_in_transaction_session_timeout = 0`;
    await lock(tx);
    locked.resolve();
    await release.promise;
  });
  await Promise.race([locked.promise, holding]);
  const end = async (): Promise<void> => {
    release.resolve();
    await holding;
  };
  return { end, [Symbol.asyncDispose]: end };
}

/** Does something twice at once, each while somebody holds the same rows, and lets both go on at the same moment. */
export async function runBothBehind<Answer>(
  db: Database,
  lock: (tx: Queryable) => Promise<unknown>,
  runs: readonly [() => Promise<Answer>, () => Promise<Answer>],
): Promise<[Answer, Answer]> {
  const held = await holdRows(db, lock);
  try {
    const both = Promise.all([runs[0](), runs[1]()]);
    both.catch(() => undefined);
    await lockWaiter(db, 2);
    await held.end();
    return await both;
  } finally {
    await held.end();
  }
}

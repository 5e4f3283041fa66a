import type { Database } from "@sluice/control-plane/platform/db.ts";

/** While it is open no usage row can be written, so that rows wait in the spools. */
export type BlockedCommits = AsyncDisposable & { end(): Promise<void> };

/** Locks the usage log until it is ended. Resolves when the lock is held. */
export async function blockCommits(db: Database): Promise<BlockedCommits> {
  const locked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const holding = db.withTransaction(async (tx) => {
    await tx.sql`set local idle_in_transaction_session_timeout = 0`;
    await tx.sql`lock table usage_log in share row exclusive mode`;
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

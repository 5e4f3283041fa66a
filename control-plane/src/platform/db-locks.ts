import type { Queryable } from "./db.ts";

/**
 * The number under which a named advisory lock is taken: the first eight bytes of the name's SHA-256, so that names do
 * not collide and no list of numbers is needed.
 */
export function advisoryLockKey(name: string): bigint {
  return new Bun.CryptoHasher("sha256").update(`sluice lock: ${name}`).digest().readBigInt64BE(0);
}

/**
 * Takes a named lock until the end of the transaction, across all replicas on this database.
 * @returns false, without waiting, when someone else holds it
 */
export async function tryAdvisoryLock(tx: Queryable, name: string): Promise<boolean> {
  const [row] = await tx.sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(${advisoryLockKey(name)}) as taken`;
  return row?.taken === true;
}

/** Takes a named lock until the end of the transaction; waits while someone else holds it. */
export async function takeAdvisoryLock(tx: Queryable, name: string): Promise<void> {
  await tx.sql`select pg_advisory_xact_lock(${advisoryLockKey(name)})`;
}

/**
 * How long a transaction that only holds a lock may stay idle while the work runs outside it: otherwise the server
 * assumes that its client is gone, closes the connection, and gives the lock to the next one.
 */
export async function allowIdling(tx: Queryable, idleMsMax: number): Promise<void> {
  await tx.sql`select set_config('idle_in_transaction_session_timeout', ${String(idleMsMax)}, true)`;
}

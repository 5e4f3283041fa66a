import { advisoryLockKey } from "@sluice/control-plane/platform/db-locks.ts";

/** Keeps every process from running a job, until it is disposed of. No transaction stays open meanwhile. */
export async function holdJob(databaseUrl: string, name: string): Promise<AsyncDisposable> {
  const session = new Bun.SQL(databaseUrl, { max: 1 });
  await session`select pg_advisory_lock(${advisoryLockKey(`job:${name}`)}::text::bigint)`;
  return { [Symbol.asyncDispose]: () => session.close() };
}

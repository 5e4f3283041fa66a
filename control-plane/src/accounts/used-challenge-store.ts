import { lt } from "drizzle-orm";
import { now } from "../db/expressions.ts";
import { usedChallenge } from "../db/schema/sign-in.ts";
import type { Queryable } from "../platform/db.ts";

/** Uses up a value that works once. Of two simultaneous calls, one gets false. */
export async function useOnce(db: Queryable, digest: Uint8Array, expiresAt: Date): Promise<boolean> {
  const rows = await db.drizzle
    .insert(usedChallenge)
    .values({ digest, expiresAt })
    .onConflictDoNothing()
    .returning({ expiresAt: usedChallenge.expiresAt });
  return rows.length > 0;
}

export async function deleteOldChallenges(db: Queryable): Promise<void> {
  await db.drizzle.delete(usedChallenge).where(lt(usedChallenge.expiresAt, now));
}

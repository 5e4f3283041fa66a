import { and, eq, gt, inArray, lte, sql } from "drizzle-orm";
import { now } from "../../../db/expressions.ts";
import { cachedResponse } from "../../../db/schema/response-cache.ts";
import type { Queryable } from "../../../platform/db.ts";

/** The answer with this digest, unless it has expired. */
export async function findAnswer(db: Queryable, digest: string): Promise<Uint8Array | null> {
  const [row] = await db.drizzle
    .select({ sealed: cachedResponse.sealed })
    .from(cachedResponse)
    .where(and(eq(cachedResponse.digest, digest), gt(cachedResponse.expiresAt, now)));
  return row?.sealed ?? null;
}

/** Keeps an answer in place of an earlier one. */
export async function putAnswer(db: Queryable, digest: string, sealed: Uint8Array, lifetimeMs: number): Promise<void> {
  const expiresAt = sql`now() + make_interval(secs => ${lifetimeMs / 1_000}::double precision)`;
  await db.drizzle
    .insert(cachedResponse)
    .values({ digest, sealed, expiresAt })
    .onConflictDoUpdate({ target: cachedResponse.digest, set: { sealed, expiresAt, createdAt: now } });
}

/** Removes what has expired, and the oldest answers beyond this many bytes. */
export async function removeOldAnswers(db: Queryable, bytesMax: number): Promise<void> {
  await db.drizzle.delete(cachedResponse).where(lte(cachedResponse.expiresAt, now));
  const newestFirst = sql`order by ${cachedResponse.createdAt} desc, ${cachedResponse.digest}`;
  const sized = db.drizzle
    .select({
      digest: cachedResponse.digest,
      bytes: sql<bigint>`sum(octet_length(${cachedResponse.sealed})) over (${newestFirst})`.as("bytes"),
    })
    .from(cachedResponse)
    .as("sized");
  const beyond = db.drizzle
    .select({ digest: sized.digest })
    .from(sized)
    .where(gt(sized.bytes, BigInt(bytesMax)));
  await db.drizzle.delete(cachedResponse).where(inArray(cachedResponse.digest, beyond));
}

import { sql } from "drizzle-orm";
import { now, plusOne } from "../../db/expressions.ts";
import { cachedResponse, responseCache } from "../../db/schema/response-cache.ts";
import type { Queryable } from "../../platform/db.ts";

/** How often the cache was cleared. */
export async function findGeneration(db: Queryable): Promise<bigint> {
  const [row] = await db.drizzle.select({ generation: responseCache.generation }).from(responseCache);
  return row?.generation ?? 0n;
}

/** Begins a new generation, in which nothing kept before is found. The database announces it to the replicas. */
export async function beginGeneration(tx: Queryable): Promise<bigint> {
  const [row] = await tx.drizzle
    .insert(responseCache)
    .values({ generation: sql`1` })
    .onConflictDoUpdate({
      target: responseCache.id,
      set: { generation: plusOne(responseCache.generation), clearedAt: now },
    })
    .returning({ generation: responseCache.generation });
  if (row === undefined) {
    throw new Error("the cache was not cleared");
  }
  await tx.drizzle.delete(cachedResponse);
  return row.generation;
}

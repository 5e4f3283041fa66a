import type { Queryable } from "../../platform/db.ts";

/**
 * Brings what lists of users are sorted by up to date, for the next users after one.
 * @returns the last user looked at, or null after the last one
 */
export async function sortUsersAfter(db: Queryable, after: bigint, rows: number): Promise<bigint | null> {
  const [row] = await db.sql<{ last: bigint | null }>`select sort_users(${after}::bigint, ${rows}::int) as last`;
  return row?.last ?? null;
}

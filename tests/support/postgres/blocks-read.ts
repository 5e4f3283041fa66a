import type { Database, Queryable } from "@sluice/control-plane/platform/db.ts";

/**
 * How many blocks of tables and their indexes some statements read, in memory or not. They run twice in one transaction and the
 * second time counts: the first plans them, for which the planner looks into indexes.
 */
export async function blocksRead(db: Database, read: (tx: Queryable) => Promise<unknown>): Promise<number> {
  return await db.withTransaction(async (tx) => {
    const count = async (): Promise<number> => {
      const [row] = await tx.sql<{ blocks: bigint }>`
        select sum(pg_stat_get_xact_blocks_fetched(oid))::bigint as blocks from pg_class
        where relnamespace = 'public'::regnamespace`;
      return Number(row?.blocks ?? 0n);
    };
    await read(tx);
    const before = await count();
    await read(tx);
    return (await count()) - before;
  });
}

import type { Database, SqlValue } from "@sluice/control-plane/platform/db.ts";

type Plan = { Plan: { "Shared Hit Blocks": number; "Shared Read Blocks": number } };

/**
 * How many pages a query reads, in memory or not. It runs twice on one connection and the second time counts: a new
 * connection also reads some 1,000 pages of the catalog, and a pool may open one at any time.
 */
export async function pagesRead(db: Database, query: string, values: SqlValue[]): Promise<number> {
  return await db.withTransaction(async (tx) => {
    const explain = () =>
      tx.query<{ "QUERY PLAN": [Plan] }>(`explain (analyze, buffers, format json) ${query}`, values);
    await explain();
    const [row] = await explain();
    const { Plan: read } = row?.["QUERY PLAN"][0] ?? {};
    if (read === undefined) {
      throw new Error("the database returned no plan");
    }
    return read["Shared Hit Blocks"] + read["Shared Read Blocks"];
  });
}

import type { GatewayUserId } from "@sluice/contracts/ids";
import type { EarlierUsage } from "@sluice/contracts/usage";
import { asc, eq, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { importedUsage as earlier } from "../../db/schema/moving.ts";
import type { Queryable } from "../../platform/db.ts";

const total = (column: PgColumn) => sql<bigint>`coalesce(sum(${column}), 0)::bigint`;

/** What an account used in another gateway before it was moved here; null if it did not come from one. */
export async function sumEarlierUsage(db: Queryable, gatewayUserId: GatewayUserId): Promise<EarlierUsage | null> {
  const [row] = await db.drizzle
    .select({
      from_day: sql<string | null>`min(${earlier.day})::text`,
      to_day: sql<string | null>`max(${earlier.day})::text`,
      calls: total(earlier.calls),
      input_tokens: total(earlier.inputTokens),
      output_tokens: total(earlier.outputTokens),
      quota: total(earlier.quota),
    })
    .from(earlier)
    .where(eq(earlier.gatewayUserId, gatewayUserId));
  const { from_day: fromDay = null, to_day: toDay = null } = row ?? {};
  return row === undefined || fromDay === null || toDay === null ? null : { ...row, from_day: fromDay, to_day: toDay };
}

/** The same by day and model, the earliest first. */
export async function listEarlierUsage(db: Queryable, gatewayUserId: GatewayUserId, most: number) {
  return await db.drizzle
    .select({
      day: earlier.day,
      gateway: earlier.instance,
      model: earlier.model,
      calls: earlier.calls,
      input_tokens: earlier.inputTokens,
      output_tokens: earlier.outputTokens,
      quota: earlier.quota,
    })
    .from(earlier)
    .where(eq(earlier.gatewayUserId, gatewayUserId))
    .orderBy(asc(earlier.day), asc(earlier.instance), asc(earlier.model))
    .limit(most);
}

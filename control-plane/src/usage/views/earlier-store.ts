import type { GatewayUserId } from "@sluice/contracts/ids";
import type { EarlierUsage } from "@sluice/contracts/usage";
import { and, asc, eq, gt, gte, lt, or, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { importedUsage as earlier, importedCall } from "../../db/schema/moving.ts";
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
      has_calls: sql<boolean>`exists (select from ${importedCall} where ${importedCall.gatewayUserId} = ${gatewayUserId})`,
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

/** Single calls of these UTC days, both ends included; null where there is no end. */
export type EarlierDays = { readonly fromDay: string | null; readonly toDay: string | null };

const madeIn = (gatewayUserId: GatewayUserId, { fromDay, toDay }: EarlierDays): SQL | undefined =>
  and(
    eq(importedCall.gatewayUserId, gatewayUserId),
    fromDay === null ? undefined : gte(importedCall.madeAt, sql`${fromDay}::date at time zone 'utc'`),
    toDay === null ? undefined : lt(importedCall.madeAt, sql`(${toDay}::date + 1) at time zone 'utc'`),
  );

/** How many calls there are; no more than one above `most` are counted. */
export async function countEarlierCalls(
  db: Queryable,
  gatewayUserId: GatewayUserId,
  days: EarlierDays,
  most: number,
): Promise<number> {
  const found = db.drizzle
    .select({ one: sql`1`.as("one") })
    .from(importedCall)
    .where(madeIn(gatewayUserId, days))
    .limit(most + 1)
    .as("found");
  const [row] = await db.drizzle.select({ count: sql<number>`count(*)::int` }).from(found);
  return row?.count ?? 0;
}

/** The place of a call in the order of time. */
export type EarlierPlace = { readonly madeAt: Date; readonly id: bigint };

/** The calls after this place, the earliest first. */
export async function listEarlierCalls(
  db: Queryable,
  gatewayUserId: GatewayUserId,
  days: EarlierDays,
  { after, limit }: { readonly after: EarlierPlace | null; readonly limit: number },
) {
  const { madeAt, id } = importedCall;
  const isLater =
    after === null ? undefined : or(gt(madeAt, after.madeAt), and(eq(madeAt, after.madeAt), gt(id, after.id)));
  return await db.drizzle
    .select({
      id,
      made_at: madeAt,
      gateway: importedCall.instance,
      key_name: importedCall.keyName,
      model: importedCall.model,
      input_tokens: importedCall.inputTokens,
      output_tokens: importedCall.outputTokens,
      quota: importedCall.quota,
    })
    .from(importedCall)
    .where(and(madeIn(gatewayUserId, days), isLater))
    .orderBy(asc(madeAt), asc(id))
    .limit(limit);
}

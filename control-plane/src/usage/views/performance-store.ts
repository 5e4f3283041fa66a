import { and, eq, gte, inArray, lt, sql } from "drizzle-orm";
import { apiKey } from "../../db/schema/gateway-keys.ts";
import { usageKeyPerformance as sums } from "../../db/schema/performance.ts";
import { addDays } from "../../platform/days.ts";
import type { Queryable } from "../../platform/db.ts";
import { type PerformanceRow, performanceOf } from "../reports/performance-store.ts";
import type { UsageFilter } from "./model.ts";

const modelsMax = 200;
/** A model has some eighty buckets of each kind. */
const rowsMax = 50_000;

const startOfUtcDay = (day: string): Date => new Date(`${day}T00:00:00Z`);

/** How soon the calls of a filter were answered, by model, those with most calls first: from sums by key and UTC day. */
export async function readOwnPerformance(db: Queryable, filter: UsageFilter) {
  const { gatewayUserId, fromDay, toDay, keyId, model, memberId, projectId } = filter;
  const keys = db.drizzle
    .select({ id: apiKey.id })
    .from(apiKey)
    .where(
      and(
        eq(apiKey.gatewayUserId, gatewayUserId),
        keyId === null ? undefined : eq(apiKey.id, keyId),
        memberId === null ? undefined : eq(apiKey.memberId, memberId),
        projectId === null ? undefined : eq(apiKey.projectId, projectId),
      ),
    );
  const rows: (PerformanceRow & { readonly model: string })[] = await db.drizzle
    .select({
      model: sums.model,
      kind: sums.kind,
      bucket: sums.bucket,
      calls: sql<number>`sum(${sums.calls})::float8`,
      tokens: sql<number>`sum(${sums.outputTokens})::float8`,
      ms: sql<number>`sum(${sums.outputMs})::float8`,
    })
    .from(sums)
    .where(
      and(
        inArray(sums.apiKeyId, keys),
        gte(sums.startsAt, startOfUtcDay(fromDay)),
        lt(sums.startsAt, startOfUtcDay(addDays(toDay, 1))),
        model === null ? undefined : eq(sums.model, model),
      ),
    )
    .groupBy(sums.model, sums.kind, sums.bucket)
    .limit(rowsMax);
  return [...Map.groupBy(rows, (row) => row.model)]
    .map(([name, own]) => ({ model: name, ...performanceOf(own) }))
    .sort((one, other) => other.calls - one.calls)
    .slice(0, modelsMax)
    .map(({ calls: _calls, failed: _failed, success_rate: _share, ...times }) => times);
}

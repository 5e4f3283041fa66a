import { addDays } from "../../platform/days.ts";
import type { Queryable } from "../../platform/db.ts";
import { type PerformanceRow, performanceOf } from "../reports/performance-store.ts";
import type { UsageFilter } from "./model.ts";
import { keysOf } from "./views-store.ts";

const modelsMax = 200;
/** A model has some eighty buckets of each kind. */
const rowsMax = 50_000;

const startOfUtcDay = (day: string): Date => new Date(`${day}T00:00:00Z`);

/**
 * How soon the calls of a filter were answered, by model, those with most calls first: from sums by key and UTC day. Each
 * key is looked up: joined with them, the sums of the keys of all accounts would be read.
 */
export async function readOwnPerformance(db: Queryable, filter: UsageFilter) {
  const { gatewayUserId, fromDay, toDay, keyId, model, memberId, projectId } = filter;
  const [from, to] = [startOfUtcDay(fromDay), startOfUtcDay(addDays(toDay, 1))];
  const rows = await db.query<PerformanceRow & { readonly model: string }>(
    `select s.model, s.kind, s.bucket, sum(s.calls)::float8 as calls, sum(s.output_tokens)::float8 as tokens,
       sum(s.output_ms)::float8 as ms
     from (${keysOf("$1", "$2", "$3")}) k cross join lateral (
       select * from usage_key_performance p where p.api_key_id = k.id and p.starts_at >= $4::timestamptz
         and p.starts_at < $5::timestamptz and ($6::text is null or p.model = $6::text) offset 0
     ) s
     where $7::bigint is null or k.id = $7::bigint
     group by s.model, s.kind, s.bucket limit ${rowsMax}`,
    [gatewayUserId, memberId, projectId, from, to, model, keyId],
  );
  return [...Map.groupBy(rows, (row) => row.model)]
    .map(([name, own]) => ({ model: name, ...performanceOf(own) }))
    .sort((one, other) => other.calls - one.calls)
    .slice(0, modelsMax)
    .map(({ calls: _calls, failed: _failed, success_rate: _share, ...times }) => times);
}

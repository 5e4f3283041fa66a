import type { Performance } from "@sluice/contracts/model-performance";
import type { PerformanceSpan } from "@sluice/contracts/performance-spans";
import type { SitePerformance } from "@sluice/contracts/site-catalogue";
import { and, eq, gte, lt, sql } from "drizzle-orm";
import { channel } from "../../db/schema/gateway-routing.ts";
import { usagePerformance as sums } from "../../db/schema/performance.ts";
import type { Queryable } from "../../platform/db.ts";
import { percentileMs } from "../../platform/histogram.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const spans: Readonly<Record<PerformanceSpan, { readonly grain: "hour" | "day"; readonly steps: number }>> = {
  "24h": { grain: "hour", steps: 24 },
  "7d": { grain: "day", steps: 7 },
  "30d": { grain: "day", steps: 30 },
  "90d": { grain: "day", steps: 90 },
};

const modelsMax = 200;
/** A model at a channel has some eighty buckets of each kind. */
const rowsMax = 200_000;

/** Calls of a bucket. */
export type PerformanceRow = {
  readonly kind: "first_byte" | "total" | "left" | "failed";
  readonly bucket: number;
  readonly calls: number;
  readonly tokens: number;
  readonly ms: number;
};

type Row = PerformanceRow;
type SpanRow = Row & { readonly model: string; readonly channelId: bigint };

export type ModelPerformance = {
  readonly model: string;
  readonly now: Performance;
  readonly before: Performance | null;
  readonly channels: readonly {
    readonly channel_id: bigint;
    readonly channel_name: string | null;
    readonly now: Performance;
  }[];
};

export type CourseStep = {
  readonly starts_at: Date;
  readonly success_rate: number | null;
  readonly first_byte_ms_p50: number | null;
  readonly first_byte_ms_p95: number | null;
  readonly total_ms_p95: number | null;
};

/** When a span that ends now began, and the one before it. */
export function performanceSpan(span: PerformanceSpan, nowMs: number): { readonly from: Date; readonly before: Date } {
  const { grain, steps } = spans[span];
  const stepMs = grain === "hour" ? hourMs : dayMs;
  const from = Math.floor(nowMs / stepMs) * stepMs - (steps - 1) * stepMs;
  return { from: new Date(from), before: new Date(from - steps * stepMs) };
}

const summed = {
  kind: sums.kind,
  bucket: sums.bucket,
  calls: sql<number>`sum(${sums.calls})::float8`,
  tokens: sql<number>`sum(${sums.outputTokens})::float8`,
  ms: sql<number>`sum(${sums.outputMs})::float8`,
};

/** How the calls of each model went in a span and in the one before, those with most calls first. */
export async function readModelPerformance(
  db: Queryable,
  span: PerformanceSpan,
  nowMs: number,
): Promise<ModelPerformance[]> {
  const { from, before } = performanceSpan(span, nowMs);
  const { grain } = spans[span];
  const latest = await readRows(db, { grain, from, to: new Date(nowMs) });
  const earlier = await readRows(db, { grain, from: before, to: from });
  const names = await channelNames(db);
  const earlierOf = Map.groupBy(earlier, ({ model }) => model);
  const latestOf = Map.groupBy(latest, ({ model }) => model);
  const models = [...new Set([...latestOf.keys(), ...earlierOf.keys()])].map((model) => {
    const now = latestOf.get(model) ?? [];
    const was = earlierOf.get(model);
    const channels = [...Map.groupBy(now, ({ channelId }) => channelId)].map(([id, each]) => ({
      channel_id: id,
      channel_name: names.get(id) ?? null,
      now: performanceOf(each),
    }));
    return {
      model,
      now: performanceOf(now),
      before: was === undefined ? null : performanceOf(was),
      channels: channels.sort((one, other) => other.now.calls - one.now.calls),
    };
  });
  return models.sort((one, other) => other.now.calls - one.now.calls).slice(0, modelsMax);
}

type RowSpan = { readonly grain: "hour" | "day"; readonly from: Date; readonly to: Date };

async function readRows(db: Queryable, { grain, from, to }: RowSpan): Promise<SpanRow[]> {
  return await db.drizzle
    .select({ model: sums.model, channelId: sums.channelId, ...summed })
    .from(sums)
    .where(and(eq(sums.grain, grain), gte(sums.startsAt, from), lt(sums.startsAt, to)))
    .groupBy(sums.model, sums.channelId, sums.kind, sums.bucket)
    .limit(rowsMax);
}

async function channelNames(db: Queryable): Promise<ReadonlyMap<bigint, string>> {
  const rows = await db.drizzle.select({ id: channel.id, name: channel.name }).from(channel);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** The course of one model in a span, by hour or UTC day; steps without calls are left out. */
export async function readCourse(
  db: Queryable,
  { span, model }: { readonly span: PerformanceSpan; readonly model: string },
  nowMs: number,
): Promise<CourseStep[]> {
  const { from } = performanceSpan(span, nowMs);
  const rows = await db.drizzle
    .select({ startsAt: sums.startsAt, ...summed })
    .from(sums)
    .where(and(eq(sums.grain, spans[span].grain), eq(sums.model, model), gte(sums.startsAt, from)))
    .groupBy(sums.startsAt, sums.kind, sums.bucket)
    .orderBy(sums.startsAt)
    .limit(rowsMax);
  return [...Map.groupBy(rows, ({ startsAt }) => startsAt.getTime())].map(([at, own]) => {
    const { success_rate, first_byte_ms: firstByte, total_ms: total } = performanceOf(own);
    return {
      starts_at: new Date(at),
      success_rate,
      first_byte_ms_p50: firstByte.p50,
      first_byte_ms_p95: firstByte.p95,
      total_ms_p95: total.p95,
    };
  });
}

/** What the sums of some calls say about them. */
export function performanceOf(rows: readonly Row[]): Performance {
  const countOf = (kind: Row["kind"]): number =>
    rows.reduce((sum, row) => sum + (row.kind === kind ? row.calls : 0), 0);
  const failed = countOf("failed");
  const calls = countOf("total") + countOf("left") + failed;
  const tokens = rows.reduce((sum, row) => sum + row.tokens, 0);
  const ms = rows.reduce((sum, row) => sum + row.ms, 0);
  return {
    ...{ calls, failed },
    success_rate: calls === 0 ? null : (calls - failed) / calls,
    first_byte_ms: percentilesOf(rows, "first_byte"),
    total_ms: percentilesOf(rows, "total"),
    tokens_per_second: ms === 0 ? null : Math.round((tokens / ms) * 10_000) / 10,
  };
}

function percentilesOf(rows: readonly Row[], kind: Row["kind"]): Performance["first_byte_ms"] {
  const histogram = new Map<number, number>();
  for (const { bucket, calls } of rows.filter((row) => row.kind === kind)) {
    histogram.set(bucket, (histogram.get(bucket) ?? 0) + calls);
  }
  return {
    p50: percentileMs(histogram, 0.5),
    p95: percentileMs(histogram, 0.95),
    p99: percentileMs(histogram, 0.99),
  };
}

const publicDays = 7;
/** Figures of fewer calls say little. */
const publicCallsMin = 100;

/** The median time to the first byte and the throughput of each model in the last whole UTC days. */
export async function readPublicPerformance(db: Queryable, nowMs: number): Promise<Record<string, SitePerformance>> {
  const today = Math.floor(nowMs / dayMs) * dayMs;
  const rows = await db.drizzle
    .select({ model: sums.model, ...summed })
    .from(sums)
    .where(
      and(
        eq(sums.grain, "day"),
        gte(sums.startsAt, new Date(today - publicDays * dayMs)),
        lt(sums.startsAt, new Date(today)),
      ),
    )
    .groupBy(sums.model, sums.kind, sums.bucket)
    .orderBy(sums.model)
    .limit(rowsMax);
  const shown = [...Map.groupBy(rows, ({ model }) => model)].flatMap(([model, own]) => {
    const { calls, first_byte_ms: firstByte, tokens_per_second: speed } = performanceOf(own);
    return calls < publicCallsMin || firstByte.p50 === null
      ? []
      : [
          [
            model,
            { first_byte_ms: firstByte.p50, tokens_per_second: speed === null ? null : Math.round(speed) },
          ] as const,
        ];
  });
  return Object.fromEntries(shown);
}

import { z } from "zod";
import { performanceSpans } from "./performance-spans.ts";
import { strictObject } from "./strict-object.ts";
import { wireInteger, wireMoment } from "./wire.ts";

/** How calls of each model went, for admins: percentiles, throughput and success, by channel. */

export const modelPerformanceInput = strictObject(() => ({
  span: z.enum(performanceSpans).default("7d"),
  /** The model whose course is wanted; none: no course. */
  model: z.string().min(1).max(200).optional(),
}));

/** Milliseconds; null without calls. */
export const percentiles = strictObject(() => ({
  p50: z.int().nullable(),
  p95: z.int().nullable(),
  p99: z.int().nullable(),
}));

const performance = strictObject(() => ({
  /** Answered, left by their clients, and failed. */
  calls: z.int(),
  failed: z.int(),
  /** The share of calls that did not fail; null without calls. */
  success_rate: z.number().nullable(),
  first_byte_ms: percentiles,
  total_ms: percentiles,
  /** Of streams, after their first byte; null without any. */
  tokens_per_second: z.number().nullable(),
}));
export type Performance = z.output<typeof performance>;

export const modelPerformanceResponse = strictObject(() => ({
  from: wireMoment,
  models: z.array(
    z.strictObject({
      model: z.string(),
      now: performance,
      /** The span of the same length before; null without calls. */
      before: performance.nullable(),
      channels: z.array(
        z.strictObject({ channel_id: wireInteger, channel_name: z.string().nullable(), now: performance }),
      ),
    }),
  ),
  /** By hour or UTC day, the oldest first. */
  course: z.array(
    z.strictObject({
      starts_at: wireMoment,
      success_rate: z.number().nullable(),
      first_byte_ms_p50: z.int().nullable(),
      first_byte_ms_p95: z.int().nullable(),
      total_ms_p95: z.int().nullable(),
    }),
  ),
}));

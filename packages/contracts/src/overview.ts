import { z } from "zod";
import { reportedRange, reportRange, usageSums } from "./reports.ts";
import { strictObject } from "./strict-object.ts";
import { wireDecimal, wireInteger, wireMoment } from "./wire.ts";

/**
 * `bucket`: the width of a bar of the trends; hours for at most a week. By default hours for one or two days, else
 * days.
 */
export const overviewInput = strictObject(() => ({ ...reportRange, bucket: z.enum(["hour", "day"]).optional() }));
export type OverviewInput = z.output<typeof overviewInput>;

export const dashboardInput = z.strictObject(reportRange);

/** The unit of a figure; `usd` and `ratio` are exact decimals as text, the others integers. */
export const figureUnits = ["usd", "count", "tokens", "quota", "ratio"] as const;

/** One figure, with everything that is needed to interpret it. */
export const figure = strictObject(() => ({
  key: z.string(),
  label: z.string(),
  unit: z.enum(figureUnits),
  /** The value; null when there is no data to compute it from. */
  value: z.union([wireInteger, wireDecimal]).nullable(),
  /** The value for the previous period, over as much of it as has passed of this one; null for a current count. */
  previous: z.union([wireInteger, wireDecimal]).nullable(),
  /** (value - previous) / previous, with four places; null if undefined. */
  change: z.string().nullable(),
  /** A precise definition of what is counted. */
  definition: z.string(),
  /** The range of the figure; null for a current count. */
  range: reportedRange.nullable(),
  /** All data is complete up to this time. */
  as_of: wireMoment.nullable(),
}));
export type Figure = z.output<typeof figure>;

export const dashboardResponse = strictObject(() => ({
  stats: z.array(figure).length(8),
  range: reportedRange,
  as_of: wireMoment.nullable(),
}));

const bar = strictObject(() => ({
  starts_at: wireMoment,
  /** The day in the time zone. */
  day: z.iso.date(),
  /** Whether the bar's day or hour is not over yet, or has not begun. */
  is_unfinished: z.boolean(),
  revenue_usd: wireDecimal,
  refunds_usd: wireDecimal,
  payments: wireInteger,
  new_users: wireInteger,
  ...usageSums,
}));

const part = strictObject(() => ({
  key: z.string().nullable(),
  name: z.string().nullable(),
  ...usageSums,
  success_rate: wireDecimal.nullable(),
}));

const stateCounts = z.record(z.string(), wireInteger);

export const overviewResponse = strictObject(() => ({
  range: reportedRange,
  /** The previous period; `to` is where this one currently is. */
  previous_range: z.strictObject({ from: wireMoment, to: wireMoment }),
  /** The time at which all of this was read. */
  read_at: wireMoment,
  /** Calls are complete up to this time; null before the first. */
  usage_as_of: wireMoment.nullable(),
  figures: z.array(figure),
  /** Bars whose sums are the figures of the same names. */
  trends: z.strictObject({ bucket: z.enum(["hour", "day"]), bars: z.array(bar) }),
  /** Parts that add up to all calls of the range. */
  by_model: z.array(part),
  by_provider: z.array(part),
  by_node: z.array(part),
  /** Exit nodes that are not disabled, with the result of their last check and their traffic. */
  nodes: z.array(
    z.strictObject({
      node_code: z.string(),
      name: z.string(),
      region: z.string(),
      status: z.string(),
      is_serving: z.boolean(),
      /** Null before the first check. */
      health_ok: z.boolean().nullable(),
      latency_ms: wireInteger.nullable(),
      checked_at: wireMoment.nullable(),
      calls: wireInteger,
      success_rate: wireDecimal.nullable(),
    }),
  ),
  recent_payments: z.array(
    z.strictObject({
      order_no: z.string(),
      plan_name: z.string(),
      email: z.string().nullable(),
      gateway: z.string(),
      amount_usd: wireDecimal,
      at: wireMoment,
    }),
  ),
  /** Calls that failed or were refused, by cause, the most frequent first. */
  errors: z.array(
    z.strictObject({
      code: z.string(),
      calls: wireInteger,
      /** The provider that most of the calls were sent to; null when none was called. */
      provider: z.string().nullable(),
      first_at: wireMoment,
      last_at: wireMoment,
    }),
  ),
  channels: stateCounts,
  keys: stateCounts,
}));
export type Overview = z.output<typeof overviewResponse>;

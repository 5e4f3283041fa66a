import { z } from "zod";
import { recordId } from "./keys.ts";
import { momentText } from "./moments.ts";
import { strictObject } from "./strict-object.ts";
import { wireInteger, wireMoment } from "./wire.ts";

/** How many calls of a time ended how, from sums by quarter hour. */

const moment = momentText.transform((text) => new Date(text));

export const histogramDaysMax = 400;

export const callHistogramInput = strictObject(() => ({
  /** By default 24 hours before `to`. */
  from: moment.optional(),
  /** By default now. */
  to: moment.optional(),
  gateway_user_id: recordId.optional(),
  email: z.string().trim().min(1).max(254).optional(),
  model: z.string().min(1).max(256).optional(),
  channel_id: recordId.optional(),
  error_code: z.string().min(1).max(100).optional(),
}));
export type CallHistogramInput = z.output<typeof callHistogramInput>;

export const callHistogram = strictObject(() => ({
  from: wireMoment,
  to: wireMoment,
  /** How long each bar is. */
  bar_ms: z.int(),
  /** The filters that are counted; the sums do not know all of them together. */
  filters: z.array(z.string()),
  /** Calls are counted up to this time; null before any was. */
  as_of: wireMoment.nullable(),
  bars: z.array(
    z.strictObject({
      starts_at: wireMoment,
      calls: wireInteger,
      completed: wireInteger,
      aborted: wireInteger,
      failed: wireInteger,
      refused: wireInteger,
    }),
  ),
}));

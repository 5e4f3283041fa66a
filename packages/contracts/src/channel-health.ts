import { z } from "zod";
import { strictObject } from "./strict-object.ts";
import { wireInteger, wireMoment } from "./wire.ts";

export const channelHealthInput = z.strictObject({});

/** How the latest attempts at channels ended, by channel and model. */
export const channelHealth = strictObject(() => ({
  /** The calls that were looked at are not older than this. */
  from: wireMoment,
  /** The latest periodic test of each channel that has them. */
  probes: z.array(
    z.strictObject({
      channel_id: wireInteger,
      channel_name: z.string(),
      model: z.string(),
      probed_at: wireMoment,
      is_ok: z.boolean(),
      http_status: z.int().nullable(),
      latency_ms: z.int(),
      error: z.string().nullable(),
      failed_in_row: z.int(),
      /** Since when the channel gets no calls because its tests fail. */
      rested_at: wireMoment.nullable(),
    }),
  ),
  rows: z.array(
    z.strictObject({
      channel_id: wireInteger,
      channel_name: z.string(),
      model: z.string(),
      attempts: z.int(),
      /** Attempts that failed because of the provider; those that the request or a client that left ended are neither. */
      failed: z.int(),
      answered: z.int(),
      /** The share of those that were answered, from 0 to 1; null if none was answered and none failed. */
      success_rate: z.number().nullable(),
      /** From the beginning of an attempt that was answered to the first byte for the client. */
      first_byte_ms_p50: z.int().nullable(),
      first_byte_ms_p95: z.int().nullable(),
      last_failure: z.string().nullable(),
      last_failed_at: wireMoment.nullable(),
    }),
  ),
}));

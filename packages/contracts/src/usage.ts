import { z } from "zod";
import { pageSize, recordId } from "./keys.ts";

export const outcomes = ["completed", "aborted", "failed", "refused"] as const;

/** How many days one question may be about. */
export const usageDaysMax = 93;

/** No call is from before; days of the year 1 have no day before them that could be written down. */
const firstDay = "2000-01-01";
export const day = z.iso.date().refine((date) => date >= firstDay, `Not before ${firstDay}.`);

/** Names of the time zone database only: an offset like +5 means opposite things to different programs. */
export const zone = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_+/-]{1,63}$/, "It has to be the name of a time zone, like Europe/Berlin.")
  .refine(isZone, "This time zone is not known.");

function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).format(0) !== "";
  } catch {
    return false;
  }
}

/** Days of the zone, the first and the last included; by default the last 30. */
const range = { from_day: day.optional(), to_day: day.optional(), zone: zone.default("UTC") };
const filters = {
  key_id: recordId.optional(),
  model: z.string().min(1).max(200).optional(),
  outcome: z.enum(outcomes).optional(),
};
const requestId = z.uuid().transform((id) => id.toLowerCase());

export const usageListInput = z.strictObject({
  ...range,
  ...filters,
  /** What the page before ended with. */
  cursor: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, "It is not a cursor of this list.")
    .refine((cursor) => day.safeParse(cursor.slice(0, 10)).success, "It is not a cursor of this list.")
    .transform((cursor) => ({ day: cursor.slice(0, 10), requestId: cursor.slice(11) }))
    .optional(),
  limit: pageSize.default(25),
});
export type UsageListInput = z.output<typeof usageListInput>;

export const usageSummaryInput = z.strictObject({ ...range, ...filters });
export type UsageSummaryInput = z.output<typeof usageSummaryInput>;

export const usageReceiptInput = z.strictObject({ day: day.optional(), request_id: requestId });

/** One relayed call, as it is shown to the user who pays. */
export type UsageView = {
  readonly request_id: string;
  /** In UTC. */
  readonly day: string;
  readonly started_at: Date;
  readonly path: string;
  readonly model: string | null;
  readonly key_id: bigint;
  readonly key_name: string;
  readonly outcome: (typeof outcomes)[number];
  readonly http_status: number;
  readonly error_code: string | null;
  readonly is_stream: boolean;
  readonly input_tokens: bigint;
  readonly output_tokens: bigint;
  /** Part of the input. */
  readonly cache_read_tokens: bigint;
  /** Part of the input. */
  readonly cache_write_tokens: bigint;
  /** Part of the output. */
  readonly reasoning_tokens: bigint;
  readonly images: number;
  readonly audio_ms: bigint;
  /** Where the units come from; `estimated` is a count of our own. */
  readonly usage_source: "provider" | "estimated" | "none";
  /** Before the multiplier. */
  readonly quota: bigint;
  readonly rate_multiplier: string;
  /** After the multiplier. */
  readonly settled_quota: bigint;
  readonly first_byte_ms: number | null;
  readonly duration_ms: number;
};

/** Sums over calls; the parts of an answer add up to its total. */
export type UsageSums = {
  readonly calls: bigint;
  readonly completed_calls: bigint;
  readonly input_tokens: bigint;
  readonly output_tokens: bigint;
  readonly cache_read_tokens: bigint;
  readonly cache_write_tokens: bigint;
  readonly reasoning_tokens: bigint;
  readonly quota: bigint;
  readonly settled_quota: bigint;
};

export type UsageSummary = {
  readonly zone: string;
  readonly from_day: string;
  readonly to_day: string;
  readonly total: UsageSums;
  /** Every day of the range, also those without a call. */
  readonly by_day: readonly (UsageSums & { readonly day: string })[];
  /** The dearest first; null is what was refused before a model was known. */
  readonly by_model: readonly (UsageSums & { readonly model: string | null })[];
  /** Only what has calls. */
  readonly by_day_and_model: readonly (UsageSums & { readonly day: string; readonly model: string | null })[];
};

/** One line of a cost: `count` x `price_usd` = `amount_usd`, exact. */
export type ReceiptLine = {
  readonly unit: string;
  readonly count: bigint;
  readonly count_unit: "token" | "request" | "image" | "millisecond";
  readonly price_usd: string;
  readonly price_per: "million_tokens" | "request" | "image" | "second";
  readonly amount_usd: string;
};

export type UsageReceipt = UsageView & {
  readonly price_version: number | null;
  readonly lines: readonly ReceiptLine[];
  /** The exact sum of the lines; `quota` is it, rounded up once. */
  readonly sum_usd: string;
  /** What the lines come to today; equals `quota`. */
  readonly recomputed_quota: bigint;
  readonly quota_delta: bigint;
  readonly attempts: readonly {
    readonly started_at_ms: number;
    readonly duration_ms: number;
    readonly status: number | null;
    readonly result: string;
  }[];
};

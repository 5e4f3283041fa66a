import { z } from "zod";
import { pageSize, recordId } from "./keys.ts";
import { percentiles } from "./model-performance.ts";
import { day } from "./moments.ts";
import { byTokenCount, pricedUnits, unitMeasures } from "./priced-units.ts";
import { strictObject } from "./strict-object.ts";
import { isEndUser, isTag } from "./usage-labels.ts";
import { type Unsent, wireCounts, wireDay, wireDecimal, wireInteger, wireMoment } from "./wire.ts";

export const outcomes = ["completed", "aborted", "failed", "refused"] as const;

/** How many days one query may cover. */
export const usageDaysMax = 93;

/** Only names of the time zone database are accepted: an offset like +5 means opposite things to different programs. */
export const zone = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_+/-]{1,63}$/, "Enter the name of a time zone, like Europe/Berlin.")
  .refine(isZone, "Unknown time zone.");

function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).format(0) !== "";
  } catch {
    return false;
  }
}

/** Days of the zone, both ends included; by default the last 30. */
const range = { from_day: day.optional(), to_day: day.optional(), zone: zone.default("UTC") };
const filters = {
  key_id: recordId.optional(),
  model: z.string().min(1).max(200).optional(),
  /** The model that clients asked for where another one was asked in its place. */
  asked_model: z.string().min(1).max(200).optional(),
  outcome: z.enum(outcomes).optional(),
  /** Of an organisation: the calls with keys that this member has made, or that are for this project. */
  member_id: recordId.optional(),
  project_id: recordId.optional(),
  /** The calls for this end user, and those with this tag, as `name=value`. */
  end_user: z.string().refine(isEndUser, "This can't be the ID of an end user.").optional(),
  tag: z.string().refine(isTag, "Enter a tag like team=search.").optional(),
};
const requestId = z.uuid().transform((id) => id.toLowerCase());

export const usageListInput = strictObject(() => ({
  ...range,
  ...filters,
  /** The cursor from the previous page. */
  cursor: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, "This is not a cursor of this list.")
    .refine((cursor) => day.safeParse(cursor.slice(0, 10)).success, "This is not a cursor of this list.")
    .transform((cursor) => ({ day: cursor.slice(0, 10), requestId: cursor.slice(11) }))
    .optional(),
  limit: pageSize.default(25),
}));
export type UsageListInput = z.output<typeof usageListInput>;

export const usageSummaryInput = strictObject(() => ({ ...range, ...filters }));
export type UsageSummaryInput = z.output<typeof usageSummaryInput>;

/** What a file has sums by. Members and projects are those of an organisation. */
export const usageSumsBy = ["day", "model", "key", "member", "project"] as const;
export const usageSumsInput = usageSummaryInput.extend({ by: z.enum(usageSumsBy).default("model") });

/** How soon calls were answered, from sums by UTC day: the last 30 days, if none are named. */
export const usagePerformanceInput = usageSummaryInput.pick({
  ...{ from_day: true, to_day: true, key_id: true, model: true, member_id: true, project_id: true },
});
export type UsagePerformanceInput = z.output<typeof usagePerformanceInput>;
export const usagePerformanceResponse = strictObject(() => ({
  from_day: wireDay,
  to_day: wireDay,
  /** By the model that answered, those with most calls first; without responses of the cache. */
  models: z.array(
    z.strictObject({
      model: z.string(),
      first_byte_ms: percentiles,
      total_ms: percentiles,
      /** Of streams, after their first byte; null without any. */
      tokens_per_second: z.number().nullable(),
    }),
  ),
}));

/** What an account used in another gateway before it was moved here, in UTC days, both ends included. */
export const earlierUsage = strictObject(() => ({
  from_day: wireDay,
  to_day: wireDay,
  calls: wireInteger,
  input_tokens: wireInteger,
  output_tokens: wireInteger,
  quota: wireInteger,
  /** Whether its single calls were moved, too. */
  has_calls: z.boolean(),
}));
export type EarlierUsage = Unsent<z.output<typeof earlierUsage>>;
/** Null for an account that was not moved. */
export const usageEarlierResponse = strictObject(() => ({ earlier: earlierUsage.nullable() }));

/** The most calls in one file. */
export const usageExportRowsMax = 100_000;

/** Calls before the move, of these UTC days, both ends included; by default of all. */
export const earlierCallsInput = strictObject(() => ({ from_day: day.optional(), to_day: day.optional() }));
export type EarlierCallsInput = z.output<typeof earlierCallsInput>;
/** The most of them in one file: nobody can choose days there. */
export const earlierCallsMax = 1_000_000;

export const usageReceiptInput = strictObject(() => ({ day: day.optional(), request_id: requestId }));

/** One relayed call, as shown to the user who pays. */
export const usageView = strictObject(() => ({
  request_id: z.string(),
  /** The day in UTC. */
  day: wireDay,
  started_at: wireMoment,
  path: z.string(),
  /** The model that answered, or was asked last; its price applies. */
  model: z.string().nullable(),
  /** The model that the client asked for, if another one was asked in its place; else null. */
  asked_model: z.string().nullable(),
  /** The end user that the client named, or null; and its tags, each as `name=value`. */
  end_user: z.string().nullable(),
  tags: z.array(z.string()),
  key_id: wireInteger,
  key_name: z.string(),
  outcome: z.enum(outcomes),
  http_status: z.int(),
  error_code: z.string().nullable(),
  is_stream: z.boolean(),
  /** Parts are included in the count of their whole, too. */
  ...wireCounts,
  /** Where the units come from; `estimated` is our own count. */
  usage_source: z.enum(["provider", "estimated", "none"]),
  /** The provider reported more than is plausible; the plausible amount is charged, see `usage_source`. */
  is_implausible: z.boolean(),
  /** For a response from the cache: what it cost, in hundredths of a percent of the normal price; else null. */
  cache_basis_points: z.int().nullable(),
  /** The cost before the multiplier. */
  quota: wireInteger,
  /** The product of the multipliers of the user and of the group. */
  rate_multiplier: wireDecimal,
  group: z.string(),
  /** The cost after the multiplier. */
  settled_quota: wireInteger,
  first_byte_ms: z.int().nullable(),
  duration_ms: z.int(),
}));
export type UsageView = Unsent<z.output<typeof usageView>>;
export const usageListResponse = strictObject(() => ({ rows: z.array(usageView), next_cursor: z.string().nullable() }));

/** Sums over calls; the parts of a response add up to its total. */
const usageSums = strictObject(() => ({
  calls: wireInteger,
  completed_calls: wireInteger,
  /** The success rate is the share of `completed_calls` in these two. */
  failed_calls: wireInteger,
  ...byTokenCount(wireInteger),
  quota: wireInteger,
  settled_quota: wireInteger,
}));
export type UsageSums = Unsent<z.output<typeof usageSums>>;

const modelName = z.string().nullable();
export const usageSummaryResponse = strictObject(() => ({
  zone: z.string(),
  from_day: wireDay,
  to_day: wireDay,
  total: usageSums,
  /** The sums of every day of the range, including days without a call. */
  by_day: z.array(usageSums.extend({ day: wireDay })),
  /** The sums by model, the most expensive first; null for calls that were refused before a model was known. */
  by_model: z.array(usageSums.extend({ model: modelName })),
  /** The sums by key, the most expensive first, including revoked keys. */
  by_key: z.array(usageSums.extend({ key_id: wireInteger, key_name: z.string() })),
  /** Of an organisation: the sums by the member who has made the key, and by project; null for keys without one. */
  by_member: z.array(usageSums.extend({ member_id: wireInteger, member_email: z.string().nullable() })),
  by_project: z.array(usageSums.extend({ project_id: wireInteger.nullable(), project_name: z.string().nullable() })),
  /** The sums by day and model; days without calls are omitted. */
  by_day_and_model: z.array(usageSums.extend({ day: wireDay, model: modelName })),
}));
export type UsageSummary = Unsent<z.output<typeof usageSummaryResponse>>;

/** What a course is divided by; members and projects are those of an organisation. */
export const usageCourseBy = ["model", "key", "member", "project", "end_user", "tag"] as const;
/** How many parts a course names before it sums up the others. */
export const usageCoursePartsMax = 7;
export const usageCourseInput = usageSummaryInput.extend({ by: z.enum(usageCourseBy).default("model") });
export type UsageCourseInput = z.output<typeof usageCourseInput>;

const courseDay = usageSums
  .pick({
    calls: true,
    completed_calls: true,
    failed_calls: true,
    input_tokens: true,
    output_tokens: true,
    settled_quota: true,
  })
  .extend({ day: wireDay });
export const usageCourseResponse = strictObject(() => ({
  zone: z.string(),
  from_day: wireDay,
  to_day: wireDay,
  by: z.enum(usageCourseBy),
  /**
   * The most expensive parts first, each with its days that have calls. `id` is the name of a model, end user or tag, or the id of a
   * key, member or project, and null for calls without one; `name` is for people. A call counts for each of its tags.
   */
  parts: z.array(z.strictObject({ id: z.string().nullable(), name: z.string().nullable(), days: z.array(courseDay) })),
  /** The sum of all other parts; null if there are none. */
  others: z.array(courseDay).nullable(),
  /** The same number of days before these, summed up; null by tag, as calls may have several. */
  previous: z.strictObject({ from_day: wireDay, to_day: wireDay, days: z.array(courseDay) }).nullable(),
}));
export type UsageCourse = Unsent<z.output<typeof usageCourseResponse>>;
export type UsageCourseDay = Unsent<z.output<typeof courseDay>>;

export const usageLabelsResponse = strictObject(() => ({
  from_day: wireDay,
  to_day: wireDay,
  /** The sums by end user, the most expensive first; calls without one are omitted. */
  by_end_user: z.array(usageSums.extend({ end_user: z.string() })),
  /** The sums by tag, the most expensive first. A call counts for each of its tags. */
  by_tag: z.array(usageSums.extend({ tag: z.string() })),
  /** There are more end users, or more tags, than the response has. */
  has_more: z.boolean(),
  /** Whether the account keeps the end users and tags of its calls; a key can keep none all the same. */
  are_kept: z.boolean(),
}));

export const usageLabelsSaveInput = strictObject(() => ({ are_kept: z.boolean() }));
export type UsageLabels = Unsent<z.output<typeof usageLabelsResponse>>;

const measures = Object.keys(unitMeasures) as (keyof typeof unitMeasures)[];

/** One line of a cost: `count` x `price_usd` = `amount_usd`, exact. */
const receiptLine = strictObject(() => ({
  unit: z.enum(pricedUnits.map(({ name }) => name)),
  count: wireInteger,
  count_unit: z.enum(measures),
  price_usd: wireDecimal,
  price_per: z.enum(measures.map((measure) => unitMeasures[measure].pricePer)),
  amount_usd: wireDecimal,
}));
export type ReceiptLine = Unsent<z.output<typeof receiptLine>>;

export const usageReceipt = usageView.extend({
  price_version: z.int().nullable(),
  /** The lines have the prices for prompts longer than this; null if they have those for any prompt. */
  long_prompt_above: z.int().nullable(),
  lines: z.array(receiptLine),
  /** The exact sum of the lines; `quota` is this sum, or the share of it that a response from the cache costs, rounded up once. */
  sum_usd: wireDecimal,
  /** The same as computed now; equals `quota`. */
  recomputed_quota: wireInteger,
  quota_delta: wireInteger,
  attempts: z.array(
    strictObject(() => ({
      started_at_ms: z.number(),
      duration_ms: z.number(),
      status: z.int().nullable(),
      result: z.string(),
      /** The model that was asked, if the client had asked for another one. */
      model: z.string().nullable(),
    })),
  ),
});
export type UsageReceipt = Unsent<z.output<typeof usageReceipt>>;
export const usageReceiptResponse = strictObject(() => ({ receipt: usageReceipt }));

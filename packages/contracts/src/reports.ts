import { z } from "zod";
import { recordId } from "./keys.ts";
import { day } from "./moments.ts";
import { byPrice, byTokenCount } from "./priced-units.ts";
import { strictObject } from "./strict-object.ts";
import { zone } from "./usage.ts";
import { type Unsent, wireDay, wireDecimal, wireInteger, wireMoment, wirePrices } from "./wire.ts";

/** How many days one report or overview may cover. */
export const reportDaysMax = 400;

/** Days of the zone, both ends included; by default the last 30. */
export const reportRange = { from_day: day.optional(), to_day: day.optional(), zone: zone.default("UTC") };

export type ReportRangeInput = {
  readonly from_day?: string | undefined;
  readonly to_day?: string | undefined;
  readonly zone: string;
};

const format = z.enum(["json", "csv"]).default("json");

export const revenueBy = ["day", "plan", "gateway"] as const;
/** A call counts for each of its tags, so that sums by tag can exceed the total; those without a tag are left out. */
export const usageBy = ["day", "model", "provider", "node", "user", "tag"] as const;
export const marginBy = ["day", "model", "provider"] as const;

export const revenueReportInput = strictObject(() => ({
  ...reportRange,
  by: z.enum(revenueBy).default("day"),
  format,
}));
export const usageReportInput = strictObject(() => ({ ...reportRange, by: z.enum(usageBy).default("day"), format }));
export const marginReportInput = strictObject(() => ({ ...reportRange, by: z.enum(marginBy).default("day"), format }));
export const reconciliationInput = strictObject(() => ({ ...reportRange, format }));
export const campaignReportInput = strictObject(() => ({ ...reportRange, format }));

/** The effective days, and the moments at which they begin and end. */
export const reportedRange = strictObject(() => ({
  from_day: wireDay,
  to_day: wireDay,
  zone: z.string(),
  from: wireMoment,
  /** The first moment after the range; later than `as_of` when the last day is not over. */
  to: wireMoment,
}));

/** `as_of`: data is complete up to this time; null before calls were ever summed. */
const head = { range: reportedRange, as_of: wireMoment.nullable() };

/**
 * A row of a report by day, model and so on. `key` is the day, the name or the id; null for none. `name` is for people.
 */
const row = { key: z.string().nullable(), name: z.string().nullable() };

const revenueSums = {
  payments: wireInteger,
  /** The revenue without what the development mock settled. */
  revenue_usd: wireDecimal,
  refunds: wireInteger,
  refunds_usd: wireDecimal,
  net_usd: wireDecimal,
};
export const revenueReport = strictObject(() => ({
  ...head,
  by: z.enum(revenueBy),
  rows: z.array(z.strictObject({ ...row, ...revenueSums })),
  total: z.strictObject(revenueSums),
}));
export type RevenueReport = z.output<typeof revenueReport>;

export const usageSums = {
  calls: wireInteger,
  completed: wireInteger,
  aborted: wireInteger,
  failed: wireInteger,
  refused: wireInteger,
  /** Parts are included in the count of their whole, too. */
  ...byTokenCount(wireInteger),
  /** The cost before the multipliers of users. */
  quota: wireInteger,
  settled_quota: wireInteger,
};
export const usageReport = strictObject(() => ({
  ...head,
  by: z.enum(usageBy),
  rows: z.array(z.strictObject({ ...row, ...usageSums })),
  total: z.strictObject(usageSums),
}));
export type UsageReport = z.output<typeof usageReport>;

/** How many parts a course names before it sums up the others. */
export const usageCoursePartsMax = 7;
export const usageCourseInput = strictObject(() => ({ ...reportRange, by: z.enum(usageBy).default("day") }));

const { calls, completed, failed, input_tokens, output_tokens, settled_quota } = usageSums;
const courseDay = strictObject(() => ({
  day: wireDay,
  ...{ calls, completed, failed, input_tokens, output_tokens, settled_quota },
}));
/** Sums by day; days without calls are left out. */
export const usageCourse = strictObject(() => ({
  ...head,
  by: z.enum(usageBy),
  /** The most expensive models, channels and so on; none by day. `id` is the name or the id, and null for calls without one. */
  parts: z.array(z.strictObject({ id: z.string().nullable(), name: z.string().nullable(), days: z.array(courseDay) })),
  /** All other calls; by tag, those with other tags. */
  others: z.array(courseDay),
  /** All calls of the same number of days before these; null by tag. */
  previous: z.strictObject({ from_day: wireDay, to_day: wireDay, days: z.array(courseDay) }).nullable(),
}));
export type UsageCourseDay = Unsent<z.output<typeof courseDay>>;

const marginSums = {
  calls: wireInteger,
  /** The charge for the calls, after the multipliers. */
  charged_usd: wireDecimal,
  /** What the providers charge for calls whose cost is known. */
  cost_usd: wireDecimal,
  /** The charge for calls whose cost is known, minus that cost. */
  margin_usd: wireDecimal,
  /** Delivered calls through channels whose cost nobody has entered. */
  calls_without_cost: wireInteger,
  charged_without_cost_usd: wireDecimal,
  /** Calls for which the provider said what they cost; what it said; and what they were charged beyond that. */
  calls_with_reported_cost: wireInteger,
  reported_cost_usd: wireDecimal,
  charged_beyond_reported_usd: wireDecimal,
};
export const marginReport = strictObject(() => ({
  ...head,
  by: z.enum(marginBy),
  rows: z.array(z.strictObject({ ...row, ...marginSums })),
  total: z.strictObject(marginSums),
}));
export type MarginReport = z.output<typeof marginReport>;

export const mismatchKinds = [
  "order_without_payment",
  "payment_without_order",
  "amounts_differ",
  "paid_without_credit",
  "credit_without_payment",
  "credit_differs",
  "order_in_review",
  "refund_not_in_ledger",
  "refund_waits",
  "notice_without_result",
] as const;

export const reconciliationReport = strictObject(() => ({
  ...head,
  gateways: z.array(
    z.strictObject({
      gateway: z.string(),
      orders: wireInteger,
      orders_usd: wireDecimal,
      payments: wireInteger,
      payments_usd: wireDecimal,
      refunds_usd: wireDecimal,
      /**
       * The quota that the ledger credited to the owners of these orders; orders that nobody has claimed credit nothing
       * yet.
       */
      credited_quota: wireInteger,
      unclaimed_quota: wireInteger,
    }),
  ),
  /** The first thousand mismatches. */
  mismatches: z.array(
    z.strictObject({ kind: z.enum(mismatchKinds), subject: z.string(), at: wireMoment, detail: z.string() }),
  ),
  mismatch_count: wireInteger,
}));
export type ReconciliationReport = z.output<typeof reconciliationReport>;

const campaignSums = {
  page_views: wireInteger,
  visitors: wireInteger,
  cta_clicks: wireInteger,
  payments: wireInteger,
  revenue_usd: wireDecimal,
};
export const campaignReport = strictObject(() => ({
  ...head,
  rows: z.array(
    z.strictObject({
      campaign: z.string(),
      utm_source: z.string().nullable(),
      utm_medium: z.string().nullable(),
      ...campaignSums,
    }),
  ),
  /** Events from bots; not included in any other figure. */
  bot_events: wireInteger,
  /** The sums of all campaigns; a visitor who came by several campaigns counts once. */
  total: z.strictObject(campaignSums),
}));
export type CampaignReport = z.output<typeof campaignReport>;

const costUsd = z
  .union([z.string(), z.number().transform(String)])
  .pipe(z.string().regex(/^\d{1,9}(\.\d{1,8})?$/, "US dollars with at most eight decimal places, like 0.15"));

/** What a provider charges for a model through a channel. */
export const saveChannelCostInput = strictObject(() => ({
  channel_id: recordId,
  model: z.string().min(1).max(200),
  /** The UTC day from which the cost applies; a second entry for the same day replaces the first. */
  valid_from: day,
  /** Null means the price of plain input or output. */
  ...byPrice({ refused: costUsd, free: costUsd.default("0"), as_whole: costUsd.nullable().default(null) }),
}));
export type SaveChannelCostInput = z.output<typeof saveChannelCostInput>;

export const channelCostEntry = strictObject(() => ({
  channel_id: wireInteger,
  channel_name: z.string(),
  model: z.string(),
  valid_from: wireDay,
  ...wirePrices,
  updated_at: wireMoment,
}));

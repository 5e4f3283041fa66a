import { sql } from "drizzle-orm";
import { bigint, check, date, index, numeric, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { moment, quota, reference, tokenSums, unitCounts, unitPrices } from "../columns.ts";
import { channel, model } from "./gateway-routing.ts";

const count = (name: string) => bigint(name, { mode: "bigint" }).notNull();

const bySlice = [
  "total",
  "route",
  "route_hours",
  "route_day",
  "user",
  "user_day",
  "error",
  "error_hours",
  "error_day",
  "attempt",
  "attempt_hours",
  "attempt_day",
] as const;

/**
 * Sums over settled usage rows, so that overviews and reports don't read the log. Each `slice` counts every row once,
 * by its own columns; the others hold '' or 0. Those of attempts count every attempt that says something about its channel. The sums are by quarter hour, because in some time zones days begin at a
 * quarter to the UTC hour.
 */
export const usageRollup = pgTable(
  "usage_rollup",
  {
    slice: text("slice", { enum: bySlice }).notNull(),
    /** The start of the quarter hour, the two hours, or the UTC day, depending on the slice. */
    startsAt: moment("starts_at").notNull(),
    gatewayUserId: reference("gateway_user_id").notNull(),
    model: text("model").notNull(),
    channelId: reference("channel_id").notNull(),
    /** '' for calls that neither failed nor were refused. */
    errorCode: text("error_code").notNull(),
    calls: count("calls"),
    completed: count("completed"),
    aborted: count("aborted"),
    failed: count("failed"),
    refused: count("refused"),
    /** Parts are included in the sum of their whole, too. */
    ...unitCounts({ isSum: true }),
    /** The cost before the multipliers. */
    quota: quota("quota").notNull(),
    settledQuota: quota("settled_quota").notNull(),
    /** What providers say that calls have cost them, how many calls these are, and what was charged for them. */
    providerCostUsd: numeric("provider_cost_usd", { precision: 30, scale: 12 }).notNull().default("0"),
    providerCostCalls: count("provider_cost_calls").default(sql`0`),
    providerCostQuota: quota("provider_cost_quota").notNull().default(sql`0`),
    firstAt: moment("first_at").notNull(),
    lastAt: moment("last_at").notNull(),
  },
  (table) => [
    primaryKey({
      name: "usage_rollup_pk",
      columns: [table.slice, table.startsAt, table.gatewayUserId, table.model, table.channelId, table.errorCode],
    }),
    index("usage_rollup_user").on(table.gatewayUserId, table.startsAt).where(sql`${table.slice} = 'user'`),
  ],
);

/**
 * Sums over settled usage rows by key, model and outcome, so that users' pages don't read the log: each row counts once
 * in each grain.
 */
export const usageUserSum = pgTable(
  "usage_user_sum",
  {
    gatewayUserId: reference("gateway_user_id").notNull(),
    grain: text("grain", { enum: ["quarter", "hours"] }).notNull(),
    /** The start of the quarter hour, or of the two hours. */
    startsAt: moment("starts_at").notNull(),
    apiKeyId: reference("api_key_id").notNull(),
    /** '' for calls that ended before a model was known. */
    model: text("model").notNull(),
    outcome: text("outcome").notNull(),
    calls: count("calls"),
    ...tokenSums(),
    quota: quota("quota").notNull(),
    settledQuota: quota("settled_quota").notNull(),
  },
  (table) => [
    primaryKey({
      name: "usage_user_sum_pk",
      columns: [table.gatewayUserId, table.grain, table.startsAt, table.apiKeyId, table.model, table.outcome],
    }),
    index("usage_user_sum_starts").on(table.startsAt),
  ],
);

/**
 * Sums over settled usage rows with an end user or tags, so that pages don't read the log. A call counts for each of its tags. They
 * may be personal, and end with the labels of their day.
 */
export const usageLabelSum = pgTable(
  "usage_label_sum",
  {
    /** 0 for all users together, of whom there are only tags, without key and model. */
    gatewayUserId: reference("gateway_user_id").notNull(),
    /** `end_users` and `tags` have the sums of all labels. */
    kind: text("kind", { enum: ["end_user", "tag", "end_users", "tags"] }).notNull(),
    grain: text("grain", { enum: ["quarter", "hours", "day"] }).notNull(),
    startsAt: moment("starts_at").notNull(),
    /** '' for all labels together, and for those beyond the most that a day has. */
    label: text("label").notNull(),
    apiKeyId: reference("api_key_id").notNull(),
    model: text("model").notNull(),
    outcome: text("outcome").notNull(),
    calls: count("calls"),
    ...tokenSums(),
    quota: quota("quota").notNull(),
    settledQuota: quota("settled_quota").notNull(),
  },
  (table) => [
    primaryKey({
      name: "usage_label_sum_pk",
      columns: [
        table.gatewayUserId,
        table.kind,
        table.grain,
        table.startsAt,
        table.label,
        table.apiKeyId,
        table.model,
        table.outcome,
      ],
    }),
    // By day, so that no page is planned to read the sums of all users by it.
    index("usage_label_sum_day").on(sql`((${table.startsAt} AT TIME ZONE 'UTC')::date)`),
  ],
);

/** How many labels of a user have sums of their own on a UTC day. */
export const usageLabelCount = pgTable(
  "usage_label_count",
  {
    gatewayUserId: reference("gateway_user_id").notNull(),
    kind: text("kind", { enum: ["end_user", "tag"] }).notNull(),
    startsAt: moment("starts_at").notNull(),
    labels: bigint("labels", { mode: "bigint" }).notNull(),
  },
  (table) => [primaryKey({ name: "usage_label_count_pk", columns: [table.startsAt, table.gatewayUserId, table.kind] })],
);

/**
 * The batch of each shard of the settlement up to which the sums are complete. The row of no shard counts the versions
 * of the sums.
 */
export const usageRollupCheckpoint = pgTable("usage_rollup_checkpoint", {
  source: text("source").primaryKey(),
  batchId: reference("batch_id").notNull(),
  /** When the sums were last complete. */
  caughtUpAt: moment("caught_up_at"),
  /** Incremented by everything that changes the sums. */
  version: bigint("version", { mode: "bigint" }).notNull().default(sql`0`),
});

/**
 * The version of the sums that last changed each quarter hour: results computed from an earlier one are out of date.
 */
export const usageChange = pgTable(
  "usage_change",
  {
    startsAt: moment("starts_at").primaryKey(),
    version: bigint("version", { mode: "bigint" }).notNull(),
  },
  (table) => [index("usage_change_version").on(table.version)],
);

/**
 * How many users were active in a past span, which can't be computed from sums and takes long to count. A count is
 * valid while no quarter hour before the end of its span has changed since.
 */
export const usageActive = pgTable(
  "usage_active",
  {
    fromAt: moment("from_at").notNull(),
    toAt: moment("to_at").notNull(),
    active: bigint("active", { mode: "bigint" }).notNull(),
    repeat: bigint("repeat", { mode: "bigint" }).notNull(),
    /** The version of the sums that was counted. */
    version: bigint("version", { mode: "bigint" }).notNull(),
    countedAt: moment("counted_at").notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.fromAt, table.toAt] })],
);

/** When a user first and last made a call. */
export const usageUser = pgTable("usage_user", {
  gatewayUserId: reference("gateway_user_id").primaryKey(),
  firstAt: moment("first_at").notNull(),
  lastAt: moment("last_at").notNull(),
});

/** The price that a provider charges for a model from a UTC day on, until a later entry. */
export const channelCost = pgTable(
  "channel_cost",
  {
    channelId: reference("channel_id")
      .notNull()
      .references(() => channel.id),
    model: text("model")
      .notNull()
      .references(() => model.name),
    validFrom: date("valid_from", { mode: "string" }).notNull(),
    ...unitPrices(),
    updatedAt: moment("updated_at").notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.channelId, table.model, table.validFrom] }),
    check("channel_cost_is_not_negative", sql`${table.inputUsdPerM} >= 0 and ${table.outputUsdPerM} >= 0`),
  ],
);

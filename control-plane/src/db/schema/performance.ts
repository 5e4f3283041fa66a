import { bigint, index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { moment, reference } from "../columns.ts";

/** A bar of a histogram. */
const timedCalls = {
  /** `performance_bucket` of the milliseconds; 0 without a time. */
  bucket: integer("bucket").notNull(),
  calls: bigint("calls", { mode: "bigint" }).notNull(),
  /** Of `total`: what was streamed, and how long that took after the first byte. */
  outputTokens: bigint("output_tokens", { mode: "bigint" }).notNull(),
  outputMs: bigint("output_ms", { mode: "bigint" }).notNull(),
};

/**
 * How calls of a model went at a channel, as histograms: a row counts the calls of a bucket. They follow the settlement
 * like the other sums, but are statistics and not checked against the log.
 */
export const usagePerformance = pgTable(
  "usage_performance",
  {
    grain: text("grain", { enum: ["hour", "day"] }).notNull(),
    /** The start of the hour or of the UTC day. */
    startsAt: moment("starts_at").notNull(),
    /** The model that the call was answered with. */
    model: text("model").notNull(),
    channelId: reference("channel_id").notNull(),
    /**
     * `first_byte` and `total` of completed calls, by time; `left`: the client left; `failed`: the service could not
     * answer. Calls that were refused for the client's own reasons are in none.
     */
    kind: text("kind", { enum: ["first_byte", "total", "left", "failed"] }).notNull(),
    ...timedCalls,
  },
  (table) => [
    primaryKey({
      name: "usage_performance_pk",
      columns: [table.grain, table.startsAt, table.model, table.channelId, table.kind, table.bucket],
    }),
  ],
);

/**
 * How soon the calls of a key were answered, as histograms by UTC day, for the account's own pages. How they ended is in the
 * other sums. Rows are kept for 100 days.
 */
export const usageKeyPerformance = pgTable(
  "usage_key_performance",
  {
    apiKeyId: reference("api_key_id").notNull(),
    startsAt: moment("starts_at").notNull(),
    model: text("model").notNull(),
    kind: text("kind", { enum: ["first_byte", "total"] }).notNull(),
    ...timedCalls,
  },
  (table) => [
    primaryKey({
      name: "usage_key_performance_pk",
      columns: [table.apiKeyId, table.startsAt, table.model, table.kind, table.bucket],
    }),
    index("usage_key_performance_day").on(table.startsAt),
  ],
);

const person = { postedBy: reference("posted_by").notNull(), postedByName: text("posted_by_name").notNull() };

/** What operators tell customers about a fault; the newest update says how it is. */
export const incident = pgTable("incident", {
  id: bigint("id", { mode: "bigint" }).generatedAlwaysAsIdentity().primaryKey(),
  title: text("title").notNull(),
  impact: text("impact", { enum: ["minor", "major", "critical", "maintenance"] }).notNull(),
  /** The models that are concerned; none means all. */
  models: text("models").array().notNull(),
  startedAt: moment("started_at").notNull().defaultNow(),
  resolvedAt: moment("resolved_at"),
  version: integer("version").notNull().default(1),
});

export const incidentUpdate = pgTable(
  "incident_update",
  {
    id: bigint("id", { mode: "bigint" }).generatedAlwaysAsIdentity().primaryKey(),
    incidentId: reference("incident_id")
      .notNull()
      .references(() => incident.id),
    state: text("state", { enum: ["investigating", "identified", "monitoring", "resolved"] }).notNull(),
    text: text("text").notNull(),
    postedAt: moment("posted_at").notNull().defaultNow(),
    ...person,
  },
  (table) => [index("incident_update_incident").on(table.incidentId)],
);

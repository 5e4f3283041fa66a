import { sql } from "drizzle-orm";
import { bigint, boolean, check, date, integer, numeric, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { json, moment, quota, reference, transactionId, unitCounts } from "../columns.ts";
import { budget } from "./gateway-keys.ts";

/** One running process with its own spool. */
export const replica = pgTable("replica", {
  id: text("id").primaryKey(),
  startedAt: moment("started_at").notNull().defaultNow(),
  seenAt: moment("seen_at").notNull().defaultNow(),
  /**
   * The end of the term by the database's clock, which never comes before the end by the replica's own clock. Null for
   * programs without terms.
   */
  termEndsAt: moment("term_ends_at"),
  /**
   * The era changes whenever the replica's leases were given back, so that a process that still relies on them finds
   * out.
   */
  era: uuid("era").notNull().default(sql`gen_random_uuid()`),
  /** When the host of the replica was declared lost; cleared when the replica is seen again. */
  givenUpAt: moment("given_up_at"),
});

/** The slice of a budget that a replica may spend without asking. */
export const budgetLease = pgTable(
  "budget_lease",
  {
    budgetId: reference("budget_id")
      .notNull()
      .references(() => budget.id),
    replicaId: text("replica_id")
      .notNull()
      .references(() => replica.id),
    amount: quota("amount").notNull(),
    /** The last recall of idle leases that this replica has answered. */
    recallSeen: quota("recall_seen").notNull().default(sql`0`),
    /** The newest statement on this lease; one with a lower number is late and refused. */
    lastStatement: bigint("last_statement", { mode: "bigint" }).notNull().default(sql`0`),
    updatedAt: moment("updated_at").notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.budgetId, table.replicaId] }),
    check("budget_lease_is_not_negative", sql`${table.amount} >= 0`),
  ],
);

/** Usage rows that the database refused and a replica keeps on its disk: no sum includes them. */
export const usageQuarantine = pgTable("usage_quarantine", {
  /** The id of the spool, which may outlive the row of the replica. */
  replicaId: text("replica_id").primaryKey(),
  rowCount: integer("row_count").notNull(),
  changedAt: moment("changed_at").notNull().defaultNow(),
});

/**
 * One row per relayed call, failures included. Range-partitioned by `day`; append-only. Units and price version are
 * stored, so that `quota` can be recomputed line by line.
 */
export const usageLog = pgTable(
  "usage_log",
  {
    day: date("day", { mode: "string" }).notNull(),
    requestId: uuid("request_id").notNull(),
    /** The writing transaction; readers that follow the log stay below the oldest one still open. */
    xid: transactionId("xid").notNull().default(sql`pg_current_xact_id()`),
    gatewayUserId: reference("gateway_user_id").notNull(),
    apiKeyId: reference("api_key_id").notNull(),
    /** The budgets this row was charged to; the second only for a key with its own limit. */
    userBudgetId: reference("user_budget_id").notNull(),
    keyBudgetId: reference("key_budget_id"),
    groupName: text("group_name").notNull(),
    path: text("path").notNull(),
    /** The model that answered, or was asked last. */
    model: text("model"),
    channelId: reference("channel_id"),
    outcome: text("outcome", { enum: ["completed", "aborted", "failed", "refused"] }).notNull(),
    httpStatus: integer("http_status").notNull(),
    errorCode: text("error_code"),
    isStream: boolean("is_stream").notNull(),
    ...unitCounts({ isSum: false }),
    /** Where the units come from: the provider, our own count, or nothing was delivered. */
    usageSource: text("usage_source", { enum: ["provider", "estimated", "none"] }).notNull(),
    /** The provider reported more than is plausible; the row has the plausible amount. */
    isImplausible: boolean("is_implausible").notNull().default(false),
    /** What the provider says the call has cost it, in US dollars; null if it does not say. */
    providerCostUsd: numeric("provider_cost_usd", { precision: 20, scale: 12 }),
    /**
     * The share of the normal price, in hundredths of a percent, that a response from the cache costs; null for a response
     * of a provider.
     */
    cacheBasisPoints: integer("cache_basis_points"),
    priceVersion: integer("price_version"),
    /** The product of the multipliers of the user and of the group. */
    rateMultiplier: numeric("rate_multiplier").notNull(),
    /** The base cost of the call, before the multiplier. */
    quota: quota("quota").notNull(),
    /** What the hold had set aside; a cost above it is an overrun. */
    quotaHeld: quota("quota_held").notNull(),
    attempts: json("attempts").notNull(),
    firstByteMs: integer("first_byte_ms"),
    durationMs: integer("duration_ms").notNull(),
    startedAt: moment("started_at").notNull(),
    /** The model that the client asked for, if another one was asked in its place; else null. */
    askedModel: text("asked_model"),
    /** The budgets of an organisation's project and member that it was charged to, with the multiplier; null for none. */
    sharedBudgetIds: bigint("shared_budget_ids", { mode: "bigint" }).array(),
    /** The client's end user, and its tags as `name=value`; null where it named none, or its key keeps none. */
    endUser: text("end_user"),
    tags: text("tags").array(),
  },
  (table) => [primaryKey({ columns: [table.day, table.requestId] })],
);

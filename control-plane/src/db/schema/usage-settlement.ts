import { date, index, integer, numeric, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { id, moment, quota, reference, transactionId } from "../columns.ts";

/** What a usage row cost after the multiplier of its user; exactly one for each row. Range-partitioned by `day`. */
export const usageSettlement = pgTable(
  "usage_settlement",
  {
    day: date("day", { mode: "string" }).notNull(),
    requestId: uuid("request_id").notNull(),
    batchId: reference("batch_id").notNull(),
    gatewayUserId: reference("gateway_user_id").notNull(),
    baseQuota: quota("base_quota").notNull(),
    rateMultiplier: numeric("rate_multiplier", { precision: 10, scale: 4 }).notNull(),
    settledQuota: quota("settled_quota").notNull(),
    quotaDelta: quota("quota_delta").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.day, table.requestId] }),
    // The sums of the usage follow the settlement batch by batch.
    index("usage_settlement_batch").on(table.batchId),
  ],
);

/** One transaction of the settlement. */
export const settlementBatch = pgTable("settlement_batch", {
  id: id(),
  rows: integer("rows").notNull(),
  baseQuota: quota("base_quota").notNull(),
  settledQuota: quota("settled_quota").notNull(),
  /** Rows whose delta is an entry of its own in the ledger; null of batches from before that was so. */
  deltas: integer("deltas"),
  createdAt: moment("created_at").notNull().defaultNow(),
});

/** How far the usage log was read: below the oldest transaction that was still open. */
export const settlementCheckpoint = pgTable("settlement_checkpoint", {
  source: text("source").primaryKey(),
  xid: transactionId("xid").notNull(),
  requestId: uuid("request_id").notNull(),
  /** Of the database server: numbers of transactions mean nothing on another one. */
  systemIdentifier: text("system_identifier").notNull(),
  /** How far the log was read by day and id, while every row of it is looked at again; null when that is not so. */
  reconcileDay: date("reconcile_day", { mode: "string" }),
  reconcileRequestId: uuid("reconcile_request_id"),
  updatedAt: moment("updated_at").notNull().defaultNow(),
});

/** Rows that could not be settled; a person looks at them. */
export const settlementQuarantine = pgTable(
  "settlement_quarantine",
  {
    day: date("day", { mode: "string" }).notNull(),
    requestId: uuid("request_id").notNull(),
    reason: text("reason").notNull(),
    createdAt: moment("created_at").notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.day, table.requestId] }),
    index("settlement_quarantine_at").on(table.createdAt),
  ],
);

import { sql } from "drizzle-orm";
import { bigint, date, index, integer, numeric, pgTable, primaryKey, smallint, text, uuid } from "drizzle-orm/pg-core";
import { id, moment, quota, reference, transactionId } from "../columns.ts";

/**
 * What a usage row cost after its user's multiplier. Range-partitioned by `day`. Each usage row has one here, or is in a list of
 * `settled_calls`: then its multiplier is 1, and what is settled is its cost.
 */
export const usageSettlement = pgTable(
  "usage_settlement",
  {
    day: date("day", { mode: "string" }).notNull(),
    requestId: uuid("request_id").notNull(),
    batchId: reference("batch_id").notNull(),
    gatewayUserId: reference("gateway_user_id").notNull(),
    /** Null, like the multiplier and the delta, in rows of an earlier program whose multiplier is 1: then it is what is settled. */
    baseQuota: quota("base_quota"),
    rateMultiplier: numeric("rate_multiplier"),
    settledQuota: quota("settled_quota").notNull(),
    quotaDelta: quota("quota_delta"),
  },
  (table) => [primaryKey({ columns: [table.day, table.requestId] })],
);

/**
 * Calls that a batch has settled at their cost, because their multiplier is 1: those of one day and shard that began in one
 * minute (`callMinute`). A trigger refuses any other call, and one that is already settled.
 */
export const settledCalls = pgTable(
  "settled_calls",
  {
    day: date("day", { mode: "string" }).notNull(),
    shard: smallint("shard").notNull(),
    minute: text("minute").notNull(),
    batchId: reference("batch_id").notNull(),
    calls: uuid("calls").array().notNull(),
    /** The transactions that wrote these calls to the log are among these: only lists that share one of them can share a call. */
    firstXid: transactionId("first_xid").notNull().default("0"),
    lastXid: transactionId("last_xid").notNull().default("18446744073709551615"),
  },
  (table) => [
    primaryKey({ columns: [table.day, table.shard, table.minute, table.lastXid, table.batchId] }),
    index("settled_calls_batch").on(table.batchId),
  ],
);

/** One transaction of the settlement. */
export const settlementBatch = pgTable(
  "settlement_batch",
  {
    id: id(),
    rows: integer("rows").notNull(),
    baseQuota: quota("base_quota").notNull(),
    settledQuota: quota("settled_quota").notNull(),
    /** Rows whose delta is a separate ledger entry; null for batches from before these existed. */
    deltas: integer("deltas"),
    createdAt: moment("created_at").notNull().defaultNow(),
    /** The shard of the users; batches from before there were shards count as the first one's. */
    shard: integer("shard").notNull().default(0),
    /** The UTC days of the rows; null for batches from before this was kept. */
    firstDay: date("first_day", { mode: "string" }),
    lastDay: date("last_day", { mode: "string" }),
    /** The span of the shard's usage log in which its rows are; null for batches from before this was kept. */
    firstXid: transactionId("first_xid"),
    firstRequestId: uuid("first_request_id"),
    lastXid: transactionId("last_xid"),
    lastRequestId: uuid("last_request_id"),
    /** The server whose log has no other rows in this span; null if there may be others. */
    wholeOn: bigint("whole_on", { mode: "bigint" }),
  },
  (table) => [index("settlement_batch_shard").on(table.shard, table.id)],
);

/**
 * How far the settlement has read the usage log of each shard of the users, which is always below the oldest transaction
 * that was still open.
 */
export const settlementCheckpoint = pgTable("settlement_checkpoint", {
  source: text("source").primaryKey(),
  xid: transactionId("xid").notNull(),
  requestId: uuid("request_id").notNull(),
  /** The database server's identifier: transaction numbers mean nothing on another one. */
  systemIdentifier: text("system_identifier").notNull(),
  /** How far the log was read by day and id while all of it is read again; otherwise null. */
  reconcileDay: date("reconcile_day", { mode: "string" }),
  reconcileRequestId: uuid("reconcile_request_id"),
  /** The last batch from before the database came to this server: what `wholeOn` says of it and earlier ones may no longer be true. */
  wholeAfter: bigint("whole_after", { mode: "bigint" }).notNull().default(sql`0`),
  updatedAt: moment("updated_at").notNull().defaultNow(),
});

/** Rows that could not be settled; a person has to look at them. */
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

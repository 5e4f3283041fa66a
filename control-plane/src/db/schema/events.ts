import { sql } from "drizzle-orm";
import { index, integer, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { bytes, id, json, lifecycle, moment, reference } from "../columns.ts";
import { gatewayUser } from "./gateway-keys.ts";

/** Where an account or the operator wants events to be sent. */
export const eventTarget = pgTable(
  "event_target",
  {
    id: id(),
    /** The account whose events it gets; null for the operator's, which gets those of all. */
    gatewayUserId: reference("gateway_user_id").references(() => gatewayUser.id),
    kind: text("kind", { enum: ["webhook", "mail", "slack", "discord", "telegram", "feishu"] }).notNull(),
    name: text("name").notNull(),
    /** What is shown of the address. */
    place: text("place").notNull(),
    events: text("events").array().notNull(),
    /** The random name of this row in the context of its encrypted value. */
    sealName: text("seal_name").notNull().unique(),
    /** The address with its secrets, as encrypted JSON. */
    accessSealed: bytes("access_sealed").notNull(),
    /** Until when the secret before the last rotation signs too. */
    oldSecretUntil: moment("old_secret_until"),
    status: text("status", { enum: ["active", "off", "failed"] })
      .notNull()
      .default("active"),
    /** Failed attempts since the last success. */
    failures: integer("failures").notNull().default(0),
    failingSince: moment("failing_since"),
    lastAttemptAt: moment("last_attempt_at"),
    /** A process sends to it until this time at the latest; no other one does meanwhile. */
    busyUntil: moment("busy_until"),
    /** It gets nothing before this time, because it failed or asked for a pause. */
    pausedUntil: moment("paused_until"),
    /** Events that found too many others waiting. */
    dropped: integer("dropped").notNull().default(0),
    version: integer("version").notNull().default(1),
    ...lifecycle,
  },
  (table) => [index("event_target_user").on(table.gatewayUserId)],
);

/** Something that happened, written in the transaction in which it happened, if anyone wants to know. */
export const event = pgTable(
  "event",
  {
    id: id(),
    /** What receivers know it by: a number would tell them how much happens to others. */
    publicId: uuid("public_id").notNull().default(sql`gen_random_uuid()`),
    type: text("type").notNull(),
    gatewayUserId: reference("gateway_user_id").references(() => gatewayUser.id),
    /** Messages to people about the same cause are merged. */
    cause: text("cause").notNull(),
    data: json("data").notNull(),
    occurredAt: moment("occurred_at").notNull().defaultNow(),
  },
  (table) => [index("event_occurred").on(table.occurredAt), index("event_cause").on(table.cause)],
);

/** An event on its way to a target. */
export const eventDelivery = pgTable(
  "event_delivery",
  {
    id: id(),
    targetId: reference("target_id")
      .notNull()
      .references(() => eventTarget.id, { onDelete: "cascade" }),
    eventId: reference("event_id")
      .notNull()
      .references(() => event.id, { onDelete: "cascade" }),
    status: text("status", { enum: ["queued", "sending", "delivered", "failed"] })
      .notNull()
      .default("queued"),
    /** The cause, for as long as later events may join this one. */
    mergeKey: text("merge_key"),
    /** How many events this one represents; the newest is sent. */
    count: integer("count").notNull().default(1),
    /** Attempts since it was queued, replayed or not. */
    attempts: integer("attempts").notNull().default(0),
    replays: integer("replays").notNull().default(0),
    /** When it was due first. */
    dueAt: moment("due_at").notNull().defaultNow(),
    nextAttemptAt: moment("next_attempt_at").notNull().defaultNow(),
    createdAt: moment("created_at").notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex("event_delivery_merge").on(table.targetId, table.mergeKey),
    index("event_delivery_due")
      .on(table.targetId, table.nextAttemptAt)
      .where(sql`${table.status} in ('queued', 'sending')`),
    index("event_delivery_target").on(table.targetId, table.id),
    index("event_delivery_event").on(table.eventId),
  ],
);

/** What became of one attempt. */
export const eventAttempt = pgTable(
  "event_attempt",
  {
    id: id(),
    deliveryId: reference("delivery_id")
      .notNull()
      .references(() => eventDelivery.id, { onDelete: "cascade" }),
    at: moment("at").notNull(),
    httpStatus: integer("http_status"),
    durationMs: integer("duration_ms").notNull(),
    error: text("error"),
    responseStart: text("response_start").notNull(),
  },
  (table) => [index("event_attempt_delivery").on(table.deliveryId, table.id)],
);

/** A condition that holds until it is found to be over, so that only its beginning and its end are events. */
export const eventCondition = pgTable("event_condition", {
  name: text("name").primaryKey(),
  since: moment("since").notNull().defaultNow(),
});

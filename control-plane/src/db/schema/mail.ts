import { sql } from "drizzle-orm";
import { index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { bytes, id, lifecycle, moment, reference } from "../columns.ts";
import { userProfile } from "./accounts.ts";

/** A template that an admin has changed; the others are as shipped. */
export const mailTemplate = pgTable(
  "mail_template",
  {
    name: text("name").notNull(),
    locale: text("locale").notNull(),
    subject: text("subject").notNull(),
    html: text("html").notNull(),
    text: text("text").notNull(),
    version: integer("version").notNull().default(1),
    ...lifecycle,
  },
  (table) => [primaryKey({ columns: [table.name, table.locale] })],
);

/** Every email, written in the transaction it reports on, and sent afterwards. */
export const mailLog = pgTable(
  "mail_log",
  {
    id: id(),
    /** The cause of the email: a replay of it sends no second email. */
    dedupeKey: text("dedupe_key").notNull().unique(),
    template: text("template").notNull(),
    locale: text("locale").notNull(),
    userId: reference("user_id").references(() => userProfile.id),
    toAddress: text("to_address").notNull(),
    /**
     * The template variables, as encrypted JSON, which may include a link with a token. Emptied when the email is done.
     */
    variablesSealed: bytes("variables_sealed"),
    /** The part of the program that sent the email. */
    source: text("source").notNull(),
    status: text("status", { enum: ["queued", "sending", "sent", "dead", "dropped"] })
      .notNull()
      .default("queued"),
    attempts: integer("attempts").notNull().default(0),
    /** How many of the attempts failed because of our own configuration; those never make an email fail for good. */
    faults: integer("faults").notNull().default(0),
    nextAttemptAt: moment("next_attempt_at").notNull().defaultNow(),
    leaseUntil: moment("lease_until"),
    /** The email is useless after this time. */
    expiresAt: moment("expires_at"),
    subject: text("subject"),
    providerId: text("provider_id"),
    lastError: text("last_error"),
    /** When that error occurred. */
    failedAt: moment("failed_at"),
    sentAt: moment("sent_at"),
    ...lifecycle,
  },
  (table) => [
    index("mail_log_due").on(table.nextAttemptAt).where(sql`${table.status} in ('queued', 'sending')`),
    index("mail_log_user").on(table.userId, table.id),
    index("mail_log_created").on(table.createdAt, table.id),
    index("mail_log_status").on(table.status, table.createdAt, table.id),
    // The index includes the address itself after the prefix, so that rows can be counted in the index alone.
    index("mail_log_address_start").on(sql`lower(${table.toAddress}) text_pattern_ops`, table.toAddress),
    index("mail_log_template").on(table.template, table.createdAt, table.id),
    index("mail_log_error")
      .on(table.createdAt, table.id)
      .where(sql`${table.status} = 'dead' or ${table.lastError} is not null`),
  ],
);

/** Messages to a user, for the console; without links that carry tokens. */
export const mailInbox = pgTable(
  "mail_inbox",
  {
    id: id(),
    userId: reference("user_id")
      .notNull()
      .references(() => userProfile.id),
    mailId: reference("mail_id")
      .notNull()
      .unique()
      .references(() => mailLog.id),
    template: text("template").notNull(),
    subject: text("subject").notNull(),
    readAt: moment("read_at"),
    createdAt: moment("created_at").notNull().defaultNow(),
  },
  (table) => [index("mail_inbox_user").on(table.userId, table.id)],
);

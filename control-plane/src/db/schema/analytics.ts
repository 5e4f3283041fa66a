import { sql } from "drizzle-orm";
import { boolean, index, numeric, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { id, lifecycle, moment, reference } from "../columns.ts";
import { salesOrder } from "./billing.ts";

/** Events on public pages, and the payments that resulted. The table has no addresses and no user agents. */
export const campaignEvent = pgTable(
  "campaign_event",
  {
    id: id(),
    kind: text("kind", { enum: ["page_view", "cta_click", "payment_settled"] }).notNull(),
    campaign: text("campaign").notNull(),
    utmSource: text("utm_source"),
    utmMedium: text("utm_medium"),
    /** A visitor id that the page generates itself; it identifies nobody. */
    visitorId: text("visitor_id"),
    path: text("path"),
    referrer: text("referrer"),
    language: text("language"),
    viewport: text("viewport"),
    /** The call to action that was clicked. */
    target: text("target"),
    /** The sender identifies itself as a bot. */
    isBot: boolean("is_bot").notNull().default(false),
    orderId: reference("order_id").references(() => salesOrder.id),
    amountUsd: numeric("amount_usd", { precision: 14, scale: 2 }),
    createdAt: moment("created_at").notNull().defaultNow(),
  },
  (table) => [
    index("campaign_event_at").on(table.createdAt),
    index("campaign_event_visitor").on(table.visitorId, table.id).where(sql`${table.visitorId} is not null`),
    uniqueIndex("campaign_event_payment").on(table.orderId, table.kind).where(sql`${table.orderId} is not null`),
  ],
);

/** A person who wants an offer. */
export const enterpriseLead = pgTable(
  "enterprise_lead",
  {
    id: id(),
    company: text("company").notNull(),
    contact: text("contact").notNull(),
    email: text("email").notNull(),
    /** What they expect to use, in their own words. */
    volume: text("volume").notNull(),
    message: text("message").notNull(),
    campaign: text("campaign").notNull(),
    status: text("status", { enum: ["pending", "contacted", "won", "lost", "spam"] })
      .notNull()
      .default("pending"),
    /** The admins' own note. */
    note: text("note").notNull().default(""),
    version: reference("version").notNull().default(sql`1`),
    ...lifecycle,
  },
  (table) => [
    index("enterprise_lead_status").on(table.status, table.id),
    index("enterprise_lead_at").on(table.createdAt),
    index("enterprise_lead_email").on(sql`lower(${table.email})`, table.createdAt),
  ],
);

import type { ActKind, Effects } from "@sluice/contracts/approvals";
import { sql } from "drizzle-orm";
import { check, date, index, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { bytes, id, json, lifecycle, moment, quota, reference } from "../columns.ts";
import { sharedAdminCredentials } from "./admins.ts";

/** The amount that an admin has moved by hand on a UTC day; credits and debits both add to it. */
export const adminAllowance = pgTable(
  "admin_allowance",
  {
    adminId: reference("admin_id").notNull(),
    day: date("day", { mode: "string" }).notNull(),
    kind: text("kind", { enum: ["adjust", "refund"] }).notNull(),
    quota: quota("quota").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.adminId, table.day, table.kind] }),
    check("admin_allowance_quota", sql`${table.quota} >= 0`),
  ],
);

/** An admin act that waits for a second admin, or was decided. */
export const approval = pgTable(
  "approval",
  {
    id: id(),
    /** The act, such as `quota.adjust`. */
    kind: text("kind").$type<ActKind>().notNull(),
    /** The endpoint's input, as sent; parsed and checked again when it is approved. */
    input: json("input").notNull(),
    /** The secret part of the input, under the master key; null as soon as the request is closed. */
    sealed: bytes("sealed"),
    reason: text("reason").notNull(),
    /** The effects that the act would have had when it was requested. */
    effects: json("effects").$type<Effects>().notNull(),
    requestedBy: reference("requested_by")
      .notNull()
      .references(() => sharedAdminCredentials.id),
    requestedByName: text("requested_by_name").notNull(),
    requestId: text("request_id").notNull(),
    ip: text("ip").notNull(),
    idempotencyKey: text("idempotency_key").notNull(),
    status: text("status", { enum: ["pending", "approved", "rejected", "expired"] })
      .notNull()
      .default("pending"),
    expiresAt: moment("expires_at").notNull(),
    decidedBy: reference("decided_by").references(() => sharedAdminCredentials.id),
    decidedByName: text("decided_by_name"),
    decidedAt: moment("decided_at"),
    decisionReason: text("decision_reason"),
    ...lifecycle,
  },
  (table) => [
    uniqueIndex("approval_waiting").on(table.kind, table.idempotencyKey).where(sql`${table.status} = 'pending'`),
    index("approval_pending").on(table.expiresAt).where(sql`${table.status} = 'pending'`),
    check("approval_sealed", sql`${table.status} = 'pending' or ${table.sealed} is null`),
    // The database itself makes sure that nobody approves their own request.
    check("approval_two_people", sql`${table.status} <> 'approved' or ${table.decidedBy} <> ${table.requestedBy}`),
    check(
      "approval_decided",
      sql`(${table.status} in ('approved', 'rejected')) = (${table.decidedBy} is not null and ${table.decidedAt} is not null)`,
    ),
  ],
);

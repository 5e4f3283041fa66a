import { sql } from "drizzle-orm";
import { boolean, check, index, integer, pgTable, text, unique, uniqueIndex } from "drizzle-orm/pg-core";
import { bytes, id, lifecycle, moment, quota, reference } from "../columns.ts";
import { userProfile } from "./accounts.ts";
import { salesOrder } from "./billing.ts";
import { userGroup } from "./groups.ts";

/** Codes that were made together. A batch keeps the terms of its plan from when it was made. */
export const codeBatch = pgTable(
  "code_batch",
  {
    id: id(),
    /** What orders of its codes are called; customers see it. */
    name: text("name").notNull(),
    /** For the operator alone, such as the shop that sells them. */
    note: text("note").notNull().default(""),
    /** The plan of a month; null for balance. */
    planCode: text("plan_code"),
    planKind: text("plan_kind", { enum: ["wallet_balance", "monthly"] }).notNull(),
    /** What each code grants. */
    quota: quota("quota").notNull(),
    groupName: text("group_name").references(() => userGroup.name),
    count: integer("count").notNull(),
    isOncePerUser: boolean("is_once_per_user").notNull(),
    expiresAt: moment("expires_at"),
    revokedAt: moment("revoked_at"),
    createdBy: text("created_by").notNull(),
    /** Chosen by the program that asked for it: the same request makes one batch. */
    idempotencyKey: text("idempotency_key").unique(),
    /** The secret from which its codes are derived, under the master key; null only while the batch is being made. */
    sealedSeed: bytes("sealed_seed"),
    ...lifecycle,
  },
  (table) => [
    index("code_batch_created").on(table.createdAt, table.id),
    check("code_batch_value", sql`${table.quota} > 0 and ${table.count} > 0`),
    check("code_batch_plan", sql`(${table.planKind} = 'monthly') = (${table.planCode} is not null)`),
  ],
);

/** Append-only. A code is known by its digest alone; its batch can derive it. */
export const redemptionCode = pgTable(
  "redemption_code",
  {
    id: id(),
    batchId: reference("batch_id")
      .notNull()
      .references(() => codeBatch.id),
    digest: bytes("digest").notNull().unique(),
  },
  (table) => [index("redemption_code_batch").on(table.batchId)],
);

/** Append-only: the one use of a code. */
export const codeRedemption = pgTable(
  "code_redemption",
  {
    id: id(),
    codeId: reference("code_id")
      .notNull()
      .unique()
      .references(() => redemptionCode.id),
    batchId: reference("batch_id")
      .notNull()
      .references(() => codeBatch.id),
    userId: reference("user_id")
      .notNull()
      .references(() => userProfile.id),
    orderId: reference("order_id")
      .notNull()
      .references(() => salesOrder.id),
    isOncePerUser: boolean("is_once_per_user").notNull(),
    createdAt: moment("created_at").notNull().defaultNow(),
  },
  (table) => [
    unique("code_redemption_order").on(table.orderId),
    uniqueIndex("code_redemption_once").on(table.batchId, table.userId).where(sql`${table.isOncePerUser}`),
    index("code_redemption_batch").on(table.batchId),
    index("code_redemption_user").on(table.userId),
  ],
);

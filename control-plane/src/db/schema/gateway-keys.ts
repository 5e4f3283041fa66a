import { sql } from "drizzle-orm";
import { type AnyPgColumn, bigint, boolean, index, numeric, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { bytes, id, keySettingColumns, lifecycle, moment, quota, reference } from "../columns.ts";
import { userGroup } from "./groups.ts";

/** A user as the upstream gateway knows it: what it may use and what its calls cost. */
export const gatewayUser = pgTable(
  "gateway_user",
  {
    id: id(),
    /** The account's own group. Others come from admins and plans: the view `group_of_user` has all of them. */
    groupName: text("group_name")
      .notNull()
      .default("default")
      .references(() => userGroup.name),
    status: text("status", { enum: ["enabled", "disabled"] })
      .notNull()
      .default("enabled"),
    rateMultiplier: numeric("rate_multiplier", { precision: 10, scale: 4 }).notNull().default("1.0000"),
    /** Whether the end users and tags of its calls are kept, as far as the key allows it. */
    areLabelsKept: boolean("are_labels_kept").notNull().default(true),
    ...lifecycle,
  },
  (table) => [index("gateway_user_group").on(table.groupName)],
);

/** Only the SHA-256 of a key is stored; the prefix and the last four characters let people recognise it. */
export const apiKey = pgTable(
  "api_key",
  {
    id: id(),
    gatewayUserId: reference("gateway_user_id")
      .notNull()
      .references(() => gatewayUser.id),
    keyHash: bytes("key_hash").notNull().unique(),
    keyPrefix: text("key_prefix").notNull(),
    keyLastFour: text("key_last_four").notNull(),
    ...keySettingColumns(),
    /** Null means the group that the function `key_group` chooses from those of the user. */
    groupName: text("group_name").references(() => userGroup.name),
    status: text("status", { enum: ["active", "disabled", "revoked"] })
      .notNull()
      .default("active"),
    /** Why an operator has locked the key, shown to its owner, who can't undo it. Null for a key that is not locked. */
    lockReason: text("lock_reason"),
    /** Of a key of an organisation: the member who created it, and its project. The migration has the foreign keys. */
    memberId: reference("member_id"),
    projectId: reference("project_id"),
    /** Made by the playground for itself: its owner sees it while it works, and only the newest few work. */
    isForPlayground: boolean("is_for_playground").notNull().default(false),
    rotatedFromId: reference("rotated_from_id"),
    /** The first of a chain of rotated keys, which share its budget and limits. Null for the first key of a chain. */
    limitKeyId: reference("limit_key_id").references((): AnyPgColumn => apiKey.id),
    firstUsedAt: moment("first_used_at"),
    /** The idempotency key of the request that created it, and the SHA-256 of that request. */
    idempotencyKey: text("idempotency_key"),
    idempotencyDigest: bytes("idempotency_digest"),
    ...lifecycle,
  },
  (table) => [
    uniqueIndex("api_key_idempotency").on(
      table.gatewayUserId,
      sql`coalesce(${table.memberId}, 0)`,
      table.idempotencyKey,
    ),
    index("api_key_created").on(table.createdAt, table.id),
    index("api_key_status").on(table.status, table.createdAt, table.id, table.expiresAt),
    index("api_key_prefix_start").on(sql`${table.keyPrefix} text_pattern_ops`),
    index("api_key_limit_key").on(table.limitKeyId).where(sql`${table.limitKeyId} is not null`),
    index("api_key_group").on(table.groupName).where(sql`${table.groupName} is not null`),
    index("api_key_member").on(table.memberId).where(sql`${table.memberId} is not null`),
    index("api_key_project").on(table.projectId).where(sql`${table.projectId} is not null`),
    index("api_key_rotated_from").on(table.rotatedFromId).where(sql`${table.rotatedFromId} is not null`),
  ],
);

/** When a key was last used, to within half a minute. Not in `api_key`, whose every change is announced to replicas. */
export const apiKeyUse = pgTable("api_key_use", {
  apiKeyId: bigint("api_key_id", { mode: "bigint" })
    .primaryKey()
    .references(() => apiKey.id, { onDelete: "cascade" }),
  lastUsedAt: moment("last_used_at").notNull(),
});

/**
 * A budget that holds are checked against: a user's quota, or the limit of a key, of a project or of a member in its
 * current period. remaining = granted - (used - period_base) - leased - reserved.
 */
export const budget = pgTable("budget", {
  id: id(),
  gatewayUserId: reference("gateway_user_id")
    .unique()
    .references(() => gatewayUser.id),
  apiKeyId: reference("api_key_id")
    .unique()
    .references(() => apiKey.id),
  /** Of a project, or of a member of an organisation: what may be spent in each month, as calls cost with their multiplier. */
  projectId: reference("project_id").unique(),
  memberId: reference("member_id").unique(),
  granted: quota("granted").notNull().default(sql`0`),
  /** Everything ever charged to this budget; equals the sum of its usage rows. */
  used: quota("used").notNull().default(sql`0`),
  /** The value of `used` when the current period began, or when the limit of a key was last set. */
  periodBase: quota("period_base").notNull().default(sql`0`),
  /** The quota that is lent to replicas and not yet charged or given back; equals the sum of the lease rows. */
  leased: quota("leased").notNull().default(sql`0`),
  /** The quota that was given back from the leases of lost replicas, whose calls may still arrive and be charged. */
  writtenOff: quota("written_off").notNull().default(sql`0`),
  /** The part of a multiplier above 1 that is owed and waits for the settlement job. */
  reserved: quota("reserved").notNull().default(sql`0`),
  period: text("period", { enum: ["none", "daily", "weekly", "monthly"] })
    .notNull()
    .default("none"),
  periodEndsAt: moment("period_ends_at"),
  /** False after the limit of a key was removed: calls that began under it are still charged here. */
  isEnforced: boolean("is_enforced").notNull().default(true),
  /** Counts the recalls of idle leases; a replica answers by writing the number into its lease row. */
  recallSequence: quota("recall_sequence").notNull().default(sql`0`),
  ...lifecycle,
});

/** Append-only: every change to what a budget was granted, once per reference. */
export const quotaGrant = pgTable("quota_grant", {
  id: id(),
  budgetId: reference("budget_id")
    .notNull()
    .references(() => budget.id),
  amount: quota("amount").notNull(),
  changeType: text("change_type").notNull(),
  reference: text("reference").notNull().unique(),
  createdAt: moment("created_at").notNull().defaultNow(),
});

import { sql } from "drizzle-orm";
import { check, index, pgTable, text, unique, uuid } from "drizzle-orm/pg-core";
import { id, moment, quota, reference } from "../columns.ts";
import { gatewayUser } from "./gateway-keys.ts";

/**
 * An account of the quota ledger: one for each gateway user, and one of our own for each source or destination of
 * quota. All accounts together always sum to zero.
 */
export const ledgerAccount = pgTable("ledger_account", {
  id: id(),
  /** `user:<gateway user id>` or `house:<what>`. */
  code: text("code").notNull().unique(),
  gatewayUserId: reference("gateway_user_id")
    .unique()
    .references(() => gatewayUser.id),
  /** The sum of the entries; maintained by the function that writes them. */
  balance: quota("balance").notNull().default(sql`0`),
  createdAt: moment("created_at").notNull().defaultNow(),
});

/** Append-only. One event, recorded once: its entries sum to zero. */
export const ledgerPosting = pgTable(
  "ledger_posting",
  {
    id: id(),
    changeType: text("change_type").notNull(),
    /** The cause of the posting. A replay finds that the reference is taken. */
    reference: text("reference").notNull(),
    note: text("note"),
    createdAt: moment("created_at").notNull().defaultNow(),
  },
  (table) => [
    unique("ledger_posting_reference").on(table.changeType, table.reference),
    index("ledger_posting_type").on(table.changeType, table.id),
  ],
);

/**
 * Append-only. In a settlement posting a user has one entry for what their calls cost before the multiplier, and before
 * it one for each call that the multiplier made cost more or less. Lists show these as one.
 */
export const ledgerEntry = pgTable(
  "ledger_entry",
  {
    id: id(),
    postingId: reference("posting_id")
      .notNull()
      .references(() => ledgerPosting.id),
    accountId: reference("account_id")
      .notNull()
      .references(() => ledgerAccount.id),
    amount: quota("amount").notNull(),
    /** The account's balance after this entry. */
    balanceAfter: quota("balance_after").notNull(),
    /** The usage row that the entry adds the delta of. */
    usageRequestId: uuid("usage_request_id"),
    /** The sum of the preceding usage-row entries in the same posting and account; null if there are none. */
    deltaAmount: quota("delta_amount"),
    createdAt: moment("created_at").notNull().defaultNow(),
  },
  (table) => [
    index("ledger_entry_account").on(table.accountId, table.id).where(sql`${table.usageRequestId} is null`),
    index("ledger_entry_posting").on(table.postingId),
    index("ledger_entry_created").on(table.createdAt, table.id).where(sql`${table.usageRequestId} is null`),
    index("ledger_entry_account_created")
      .on(table.accountId, table.createdAt, table.id)
      .where(sql`${table.usageRequestId} is null`),
    check("ledger_entry_is_not_zero", sql`${table.amount} <> 0`),
  ],
);

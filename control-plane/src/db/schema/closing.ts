import { sql } from "drizzle-orm";
import { check, index, pgTable, text } from "drizzle-orm/pg-core";
import { moment, quota, reference } from "../columns.ts";
import { userProfile } from "./accounts.ts";

/** An account that is being closed, or was. Undoing deletes the row; the audit log knows. */
export const accountClosing = pgTable(
  "account_closing",
  {
    userId: reference("user_id")
      .primaryKey()
      .references(() => userProfile.id),
    requestedBy: text("requested_by", { enum: ["owner", "operator"] }).notNull(),
    adminName: text("admin_name"),
    reason: text("reason"),
    /** What was left of the balance when it was asked for; more is never taken. */
    agreedQuota: quota("agreed_quota").notNull(),
    requestedAt: moment("requested_at").notNull().defaultNow(),
    /** It can be undone before this. */
    closesAt: moment("closes_at").notNull(),
    /** The last time that it could not be closed yet. */
    triedAt: moment("tried_at").notNull().defaultNow(),
    doneAt: moment("done_at"),
  },
  (table) => [
    index("account_closing_due").on(table.triedAt, table.closesAt).where(sql`${table.doneAt} is null`),
    check("account_closing_agreed", sql`${table.agreedQuota} >= 0`),
    check("account_closing_operator", sql`(${table.requestedBy} = 'operator') = (${table.adminName} is not null)`),
  ],
);

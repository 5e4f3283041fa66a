import { referralRefusals, referralStates } from "@sluice/contracts/referrals";
import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, text } from "drizzle-orm/pg-core";
import { id, lifecycle, moment, quota, reference } from "../columns.ts";
import { userProfile } from "./accounts.ts";
import { salesOrder } from "./billing.ts";

/** The code in the link by which a user invites others. */
export const referralCode = pgTable("referral_code", {
  userId: reference("user_id")
    .primaryKey()
    .references(() => userProfile.id),
  code: text("code").notNull().unique(),
  createdAt: moment("created_at").notNull().defaultNow(),
});

/** A person who registered by the link of another, on the terms of that day. */
export const referral = pgTable(
  "referral",
  {
    id: id(),
    inviterId: reference("inviter_id")
      .notNull()
      .references(() => userProfile.id),
    invitedId: reference("invited_id")
      .notNull()
      .unique()
      .references(() => userProfile.id),
    state: text("state", { enum: referralStates }).notNull().default("pending"),
    /** What each of them gets. */
    inviterQuota: quota("inviter_quota").notNull(),
    invitedQuota: quota("invited_quota").notNull(),
    /** How long the first payment has to last before it counts. */
    waitDays: integer("wait_days").notNull(),
    /** The payment that counted. */
    orderId: reference("order_id")
      .unique()
      .references(() => salesOrder.id),
    refusal: text("refusal", { enum: referralRefusals }),
    decidedAt: moment("decided_at"),
    takenBackAt: moment("taken_back_at"),
    ...lifecycle,
  },
  (table) => [
    index("referral_inviter").on(table.inviterId, table.id),
    index("referral_created").on(table.createdAt, table.id),
    index("referral_pending").on(table.id).where(sql`${table.state} = 'pending'`),
    index("referral_rewarded")
      .on(table.inviterId, table.decidedAt)
      .where(sql`${table.state} in ('rewarded', 'taken_back')`),
    index("referral_recent").on(table.decidedAt).where(sql`${table.state} = 'rewarded'`),
    check("referral_of_another", sql`${table.inviterId} <> ${table.invitedId}`),
    check("referral_reward", sql`${table.inviterQuota} >= 0 and ${table.invitedQuota} >= 0 and ${table.waitDays} >= 0`),
    check(
      "referral_state",
      sql`(${table.state} = 'pending') = (${table.decidedAt} is null) and (${table.state} = 'refused') = (${table.refusal} is not null)
        and (${table.state} = 'taken_back') = (${table.takenBackAt} is not null)
        and (${table.state} not in ('rewarded', 'taken_back') or ${table.orderId} is not null)`,
    ),
  ],
);

import { groupVisibilities } from "@sluice/contracts/groups";
import { sql } from "drizzle-orm";
import { boolean, check, integer, numeric, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { lifecycle, moment } from "../columns.ts";

/** A group of users: which channels serve them, and what their calls cost. Usage keeps the name as text. */
export const userGroup = pgTable(
  "user_group",
  {
    name: text("name").primaryKey(),
    description: text("description").notNull().default(""),
    /** What calls of the group cost, as a multiple of the price; multiplied by the user's own multiplier. */
    multiplier: numeric("multiplier", { precision: 12, scale: 6 }).notNull().default("1.000000"),
    visibility: text("visibility", { enum: groupVisibilities }).notNull().default("assigned"),
    /** Of the groups that a user is in, keys without a group of their own use the one with the highest rank. */
    rank: integer("rank").notNull().default(0),
    /** Exactly one group is true: accounts start there if no group names the domain of their address. */
    isStart: boolean("is_start").notNull().default(false),
    /** Accounts with an address at one of these domains start in the group; in lower case. */
    emailDomains: text("email_domains").array().notNull().default([]),
    /** Set once nobody is to use it any more; lists leave it out then. */
    archivedAt: moment("archived_at"),
    ...lifecycle,
  },
  (table) => [
    uniqueIndex("user_group_start").on(table.isStart).where(sql`${table.isStart}`),
    check("user_group_archived", sql`${table.archivedAt} is null or not ${table.isStart}`),
    check("user_group_multiplier", sql`${table.multiplier} >= 0 and ${table.multiplier} <= 10000`),
  ],
);

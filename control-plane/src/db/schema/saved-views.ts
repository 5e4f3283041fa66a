import { sql } from "drizzle-orm";
import { boolean, pgTable, text, unique, uniqueIndex } from "drizzle-orm/pg-core";
import { id, json, lifecycle, reference } from "../columns.ts";
import { sharedAdminCredentials } from "./admins.ts";

/** How an admin wants to see a list: filters, sort and columns, under a name. */
export const savedView = pgTable(
  "saved_view",
  {
    id: id(),
    adminId: reference("admin_id")
      .notNull()
      .references(() => sharedAdminCredentials.id),
    list: text("list").notNull(),
    name: text("name").notNull(),
    query: json("query").$type<Readonly<Record<string, string>>>().notNull(),
    hiddenColumns: json("hidden_columns").$type<readonly string[]>().notNull(),
    isDefault: boolean("is_default").notNull().default(false),
    ...lifecycle,
  },
  (table) => [
    unique("saved_view_name").on(table.adminId, table.list, table.name),
    uniqueIndex("saved_view_default").on(table.adminId, table.list).where(sql`${table.isDefault}`),
  ],
);

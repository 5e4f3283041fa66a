import { integer, pgTable, text } from "drizzle-orm/pg-core";
import { json, moment, reference } from "../columns.ts";

/** What admins have changed of the settings of `admin/settings/registry.ts`. A name without a row has its default. */
export const setting = pgTable("setting", {
  name: text("name").primaryKey(),
  /** Null for a setting that was given its default back. */
  value: json("value"),
  version: integer("version").notNull().default(1),
  updatedBy: reference("updated_by"),
  updatedByName: text("updated_by_name").notNull(),
  updatedAt: moment("updated_at").notNull().defaultNow(),
});

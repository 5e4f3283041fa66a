import { integer, pgTable, text } from "drizzle-orm/pg-core";
import { json, moment, reference } from "../columns.ts";

/** Settings of `admin/settings/registry.ts` that admins have changed. A name without a row has its default. */
export const setting = pgTable("setting", {
  name: text("name").primaryKey(),
  /** Null for a setting that was reset to its default. */
  value: json("value"),
  version: integer("version").notNull().default(1),
  updatedBy: reference("updated_by"),
  updatedByName: text("updated_by_name").notNull(),
  updatedAt: moment("updated_at").notNull().defaultNow(),
});

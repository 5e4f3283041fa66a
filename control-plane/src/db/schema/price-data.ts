import { sql } from "drizzle-orm";
import { boolean, check, integer, jsonb, pgTable, text } from "drizzle-orm/pg-core";
import { moment } from "../columns.ts";

/** Newer prices of providers than the program ships with, and where to fetch them; one row, once there was either. */
export const priceData = pgTable(
  "price_data",
  {
    id: boolean("id").primaryKey().default(true),
    /** What was read of the file; null for the prices that the program ships with. */
    providers: jsonb("providers"),
    kind: text("kind", { enum: ["upload", "url"] }),
    name: text("name"),
    providersCount: integer("providers_count").notNull().default(0),
    modelsCount: integer("models_count").notNull().default(0),
    storedAt: moment("stored_at"),
    storedBy: text("stored_by"),
    /** Null if nothing is fetched. */
    url: text("url"),
    /** The version of the file that was fetched last. */
    etag: text("etag"),
    checkedAt: moment("checked_at"),
    isCheckOk: boolean("is_check_ok"),
    checkResult: text("check_result"),
  },
  (table) => [check("price_data_has_one_row", sql`${table.id}`)],
);

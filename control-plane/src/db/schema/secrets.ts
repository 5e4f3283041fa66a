import { integer, pgTable, text } from "drizzle-orm/pg-core";
import { bytes, lifecycle } from "../columns.ts";

/** Names and encrypted values: credentials of gateways, providers and nodes. Values never leave through an endpoint. */
export const secret = pgTable("secret", {
  name: text("name").primaryKey(),
  /** Encrypted under the master key, bound to the name. */
  sealed: bytes("sealed").notNull(),
  version: integer("version").notNull().default(1),
  ...lifecycle,
});

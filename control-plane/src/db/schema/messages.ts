import { boolean, integer, pgTable, text } from "drizzle-orm/pg-core";
import { json, lifecycle, moment } from "../columns.ts";

/** The model map of the Messages route: the names that its clients ask for, and what answers them. */
export const messagesModel = pgTable("messages_model", {
  name: text("name").primaryKey(),
  displayName: text("display_name").notNull(),
  upstreamModel: text("upstream_model").notNull(),
  /** What the upstream model can and can't do; see ModelFlags of the conversion. Only what differs from the default. */
  flags: json("flags").notNull(),
  isEnabled: boolean("is_enabled").notNull().default(true),
  /** When the model came out, as clients are shown it; lists are sorted by it. */
  releasedAt: moment("released_at").notNull(),
  /** Counts the changes, so that nobody overwrites what they have not seen. */
  version: integer("version").notNull().default(1),
  ...lifecycle,
});

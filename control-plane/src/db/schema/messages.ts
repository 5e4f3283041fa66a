import type { ModelFlags } from "@sluice/messages-conversion/model-flags";
import { boolean, integer, pgTable, text } from "drizzle-orm/pg-core";
import { json, lifecycle, moment } from "../columns.ts";

/** The model map of the Messages route: the names that its clients ask for, and the models that serve them. */
export const messagesModel = pgTable("messages_model", {
  name: text("name").primaryKey(),
  displayName: text("display_name").notNull(),
  upstreamModel: text("upstream_model").notNull(),
  /**
   * What the upstream model can and can't do; see ModelFlags of the conversion. Only the differences from the default.
   */
  flags: json("flags").$type<Partial<ModelFlags>>().notNull(),
  isEnabled: boolean("is_enabled").notNull().default(true),
  /** The model's release date as shown to clients; lists are sorted by it. */
  releasedAt: moment("released_at").notNull(),
  /** Counts the changes, so that nobody overwrites a version they have not seen. */
  version: integer("version").notNull().default(1),
  ...lifecycle,
});

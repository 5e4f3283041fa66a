import { sql } from "drizzle-orm";
import { bigint, boolean, check, index, pgTable, text } from "drizzle-orm/pg-core";
import { bytes, moment } from "../columns.ts";

/** What the replicas have to know of the response cache; one row, once it was cleared for the first time. */
export const responseCache = pgTable(
  "response_cache",
  {
    id: boolean("id").primaryKey().default(true),
    /** How often it was cleared. Part of every digest, so clearing it hides all earlier entries. */
    generation: bigint("generation", { mode: "bigint" }).notNull(),
    clearedAt: moment("cleared_at").notNull().defaultNow(),
  },
  (table) => [check("response_cache_has_one_row", sql`${table.id}`)],
);

/**
 * Responses that replicas share, encrypted, where `RESPONSE_CACHE_STORE` is `postgres`. The table is not logged: it is
 * empty after a crash of the server.
 */
export const cachedResponse = pgTable(
  "cached_response",
  {
    digest: text("digest").primaryKey(),
    sealed: bytes("sealed").notNull(),
    createdAt: moment("created_at").notNull().defaultNow(),
    expiresAt: moment("expires_at").notNull(),
  },
  (table) => [
    index("cached_response_expires").on(table.expiresAt),
    index("cached_response_created").on(table.createdAt),
  ],
);

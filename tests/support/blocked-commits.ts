import type { Database } from "@sluice/control-plane/platform/db.ts";
import { type Held, holdRows } from "./held-row.ts";

/** Locks the usage log until it is ended, so that no row can be written and rows wait in the spools. */
export function blockCommits(db: Database): Promise<Held> {
  return holdRows(db, (tx) => tx.sql`lock table usage_log in share row exclusive mode`);
}

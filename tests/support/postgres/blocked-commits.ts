import type { Database } from "@sluice/control-plane/platform/db.ts";
import { type HeldLock, holdLock } from "./held-lock.ts";

/** Locks the usage log until it is ended, so that no row can be written and rows wait in the spools. */
export function blockCommits(db: Database): Promise<HeldLock> {
  return holdLock(db, (tx) => tx.sql`lock table usage_log in share row exclusive mode`);
}

import type { Transaction } from "../../platform/db.ts";
import type { AuditEntry } from "./model.ts";
import { insertAuditEntry } from "./store.ts";

/** Writes the change down in the transaction that makes it, so that none is without an entry. */
export async function writeAudit(tx: Transaction, entry: AuditEntry): Promise<void> {
  await insertAuditEntry(tx, entry);
}

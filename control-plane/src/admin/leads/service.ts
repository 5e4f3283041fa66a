import type { CreateLeadInput, LeadEntry, SaveLeadInput } from "@sluice/contracts/leads";
import type { Database, Transaction } from "../../platform/db.ts";
import { takeAdvisoryLock } from "../../platform/db-locks.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import { countRecentLeads, insertLead, lockLead, updateLead } from "./store.ts";

const ofAddressMax = 3;
const inAllMax = 200;
const waitSeconds = 3_600;

/**
 * Stores a request for an offer. A bot that fills in the hidden field gets the same response, and nothing is stored.
 * @param countSender counts the sender, and throws when there are too many
 * @throws AppError `too_many_attempts` for a fourth lead from an address within a day, and when there are too many in
 * total
 */
export async function receiveLead(
  db: Database,
  lead: CreateLeadInput,
  countSender: () => Promise<void>,
): Promise<void> {
  if (lead.website !== "") {
    return;
  }
  await countSender();
  await db.withTransaction(async (tx) => {
    // Takes a lock, so that simultaneous leads count each other.
    await takeAdvisoryLock(tx, "incoming leads");
    const recent = await countRecentLeads(tx, lead.email);
    if (recent.ofAddress >= ofAddressMax || recent.inAll >= inAllMax) {
      throw new AppError("too_many_attempts", { retryAfterSeconds: waitSeconds });
    }
    await insertLead(tx, lead);
  });
}

/**
 * Changes the state and note of the lead that was loaded. @throws AppError `not_found`, `conflict` for an old version
 */
export async function saveLead(
  tx: Transaction,
  change: SaveLeadInput,
): Promise<{ readonly before: LeadEntry; readonly after: LeadEntry }> {
  const before = await lockLead(tx, change.id);
  if (before === null) {
    throw notFound("lead");
  }
  if (before.version !== change.version) {
    throw new AppError("conflict");
  }
  const after = await updateLead(tx, change);
  if (after === null) {
    throw new Error(`lead ${change.id} is gone`);
  }
  return { before, after };
}

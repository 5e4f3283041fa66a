import type { AdminEntry } from "@sluice/contracts/accounts";
import type { Transaction } from "../../platform/db.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import { findAdminEntry, holdRights } from "./store.ts";

/** With an `agent` value from here on, a person may do everything. */
export const superAgent = 2;

/**
 * Checks the rights under a lock on the admins who have them, so rights removed a moment ago no longer count.
 * @throws AppError `forbidden`
 */
export async function requireSuper(tx: Transaction, adminId: bigint): Promise<void> {
  const holders = await holdRights(tx, adminId);
  if (!holders.some(({ id, agent }) => id === adminId && agent >= superAgent)) {
    throw new AppError("forbidden");
  }
}

/**
 * Finds the other admin that a super-admin is about to change.
 * @throws AppError `forbidden`, `self_forbidden`, `not_found`
 */
export async function requireOther(tx: Transaction, adminId: bigint, callerId: bigint): Promise<AdminEntry> {
  await requireSuper(tx, callerId);
  if (adminId === callerId) {
    throw new AppError("self_forbidden");
  }
  const admin = await findAdminEntry(tx, adminId);
  // Rows that were never admins of this service are users of other programs.
  if (admin === null || (admin.agent < 1 && admin.last_login_at === null)) {
    throw notFound("admin");
  }
  return admin;
}

export async function entryOf(tx: Transaction, adminId: bigint): Promise<AdminEntry> {
  const entry = await findAdminEntry(tx, adminId);
  if (entry === null) {
    throw new Error(`admin ${adminId} is gone`);
  }
  return entry;
}

/** The name of the role for this `agent`. */
export function roleOf(agent: number): string {
  return agent >= superAgent ? "super-admin" : agent === 1 ? "admin" : "nobody";
}

import type { AdminEntry } from "@sluice/contracts/accounts";
import { roleNames, roleOfRecord, type StoredRole } from "@sluice/contracts/admin-roles";
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

type Rights = { readonly agent: number; readonly role: StoredRole };

/** The rights of someone as a word. */
export function rightsName(rights: Rights): string {
  return rights.agent < 1 ? "nobody" : roleNames[roleOfRecord(rights)];
}

/**
 * The role to store.
 * @param current what is stored now, or an admin's for someone new
 * @throws AppError `invalid_value` for the role of someone who gets no admin's rights, or a super-admin's
 */
export function roleToStore(
  { agent, role }: { readonly agent: number; readonly role?: StoredRole | undefined },
  current: Rights,
): StoredRole {
  if (agent !== 1) {
    if (role !== undefined) {
      throw new AppError("invalid_value", { fields: { role: "Only an admin who is not a super-admin has a role." } });
    }
    // Someone who gets rights back has a role chosen again.
    return "admin";
  }
  return role ?? (current.agent === 1 ? current.role : "admin");
}

import { adminReads } from "./admin-reads.ts";
import { type AdminOperation, type AdminRight, adminRights } from "./admin-rights.ts";
import type { AdminRole, LimitedRole } from "./admin-roles.ts";

const isLimited = (role: AdminRole): role is LimitedRole => role !== "admin" && role !== "super_admin";

/**
 * The limited roles that may call an admin endpoint. A path that neither table names is for admins and super-admins
 * only.
 */
export function limitedRolesOf(path: string): readonly LimitedRole[] {
  const right: AdminRight | undefined = adminRights[path as AdminOperation];
  return right?.roles ?? adminReads.get(path) ?? [];
}

/** Whether the role allows an endpoint; `access` may still require a super-admin. */
export function roleAllows(role: AdminRole, path: string): boolean {
  return !isLimited(role) || limitedRolesOf(path).includes(role);
}

/** The input fields that a role may send to an endpoint; null for all. */
export function fieldsOfRole(role: AdminRole, path: string): readonly string[] | null {
  const right: AdminRight | undefined = adminRights[path as AdminOperation];
  return isLimited(role) ? (right?.roleFields?.[role] ?? null) : null;
}

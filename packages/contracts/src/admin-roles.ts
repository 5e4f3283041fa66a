/** Roles with less than an admin's rights, in the order in which forms and pages show them. */
export const limitedRoles = ["read_only", "support", "billing"] as const;

export type LimitedRole = (typeof limitedRoles)[number];

/** What can be stored for an admin who is not a super-admin. */
export const adminRoles = ["admin", ...limitedRoles] as const;

export type StoredRole = (typeof adminRoles)[number];

/** What someone in the admin area is. */
export type AdminRole = StoredRole | "super_admin";

/** With an `agent` value from here on, a person is a super-admin, whatever role is stored. */
const superAgent = 2;

/** The role of an admin's record */
export function roleOfRecord({ agent, role }: { readonly agent: number; readonly role: StoredRole }): AdminRole {
  return agent >= superAgent ? "super_admin" : role;
}

/** A role in words, for messages and pages. */
export const roleNames: Readonly<Record<AdminRole, string>> = {
  super_admin: "super-admin",
  admin: "admin",
  read_only: "read-only",
  support: "support",
  billing: "billing",
};

import type { adminListResponse } from "@sluice/contracts/accounts";
import type { ResponseOf } from "@sluice/contracts/wire";

export type Admin = ResponseOf<typeof adminListResponse>["admins"][number];

/** A super-admin's actions on another admin. */
export type AdminAction = "promote" | "demote" | "disable" | "restore" | "link" | "sessions" | "totp";

/** The word for the rights of an admin. */
export function roleOf({ agent }: Pick<Admin, "agent">): "super-admin" | "admin" | "disabled" {
  return agent >= 2 ? "super-admin" : agent === 1 ? "admin" : "disabled";
}

/** The possible actions on an admin in the current state; none on oneself. */
export function actionsFor(admin: Admin): readonly AdminAction[] {
  const role = roleOf(admin);
  if (role === "disabled") {
    return ["restore"];
  }
  return [
    role === "admin" ? "promote" : "demote",
    ...(admin.email === null ? [] : ["link" as const]),
    ...(BigInt(admin.sessions) > 0n ? ["sessions" as const] : []),
    ...(admin.has_totp ? ["totp" as const] : []),
    "disable",
  ];
}

import type { adminListResponse } from "@sluice/contracts/accounts";
import type { ResponseOf } from "@sluice/contracts/wire";

export type Admin = ResponseOf<typeof adminListResponse>["admins"][number];

/** A super-admin's actions on another admin. */
export type AdminAction = "role" | "promote" | "demote" | "disable" | "restore" | "link" | "sessions" | "totp";

/** The possible actions on an admin in the current state; none on oneself. */
export function actionsFor(admin: Admin): readonly AdminAction[] {
  if (admin.agent < 1) {
    return ["restore"];
  }
  return [
    ...(admin.agent === 1 ? (["role", "promote"] as const) : (["demote"] as const)),
    ...(admin.email === null ? [] : ["link" as const]),
    ...(BigInt(admin.sessions) > 0n ? ["sessions" as const] : []),
    ...(admin.has_totp ? ["totp" as const] : []),
    "disable",
  ];
}

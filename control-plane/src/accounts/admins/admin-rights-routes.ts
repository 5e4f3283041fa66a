import { adminListAnswer, saveAdminAnswer, saveAdminInput } from "@sluice/contracts/accounts";
import { z } from "zod";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import { type AccountRouteParts, originOf } from "../route-parts.ts";
import { saveAdmin } from "./admin-rights.ts";
import { listAdmins } from "./store.ts";

/** Who may work in the admin area. New admins are made by a command on the server, which shows their password once. */
export function adminRightsEndpoints({ db }: Pick<AccountRouteParts, "db">): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/admin/admin/list/",
      access: "super_admin",
      input: z.strictObject({}),
      summary: "Everybody who is an admin or was one.",
      output: adminListAnswer,
      errors: [],
      handle: async () => ({ admins: await listAdmins(db) }),
    }),
    endpoint({
      method: "POST",
      path: "/backend/admin/admin/save/",
      access: "super_admin",
      input: saveAdminInput,
      summary: "Makes an admin a super-admin, a super-admin an admin, or either of them nobody.",
      output: saveAdminAnswer,
      errors: ["not_found", "conflict", "last_admin", "self_forbidden"],
      handle: async (call) => ({ admin: await saveAdmin(db, call.input, call.admin, originOf(call)) }),
    }),
  ];
}

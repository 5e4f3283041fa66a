import {
  adminActInput,
  adminListResponse,
  createAdminInput,
  doneOrWaiting,
  saveAdminInput,
  saveAdminResponse,
  sessionRevokeResponse,
} from "@sluice/contracts/accounts";
import { adminOperation } from "@sluice/contracts/admin-rights";
import { z } from "zod";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import { limitSentences } from "../attempts/limit-sentences.ts";
import { type AccountRouteDeps, originOf } from "../route-deps.ts";
import { listAdmins } from "./store.ts";

type Parts = Pick<AccountRouteDeps, "db" | "adminAccess" | "approvals" | "acts">;

const ofTwo = "With admin.second_person_above_usd it waits until another super-admin has approved it";

/** Who may work in the admin area. A command on the server creates the first admin and shows the password once. */
export function adminRightsEndpoints(deps: Parts): AnyEndpoint[] {
  return [...rightsEndpoints(deps), ...accessEndpoints(deps)];
}

function accessEndpoints({ adminAccess, approvals, acts }: Parts): AnyEndpoint[] {
  return [
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/admin/create/"),
      input: createAdminInput,
      summary: "Create an admin, who sets the password through a link sent by e-mail",
      output: saveAdminResponse,
      errors: ["conflict", "invalid_value", "too_many_attempts"],
      limits: [...limitSentences.mail, `${ofTwo}.`],
      handle: async (call) => {
        await adminAccess.admitMail(call.input.email, originOf(call));
        return await approvals.carryOut(acts.createAdmin, call.input, call);
      },
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/admin/password-link/"),
      input: adminActInput,
      summary: "Send another admin a link to set a new password; it works once, within an hour",
      output: doneOrWaiting,
      errors: ["not_found", "conflict", "self_forbidden", "too_many_attempts"],
      limits: [...limitSentences.mail, `${ofTwo}, for a super-admin.`],
      handle: async (call) => {
        await adminAccess.admitMailTo(call.input.admin_id, originOf(call));
        return await approvals.carryOut(acts.passwordLink, call.input, call);
      },
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/admin/sessions/revoke/"),
      input: adminActInput,
      summary: "End every session of another admin",
      output: sessionRevokeResponse,
      errors: ["not_found", "self_forbidden"],
      handle: async (call) => {
        const { admin: caller, input } = call;
        const actContext = { caller, origin: originOf(call), reason: input.reason };
        return { revoked: await adminAccess.endSessions(input.admin_id, actContext) };
      },
    }),
  ];
}

function rightsEndpoints({ db, approvals, acts }: Parts): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      ...adminOperation("/backend/admin/admin/list/"),
      input: z.strictObject({}),
      summary: "List current and former admins",
      output: adminListResponse,
      errors: [],
      handle: async () => ({ admins: await listAdmins(db) }),
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/admin/save/"),
      input: saveAdminInput,
      summary: "Grant or remove admin and super-admin rights, or change the role of an admin",
      output: saveAdminResponse,
      errors: ["not_found", "conflict", "invalid_value", "last_admin", "self_forbidden"],
      limits: [`${ofTwo}, if it grants rights.`],
      handle: async (call) => await approvals.carryOut(acts.saveAdmin, call.input, call),
    }),
  ];
}

import { adminOperation } from "@sluice/contracts/admin-rights";
import {
  createdInvitationResponse,
  createInvitationInput,
  registrationSettingsResponse,
  revokedInvitationResponse,
  revokeInvitationInput,
  savedRegistrationResponse,
  saveRegistrationInput,
} from "@sluice/contracts/registration";
import { z } from "zod";
import { idempotencyKeyOf } from "../../platform/endpoint/idempotency-key.ts";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import type { AccountRouteDeps } from "../route-deps.ts";
import { endInvitation, type InvitationDeps, listInvitations } from "./invitations.ts";
import { readRules } from "./registration-store.ts";
import { rulesView } from "./save-rules.ts";

type Parts = Pick<AccountRouteDeps, "db" | "approvals" | "acts"> & InvitationDeps;

const ofTwo = "With admin.second_person_above_usd it waits until another super-admin has approved it";

/** Who may register, and what newcomers get. */
export function registrationAdminEndpoints({ db, approvals, acts, ...deps }: Parts): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      ...adminOperation("/backend/admin/registration/"),
      input: z.strictObject({}),
      summary: "Get who may register, and the newest 200 invitations with their codes",
      output: registrationSettingsResponse,
      errors: [],
      handle: async () => ({ rules: rulesView(await readRules(db)), invitations: await listInvitations(db, deps) }),
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/registration/save/"),
      input: saveRegistrationInput,
      summary: "Change who may register, the proof of work, and free credit with its limits",
      output: savedRegistrationResponse,
      limits: [`${ofTwo}, if newcomers may get more.`],
      errors: ["invalid_value", "conflict"],
      handle: async (call) => await approvals.carryOut(acts.saveRegistration, call.input, call),
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/registration/invitation/create/"),
      input: createInvitationInput,
      summary: "Create an invitation with a limited number of uses",
      output: createdInvitationResponse,
      limits: [`It counts as an adjustment of all the credit that it can grant. ${ofTwo}, if it names a group.`],
      errors: ["invalid_value", "idempotency_mismatch", "super_admin_required", "step_up_required"],
      handle: async ({ input, ...call }) => {
        const key = idempotencyKeyOf(call.request, input.idempotency_key);
        const once = key === null ? input : { ...input, idempotency_key: key };
        return await approvals.carryOut(acts.createInvitation, once, {
          ...call,
          ...(key === null ? {} : { idempotencyKey: key }),
        });
      },
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/registration/invitation/revoke/"),
      input: revokeInvitationInput,
      summary: "End an invitation; accounts that were created with it stay",
      output: revokedInvitationResponse,
      errors: ["not_found"],
      handle: async ({ input, ...call }) => ({
        invitation: await endInvitation(db, deps, { id: input.invitation_id, reason: input.reason, call }),
      }),
    }),
  ];
}

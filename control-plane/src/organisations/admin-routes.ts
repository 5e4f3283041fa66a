import { adminOperation } from "@sluice/contracts/admin-rights";
import {
  adminOrganisationCreateInput,
  adminOrganisationResponse,
  adminOrganisationSaveInput,
} from "@sluice/contracts/organisation-admin";
import { organisationLimits } from "@sluice/contracts/organisations";
import { byCaller } from "../admin/audit/service.ts";
import { type AnyEndpoint, endpoint } from "../platform/endpoint/model.ts";
import { createForUser, saveByAdmin } from "./admin-changes.ts";
import type { OrganisationDeps } from "./port.ts";

/** What operators do with organisations; their list and details are the admin's. */
export function organisationAdminEndpoints(deps: OrganisationDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/organisation/create/"),
      input: adminOrganisationCreateInput,
      output: adminOrganisationResponse,
      errors: ["organisation_limit"],
      limits: [`A user can own at most ${organisationLimits.owned} organisations.`],
      summary: "Create an organisation for a user, who becomes its owner",
      handle: async (call) => ({ organisation: toEntry(await createForUser(deps, call.input, byCaller(call))) }),
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/organisation/save/"),
      input: adminOrganisationSaveInput,
      output: adminOrganisationResponse,
      errors: ["not_found", "conflict"],
      summary: "Rename, suspend or reopen an organisation",
      handle: async (call) => ({ organisation: toEntry(await saveByAdmin(deps, call.input, byCaller(call))) }),
    }),
  ];
}

function toEntry({ organisationId, organisation }: Awaited<ReturnType<typeof saveByAdmin>>) {
  const { gatewayUserId, name, status, updatedAt } = organisation;
  return { organisation_id: organisationId, gateway_user_id: gatewayUserId, name, status, updated_at: updatedAt };
}

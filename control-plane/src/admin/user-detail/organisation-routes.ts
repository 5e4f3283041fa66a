import { adminOrganisationDetail, adminOrganisationInput } from "@sluice/contracts/organisation-admin";
import { readPeople } from "../../organisations/people.ts";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import { notFound } from "../../platform/errors.ts";
import { type ListDeps, readFirstPage } from "../../platform/list-query/endpoints.ts";
import { organisations } from "../lists/accounts-lists-store.ts";
import { findBalance, selectGroups, sumSpent } from "./user-detail-store.ts";

/** An organisation with its people and its account, for the page of operators. */
export function organisationDetailEndpoints(deps: ListDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/admin/organisation/detail/",
      access: "admin",
      input: adminOrganisationInput,
      output: adminOrganisationDetail,
      errors: ["not_found", "too_broad"],
      summary: "Get an organisation with its balance, spending, groups, members, projects and open invitations",
      handle: async ({ input: { organisation_id: id } }) => ({ ...(await readOrganisationDetail(deps, id)) }),
    }),
  ];
}

async function readOrganisationDetail(deps: ListDeps, id: bigint) {
  const { db, clock } = deps;
  const { rows } = await readFirstPage(deps, organisations, { organisation_id: id });
  const organisation = rows[0] as { readonly gateway_user_id: bigint } | undefined;
  const balance = organisation === undefined ? null : await findBalance(db, organisation.gateway_user_id);
  if (organisation === undefined || balance === null) {
    throw notFound("organisation");
  }
  const { gateway_user_id: account } = organisation;
  return {
    organisation,
    balance,
    spent: await sumSpent(db, account, new Date(clock.now())),
    groups: await selectGroups(db, account),
    ...(await readPeople(db, id)),
  };
}

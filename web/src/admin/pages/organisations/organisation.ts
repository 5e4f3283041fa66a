import type { RowOf } from "@sluice/contracts/lists";
import type { adminOrganisationDetail, organisationAdminList } from "@sluice/contracts/organisation-admin";
import type { ResponseOf } from "@sluice/contracts/wire";

export type Organisation = RowOf<typeof organisationAdminList>;
export type OrganisationDetail = ResponseOf<typeof adminOrganisationDetail>;

export const organisationsPath = "/backend/admin/organisation/";
export const organisationDetailPath = "/backend/admin/organisation/detail/";

/** What shows an organisation. */
export const organisationPaths = [organisationsPath, organisationDetailPath, "/backend/admin/audit/"] as const;

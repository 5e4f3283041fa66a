import type { organisationDetailResponse, organisationListResponse } from "@sluice/contracts/organisations";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createQuery } from "@tanstack/solid-query";
import { apiGet } from "../../api/client.ts";
import { acting } from "../acting-for.ts";

export type Organisation = ResponseOf<typeof organisationListResponse>["organisations"][number];

/** The organisations of the user. @param isDue whether they are wanted yet */
export function createOrganisationsQuery(isDue: () => boolean = () => true) {
  return createQuery(() => ({
    enabled: isDue(),
    queryKey: ["organisations"],
    queryFn: ({ signal }) => apiGet<typeof organisationListResponse>("/backend/organisations/list/", { signal }),
  }));
}

/** The projects of the organisation that the console acts for; nothing for the user's own account. */
export function createProjectsQuery() {
  return createQuery(() => ({
    enabled: acting !== null,
    queryKey: ["organisation"],
    queryFn: ({ signal }) => apiGet<typeof organisationDetailResponse>("/backend/organisations/detail/", { signal }),
  }));
}

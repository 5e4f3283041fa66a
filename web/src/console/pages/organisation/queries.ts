import type { organisationDetailResponse } from "@sluice/contracts/organisations";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createQuery } from "@tanstack/solid-query";
import { apiGet } from "../../../api/client.ts";

export type Detail = ResponseOf<typeof organisationDetailResponse>;
export type Member = Detail["members"][number];
export type Project = Detail["projects"][number];
export type Invitation = Detail["invitations"][number];

export const detailKey = ["organisation"];

export function createDetailQuery() {
  return createQuery(() => ({
    queryKey: detailKey,
    queryFn: ({ signal }) => apiGet<typeof organisationDetailResponse>("/backend/organisations/detail/", { signal }),
  }));
}

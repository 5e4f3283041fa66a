import type { Database } from "../platform/db.ts";
import type { Memberships } from "../platform/endpoint/model.ts";
import type { Feature } from "../platform/feature.ts";
import { organisationAdminEndpoints } from "./admin-routes.ts";
import type { OrganisationDeps } from "./port.ts";
import { organisationEndpoints } from "./routes.ts";
import { findMembership } from "./store.ts";

/** People who share one account: members, invitations, projects. */
export function organisationFeature(deps: OrganisationDeps): Feature {
  return { name: "organisations", endpoints: [...organisationEndpoints(deps), ...organisationAdminEndpoints(deps)] };
}

/** For the endpoints of all features: what a user is to the organisation that a request names. */
export function membershipsOf(db: Database): Memberships {
  return { find: (userId, organisationId) => findMembership(db, userId, organisationId) };
}

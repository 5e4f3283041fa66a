import type { Clock } from "../platform/clock.ts";
import type { Feature } from "../platform/feature.ts";
import { inboxEndpoints } from "./inbox/routes.ts";
import { mailLogEndpoints } from "./log/routes.ts";
import { type TemplateEndpointDeps, templateEndpoints } from "./templates/routes.ts";

/** What admins see of e-mails and change about them, and what users are shown of theirs. */
export function mailFeature(deps: TemplateEndpointDeps & { readonly clock: Clock }): Feature {
  return {
    name: "mail",
    endpoints: [...mailLogEndpoints(deps), ...templateEndpoints(deps), ...inboxEndpoints(deps)],
  };
}

import type { Feature } from "../../platform/feature.ts";
import { approvalEndpoints } from "./routes.ts";
import type { Approvals } from "./service.ts";

/** Acts that wait for a second admin. */
export function approvalFeature(approvals: Approvals): Feature {
  return {
    name: "approvals",
    endpoints: approvalEndpoints(approvals),
    jobs: [{ name: "clean-up-approvals", pattern: "0 29 * * * *", run: (database) => approvals.cleanUp(database) }],
  };
}

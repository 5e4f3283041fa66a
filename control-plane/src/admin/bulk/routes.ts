import { adminOperation } from "@sluice/contracts/admin-rights";
import { bulkPreviewInput, bulkPreviewResponse, bulkRunInput, bulkRunResponse } from "@sluice/contracts/bulk-actions";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import { type BulkDeps, previewBulk, runBulk } from "./service.ts";

/** What admins do with many rows of a list at once. */
export function bulkEndpoints(deps: BulkDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/bulk/preview/"),
      input: bulkPreviewInput,
      output: bulkPreviewResponse,
      errors: ["invalid_parameter", "too_broad", "super_admin_required"],
      limits: ["At most 100 rows."],
      summary: "Preview an action on some rows of a list, and which rows it would skip",
      handle: async ({ input, admin }) => await previewBulk(deps, input, admin),
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/bulk/run/"),
      input: bulkRunInput,
      output: bulkRunResponse,
      errors: ["invalid_parameter", "too_broad", "super_admin_required", "step_up_required"],
      limits: ["At most 100 rows, and at most 30 seconds; rows after that are skipped."],
      summary: "Carry out an action on some rows of a list, each as if it had been requested alone; repeatable",
      handle: async (call) => await runBulk(deps, call),
    }),
  ];
}

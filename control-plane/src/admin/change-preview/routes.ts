import { adminOperation } from "@sluice/contracts/admin-rights";
import { changePreviewInput, changePreviewResponse } from "@sluice/contracts/change-preview";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import { type ChangePreviewDeps, previewChange } from "./service.ts";

/** Holds the longest input of any operation, a legal text, and what is around it. */
const bodyBytesMax = 512 * 1024;

/** What an operation would do, before an admin carries it out. */
export function changePreviewEndpoints(deps: ChangePreviewDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/change/preview/"),
      input: changePreviewInput,
      output: changePreviewResponse,
      bodyBytesMax,
      errors: ["super_admin_required"],
      summary: "Say what an operation would change and whom it would affect, without carrying it out",
      handle: async (call) => ({ ...(await previewChange(deps, call)) }),
    }),
  ];
}

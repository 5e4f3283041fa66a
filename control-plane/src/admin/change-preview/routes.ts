import { adminOperation } from "@sluice/contracts/admin-rights";
import { changePreviewInput, changePreviewResponse } from "@sluice/contracts/change-preview";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import { AppError } from "../../platform/errors.ts";
import { Semaphore, SemaphoreFullError } from "../../platform/semaphore.ts";
import { type ChangePreviewDeps, previewChange } from "./service.ts";

/** Holds the longest input of any operation, a legal text, and what is around it. */
const bodyBytesMax = 512 * 1024;

const waitingMax = 20;
const waitMsMax = 5_000;

/** What an operation would do, before an admin carries it out. */
export function changePreviewEndpoints(deps: ChangePreviewDeps): AnyEndpoint[] {
  // A preview has a connection and needs a second one, for what is there without it: many at once would take all and wait for each other.
  const turns = new Semaphore({ runningMax: 1, waitingMax, waitMsMax });
  return [
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/change/preview/"),
      input: changePreviewInput,
      output: changePreviewResponse,
      bodyBytesMax,
      errors: ["super_admin_required"],
      limits: [`One at a time in each process; ${waitingMax} others wait, up to ${waitMsMax / 1_000} seconds.`],
      summary: "Preview what an operation would change and whom it would affect",
      handle: async (call) => ({ ...(await inTurn(turns, () => previewChange(deps, call))) }),
    }),
  ];
}

/** @throws AppError `temporarily_unavailable` when too many wait, or for too long */
async function inTurn<T>(turns: Semaphore, work: () => Promise<T>): Promise<T> {
  try {
    return await turns.run(work);
  } catch (error) {
    throw error instanceof SemaphoreFullError
      ? new AppError("temporarily_unavailable", { cause: error, retryAfterSeconds: 2 })
      : error;
  }
}

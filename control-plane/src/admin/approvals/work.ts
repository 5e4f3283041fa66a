import type { Database } from "../../platform/db.ts";
import type { Work } from "../../platform/feature.ts";
import { deleteOldAllowances, expireApprovals } from "./store.ts";

/** The job that marks requests which have expired. */
export const approvalWork: Work = {
  jobs: [{ name: "clean-up-approvals", pattern: "0 29 * * * *", run: cleanUp }],
};

async function cleanUp(db: Database): Promise<void> {
  await expireApprovals(db);
  await deleteOldAllowances(db);
}

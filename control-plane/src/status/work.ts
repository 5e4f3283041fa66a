import type { Work } from "../platform/feature.ts";
import { removeOldPerformance } from "./store.ts";

/** The job that removes sums which the status page no longer shows. */
export const statusWork: Work = {
  jobs: [{ name: "old-performance", pattern: "50 27 * * * *", run: removeOldPerformance }],
};

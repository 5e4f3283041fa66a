import type { Database } from "../../platform/db.ts";
import type { Job } from "../../platform/schedule-jobs.ts";
import { sortUsersAfter } from "./sort-users-store.ts";

const usersPerStep = 5_000;
/** More users than one service has; what is left waits for the next run. */
const stepsMax = 2_000;

/** Brings what lists of users are sorted by up to date: balance, use and last call. Safe to repeat. */
export async function sortUsers(db: Database): Promise<void> {
  let last: bigint | null = 0n;
  for (let step = 0; step < stepsMax && last !== null; step += 1) {
    last = await sortUsersAfter(db, last, usersPerStep);
  }
}

/** After the job that adds calls up, at second 15. */
export const sortUsersJob: Job = { name: "sort-users", pattern: "25 * * * * *", run: sortUsers };

import type { MasterKey } from "../platform/crypto/master-key.ts";
import type { Database } from "../platform/db.ts";
import type { Work } from "../platform/feature.ts";
import { deleteEndedTokens } from "./access-tokens/store.ts";
import { deleteOldAttempts } from "./attempts/attempt-store.ts";
import { type CloseDeps, closeDueAccounts } from "./closing/close-accounts.ts";
import { ClosedMarks } from "./registration/closed-marks.ts";
import { deleteEndedSessions } from "./sessions/store.ts";
import { deleteOldTokens } from "./tokens-store.ts";
import { deleteOldChallenges } from "./used-challenge-store.ts";

export type AccountWorkDeps = Omit<CloseDeps, "marks"> & { readonly masterKey: MasterKey };

/** The jobs that close accounts and remove what has expired. */
export function accountWork({ masterKey, ...deps }: AccountWorkDeps): Work {
  const marks = new ClosedMarks(masterKey);
  return {
    jobs: [
      { name: "clean-up-accounts", pattern: "0 17 * * * *", run: cleanUp },
      { name: "close-accounts", pattern: "20 */5 * * * *", run: (each) => closeDueAccounts(each, { ...deps, marks }) },
    ],
  };
}

/** Removes expired sessions, links, attempt counts and used challenges. */
async function cleanUp(db: Database): Promise<void> {
  await deleteEndedSessions(db);
  await deleteEndedTokens(db);
  await deleteOldTokens(db);
  await deleteOldAttempts(db);
  await deleteOldChallenges(db);
}

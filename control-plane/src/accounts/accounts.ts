import type { Database } from "../platform/db.ts";
import type { AnyEndpoint, CallerReader } from "../platform/endpoint/model.ts";
import { adminAuthEndpoints } from "./admin-routes.ts";
import { AdminLogin } from "./admins/admin-login.ts";
import { deleteOldAttempts } from "./attempts/attempt-store.ts";
import { PasswordHashing } from "./passwords/password-hashing.ts";
import { Sessions } from "./sessions/sessions.ts";
import { deleteEndedSessions } from "./sessions/store.ts";

export type AccountsParts = {
  readonly db: Database;
  /** Cookies then travel over plain HTTP as well. */
  readonly isDevelopment: boolean;
};

export type Accounts = {
  readonly callers: CallerReader;
  readonly endpoints: readonly AnyEndpoint[];
  /** Removes what is over: sessions, counts of attempts. */
  readonly cleanUp: (db: Database) => Promise<void>;
};

/** The feature, put together. */
export function buildAccounts({ db, isDevelopment }: AccountsParts): Accounts {
  const sessions = new Sessions(db, !isDevelopment);
  const hashing = new PasswordHashing();
  const adminLogin = new AdminLogin(db, sessions, hashing);
  return {
    callers: sessions,
    endpoints: [
      ...adminAuthEndpoints({
        login: adminLogin,
        sessions,
        endSession: (request) => sessions.end(db, "admin", request),
      }),
    ],
    cleanUp: async (database) => {
      await deleteEndedSessions(database);
      await deleteOldAttempts(database);
    },
  };
}

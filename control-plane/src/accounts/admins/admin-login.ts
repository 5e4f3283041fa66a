import type { Database } from "../../platform/db.ts";
import { AppError } from "../../platform/errors.ts";
import { beginAttempt } from "../attempts/attempts.ts";
import { attemptKinds } from "../attempts/model.ts";
import type { PasswordHashing } from "../passwords/password-hashing.ts";
import type { LoginOrigin } from "../sessions/model.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { ofAdmin } from "../sessions/store.ts";
import { type AdminCredentials, findAdminByLogin, touchSupportProfile } from "./store.ts";

export type AdminLoginInput = { readonly login: string; readonly password: string };

/** Logs admins in with what the shared credential table knows of them. */
export class AdminLogin {
  readonly #db: Database;
  readonly #sessions: Sessions;
  readonly #hashing: PasswordHashing;

  constructor(db: Database, sessions: Sessions, hashing: PasswordHashing) {
    this.#db = db;
    this.#sessions = sessions;
    this.#hashing = hashing;
  }

  /**
   * @returns who it is, and the `Set-Cookie` of the new session
   * @throws AppError `invalid_login` for whatever is wrong with the login, `too_many_attempts`
   */
  async logIn(
    input: AdminLoginInput,
    request: Request,
    origin: LoginOrigin,
  ): Promise<{ readonly admin: AdminCredentials; readonly cookie: string }> {
    const attempt = await beginAttempt(this.#db, attemptKinds.adminLogin, input.login, origin.ip);
    const admin = await findAdminByLogin(this.#db, input.login);
    const isRight = await this.#hashing.isRight(input.password, admin?.passwordHash ?? null);
    if (admin === null || !isRight || admin.agent <= 0) {
      throw new AppError("invalid_login");
    }
    await attempt.succeeded();
    const cookie = await this.#db.withTransaction(async (tx) => {
      await touchSupportProfile(tx, admin.id, admin.username);
      return await this.#sessions.start(tx, ofAdmin(admin.id), request, origin);
    });
    return { admin, cookie };
  }
}

import type { Database } from "../../platform/db.ts";
import { AppError } from "../../platform/errors.ts";
import { beginAttempt } from "../attempts/attempts.ts";
import { attemptKinds } from "../attempts/model.ts";
import type { LoginParts } from "../login/user-login.ts";
import type { LoginOrigin } from "../sessions/model.ts";
import { ofAdmin } from "../sessions/store.ts";
import { type AdminCredentials, findAdminByLogin, holdAdmin, touchSupportProfile } from "./store.ts";

export type AdminLoginInput = {
  readonly login: string;
  readonly password: string;
  readonly code?: string | undefined;
};

/** Logs admins in with what the shared credential table knows of them. */
export class AdminLogin {
  readonly #parts: LoginParts;

  constructor(parts: LoginParts) {
    this.#parts = parts;
  }

  /**
   * @returns who it is, and the `Set-Cookie` of the new session
   * @throws AppError `invalid_login` for whatever is wrong with name or password; behind them `code_required`,
   * `invalid_code`; `too_many_attempts`
   */
  async logIn(
    input: AdminLoginInput,
    request: Request,
    origin: LoginOrigin,
  ): Promise<{ readonly admin: AdminCredentials; readonly cookie: string }> {
    const { db, hashing, factor, sessions } = this.#parts;
    const admin = await this.#findProven(db, hashing, input, origin);
    if (admin.hasCode) {
      await factor.check({ kind: "admin", id: admin.id }, input.code);
    }
    const cookie = await db.withTransaction(async (tx) => {
      if (!(await holdAdmin(tx, admin))) {
        throw new AppError("invalid_login");
      }
      await touchSupportProfile(tx, admin.id, admin.username);
      return await sessions.start(tx, ofAdmin(admin.id), request, origin);
    });
    return { admin, cookie };
  }

  async #findProven(
    db: Database,
    hashing: LoginParts["hashing"],
    { login, password }: AdminLoginInput,
    { ip }: LoginOrigin,
  ): Promise<AdminCredentials> {
    const attempt = await beginAttempt(db, attemptKinds.adminLogin, login, ip);
    const admin = await findAdminByLogin(db, login);
    const isRight = await hashing.isRight(password, admin?.passwordHash ?? null);
    if (admin === null || !isRight || admin.agent <= 0) {
      throw new AppError("invalid_login");
    }
    await attempt.succeeded();
    return admin;
  }
}

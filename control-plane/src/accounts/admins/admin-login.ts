import { AppError } from "../../platform/errors.ts";
import { beginAttempt } from "../attempts/attempts.ts";
import { attemptKinds, freeFromAddress } from "../attempts/model.ts";
import type { LoginDeps } from "../login/user-login.ts";
import type { Origin } from "../model.ts";
import { ofAdmin } from "../sessions/store.ts";
import { type AdminCredentials, findAdminByLogin, holdAdmin, touchSupportProfile } from "./store.ts";

export type AdminLoginInput = {
  readonly login: string;
  readonly password: string;
  readonly code?: string | undefined;
};

/** Logs in admins with the credentials in the shared table. */
export class AdminLogin {
  readonly #deps: LoginDeps;

  constructor(deps: LoginDeps) {
    this.#deps = deps;
  }

  /**
   * @returns the admin, and each `Set-Cookie`: for the new session, and for a browser that was not known yet
   * @throws AppError `invalid_credentials` if the name or the password is wrong; after the right password
   * `code_required`, `invalid_code`; `too_many_attempts`
   */
  async logIn(
    input: AdminLoginInput,
    request: Request,
    origin: Origin,
  ): Promise<{ readonly admin: AdminCredentials; readonly cookies: string[] }> {
    const { db, factor, sessions, devices } = this.#deps;
    const { admin, device } = await this.#findProven(input, request, origin);
    if (admin.hasCode) {
      await factor.check({ kind: "admin", id: admin.id }, input.code, origin);
    }
    const cookie = await db.withTransaction(async (tx) => {
      if (!(await holdAdmin(tx, admin))) {
        throw new AppError("invalid_credentials");
      }
      await touchSupportProfile(tx, admin.id, admin.username);
      return await sessions.start(tx, ofAdmin(admin.id), request, { ...origin, method: "password" });
    });
    return { admin, cookies: device === null ? [cookie, devices.cookie("admin", admin.id)] : [cookie] };
  }

  async #findProven(
    { login, password }: AdminLoginInput,
    request: Request,
    { ip }: Origin,
  ): Promise<{ readonly admin: AdminCredentials; readonly device: string | null }> {
    const { db, hashing, devices } = this.#deps;
    const admin = await findAdminByLogin(db, login);
    const device = admin === null ? null : devices.read(request, "admin", admin.id);
    const attempt = await beginAttempt(db, freeFromAddress(attemptKinds.adminLogin, this.#deps.limits().adminLogins), {
      account: login,
      ip,
      device,
    });
    const isRight = await hashing.isRight(password, admin?.passwordHash ?? null);
    if (admin === null || !isRight || admin.agent <= 0) {
      throw new AppError("invalid_credentials");
    }
    await attempt.succeeded();
    return { admin, device };
  }
}

import { mailLocaleOf } from "../../mail/model.ts";
import type { Database } from "../../platform/db.ts";
import { AppError } from "../../platform/errors.ts";
import { localeCookie } from "../../platform/page-locale.ts";
import { beginAttempt } from "../attempts/attempts.ts";
import { type AddressNumbers, attemptKinds, freeFromAddress } from "../attempts/model.ts";
import type { Origin } from "../model.ts";
import type { PasswordHashing } from "../passwords/password-hashing.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { ofUser } from "../sessions/store.ts";
import { findLoginByAccount, holdLogin, type LoginProfile, strengthenPassword } from "../store.ts";
import type { SecondFactor } from "../totp/second-factor.ts";
import type { KnownDevices } from "./known-devices.ts";

export type LoginDeps = {
  readonly db: Database;
  readonly sessions: Sessions;
  readonly hashing: PasswordHashing;
  readonly factor: SecondFactor;
  readonly devices: KnownDevices;
  readonly limits: () => AddressNumbers;
};

export type LoginInput = {
  readonly email: string;
  readonly password: string;
  readonly code?: string | undefined;
};

export class UserLogin {
  readonly #deps: LoginDeps;

  constructor(deps: LoginDeps) {
    this.#deps = deps;
  }

  /**
   * @returns each `Set-Cookie`: for the new session, for the user's language, and for a browser that was not known yet
   * @throws AppError `invalid_credentials` for an unknown address and for a wrong password, after the same time; after
   * the right password `email_not_verified`, `account_disabled`, `code_required`, `invalid_code`; `too_many_attempts`
   */
  async logIn(input: LoginInput, request: Request, origin: Origin): Promise<{ cookies: string[]; user: LoginProfile }> {
    const { db, hashing, sessions, factor, devices } = this.#deps;
    const account = input.email.trim();
    const user = await findLoginByAccount(db, account);
    const device = user === null ? null : devices.read(request, "user", user.userId);
    const attempt = await beginAttempt(db, freeFromAddress(attemptKinds.userLogin, this.#deps.limits().logins), {
      account,
      ip: origin.ip,
      device,
    });
    const isRight = await hashing.isRight(input.password, user?.passwordHash ?? null);
    if (user === null || user.passwordHash === null || !isRight) {
      throw new AppError("invalid_credentials");
    }
    await attempt.succeeded();
    refuseUnlessActive(user);
    const { userId } = user;
    if (user.hasCode) {
      await factor.check({ kind: "user", id: userId }, input.code, origin);
    }
    const cookie = await db.withTransaction(async (tx) => {
      if (!(await holdLogin(tx, user))) {
        throw new AppError("invalid_credentials");
      }
      return await sessions.start(tx, ofUser(userId), request, { ...origin, method: "password" });
    });
    if (!hashing.isOwn(user.passwordHash)) {
      // Another program's hash is weaker than ours. If two logins do this at once, the second finds it done.
      await strengthenPassword(db, userId, user.passwordHash, await hashing.hash(input.password));
    }
    const language = localeCookie(mailLocaleOf(user.locale), sessions.isSecure);
    return { cookies: [cookie, language, ...(device === null ? [devices.cookie("user", userId)] : [])], user };
  }
}

/** @throws AppError `email_not_verified`, `account_disabled` */
export function refuseUnlessActive({ status }: Pick<LoginProfile, "status">): void {
  if (status === "email_pending") {
    throw new AppError("email_not_verified");
  }
  if (status !== "active") {
    throw new AppError("account_disabled");
  }
}

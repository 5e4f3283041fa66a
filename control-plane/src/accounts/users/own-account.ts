import type { UserId } from "@sluice/contracts/ids";
import { audit, byUser } from "../../admin/audit/service.ts";
import { type MailQueue, mailLocaleOf } from "../../mail/model.ts";
import type { UserCaller } from "../../platform/endpoint/model.ts";
import { AppError } from "../../platform/errors.ts";
import { endAccess } from "../access-tokens/access-tokens.ts";
import { beginAttempt } from "../attempts/attempts.ts";
import { attemptKinds } from "../attempts/model.ts";
import type { LoginDeps } from "../login/user-login.ts";
import { type Origin, type Profile, parseDisplayName } from "../model.ts";
import { mailPasswordChange } from "../passwords/mail-password-change.ts";
import { passwordProblem } from "../passwords/password-rules.ts";
import { ofUser } from "../sessions/store.ts";
import {
  findLoginById,
  findProfile,
  type LoginProfile,
  lockProfile,
  replacePassword,
  updateOwnProfile,
} from "../store.ts";
import { spendTokens } from "../tokens-store.ts";
import { removeSecret } from "../totp/totp-store.ts";

export type OwnAccountDeps = LoginDeps & { readonly mails: MailQueue; readonly baseUrl: string };

/** What users change in their own account. */
export class OwnAccount {
  readonly #deps: OwnAccountDeps;

  constructor(deps: OwnAccountDeps) {
    this.#deps = deps;
  }

  /** @throws AppError `unauthenticated` when the user no longer exists */
  async read(userId: UserId): Promise<Profile> {
    const profile = await findProfile(this.#deps.db, userId);
    if (profile === null) {
      throw new AppError("unauthenticated");
    }
    return profile;
  }

  /** @throws AppError `invalid_name`, `unauthenticated` when the account was closed meanwhile */
  async saveProfile(
    user: UserCaller,
    change: { readonly displayName?: string | null; readonly locale?: string },
    origin: Origin,
  ): Promise<Profile> {
    const displayName = change.displayName === undefined ? undefined : parseDisplayName(change.displayName);
    if (change.displayName !== undefined && displayName === undefined) {
      throw new AppError("invalid_name", { fields: { display_name: "Use at most 100 characters, on one line." } });
    }
    await this.#deps.db.withTransaction(async (tx) => {
      await lockProfile(tx, user.userId);
      const before = await findProfile(tx, user.userId);
      // An admin may have closed the account after the session was checked.
      if (before?.status !== "active") {
        throw new AppError("unauthenticated");
      }
      const after = {
        displayName: displayName === undefined ? before.displayName : displayName,
        locale: change.locale === undefined ? before.locale : mailLocaleOf(change.locale),
      };
      await updateOwnProfile(tx, user.userId, after);
      const { displayName: oldName, locale } = before;
      await audit(tx, byUser(user, origin), "user.profile_save", {
        ...subjectOf(user),
        before: { displayName: oldName, locale },
        after,
      });
    });
    return await this.read(user.userId);
  }

  /**
   * Changes the user's password. Every session ends, and links already sent stop working; the caller continues with a
   * new session.
   * @returns the `Set-Cookie`
   * @throws AppError `invalid_credentials` when the old password is wrong, `invalid_password`, `conflict`,
   * `too_many_attempts`
   */
  async changePassword(
    user: UserCaller,
    passwords: { readonly current: string; readonly next: string },
    request: Request,
    origin: Origin,
  ): Promise<string> {
    const { db, hashing, sessions } = this.#deps;
    const problem = passwordProblem(passwords.next, user.email);
    if (problem !== null) {
      throw new AppError("invalid_password", { message: problem, fields: { new_password: problem } });
    }
    const login = await this.#confirm(user.userId, passwords.current, origin);
    const passwordHash = await hashing.hash(passwords.next);
    return await db.withTransaction(async (tx) => {
      if (!(await replacePassword(tx, user.userId, login.passwordHash, passwordHash))) {
        // While the new password was hashed, the password was changed or the account was suspended.
        throw new AppError("conflict");
      }
      await spendTokens(tx, user.userId, "password_reset");
      const ended = await endAccess(tx, ofUser(user.userId));
      await mailPasswordChange(tx, this.#deps, login);
      const after = { endedSessions: ended };
      await audit(tx, byUser(user, origin), "user.password_change", { ...subjectOf(user), after });
      return await sessions.start(tx, ofUser(user.userId), request, { ...origin, method: "password" });
    });
  }

  /** @throws AppError `invalid_credentials`, `conflict`, `too_many_attempts` */
  async beginTotp(user: UserCaller, password: string, origin: Origin): Promise<{ secret: string; uri: string }> {
    await this.#confirm(user.userId, password, origin);
    const owner = { kind: "user", id: user.userId } as const;
    return await this.#deps.db.withTransaction((tx) => this.#deps.factor.begin(tx, owner, user.email));
  }

  /**
   * @returns the recovery codes
   * @throws AppError `invalid_code`, `conflict`, `too_many_attempts`
   */
  async enableTotp(user: UserCaller, code: string, origin: Origin): Promise<string[]> {
    return await this.#deps.factor.enable({ kind: "user", id: user.userId }, code, async (tx) => {
      await endAccess(tx, ofUser(user.userId), user.sessionId);
      await audit(tx, byUser(user, origin), "user.totp_enable", subjectOf(user));
    });
  }

  /** @throws AppError `invalid_credentials`, `invalid_code`, `too_many_attempts` */
  async disableTotp(user: UserCaller, proof: { password: string; code: string }, origin: Origin): Promise<void> {
    await this.#confirm(user.userId, proof.password, origin);
    const owner = { kind: "user", id: user.userId } as const;
    await this.#deps.factor.check(owner, proof.code, origin);
    await this.#deps.db.withTransaction(async (tx) => {
      await removeSecret(tx, owner);
      await audit(tx, byUser(user, origin), "user.totp_disable", subjectOf(user));
    });
  }

  /**
   * Creates new recovery codes; the old ones stop working.
   * @throws AppError `invalid_credentials`, `invalid_code`, `conflict`, `too_many_attempts`
   */
  async remakeRecoveryCodes(
    user: UserCaller,
    proof: { readonly password: string; readonly code: string },
    origin: Origin,
  ): Promise<string[]> {
    await this.#confirm(user.userId, proof.password, origin);
    const owner = { kind: "user", id: user.userId } as const;
    await this.#deps.factor.check(owner, proof.code, origin);
    return await this.#deps.db.withTransaction(async (tx) => {
      const codes = await this.#deps.factor.makeRecoveryCodes(tx, owner);
      await audit(tx, byUser(user, origin), "user.recovery_codes_make", subjectOf(user));
      return codes;
    });
  }

  /**
   * Makes sure that the caller is the owner, as a login would.
   * @returns the hash that the password was compared with
   * @throws AppError `invalid_credentials`, `code_required`, `invalid_code`, `too_many_attempts`
   */
  async prove(
    user: UserCaller,
    proof: { readonly password: string; readonly code?: string | undefined },
    origin: Origin,
  ): Promise<string> {
    const { hasCode, passwordHash } = await this.#confirm(user.userId, proof.password, origin);
    if (hasCode) {
      await this.#deps.factor.check({ kind: "user", id: user.userId }, proof.code, origin);
    }
    return passwordHash;
  }

  /** @returns the user, with the hash that the password was compared with */
  async #confirm(
    userId: UserId,
    password: string,
    { ip }: Origin,
  ): Promise<LoginProfile & { readonly passwordHash: string }> {
    const { db, hashing } = this.#deps;
    const attempt = await beginAttempt(db, attemptKinds.confirmation, { account: `user:${userId}`, ip });
    const login = await findLoginById(db, userId);
    const passwordHash = login?.passwordHash ?? null;
    if (!(await hashing.isRight(password, passwordHash)) || login === null || passwordHash === null) {
      throw new AppError("invalid_credentials", { message: "The password is incorrect." });
    }
    await attempt.succeeded();
    return { ...login, passwordHash };
  }
}

const subjectOf = ({ userId }: UserCaller) => ({ subjectKind: "user", subjectId: userId });

import type { AdminLocale } from "@sluice/contracts/locales";
import { audit, byAdmin } from "../../admin/audit/service.ts";
import type { Transaction } from "../../platform/db.ts";
import type { AdminCaller } from "../../platform/endpoint/model.ts";
import { AppError } from "../../platform/errors.ts";
import { endAccess } from "../access-tokens/access-tokens.ts";
import { beginAttempt } from "../attempts/attempts.ts";
import { attemptKinds } from "../attempts/model.ts";
import type { LoginDeps } from "../login/user-login.ts";
import type { Origin } from "../model.ts";
import { passwordProblem } from "../passwords/password-rules.ts";
import { ofAdmin } from "../sessions/store.ts";
import { listUnusedCodes } from "../totp/recovery-store.ts";
import { type CodeOwner, removeSecret } from "../totp/totp-store.ts";
import { spendAdminTokens } from "./admin-tokens-store.ts";
import { findAdminById, replaceAdminPassword, setAdminLocale } from "./store.ts";

/** What admins change in their own login, and super-admins in the logins of others. */
export class AdminAccounts {
  readonly #deps: LoginDeps;

  constructor(deps: LoginDeps) {
    this.#deps = deps;
  }

  /** Whether codes are required, and how many recovery codes are left. */
  async codesOf(admin: AdminCaller): Promise<{ readonly hasCode: boolean; readonly recoveryCodesLeft: number }> {
    const { db } = this.#deps;
    const unused = await listUnusedCodes(db, { kind: "admin", id: admin.adminId });
    const credentials = await findAdminById(db, admin.adminId);
    return { hasCode: credentials?.hasCode === true, recoveryCodesLeft: unused.length };
  }

  /** The language in which the admin area is shown to this admin, in every browser. */
  async chooseLocale(admin: AdminCaller, locale: AdminLocale, origin: Origin): Promise<void> {
    await this.#deps.db.withTransaction(async (tx) => {
      await setAdminLocale(tx, admin.adminId, locale);
      await audit(tx, byAdmin(admin, origin), "admin.locale_save", {
        subjectKind: "admin",
        subjectId: admin.adminId,
        before: { locale: admin.locale },
        after: { locale },
      });
    });
  }

  /**
   * Changes the admin's password and ends every session; the caller continues with a new one. No code was required, so
   * this does not count as a fresh login.
   * @returns the `Set-Cookie`
   * @throws AppError `invalid_credentials`, `invalid_password`, `conflict`, `too_many_attempts`
   */
  async changePassword(
    admin: AdminCaller,
    passwords: { readonly current: string; readonly next: string },
    request: Request,
    origin: Origin,
  ): Promise<string> {
    const { db, hashing, sessions } = this.#deps;
    const problem = passwordProblem(passwords.next, admin.username);
    if (problem !== null) {
      throw new AppError("invalid_password", { message: problem, fields: { new_password: problem } });
    }
    const currentHash = await this.#confirm(admin, passwords.current, origin);
    const passwordHash = await hashing.hash(passwords.next);
    return await db.withTransaction(async (tx) => {
      if (!(await replaceAdminPassword(tx, admin.adminId, currentHash, passwordHash))) {
        // While the new password was hashed, the password was changed or the rights were removed.
        throw new AppError("conflict");
      }
      await spendAdminTokens(tx, admin.adminId);
      await endAccess(tx, ofAdmin(admin.adminId));
      await this.#audit(tx, admin, origin, { action: "admin.password_change" });
      const continued = { ...origin, method: "password", continuedId: admin.sessionId } as const;
      return await sessions.start(tx, ofAdmin(admin.adminId), request, continued);
    });
  }

  /** @throws AppError `invalid_credentials`, `conflict`, `too_many_attempts` */
  async beginTotp(admin: AdminCaller, password: string, origin: Origin): Promise<{ secret: string; uri: string }> {
    await this.#confirm(admin, password, origin);
    const owner = { kind: "admin", id: admin.adminId } as const;
    return await this.#deps.db.withTransaction((tx) => this.#deps.factor.begin(tx, owner, admin.username));
  }

  /**
   * @returns the recovery codes
   * @throws AppError `invalid_code`, `conflict`, `too_many_attempts`
   */
  async enableTotp(admin: AdminCaller, code: string, origin: Origin): Promise<string[]> {
    return await this.#deps.factor.enable({ kind: "admin", id: admin.adminId }, code, async (tx) => {
      await endAccess(tx, ofAdmin(admin.adminId), admin.sessionId);
      await this.#audit(tx, admin, origin, { action: "admin.totp_enable" });
    });
  }

  /** @throws AppError `invalid_credentials`, `invalid_code`, `too_many_attempts` */
  async disableTotp(admin: AdminCaller, proof: { password: string; code: string }, origin: Origin): Promise<void> {
    await this.#confirm(admin, proof.password, origin);
    const owner = { kind: "admin", id: admin.adminId } as const;
    await this.#deps.factor.check(owner, proof.code, origin);
    await this.#deps.db.withTransaction(async (tx) => {
      await removeSecret(tx, owner);
      await this.#audit(tx, admin, origin, { action: "admin.totp_disable" });
    });
  }

  /**
   * Creates new recovery codes; the old ones stop working.
   * @throws AppError `invalid_credentials`, `invalid_code`, `conflict`, `too_many_attempts`
   */
  async remakeRecoveryCodes(
    admin: AdminCaller,
    proof: { readonly password: string; readonly code: string },
    origin: Origin,
  ): Promise<string[]> {
    await this.#confirm(admin, proof.password, origin);
    const owner = { kind: "admin", id: admin.adminId } as const;
    await this.#deps.factor.check(owner, proof.code, origin);
    return await this.#deps.db.withTransaction(async (tx) => {
      const codes = await this.#deps.factor.makeRecoveryCodes(tx, owner);
      await this.#audit(tx, admin, origin, { action: "admin.recovery_codes_make" });
      return codes;
    });
  }

  /** @returns the hash that the password was compared with */
  async #confirm(admin: AdminCaller, password: string, { ip }: Origin): Promise<string> {
    const { db, hashing } = this.#deps;
    const attempt = await beginAttempt(db, attemptKinds.confirmation, { account: `admin:${admin.adminId}`, ip });
    const credentials = await findAdminById(db, admin.adminId);
    const passwordHash = credentials?.passwordHash ?? null;
    if (!(await hashing.isRight(password, passwordHash)) || passwordHash === null) {
      throw new AppError("invalid_credentials", { message: "The password is incorrect." });
    }
    await attempt.succeeded();
    return passwordHash;
  }

  async #audit(
    tx: Transaction,
    admin: AdminCaller,
    origin: Origin,
    entry: { readonly action: string; readonly subject?: CodeOwner; readonly reason?: string },
  ): Promise<void> {
    const { action, subject = { kind: "admin", id: admin.adminId }, reason } = entry;
    await audit(tx, byAdmin(admin, origin), action, { subjectKind: subject.kind, subjectId: subject.id, reason });
  }
}

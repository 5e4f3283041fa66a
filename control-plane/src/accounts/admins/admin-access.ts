import { audit, byAdmin } from "../../admin/audit/service.ts";
import { sha256 } from "../../platform/crypto/digest.ts";
import type { Database, Transaction } from "../../platform/db.ts";
import type { AdminCaller } from "../../platform/endpoint/model.ts";
import { AppError } from "../../platform/errors.ts";
import { endAccess } from "../access-tokens/access-tokens.ts";
import { mayMail } from "../attempts/attempts.ts";
import type { Origin } from "../model.ts";
import type { PasswordHashing } from "../passwords/password-hashing.ts";
import { passwordProblem } from "../passwords/password-rules.ts";
import { ofAdmin } from "../sessions/store.ts";
import { peekAdminToken, spendAdminTokens, takeAdminToken } from "./admin-tokens-store.ts";
import { requireOther } from "./hold-others.ts";
import { findAdminById, findAdminEntry, holdRights, setAdminPassword } from "./store.ts";

export type AdminAccessDeps = {
  readonly db: Database;
  readonly hashing: PasswordHashing;
};

/** The super-admin's change to another admin, and the address it came from. */
type ActContext = { readonly caller: AdminCaller; readonly origin: Origin; readonly reason: string };

/** How super-admins grant and revoke access. Only the admin ever sees the password, set through a link in an email. */
export class AdminAccess {
  readonly #deps: AdminAccessDeps;

  constructor(deps: AdminAccessDeps) {
    this.#deps = deps;
  }

  /** Counts an email with a link to this address. @throws AppError `too_many_attempts` */
  async admitMail(email: string, origin: Origin): Promise<void> {
    if (!(await mayMail(this.#deps.db, "admin_link", email, origin))) {
      throw new AppError("too_many_attempts", {
        message: "Too many e-mails were sent to this address. Try again later.",
      });
    }
  }

  /** Counts an email with a link to an admin's address, if the admin has one. */
  async admitMailTo(adminId: bigint, origin: Origin): Promise<void> {
    const known = await findAdminEntry(this.#deps.db, adminId);
    if (known?.email && known.agent > 0) {
      await this.admitMail(known.email, origin);
    }
  }

  /** Ends every session of another admin. @throws AppError `not_found`, `self_forbidden`, `forbidden` */
  async endSessions(adminId: bigint, actContext: ActContext): Promise<number> {
    return await this.#deps.db.withTransaction(async (tx) => {
      await requireOther(tx, adminId, actContext.caller.adminId);
      const revoked = await endAccess(tx, ofAdmin(adminId));
      await this.#audit(tx, actContext, { action: "admin.sessions_revoke", adminId, after: { revoked } });
      return revoked;
    });
  }

  /**
   * Sets the password of the admin whom the link belongs to, and ends every session.
   * @returns false when the link is not an admin's
   * @throws AppError `invalid_token` for a former admin, `invalid_password` (the link then stays valid)
   */
  async setPassword(token: string, password: string, origin: Origin): Promise<boolean> {
    const { db, hashing } = this.#deps;
    const tokenHash = sha256(token);
    const adminId = await peekAdminToken(db, tokenHash);
    const admin = adminId === null ? null : await findAdminById(db, adminId);
    if (admin === null) {
      return false;
    }
    const problem = passwordProblem(password, admin.username);
    if (problem !== null) {
      throw new AppError("invalid_password", { message: problem, fields: { password: problem } });
    }
    const passwordHash = await hashing.hash(password);
    await db.withTransaction(async (tx) => {
      await holdRights(tx, admin.id);
      const isGood = (await takeAdminToken(tx, tokenHash)) !== null;
      if (!isGood || ((await findAdminById(tx, admin.id))?.agent ?? 0) < 1) {
        throw new AppError("invalid_token");
      }
      await setAdminPassword(tx, admin.id, passwordHash);
      await spendAdminTokens(tx, admin.id);
      const endedSessions = await endAccess(tx, ofAdmin(admin.id));
      await audit(tx, byAdmin({ adminId: admin.id, username: admin.username }, origin), "admin.password_reset", {
        subjectKind: "admin",
        subjectId: admin.id,
        after: { endedSessions },
      });
    });
    return true;
  }

  async #audit(
    tx: Transaction,
    { caller, origin, reason }: ActContext,
    { action, adminId, after }: { readonly action: string; readonly adminId: bigint; readonly after: unknown },
  ): Promise<void> {
    await audit(tx, byAdmin(caller, origin), action, { subjectKind: "admin", subjectId: adminId, after, reason });
  }
}

import { randomBytes } from "node:crypto";
import type { AdminEntry, CreateAdminInput } from "@sluice/contracts/accounts";
import { writeAudit } from "../../audit/service.ts";
import type { MailQueue } from "../../mail/model.ts";
import { sha256 } from "../../platform/crypto/digest.ts";
import type { Database, Transaction } from "../../platform/db.ts";
import type { AdminCaller } from "../../platform/endpoint/model.ts";
import { AppError } from "../../platform/errors.ts";
import { mayMail } from "../attempts/attempts.ts";
import type { Origin } from "../model.ts";
import type { PasswordHashing } from "../passwords/password-hashing.ts";
import { passwordProblem } from "../passwords/password-rules.ts";
import { ofAdmin, revokeSessionsOf } from "../sessions/store.ts";
import { insertAdminToken, peekAdminToken, spendAdminTokens, takeAdminToken } from "./admin-tokens-store.ts";
import {
  findAdminById,
  findAdminEntry,
  holdRights,
  insertAdmin,
  insertSupportProfile,
  setAdminPassword,
} from "./store.ts";

export type AdminAccessParts = {
  readonly db: Database;
  readonly hashing: PasswordHashing;
  readonly mails: MailQueue;
  /** What links in mails begin with. */
  readonly baseUrl: string;
};

/** What a super-admin does to another admin, and from where. */
type Deed = { readonly caller: AdminCaller; readonly origin: Origin; readonly reason: string };

const tokenBytes = 32;
const validMinutes = 60;
const superAgent = 2;

/** How super-admins let others in and out. Nobody but the admin ever sees a password: it is set by a link in a mail. */
export class AdminAccess {
  readonly #parts: AdminAccessParts;

  constructor(parts: AdminAccessParts) {
    this.#parts = parts;
  }

  /**
   * Makes an admin, who gets a link to set a first password.
   * @throws AppError `conflict` when username, e-mail or mobile number are taken, `forbidden`, `too_many_attempts`
   */
  async create(input: CreateAdminInput, caller: AdminCaller, origin: Origin): Promise<AdminEntry> {
    const { db, hashing } = this.#parts;
    await this.#admitMail(input.email, origin);
    // It is known to nobody, so that nobody logs in before the link was used.
    const passwordHash = await hashing.hash(randomBytes(tokenBytes).toString("base64url"));
    return await db.withTransaction(async (tx) => {
      await requireSuper(tx, caller);
      const { username, email, agent, mobile = null } = input;
      const adminId = await insertAdmin(tx, { username, email, mobile, passwordHash, agent });
      if (adminId === null) {
        throw new AppError("conflict", { message: "The username, the address or the number belongs to somebody." });
      }
      await insertSupportProfile(tx, adminId, username);
      await this.#leaveLink(tx, adminId, email);
      const after = { username, email, mobile, agent };
      await this.#audit(tx, { caller, origin, reason: input.reason }, { action: "admin.create", adminId, after });
      return await entryOf(tx, adminId);
    });
  }

  /**
   * Sends an admin a link to set another password. The old one is good until it was used; the codes of an authenticator
   * are asked for before and after.
   * @throws AppError `not_found`, `self_forbidden`, `forbidden`, `conflict` without an address to send it to,
   *   `too_many_attempts`
   */
  async sendLink(adminId: bigint, deed: Deed): Promise<void> {
    const { db } = this.#parts;
    const known = await findAdminEntry(db, adminId);
    if (known?.email && known.agent > 0) {
      await this.#admitMail(known.email, deed.origin);
    }
    await db.withTransaction(async (tx) => {
      const { email, agent } = await requireOther(tx, adminId, deed.caller);
      if (email === null || agent < 1) {
        const message = agent < 1 ? "Who has no rights gets no link." : "There is no address to send a link to.";
        throw new AppError("conflict", { message });
      }
      await this.#leaveLink(tx, adminId, email);
      await this.#audit(tx, deed, { action: "admin.password_link", adminId, after: { email } });
    });
  }

  /** Ends every session of another admin. @throws AppError `not_found`, `self_forbidden`, `forbidden` */
  async endSessions(adminId: bigint, deed: Deed): Promise<number> {
    return await this.#parts.db.withTransaction(async (tx) => {
      await requireOther(tx, adminId, deed.caller);
      const revoked = await revokeSessionsOf(tx, ofAdmin(adminId), null);
      await this.#audit(tx, deed, { action: "admin.sessions_revoke", adminId, after: { revoked } });
      return revoked;
    });
  }

  /**
   * Sets the password of the admin whose link this is, and ends every session.
   * @returns false when it is no link of an admin
   * @throws AppError `invalid_token` for somebody who is no admin any more, `invalid_password` (the link stays good then)
   */
  async setPassword(token: string, password: string, origin: Origin): Promise<boolean> {
    const { db, hashing } = this.#parts;
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
      const endedSessions = await revokeSessionsOf(tx, ofAdmin(admin.id), null);
      await writeAudit(tx, {
        actor: { kind: "admin", id: admin.id, name: admin.username },
        action: "admin.password_reset",
        subjectKind: "admin",
        subjectId: admin.id.toString(),
        before: null,
        after: { endedSessions },
        requestId: origin.requestId,
        ip: origin.ip,
      });
    });
    return true;
  }

  async #admitMail(email: string, origin: Origin): Promise<void> {
    if (!(await mayMail(this.#parts.db, "admin_link", email, origin))) {
      throw new AppError("too_many_attempts", { message: "This address got too many mails. Try again later." });
    }
  }

  async #leaveLink(tx: Transaction, adminId: bigint, email: string): Promise<void> {
    const token = randomBytes(tokenBytes).toString("base64url");
    // The newest link is the one that works.
    await spendAdminTokens(tx, adminId);
    const row = { adminId, tokenHash: sha256(token), minutes: validMinutes };
    const { id, expiresAt } = await insertAdminToken(tx, row);
    await this.#parts.mails.queueMail(tx, {
      dedupeKey: `admin_password:${id}`,
      template: "password_reset",
      userId: null,
      to: email,
      locale: "en",
      variables: {
        link: `${this.#parts.baseUrl}/reset-password/?token=${token}`,
        valid_minutes: String(validMinutes),
      },
      source: "accounts",
      expiresAt,
    });
  }

  async #audit(
    tx: Transaction,
    { caller, origin, reason }: Deed,
    { action, adminId, after }: { readonly action: string; readonly adminId: bigint; readonly after: unknown },
  ): Promise<void> {
    await writeAudit(tx, {
      actor: { kind: "admin", id: caller.adminId, name: caller.username },
      action,
      subjectKind: "admin",
      subjectId: adminId.toString(),
      before: null,
      after,
      reason,
      requestId: origin.requestId,
      ip: origin.ip,
    });
  }
}

/** Rights that were taken a moment ago count no more: they are looked at under the lock of those who have them. */
async function requireSuper(tx: Transaction, caller: AdminCaller): Promise<void> {
  const holders = await holdRights(tx, caller.adminId);
  if (!holders.some(({ id, agent }) => id === caller.adminId && agent >= superAgent)) {
    throw new AppError("forbidden");
  }
}

async function requireOther(tx: Transaction, adminId: bigint, caller: AdminCaller): Promise<AdminEntry> {
  await requireSuper(tx, caller);
  if (adminId === caller.adminId) {
    throw new AppError("self_forbidden");
  }
  const admin = await findAdminEntry(tx, adminId);
  // Rows that never were an admin here are users of other programs.
  if (admin === null || (admin.agent < 1 && admin.last_login_at === null)) {
    throw new AppError("not_found", { message: "There is no such admin." });
  }
  return admin;
}

async function entryOf(tx: Transaction, adminId: bigint): Promise<AdminEntry> {
  const entry = await findAdminEntry(tx, adminId);
  if (entry === null) {
    throw new Error(`admin ${adminId} is gone`);
  }
  return entry;
}

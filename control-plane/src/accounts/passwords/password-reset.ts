import { randomBytes } from "node:crypto";
import { audit, byUser } from "../../admin/audit/service.ts";
import { type MailQueue, mailLocaleOf } from "../../mail/model.ts";
import { sha256 } from "../../platform/crypto/digest.ts";
import type { Database } from "../../platform/db.ts";
import { AppError } from "../../platform/errors.ts";
import { formPath } from "../../platform/page-locale.ts";
import { endAccess } from "../access-tokens/access-tokens.ts";
import type { AdminAccess } from "../admins/admin-access.ts";
import { takingAtLeast } from "../answer-time.ts";
import { countFromAddress, mayMail } from "../attempts/attempts.ts";
import type { AddressNumbers } from "../attempts/model.ts";
import { parseEmailAddress } from "../email-address.ts";
import type { KnownDevices } from "../login/known-devices.ts";
import { isOpen, type Origin } from "../model.ts";
import { deletePasskeys, selectPasskeys } from "../passkeys/passkey-store.ts";
import type { Newcomers } from "../registration/newcomers.ts";
import type { SessionKind } from "../sessions/model.ts";
import { ofUser } from "../sessions/store.ts";
import { deleteIdentities, selectIdentities } from "../sign-in/identity-store.ts";
import type { Providers } from "../sign-in/providers.ts";
import {
  activateProfile,
  findLoginByEmail,
  findLoginById,
  type LoginProfile,
  lockProfile,
  setPassword,
} from "../store.ts";
import { insertToken, peekToken, spendTokens, takeToken } from "../tokens-store.ts";
import { mailPasswordChange } from "./mail-password-change.ts";
import type { PasswordHashing } from "./password-hashing.ts";
import { passwordProblem } from "./password-rules.ts";

export type PasswordResetDeps = {
  readonly db: Database;
  readonly hashing: PasswordHashing;
  readonly mails: MailQueue;
  readonly newcomers: Pick<Newcomers, "welcome">;
  readonly baseUrl: string;
  readonly limits: () => AddressNumbers;
  readonly devices: KnownDevices;
  /** Reset links of admins are redeemed here as well. */
  readonly adminAccess: Pick<AdminAccess, "setPassword">;
  readonly providers: Pick<Providers, "labelsOf">;
};

/** A new password, as the reader of the mail wants it. */
export type WantedReset = {
  readonly token: string;
  readonly password: string;
  /** Whether the sign-ins with other services that are linked to the account are removed. */
  readonly endsSignIns: boolean;
  /** Whether the passkeys of the account are removed. */
  readonly endsPasskeys: boolean;
};

/** What opens the account beside the password: names of services, and of passkeys. */
export type OtherWays = { readonly signIns: readonly string[]; readonly passkeys: readonly string[] };

const tokenBytes = 32;
const validMinutes = 60;
const answerMsMin = 100;

/** A new password for anyone who can read email sent to the address. */
export class PasswordReset {
  readonly #deps: PasswordResetDeps;

  constructor(deps: PasswordResetDeps) {
    this.#deps = deps;
  }

  /**
   * Sends a link to the address, if it has an account. The response is the same either way.
   * @throws AppError `invalid_email`, `too_many_attempts`
   */
  async request(address: string, request: Request, origin: Origin): Promise<void> {
    const { db, devices } = this.#deps;
    const email = parseEmailAddress(address);
    if (email === null) {
      throw new AppError("invalid_email", { fields: { email: "Enter a valid e-mail address." } });
    }
    await countFromAddress(db, "mail", origin.ip, this.#deps.limits().mails);
    await takingAtLeast(answerMsMin, async () => {
      const user = await findLoginByEmail(db, email);
      const device = user === null ? null : devices.read(request, "user", user.userId);
      const isMailed = await mayMail(db, "password_reset", email, { ip: origin.ip, device });
      if (user !== null && isOpen(user.status) && isMailed) {
        await this.#leaveLink(user);
      }
    });
  }

  async #leaveLink({ userId, email, locale }: LoginProfile): Promise<void> {
    const { db, mails, baseUrl } = this.#deps;
    const token = randomBytes(tokenBytes).toString("base64url");
    await db.withTransaction(async (tx) => {
      // Invalidates the earlier links: only the newest one works.
      await spendTokens(tx, userId, "password_reset");
      const row = { userId, purpose: "password_reset", tokenHash: sha256(token), minutes: validMinutes } as const;
      const { id, expiresAt } = await insertToken(tx, row);
      await mails.queueMail(tx, {
        dedupeKey: `password_reset:${id}`,
        template: "password_reset",
        userId,
        to: email,
        locale,
        variables: {
          link: baseUrl + formPath(`/reset-password/?token=${token}`, mailLocaleOf(locale)),
          valid_minutes: String(validMinutes),
        },
        source: "accounts",
        expiresAt,
      });
    });
  }

  /**
   * Sets the password, ends every session, and verifies the address if it was not verified yet, since the caller has
   * read its email.
   * @returns the owner of the password
   * @throws AppError `invalid_token` whatever is wrong with it, `invalid_password` and `invitation_unusable` (the link then stays valid)
   */
  async confirm(wanted: WantedReset, origin: Origin): Promise<SessionKind> {
    if (await this.#deps.adminAccess.setPassword(wanted.token, wanted.password, origin)) {
      return "admin";
    }
    await this.#confirmUser(wanted, origin);
    return "user";
  }

  /**
   * What else opens the account of a reset link. Somebody who took the account over may have added some of it, so the owner
   * is asked whether it stays.
   */
  async otherWays(token: string): Promise<OtherWays> {
    const { db, providers } = this.#deps;
    const userId = token === "" ? null : await peekToken(db, sha256(token), "password_reset");
    if (userId === null) {
      return { signIns: [], passkeys: [] };
    }
    const issuers = (await selectIdentities(db, userId)).map(({ issuer }) => issuer);
    const signIns = issuers.length === 0 ? [] : [...(await providers.labelsOf(issuers)).values()];
    return { signIns, passkeys: (await selectPasskeys(db, userId)).map(({ name }) => name) };
  }

  async #confirmUser({ token, password, endsSignIns, endsPasskeys }: WantedReset, origin: Origin): Promise<void> {
    const { db, hashing, newcomers } = this.#deps;
    const tokenHash = sha256(token);
    const ownerId = await peekToken(db, tokenHash, "password_reset");
    const owner = ownerId === null ? null : await findLoginById(db, ownerId);
    if (owner === null || !isOpen(owner.status)) {
      throw new AppError("invalid_token");
    }
    const problem = passwordProblem(password, owner.email);
    if (problem !== null) {
      throw new AppError("invalid_password", { message: problem, fields: { password: problem } });
    }
    const passwordHash = await hashing.hash(password);
    await db.withTransaction(async (tx) => {
      const userId = await takeToken(tx, tokenHash, "password_reset");
      if (userId === null) {
        throw new AppError("invalid_token");
      }
      await lockProfile(tx, userId);
      await setPassword(tx, userId, passwordHash);
      if (await activateProfile(tx, userId)) {
        await newcomers.welcome(tx, userId);
      }
      await spendTokens(tx, userId, "password_reset");
      await spendTokens(tx, userId, "email_verify");
      const ended = await endAccess(tx, ofUser(userId));
      const removedSignIns = endsSignIns ? await deleteIdentities(tx, userId) : [];
      const removedPasskeys = endsPasskeys ? await deletePasskeys(tx, userId) : [];
      await mailPasswordChange(tx, this.#deps, owner);
      await audit(tx, byUser({ userId, email: owner.email }, origin), "user.password_reset", {
        subjectKind: "user",
        subjectId: userId,
        before: { status: owner.status },
        after: { endedSessions: ended, removedSignIns, removedPasskeys },
      });
    });
  }
}

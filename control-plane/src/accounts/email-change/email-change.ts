import { randomBytes } from "node:crypto";
import type { UserId } from "@sluice/contracts/ids";
import { audit, byUser } from "../../admin/audit/service.ts";
import { type MailQueue, mailLocaleOf } from "../../mail/model.ts";
import { sha256 } from "../../platform/crypto/digest.ts";
import type { Database, Transaction } from "../../platform/db.ts";
import type { UserCaller } from "../../platform/endpoint/model.ts";
import { AppError } from "../../platform/errors.ts";
import { formPath } from "../../platform/page-locale.ts";
import { endAccess } from "../access-tokens/access-tokens.ts";
import { takingAtLeast } from "../answer-time.ts";
import { countFromAddress, mayMail } from "../attempts/attempts.ts";
import type { AddressNumbers } from "../attempts/model.ts";
import { parseEmailAddress } from "../email-address.ts";
import type { Origin } from "../model.ts";
import { deletePasskeys } from "../passkeys/passkey-store.ts";
import { ofUser } from "../sessions/store.ts";
import { deleteIdentities } from "../sign-in/identity-store.ts";
import { findLoginByEmail, findLoginById, type LoginProfile, lockProfile } from "../store.ts";
import { insertToken, spendTokens, type TokenPurpose, takeAddressToken } from "../tokens-store.ts";
import { removeSecretSince } from "../totp/totp-store.ts";
import { clearPassword, releaseAddress, updateEmail } from "./email-store.ts";

export type EmailChangeDeps = {
  readonly db: Database;
  readonly mails: MailQueue;
  readonly baseUrl: string;
  readonly limits: () => AddressNumbers;
};

const tokenBytes = 32;
const validMinutes = 60;
const undoMinutes = 7 * 24 * 60;
const answerMsMin = 100;

/** The address of an account, which is changed by a link to the new one and back by a link to the old one. */
export class EmailChange {
  readonly #deps: EmailChangeDeps;

  constructor(deps: EmailChangeDeps) {
    this.#deps = deps;
  }

  /**
   * Sends a link to the new address, if nobody has it, for a caller who has proved to be the owner. The response is the
   * same either way.
   * @throws AppError `invalid_email`, `too_many_attempts`
   */
  async begin(user: UserCaller, address: string, origin: Origin): Promise<void> {
    const { db, limits } = this.#deps;
    const email = parseEmailAddress(address);
    if (email === null) {
      throw new AppError("invalid_email", { fields: { email: "Enter a valid e-mail address." } });
    }
    await countFromAddress(db, "mail", origin.ip, limits().mails);
    await takingAtLeast(answerMsMin, async () => {
      const isFree = (await findLoginByEmail(db, email)) === null;
      if ((await mayMail(db, "email_change", email, origin)) && isFree) {
        await db.withTransaction((tx) => this.#leaveLink(tx, user, email));
      }
    });
  }

  /**
   * Gives the account the address to which the link was sent, and tells the old one, with a link that undoes it.
   * @throws AppError `invalid_token`, also for an address that somebody has by now
   */
  async confirm(token: string, origin: Origin): Promise<void> {
    const { db } = this.#deps;
    await db.withTransaction(async (tx) => {
      const { login, address } = await takeOwner(tx, token, "email_change");
      if (login.status !== "active" || !(await updateEmail(tx, login.userId, address))) {
        throw new AppError("invalid_token");
      }
      await spendAll(tx, login.userId);
      await this.#leaveUndo(tx, login);
      await audit(tx, byUser(login, origin), "user.email_change", {
        ...subjectOf(login.userId),
        before: { email: login.email },
        after: { email: address },
      });
    });
  }

  /**
   * Gives the account its old address back. The one who changed it knew the password and may have added ways to log in, so all
   * of them end: the owner sets a new password by a link to the old address. A second factor that was set up since would keep
   * the owner out; an older one is the owner's.
   * @throws AppError `invalid_token`
   */
  async undo(token: string, origin: Origin): Promise<void> {
    await this.#deps.db.withTransaction(async (tx) => {
      const { id, login, address, changedAt } = await takeOwner(tx, token, "email_undo");
      // Somebody who registered the address meanwhile has not proved it, or it would be theirs.
      await releaseAddress(tx, address);
      if (login.status === "closed" || !(await updateEmail(tx, login.userId, address))) {
        throw new AppError("invalid_token");
      }
      await spendAll(tx, login.userId);
      // Addresses that the account got since then may be those of a thief, who has the links that bring them back.
      await spendTokens(tx, login.userId, "email_undo", id);
      await clearPassword(tx, login.userId);
      const passkeys = await deletePasskeys(tx, login.userId);
      const issuers = await deleteIdentities(tx, login.userId);
      const authenticator = await removeSecretSince(tx, { kind: "user", id: login.userId }, changedAt);
      const sessions = await endAccess(tx, ofUser(login.userId));
      await this.#mailRestored(tx, login, { id, address });
      await audit(tx, byUser({ userId: login.userId, email: address }, origin), "user.email_undo", {
        ...subjectOf(login.userId),
        before: { email: login.email },
        after: {
          email: address,
          endedSessions: sessions,
          removedPasskeys: passkeys,
          removedSignIns: issuers,
          removedAuthenticator: authenticator,
        },
      });
    });
  }

  async #leaveLink(tx: Transaction, { userId, locale }: UserCaller, email: string): Promise<void> {
    await spendTokens(tx, userId, "email_change");
    const { link, id, expiresAt } = await this.#newLink(tx, {
      ...{ userId, locale, purpose: "email_change", minutes: validMinutes, address: email },
    });
    await this.#deps.mails.queueMail(tx, {
      dedupeKey: `email_change:${id}`,
      template: "email_change",
      // Not for the inbox of the account: it is about an address that may be a stranger's.
      userId: null,
      to: email,
      locale,
      variables: { link, valid_minutes: String(validMinutes) },
      source: "accounts",
      expiresAt,
    });
  }

  async #leaveUndo(tx: Transaction, { userId, email, locale }: LoginProfile): Promise<void> {
    const { link, id, expiresAt } = await this.#newLink(tx, {
      ...{ userId, locale, purpose: "email_undo", minutes: undoMinutes, address: email },
    });
    await this.#deps.mails.queueMail(tx, {
      dedupeKey: `email_changed:${id}`,
      template: "email_changed",
      userId: null,
      to: email,
      locale,
      variables: { link },
      source: "accounts",
      expiresAt,
    });
  }

  async #mailRestored(
    tx: Transaction,
    { userId, locale }: LoginProfile,
    { id, address }: { readonly id: bigint; readonly address: string },
  ): Promise<void> {
    await this.#deps.mails.queueMail(tx, {
      dedupeKey: `email_restored:${id}`,
      template: "email_restored",
      userId,
      to: address,
      locale,
      variables: { link: this.#deps.baseUrl + formPath("/reset-password/", mailLocaleOf(locale)) },
      source: "accounts",
    });
  }

  async #newLink(
    tx: Transaction,
    made: {
      readonly userId: UserId;
      readonly locale: string;
      readonly purpose: TokenPurpose;
      readonly minutes: number;
      readonly address: string;
    },
  ): Promise<{ readonly link: string; readonly id: bigint; readonly expiresAt: Date }> {
    const { locale, ...row } = made;
    const token = randomBytes(tokenBytes).toString("base64url");
    const stored = await insertToken(tx, { ...row, tokenHash: sha256(token) });
    return { ...stored, link: this.#deps.baseUrl + formPath(`/verify-email/?token=${token}`, mailLocaleOf(locale)) };
  }
}

async function takeOwner(
  tx: Transaction,
  token: string,
  purpose: "email_change" | "email_undo",
): Promise<{
  readonly id: bigint;
  readonly login: LoginProfile;
  readonly address: string;
  /** When the link was sent: for one that undoes a change, the time of that change. */
  readonly changedAt: Date;
}> {
  const taken = await takeAddressToken(tx, sha256(token), purpose);
  if (taken === null) {
    throw new AppError("invalid_token");
  }
  await lockProfile(tx, taken.userId);
  const login = await findLoginById(tx, taken.userId);
  if (login === null) {
    throw new AppError("invalid_token");
  }
  return { id: taken.id, login, address: taken.address, changedAt: taken.createdAt };
}

/** Links that were sent to the other address stop working. */
async function spendAll(tx: Transaction, userId: UserId): Promise<void> {
  for (const purpose of ["password_reset", "email_verify", "email_change"] as const) {
    await spendTokens(tx, userId, purpose);
  }
}

const subjectOf = (userId: UserId) => ({ subjectKind: "user", subjectId: userId });

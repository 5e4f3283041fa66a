import { randomBytes } from "node:crypto";
import type { UserId } from "@sluice/contracts/ids";
import { audit, byAdmin, byUser } from "../../admin/audit/service.ts";
import { type MailQueue, mailLocaleOf } from "../../mail/model.ts";
import { sha256 } from "../../platform/crypto/digest.ts";
import type { Database, Transaction } from "../../platform/db.ts";
import type { AdminCaller } from "../../platform/endpoint/model.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import { formPath } from "../../platform/page-locale.ts";
import { takingAtLeast } from "../answer-time.ts";
import { countFromAddress, mayMail } from "../attempts/attempts.ts";
import type { AddressNumbers } from "../attempts/model.ts";
import { parseEmailAddress } from "../email-address.ts";
import type { KnownDevices } from "../login/known-devices.ts";
import { type Origin, parseDisplayName } from "../model.ts";
import type { PasswordHashing } from "../passwords/password-hashing.ts";
import { passwordProblem } from "../passwords/password-rules.ts";
import type { GatewayUsers } from "../port.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { ofUser } from "../sessions/store.ts";
import {
  activateProfile,
  findLoginByEmail,
  findLoginById,
  insertPendingProfile,
  type LoginProfile,
  setVerificationMail,
} from "../store.ts";
import { insertToken, spendTokens, takeToken } from "../tokens-store.ts";
import type { CreatedHere } from "./created-here.ts";
import type { Admitted, Newcomers, Passes } from "./newcomers.ts";

export type RegistrationDeps = {
  readonly db: Database;
  readonly hashing: PasswordHashing;
  readonly mails: MailQueue;
  readonly gatewayUsers: Pick<GatewayUsers, "create">;
  readonly newcomers: Newcomers;
  readonly sessions: Sessions;
  readonly devices: KnownDevices;
  readonly createdHere: CreatedHere;
  /** The base URL of the links in emails. */
  readonly baseUrl: string;
  /** Whether the response includes the link that the email contains. */
  readonly returnsLink: boolean;
  readonly limits: () => AddressNumbers;
};

export type RegistrationInput = {
  readonly email: string;
  readonly password: string;
  readonly displayName: string | null;
  /** Any language tag; used for emails and pages. */
  readonly locale: string;
} & Passes;

/**
 * The response, which does not depend on whether the address was free. It has no link on installations that send links
 * by email only.
 */
export type RegistrationAnswer = { readonly status: "email_pending"; readonly verification_url?: string };

const tokenBytes = 32;
const verificationMinutes = 24 * 60;
/** Longer than a registration takes on a machine that is not overloaded, whether or not the address was free. */
const registrationMsMin = 250;
const resendMsMin = 100;

const newToken = (): string => randomBytes(tokenBytes).toString("base64url");

/** A concurrent registration took the address, so this one is rolled back. */
class AddressTaken extends Error {}

/** Registration: users register, then verify through a link that only the owner of the address can read. */
export class Registration {
  readonly #deps: RegistrationDeps;

  constructor(deps: RegistrationDeps) {
    this.#deps = deps;
  }

  /**
   * Creates the gateway user, the profile and the link in one transaction. For a known address nothing is created; its
   * owner is notified by email, and the caller sees no difference.
   * @returns the response, and the `Set-Cookie` for a browser
   * @throws AppError `invalid_email`, `invalid_password`, `invalid_name`, `too_many_attempts`, and those of
   * `Newcomers.admit`
   */
  async register(
    input: RegistrationInput,
    request: Request,
    origin: Origin,
  ): Promise<{ readonly answer: RegistrationAnswer; readonly cookie: string }> {
    const email = parseEmailAddress(input.email);
    if (email === null) {
      throw new AppError("invalid_email", { fields: { email: "Enter a valid e-mail address." } });
    }
    const problem = passwordProblem(input.password, email);
    if (problem !== null) {
      throw new AppError("invalid_password", { message: problem, fields: { password: problem } });
    }
    const displayName = parseDisplayName(input.displayName);
    if (displayName === undefined) {
      throw new AppError("invalid_name", { fields: { display_name: "Use at most 100 characters, on one line." } });
    }
    await countFromAddress(this.#deps.db, "registration", origin.ip, this.#deps.limits().registrations);
    const locale = mailLocaleOf(input.locale);
    const admitted = await this.#deps.newcomers.admit(email, input, { ip: origin.ip, request, locale });
    return await takingAtLeast(registrationMsMin, async () => {
      const passwordHash = await this.#deps.hashing.hash(input.password);
      const token = newToken();
      const known = await findLoginByEmail(this.#deps.db, email);
      const isMailed = await mayMail(this.#deps.db, known === null ? "verification" : "account_exists", email, origin);
      const profile = { email, passwordHash, displayName, locale };
      if (known?.status === "email_pending") {
        await this.#deps.newcomers.renew(known.userId, admitted);
      }
      const made = known === null ? await this.#make(profile, { token, isMailed, origin, admitted }) : null;
      if (made === null) {
        await this.#mailOwner(known ?? (await findLoginByEmail(this.#deps.db, email)), isMailed);
      }
      return { answer: this.#answer(token), cookie: this.#deps.createdHere.write(made) };
    });
  }

  /** @returns null when the address has been taken meanwhile */
  async #make(
    profile: { email: string; passwordHash: string; displayName: string | null; locale: string },
    how: { readonly token: string; readonly isMailed: boolean; readonly origin: Origin; readonly admitted: Admitted },
  ): Promise<UserId | null> {
    try {
      return await this.#deps.db.withTransaction(async (tx) => {
        const gatewayUserId = await this.#deps.gatewayUsers.create(tx, profile.email);
        const userId = await insertPendingProfile(tx, { ...profile, gatewayUserId });
        if (userId === null) {
          throw new AddressTaken();
        }
        const { email, displayName, locale } = profile;
        await this.#deps.newcomers.record(tx, { userId, email, requestId: how.origin.requestId }, how.admitted);
        await audit(tx, byUser({ userId, email }, how.origin), "user.register", {
          subjectKind: "user",
          subjectId: userId,
          after: { email, displayName, gatewayUserId },
        });
        await this.#leaveLink(tx, { userId, email, locale }, how);
        return userId;
      });
    } catch (error) {
      if (error instanceof AddressTaken) {
        return null;
      }
      throw error;
    }
  }

  /** Stores the link and queues its email. The registration remains even if the email can't be queued. */
  async #leaveLink(
    tx: Transaction,
    user: { readonly userId: UserId; readonly email: string; readonly locale: string },
    { token, isMailed }: { readonly token: string; readonly isMailed: boolean },
  ): Promise<void> {
    const { userId, email, locale } = user;
    const row = { userId, purpose: "email_verify", tokenHash: sha256(token), minutes: verificationMinutes } as const;
    const { id, expiresAt } = await insertToken(tx, row);
    if (!isMailed) {
      return;
    }
    try {
      await tx.savepoint(() =>
        this.#deps.mails.queueMail(tx, {
          dedupeKey: `email_verify:${id}`,
          template: "email_verify",
          userId,
          to: email,
          locale,
          variables: { link: this.#mailedLink(token, locale), valid_minutes: String(verificationMinutes) },
          source: "accounts",
          expiresAt,
        }),
      );
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      await setVerificationMail(tx, userId, { at: null, error: reason.slice(0, 500) });
    }
  }

  /** Notifies the owner that the account exists, instead of revealing it to the caller. */
  async #mailOwner(owner: LoginProfile | null, isMailed: boolean): Promise<void> {
    if (owner === null || !isMailed) {
      return;
    }
    const { baseUrl, db, mails } = this.#deps;
    const language = mailLocaleOf(owner.locale);
    await db.withTransaction((tx) =>
      mails.queueMail(tx, {
        dedupeKey: `account_exists:${owner.userId}:${Bun.randomUUIDv7()}`,
        template: "account_exists",
        userId: owner.userId,
        to: owner.email,
        locale: owner.locale,
        variables: {
          login_link: baseUrl + formPath("/login/", language),
          reset_link: baseUrl + formPath("/reset-password/", language),
        },
        source: "accounts",
      }),
    );
  }

  /**
   * Sends a new link to a user who is waiting for one, and to nobody else. The response is the same in both cases.
   * @throws AppError `invalid_email`, `too_many_attempts`
   */
  async resend(address: string, origin: Origin): Promise<RegistrationAnswer> {
    const email = parseEmailAddress(address);
    if (email === null) {
      throw new AppError("invalid_email", { fields: { email: "Enter a valid e-mail address." } });
    }
    const { db } = this.#deps;
    await countFromAddress(db, "mail", origin.ip, this.#deps.limits().mails);
    return await takingAtLeast(resendMsMin, async () => {
      const token = newToken();
      const isMailed = await mayMail(db, "verification", email, origin);
      const known = await findLoginByEmail(db, email);
      if (known?.status === "email_pending" && isMailed) {
        await db.withTransaction(async (tx) => {
          await spendTokens(tx, known.userId, "email_verify");
          await this.#leaveLink(tx, known, { token, isMailed });
        });
      }
      return this.#answer(token);
    });
  }

  /**
   * Sends a new link on an admin's behalf; the admin does not see it.
   * @throws AppError `not_found`, `conflict` for a user who is not waiting for one, `too_many_attempts`
   */
  async resendFor(
    userId: UserId,
    admin: AdminCaller,
    { origin, reason }: { readonly origin: Origin; readonly reason: string | null },
  ): Promise<void> {
    const { db } = this.#deps;
    const known = await findLoginById(db, userId);
    if (known === null) {
      throw notFound("user");
    }
    if (known.status !== "email_pending") {
      throw new AppError("conflict", { message: "This user is not waiting for verification." });
    }
    if (!(await mayMail(db, "admin_link", known.email, origin))) {
      throw new AppError("too_many_attempts", {
        message: "Too many e-mails were sent to this address. Try again later.",
      });
    }
    await db.withTransaction(async (tx) => {
      await spendTokens(tx, userId, "email_verify");
      await this.#leaveLink(tx, known, { token: newToken(), isMailed: true });
      await audit(tx, byAdmin(admin, origin), "user.resend_verification", {
        subjectKind: "user",
        subjectId: userId,
        after: { to: known.email },
        reason,
      });
    });
  }

  /**
   * Activates the user whom the link belongs to. The link works once.
   * @param browser the request of a browser, which is logged in if it has created the account
   * @returns each `Set-Cookie` of that login; empty without one
   * @throws AppError `invalid_token`; `invitation_unusable` (the link then stays valid)
   */
  async verify(token: string, origin: Origin, browser: Request | null = null): Promise<string[]> {
    const { sessions, devices, createdHere } = this.#deps;
    return await this.#deps.db.withTransaction(async (tx) => {
      const userId = await takeToken(tx, sha256(token), "email_verify");
      if (userId === null || !(await activateProfile(tx, userId))) {
        throw new AppError("invalid_token");
      }
      await this.#deps.newcomers.welcome(tx, userId);
      await spendTokens(tx, userId, "email_verify");
      await audit(tx, byUser({ userId, email: null }, origin), "user.verify_email", {
        subjectKind: "user",
        subjectId: userId,
        before: { status: "email_pending" },
        after: { status: "active" },
      });
      if (browser === null || !createdHere.isOf(browser, userId)) {
        return [];
      }
      const session = await sessions.start(tx, ofUser(userId), browser, { ...origin, method: "password" });
      return [session, devices.cookie("user", userId), createdHere.clear()];
    });
  }

  /** The link leads to a page with a button, because mail scanners open the links in emails. */
  #mailedLink(token: string, language: string): string {
    return this.#deps.baseUrl + formPath(`/verify-email/?token=${token}`, mailLocaleOf(language));
  }

  /**
   * The response is the same for known and unknown addresses. The link names no language, because it would be the
   * language of the address's owner.
   */
  #answer(token: string): RegistrationAnswer {
    return this.#deps.returnsLink
      ? {
          status: "email_pending",
          verification_url: `${this.#deps.baseUrl}/backend/auth/verify-email/?token=${token}`,
        }
      : { status: "email_pending" };
  }
}

import type { UserId } from "@sluice/contracts/ids";
import { linkedSignInsMax } from "@sluice/contracts/sign-in";
import { audit, byUser } from "../../admin/audit/service.ts";
import type { MailQueue } from "../../mail/model.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database, Transaction } from "../../platform/db.ts";
import type { UserCaller } from "../../platform/endpoint/model.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import type { Origin } from "../model.ts";
import { findLoginById, type LoginProfile, lockProfile } from "../store.ts";
import type { OwnAccount } from "../users/own-account.ts";
import {
  countIdentities,
  countUsableIdentities,
  deleteIdentity,
  findLoginTime,
  insertIdentity,
  type LinkedIdentity,
  selectIdentities,
} from "./identity-store.ts";
import { accountPath, type Person } from "./model.ts";

export type LinkDeps = {
  readonly db: Database;
  readonly mails: MailQueue;
  readonly clock: Clock;
  readonly baseUrl: string;
  readonly ownAccount: Pick<OwnAccount, "prove">;
};

export type Proof = { readonly password?: string | undefined; readonly code?: string | undefined };
type Linked = Pick<Person, "issuer" | "subject" | "email"> & { readonly label: string; readonly origin: Origin };

/** An account without a password proves itself by a login that is younger than this. */
const freshLoginMs = 15 * 60_000;

/** The accounts at other services that are linked to a user. */
export class LinkedSignIns {
  readonly #deps: LinkDeps;

  constructor(deps: LinkDeps) {
    this.#deps = deps;
  }

  async list(userId: UserId): Promise<LinkedIdentity[]> {
    return await selectIdentities(this.#deps.db, userId);
  }

  /**
   * Makes sure that the caller is the owner: by the password and a code, or by a login of the last minutes if the account has
   * no password.
   * @returns the hash that the password was compared with; null without one
   * @throws AppError `invalid_credentials`, `code_required`, `invalid_code`, `step_up_required`, `too_many_attempts`
   */
  async prove(user: UserCaller, { password, code }: Proof, origin: Origin): Promise<string | null> {
    const { db, clock, ownAccount } = this.#deps;
    const login = await findLoginById(db, user.userId);
    if (login === null) {
      throw new AppError("unauthenticated");
    }
    if (login.passwordHash !== null) {
      if (password === undefined) {
        throw new AppError("invalid_credentials", { message: "The password is incorrect." });
      }
      return await ownAccount.prove(user, { password, code }, origin);
    }
    const loggedInAt = user.sessionId === null ? null : await findLoginTime(db, user.sessionId);
    if (loggedInAt === null || clock.now() - loggedInAt.getTime() > freshLoginMs) {
      throw new AppError("step_up_required");
    }
    return null;
  }

  /**
   * Links an identity, and tells the owner of the account.
   * @throws AppError `sign_in_taken`, `too_many_sign_ins`
   */
  async add(tx: Transaction, user: Pick<LoginProfile, "userId" | "email" | "locale">, linked: Linked): Promise<void> {
    const { userId, email, locale } = user;
    const { issuer, subject, label, origin } = linked;
    if ((await countIdentities(tx, userId)) >= linkedSignInsMax) {
      throw new AppError("too_many_sign_ins");
    }
    if (!(await insertIdentity(tx, userId, { issuer, subject, email: linked.email }))) {
      throw new AppError("sign_in_taken");
    }
    await audit(tx, byUser(user, origin), "user.sign_in_link", {
      subjectKind: "user",
      subjectId: userId,
      after: { issuer, subject, address: linked.email },
    });
    await this.#deps.mails.queueMail(tx, {
      dedupeKey: `sign_in_linked:${userId}:${Bun.randomUUIDv7()}`,
      template: "sign_in_linked",
      userId,
      to: email,
      locale,
      variables: { provider: label, account_link: this.#deps.baseUrl + accountPath },
      source: "accounts",
    });
  }

  /**
   * Links the identity to the user who has begun this, and is still logged in.
   * @throws AppError `sign_in_taken`, `too_many_sign_ins`, `unauthenticated`
   */
  async link(user: UserCaller, linked: Linked): Promise<void> {
    await this.#deps.db.withTransaction(async (tx) => {
      await lockProfile(tx, user.userId);
      const login = await findLoginById(tx, user.userId);
      if (login?.status !== "active") {
        throw new AppError("unauthenticated");
      }
      await this.add(tx, login, linked);
    });
  }

  /**
   * Removes a link, unless it is the last way into the account. Passkeys don't count, because they are lost with a device.
   * @throws AppError `not_found`, `last_sign_in`
   */
  async unlink(user: UserCaller, id: bigint, origin: Origin): Promise<void> {
    await this.#deps.db.withTransaction(async (tx) => {
      await lockProfile(tx, user.userId);
      const issuer = await deleteIdentity(tx, user.userId, id);
      if (issuer === null) {
        throw notFound("sign-in");
      }
      const login = await findLoginById(tx, user.userId);
      if (login?.passwordHash === null && (await countUsableIdentities(tx, user.userId)) === 0) {
        throw new AppError("last_sign_in");
      }
      await audit(tx, byUser(user, origin), "user.sign_in_unlink", {
        subjectKind: "user",
        subjectId: user.userId,
        before: { issuer },
      });
    });
  }
}

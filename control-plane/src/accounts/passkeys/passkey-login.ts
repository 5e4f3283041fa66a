import { timingSafeEqual } from "node:crypto";
import type { passkeyChallengeResponse, ShownCredential } from "@sluice/contracts/passkeys";
import type { z } from "zod";
import { audit, byUser } from "../../admin/audit/service.ts";
import { mailLocaleOf } from "../../mail/model.ts";
import type { Transaction } from "../../platform/db.ts";
import { AppError } from "../../platform/errors.ts";
import { localeCookie } from "../../platform/page-locale.ts";
import { beginAttempt } from "../attempts/attempts.ts";
import { attemptKinds, freeFromAddress } from "../attempts/model.ts";
import { type LoginDeps, refuseUnlessActive } from "../login/user-login.ts";
import type { Origin } from "../model.ts";
import { ofUser } from "../sessions/store.ts";
import { holdActive } from "../sign-in/identity-store.ts";
import type { LoginProfile } from "../store.ts";
import { checkShown } from "./ceremonies.ts";
import type { Challenges } from "./challenges.ts";
import { mailAboutPasskey, type PasskeyMailDeps } from "./mail-about-passkey.ts";
import { challengeMinutes, isCopied, type RelyingParty } from "./model.ts";
import { findPasskey, type KnownPasskey, lockCounter, markUsed } from "./passkey-store.ts";

export type PasskeyLoginDeps = LoginDeps &
  PasskeyMailDeps & { readonly challenges: Challenges; readonly party: RelyingParty | null };

type RequestOptions = z.input<typeof passkeyChallengeResponse>["options"];
type Call = { readonly request: Request; readonly origin: Origin };
type Signed = { readonly counter: number; readonly isBackedUp: boolean };

/**
 * Logs users in with a passkey alone. Its authenticator has recognised the owner, by a finger, a face or a PIN, so that a
 * login has both factors and no code is asked for.
 */
export class PasskeyLogin {
  readonly #deps: PasskeyLoginDeps;

  constructor(deps: PasskeyLoginDeps) {
    this.#deps = deps;
  }

  /**
   * @returns what the browser needs to show a passkey, and the `Set-Cookie` with which it may
   * @throws AppError `passkeys_unavailable`
   */
  begin(): { readonly options: RequestOptions; readonly cookie: string } {
    const { challenges } = this.#deps;
    const { id } = this.#party();
    const { challenge, cookie } = challenges.make(null);
    const options: RequestOptions = {
      rpId: id,
      challenge,
      timeout: challengeMinutes * 60_000,
      userVerification: "required",
    };
    return { options, cookie };
  }

  /**
   * @returns the user and each `Set-Cookie`
   * @throws AppError `passkey_unknown` for a key that is not or no longer registered; `passkey_failed` for anything that is
   * wrong with the message; `passkey_copied`; `account_disabled`, `email_not_verified`, `too_many_attempts`
   */
  async logIn(credential: ShownCredential, call: Call): Promise<{ user: LoginProfile; cookies: string[] }> {
    const { db, limits, challenges, sessions, devices } = this.#deps;
    const party = this.#party();
    const attempt = await beginAttempt(db, freeFromAddress(attemptKinds.passkey, limits().logins), {
      account: credential.id,
      ip: call.origin.ip,
    });
    const challenge = await challenges.take(call.request, null);
    const known = await findPasskey(db, credential.id);
    if (known === null) {
      throw new AppError("passkey_unknown");
    }
    const { publicKey, isSynced, user } = known;
    const signed = await checkShown(credential, { challenge, party, publicKey, isSynced });
    if (!isHandle(credential.response.userHandle, known.handle)) {
      throw new AppError("passkey_failed");
    }
    refuseUnlessActive(user);
    const session = await db.withTransaction((tx) => this.#start(tx, known, { ...call, signed }));
    if (session === null) {
      throw new AppError("passkey_copied");
    }
    await attempt.succeeded();
    const language = localeCookie(mailLocaleOf(user.locale), sessions.isSecure);
    const isKnown = devices.read(call.request, "user", user.userId) !== null;
    const device = isKnown ? [] : [devices.cookie("user", user.userId)];
    return { user, cookies: [session, language, challenges.forget(), ...device] };
  }

  /** The `Set-Cookie` of the session; null if the key must not be used, which is then recorded. */
  async #start(
    tx: Transaction,
    { id, name, isSynced, user }: KnownPasskey,
    { signed, request, origin }: Call & { readonly signed: Signed },
  ): Promise<string | null> {
    const { userId } = user;
    if (!(await holdActive(tx, { userId, hasCode: true }))) {
      throw new AppError("passkey_failed");
    }
    const counter = await lockCounter(tx, id);
    if (counter === null) {
      throw new AppError("passkey_unknown");
    }
    const by = byUser(user, origin);
    const about = { subjectKind: "user", subjectId: userId };
    if (isCopied(counter, signed.counter)) {
      const after = { name, counter: signed.counter, isRefused: !isSynced };
      await audit(tx, by, "user.passkey_copied", { ...about, before: { counter }, after });
      await mailAboutPasskey(tx, this.#deps, "passkey_copied", user);
      // Copies of a synced key count on their own. A key that can't be copied has been.
      if (!isSynced) {
        return null;
      }
    }
    await markUsed(tx, id, { ...signed, counter: Math.max(counter, signed.counter) });
    await audit(tx, by, "user.passkey_login", { ...about, after: { name } });
    return await this.#deps.sessions.start(tx, ofUser(userId), request, { ...origin, method: "passkey" });
  }

  #party(): RelyingParty {
    if (this.#deps.party === null) {
      throw new AppError("passkeys_unavailable");
    }
    return this.#deps.party;
  }
}

/** Whether the authenticator means the account to which the key belongs. */
function isHandle(shown: string | null | undefined, handle: Uint8Array | null): boolean {
  const bytes = Buffer.from(shown ?? "", "base64url");
  return handle !== null && bytes.length === handle.length && timingSafeEqual(bytes, handle);
}

import { randomBytes } from "node:crypto";
import type { UserId } from "@sluice/contracts/ids";
import { audit, byUser } from "../../admin/audit/service.ts";
import { mailLocaleOf } from "../../mail/model.ts";
import type { Clock } from "../../platform/clock.ts";
import { sha256 } from "../../platform/crypto/digest.ts";
import type { Transaction } from "../../platform/db.ts";
import { AppError } from "../../platform/errors.ts";
import { localeCookie } from "../../platform/page-locale.ts";
import { beginAttempt } from "../attempts/attempts.ts";
import { attemptKinds, freeFromAddress } from "../attempts/model.ts";
import { type LoginDeps, refuseUnlessActive } from "../login/user-login.ts";
import type { Origin } from "../model.ts";
import { ofUser } from "../sessions/store.ts";
import { findLoginByEmail, hasVerifiedAddress, type LoginProfile } from "../store.ts";
import { useOnce } from "../used-challenge-store.ts";
import { cookieMinutes, type FlowCookie, type SignInFlow, type WaitingCode } from "./flow-cookie.ts";
import { findUserOfIdentity, holdActive, holdIdentity } from "./identity-store.ts";
import type { Issuers } from "./issuers.ts";
import type { LinkedSignIns } from "./linked-sign-ins.ts";
import type { Person, Provider } from "./model.ts";
import type { NewMembers } from "./new-members.ts";
import type { Providers } from "./providers.ts";

export type SignInDeps = LoginDeps & {
  readonly clock: Clock;
  readonly providers: Providers;
  readonly issuers: Issuers;
  readonly cookie: FlowCookie;
  readonly links: LinkedSignIns;
  readonly newMembers: NewMembers;
};

/** Where the browser goes, and the cookies that it gets. */
export type Way = { readonly url: string; readonly cookies: readonly string[] };

/** How a return from a provider ends: the page to open, or the question for the account's code. */
export type Outcome =
  | { readonly kind: "done"; readonly next: string; readonly cookies: readonly string[] }
  | { readonly kind: "code"; readonly next: string; readonly cookies: readonly string[] };

/** A login that is about to begin: with which identity, and whether the code of an authenticator was right. */
type Entering = Pick<WaitingCode, "issuer" | "subject" | "email" | "label" | "isNew" | "next"> & {
  readonly hasCode: boolean;
};
type Entrant = Pick<LoginProfile, "userId" | "email" | "locale">;
type Call = { readonly request: Request; readonly origin: Origin };

const randomText = (): string => randomBytes(32).toString("base64url");

/** Logins by an account at another service, and links of such accounts. */
export class SignIn {
  readonly #deps: SignInDeps;

  constructor(deps: SignInDeps) {
    this.#deps = deps;
  }

  /**
   * Sends the browser to a provider. What comes back is accepted from this browser only, once, and for ten minutes.
   * @throws AppError `not_found`, `sign_in_unavailable`
   */
  async begin(slug: string, how: Pick<SignInFlow, "next" | "invitation" | "link">): Promise<Way> {
    const { providers, issuers, cookie } = this.#deps;
    const provider = await providers.find(slug);
    if (provider === null) {
      throw new AppError("not_found");
    }
    const checks = { state: randomText(), nonce: randomText(), verifier: randomText() };
    const url = await issuers.authorizationUrl(provider, providers.callbackUrl(slug), checks);
    const { issuer } = provider;
    return {
      url,
      cookies: [cookie.write({ step: "flow", provider: slug, issuer, ...checks, ...how, endsAt: this.#end() })],
    };
  }

  /** The sign-in that this browser has begun with this provider, or null. */
  flowOf(request: Request, slug: string): SignInFlow | null {
    const flow = this.#deps.cookie.read(request, "flow", this.#deps.clock.now());
    return flow?.provider === slug ? flow : null;
  }

  /** The `Set-Cookie` that forgets what this browser has begun. */
  forget(): string {
    return this.#deps.cookie.clear();
  }

  /**
   * Who signed in, by the code that the browser brought back.
   * @throws AppError `sign_in_failed` if the answer is not to this request, was used before or is refused;
   * `sign_in_unavailable`, `too_many_attempts`
   */
  async receive(flow: SignInFlow, request: Request, origin: Origin): Promise<{ provider: Provider; person: Person }> {
    const { db, limits, providers, issuers } = this.#deps;
    const attempt = await beginAttempt(db, freeFromAddress(attemptKinds.signIn, limits().logins), {
      account: flow.provider,
      ip: origin.ip,
    });
    const provider = await providers.find(flow.provider);
    // An admin may have changed the provider meanwhile: its answer is then not one to this request.
    if (provider === null || provider.issuer !== flow.issuer) {
      throw new AppError("sign_in_failed");
    }
    const returned = new URL(providers.callbackUrl(flow.provider));
    returned.search = new URL(request.url).search;
    if (returned.searchParams.get("state") !== flow.state) {
      throw new AppError("sign_in_failed");
    }
    if (!(await useOnce(db, sha256(flow.state), new Date(flow.endsAt)))) {
      throw new AppError("sign_in_failed");
    }
    const person = await issuers.redeem(provider, returned, flow);
    await attempt.succeeded();
    return { provider, person };
  }

  /**
   * Logs in the user of this identity. Without one, the address decides, if both sides have verified it: it belongs to
   * an account, to which the identity is then linked, or to nobody, who then gets one.
   * @throws AppError `account_disabled`, `address_unverified`, `account_exists`, `not_registered`, `too_many_attempts`
   */
  async logIn(
    { provider, person }: { readonly provider: Provider; readonly person: Person },
    flow: Pick<SignInFlow, "next" | "invitation">,
    call: Call,
  ): Promise<Outcome> {
    const { db } = this.#deps;
    const known = await findUserOfIdentity(db, person);
    const user = known ?? (await this.#findByAddress(person));
    const { issuer, subject, email } = person;
    const { next, invitation } = flow;
    const entering = { issuer, subject, email, label: provider.label, isNew: known === null, next, hasCode: false };
    if (user === null) {
      const made = await this.#deps.newMembers.add(provider, person, { ...call, invitation });
      return await this.#start(made, { ...entering, isNew: false }, call);
    }
    refuseUnlessActive(user);
    if (!user.hasCode) {
      return await this.#start(user, entering, call);
    }
    const { hasCode, ...rest } = entering;
    const userId = user.userId.toString();
    const waiting: WaitingCode = { step: "code", id: randomText(), userId, ...rest, endsAt: this.#end() };
    return { kind: "code", next, cookies: [this.#deps.cookie.write(waiting)] };
  }

  /**
   * Finishes a login that waits for the code of the account's authenticator.
   * @throws AppError `sign_in_failed` if nothing waits in this browser; `code_required`, `invalid_code`, `account_disabled`,
   * `too_many_attempts`
   */
  async confirmCode(code: string, call: Call): Promise<Outcome> {
    const { db, clock, cookie, factor } = this.#deps;
    const waiting = cookie.read(call.request, "code", clock.now());
    if (waiting === null) {
      throw new AppError("sign_in_failed");
    }
    const userId = BigInt(waiting.userId) as UserId;
    await factor.check({ kind: "user", id: userId }, code, call.origin);
    if (!(await useOnce(db, sha256(waiting.id), new Date(waiting.endsAt)))) {
      throw new AppError("sign_in_failed");
    }
    const known = waiting.isNew
      ? await this.#findByAddress({ ...waiting, isEmailVerified: true })
      : await findUserOfIdentity(db, waiting);
    if (known === null || known.userId !== userId) {
      throw new AppError("sign_in_failed");
    }
    refuseUnlessActive(known);
    return await this.#start(known, { ...waiting, hasCode: true }, call);
  }

  /** An account with an address that the issuer vouches for, and that its owner has verified here as well. */
  async #findByAddress(person: Pick<Person, "email" | "isEmailVerified">): Promise<LoginProfile | null> {
    if (person.email === null || !person.isEmailVerified) {
      throw new AppError("address_unverified");
    }
    const { db } = this.#deps;
    const user = await findLoginByEmail(db, person.email);
    if (user !== null && !(await hasVerifiedAddress(db, user.userId))) {
      // Somebody registered it, here or in another gateway, without proving the address, and knows its password.
      throw new AppError("account_exists");
    }
    return user;
  }

  async #start(user: Entrant, entering: Entering, { request, origin }: Call): Promise<Outcome> {
    const { db, sessions, cookie, devices } = this.#deps;
    const { userId } = user;
    const session = await db.withTransaction(async (tx) => {
      await this.#hold(tx, user, { ...entering, origin });
      return await sessions.start(tx, ofUser(userId), request, { ...origin, method: "sign_in" });
    });
    const language = localeCookie(mailLocaleOf(user.locale), sessions.isSecure);
    const device = devices.read(request, "user", userId) === null ? [devices.cookie("user", userId)] : [];
    return { kind: "done", next: entering.next, cookies: [session, language, cookie.clear(), ...device] };
  }

  async #hold(tx: Transaction, user: Entrant, entering: Entering & { readonly origin: Origin }): Promise<void> {
    const { userId } = user;
    const { issuer, subject, email, hasCode, isNew, origin } = entering;
    const isHeld = isNew
      ? await holdActive(tx, { userId, hasCode })
      : await holdIdentity(tx, entering, { userId, hasCode, email });
    if (!isHeld) {
      throw new AppError("sign_in_failed");
    }
    if (isNew) {
      await this.#deps.links.add(tx, user, entering);
    }
    await audit(tx, byUser(user, origin), "user.sign_in", {
      subjectKind: "user",
      subjectId: userId,
      after: { issuer, subject, address: email },
    });
  }

  #end(): number {
    return this.#deps.clock.now() + cookieMinutes * 60_000;
  }
}

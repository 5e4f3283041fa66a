import { randomBytes } from "node:crypto";
import type { LoginMethod } from "@sluice/contracts/login-methods";
import { sha256 } from "../../platform/crypto/digest.ts";
import type { Database, Queryable } from "../../platform/db.ts";
import type { AdminCaller, CallerReader, TokenCaller, TokenKind, UserCaller } from "../../platform/endpoint/model.ts";
import { findAdminByToken, findUserByToken, markTokenUsed } from "../access-tokens/store.ts";
import { readSessionCookie, sessionCookie } from "./cookie.ts";
import { type AdminRules, type LoginOrigin, type SessionKind, sessionRules } from "./model.ts";
import {
  findAdminBySession,
  findUserBySession,
  insertSession,
  markSessionSeen,
  revokeSessionByToken,
  type SessionOwner,
} from "./store.ts";

const tokenBytes = 32;

/** `method` is how the owner logged in. `continuedId` is the session that this one continues: the age of its login carries over. */
export type NewSession = LoginOrigin & { readonly method: LoginMethod; readonly continuedId?: bigint | null };

export type SessionDeps = {
  readonly db: Database;
  /** Whether browsers send the cookie over HTTPS only. False only in development. */
  readonly isSecure: boolean;
  readonly adminRules: () => AdminRules;
};

/** Cookie sessions. Every login starts a new one; a session id that the client brings is never adopted. */
export class Sessions implements CallerReader {
  readonly #db: Database;
  readonly #isSecure: boolean;
  readonly #adminRules: () => AdminRules;

  constructor({ db, isSecure, adminRules }: SessionDeps) {
    this.#db = db;
    this.#isSecure = isSecure;
    this.#adminRules = adminRules;
  }

  get isSecure(): boolean {
    return this.#isSecure;
  }

  /**
   * Starts a session in the transaction of the login, and ends the one that the request came with.
   * @returns the `Set-Cookie` that carries its token; only the digest is stored
   */
  async start(tx: Queryable, owner: SessionOwner, request: Request, origin: NewSession): Promise<string> {
    const kind: SessionKind = owner.adminId === null ? "user" : "admin";
    await this.end(tx, kind, request);
    const token = randomBytes(tokenBytes).toString("base64url");
    const { lifeSeconds } = sessionRules[kind];
    await insertSession(tx, sha256(token), owner, { continuedId: null, ...origin, lifeSeconds });
    return sessionCookie(kind, token, this.#isSecure);
  }

  /** Ends the session that a request came with, if there is one. */
  async end(db: Queryable, kind: SessionKind, request: Request): Promise<void> {
    const token = readSessionCookie(request, kind);
    if (token !== null) {
      await revokeSessionByToken(db, sha256(token), kind);
    }
  }

  async readUser(request: Request): Promise<UserCaller | null> {
    const token = readSessionCookie(request, "user");
    return token === null ? null : this.#seen(await findUserBySession(this.#db, sha256(token), sessionRules.user));
  }

  async readAdmin(request: Request): Promise<AdminCaller | null> {
    const token = readSessionCookie(request, "admin");
    const rules = { ...sessionRules.admin, ...this.#adminRules() };
    return token === null ? null : this.#seen(await findAdminBySession(this.#db, sha256(token), rules));
  }

  carriesSession(request: Request, kind: SessionKind): boolean {
    return readSessionCookie(request, kind) !== null;
  }

  async readToken<Kind extends TokenKind>(token: string, kind: Kind, ip: string): Promise<TokenCaller<Kind> | null> {
    const digest = sha256(token);
    const found =
      kind === "user"
        ? await findUserByToken(this.#db, digest)
        : await findAdminByToken(this.#db, digest, this.#adminRules());
    if (found?.isSeenLongAgo === true) {
      await markTokenUsed(this.#db, found.id, ip);
    }
    return found as TokenCaller<Kind> | null;
  }

  async #seen<Caller extends { readonly sessionId: bigint | null }>(
    found: { readonly caller: Caller; readonly isSeenLongAgo: boolean } | null,
  ): Promise<Caller | null> {
    const { sessionId = null } = found?.caller ?? {};
    if (found?.isSeenLongAgo === true && sessionId !== null) {
      await markSessionSeen(this.#db, sessionId);
    }
    return found?.caller ?? null;
  }
}

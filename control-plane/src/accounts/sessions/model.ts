import type { LoginMethod } from "@sluice/contracts/login-methods";

/** The owner of a session. */
export type SessionKind = "user" | "admin";

export type SessionRules = {
  readonly cookieName: string;
  readonly sameSite: "Lax" | "Strict";
  /** A session ends after this long without a request. */
  readonly idleSeconds: number;
  /** A session ends this long after the login in any case. */
  readonly lifeSeconds: number;
};

const hour = 3_600;
const day = 24 * hour;

export const sessionRules: Readonly<Record<SessionKind, SessionRules>> = {
  // The cookie is lax, so that a user who comes back from a payment page is still logged in.
  user: { cookieName: "SVC_USER_SESSID", sameSite: "Lax", idleSeconds: 14 * day, lifeSeconds: 90 * day },
  admin: { cookieName: "SVC_ADMIN_SESSID", sameSite: "Strict", idleSeconds: 12 * hour, lifeSeconds: day },
};

/** The rules for admin logins. */
export type AdminRules = { readonly freshLoginMinutes: number; readonly isSecondFactorRequired: boolean };

/** A login's origin, as its owner sees it in the list of sessions. */
export type LoginOrigin = { readonly ip: string; readonly userAgent: string };

/** A session as its owner sees it. Times in ISO 8601. */
export type SessionSummary = {
  readonly id: bigint;
  readonly ip: string;
  readonly user_agent: string;
  /** Null for logins of earlier releases. */
  readonly method: LoginMethod | null;
  readonly created_at: string;
  readonly seen_at: string;
  readonly expires_at: string;
};

import { AppError } from "../../platform/errors.ts";
import { type SessionKind, sessionRules } from "./model.ts";

const tokenShape = /^[A-Za-z0-9_-]{43}$/;

/**
 * The session cookie's token; null unless valid.
 * @throws AppError `invalid_cookie` when there are two of that name: one of them was planted
 */
export function readSessionCookie(request: Request, kind: SessionKind): string | null {
  const values = readCookies(request, sessionRules[kind].cookieName);
  if (values.length > 1) {
    throw new AppError("invalid_cookie");
  }
  const [token = ""] = values;
  return tokenShape.test(token) ? token : null;
}

/** The values of all cookies of this name. */
export function readCookies(request: Request, name: string): string[] {
  const prefix = `${name}=`;
  return (request.headers.get("cookie") ?? "")
    .split(";")
    .map((part) => part.trim())
    .filter((part) => part.startsWith(prefix))
    .map((part) => part.slice(prefix.length));
}

/** The `Set-Cookie` of a new session: for this host only, and hidden from scripts. */
export function sessionCookie(kind: SessionKind, token: string, isSecure: boolean): string {
  return cookieText(kind, token, sessionRules[kind].lifeSeconds, isSecure);
}

/** The `Set-Cookie` that removes the session cookie. */
export function endedSessionCookie(kind: SessionKind, isSecure: boolean): string {
  return cookieText(kind, "", 0, isSecure);
}

function cookieText(kind: SessionKind, value: string, maxAge: number, isSecure: boolean): string {
  const { cookieName, sameSite } = sessionRules[kind];
  const secure = isSecure ? "; Secure" : "";
  return `${cookieName}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=${sameSite}${secure}`;
}

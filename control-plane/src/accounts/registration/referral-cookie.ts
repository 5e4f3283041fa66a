import { referralCodeShape } from "@sluice/contracts/referrals";
import { readCookies } from "../sessions/cookie.ts";

const name = "SVC_REFERRAL";
const lifeSeconds = 30 * 24 * 3_600;

/** The code of the link by which this browser came; null for none. */
export function readReferral(request: Request): string | null {
  return readCookies(request, name).find((value) => referralCodeShape.test(value)) ?? null;
}

/** The `Set-Cookie` that keeps the code in the address of the registration page, until somebody registers. */
export function referralCookies(typed: string, isSecure: boolean): readonly string[] {
  const code = typed.toUpperCase();
  const secure = isSecure ? "; Secure" : "";
  return referralCodeShape.test(code)
    ? [`${name}=${code}; Path=/; Max-Age=${lifeSeconds}; HttpOnly; SameSite=Lax${secure}`]
    : [];
}

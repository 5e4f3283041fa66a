import type { Approvals } from "../admin/approvals/service.ts";
import type { CallBase } from "../platform/endpoint/model.ts";
import type { AccountActs } from "./admin-acts.ts";
import type { AdminAccess } from "./admins/admin-access.ts";
import type { AdminAccounts } from "./admins/admin-accounts.ts";
import type { AdminLogin } from "./admins/admin-login.ts";
import type { Closings } from "./closing/closings.ts";
import type { EmailChange } from "./email-change/email-change.ts";
import type { KnownDevices } from "./login/known-devices.ts";
import type { LoginDeps, UserLogin } from "./login/user-login.ts";
import type { Origin } from "./model.ts";
import type { PasskeyLogin } from "./passkeys/passkey-login.ts";
import type { Passkeys } from "./passkeys/passkeys.ts";
import type { PasswordReset } from "./passwords/password-reset.ts";
import type { AccountPages } from "./port.ts";
import type { Newcomers } from "./registration/newcomers.ts";
import type { Registration } from "./registration/registration.ts";
import type { LinkedSignIns } from "./sign-in/linked-sign-ins.ts";
import type { Providers } from "./sign-in/providers.ts";
import type { SignIn } from "./sign-in/sign-in.ts";
import type { OwnAccount } from "./users/own-account.ts";

/** What the feature's endpoints call. */
export type AccountRouteDeps = Pick<LoginDeps, "db" | "sessions"> & {
  readonly approvals: Approvals;
  readonly acts: AccountActs;
  readonly registration: Registration;
  readonly userLogin: UserLogin;
  readonly reset: PasswordReset;
  readonly ownAccount: OwnAccount;
  readonly adminLogin: AdminLogin;
  readonly adminAccounts: AdminAccounts;
  readonly adminAccess: AdminAccess;
  readonly pages: AccountPages;
  readonly providers: Providers;
  readonly signIn: SignIn;
  readonly links: LinkedSignIns;
  readonly passkeys: Passkeys;
  readonly closings: Closings;
  readonly emailChange: EmailChange;
  readonly passkeyLogin: PasskeyLogin;
  readonly newcomers: Newcomers;
  readonly devices: KnownDevices;
};

export function originOf({ clientIp, userAgent, requestId }: CallBase<unknown>): Origin {
  return { ip: clientIp, userAgent, requestId };
}

export function withCookie(answer: Response, ...cookies: readonly string[]): Response {
  for (const cookie of cookies) {
    answer.headers.append("set-cookie", cookie);
  }
  return answer;
}

/** Redirects to another local page after a form; the browser requests it with GET. */
export function seeOther(path: string): Response {
  return new Response(null, { status: 303, headers: { location: path, "cache-control": "no-store" } });
}

/** Whether the request comes from a browser rather than a program. */
export function wantsPage(request: Request): boolean {
  return /\btext\/html\b/i.test(request.headers.get("accept") ?? "");
}

import type { Approvals } from "../admin/approvals/service.ts";
import type { Consents } from "../consents/service.ts";
import type { MailQueue } from "../mail/model.ts";
import type { Clock } from "../platform/clock.ts";
import type { MasterKey } from "../platform/crypto/master-key.ts";
import type { Database } from "../platform/db.ts";
import type { CallerReader } from "../platform/endpoint/model.ts";
import type { Feature } from "../platform/feature.ts";
import { AccessTokens } from "./access-tokens/access-tokens.ts";
import { accessTokenEndpoints } from "./access-tokens/routes.ts";
import { accountEndpoints } from "./account-routes.ts";
import type { AccountActs } from "./admin-acts.ts";
import { adminAccountEndpoints } from "./admin-routes.ts";
import { AdminAccess } from "./admins/admin-access.ts";
import { AdminAccounts } from "./admins/admin-accounts.ts";
import { AdminLogin } from "./admins/admin-login.ts";
import type { AddressNumbers } from "./attempts/model.ts";
import { authEndpoints } from "./auth-routes.ts";
import { Closings } from "./closing/closings.ts";
import { closingEndpoints } from "./closing/routes.ts";
import { dataExportEndpoints } from "./data-export/routes.ts";
import { EmailChange } from "./email-change/email-change.ts";
import { emailChangeEndpoints } from "./email-change/routes.ts";
import { formEndpoints } from "./form-routes.ts";
import { KnownDevices } from "./login/known-devices.ts";
import { type LoginDeps, UserLogin } from "./login/user-login.ts";
import { Challenges } from "./passkeys/challenges.ts";
import { relyingPartyOf } from "./passkeys/model.ts";
import { PasskeyLogin } from "./passkeys/passkey-login.ts";
import { Passkeys } from "./passkeys/passkeys.ts";
import { passkeyEndpoints } from "./passkeys/routes.ts";
import { PasswordHashing } from "./passwords/password-hashing.ts";
import { PasswordReset } from "./passwords/password-reset.ts";
import type { AccountPages, GatewayUsers, OnReferred, OnVerified } from "./port.ts";
import { registrationAdminEndpoints } from "./registration/admin-routes.ts";
import { ClosedMarks } from "./registration/closed-marks.ts";
import { CreatedHere } from "./registration/created-here.ts";
import { Newcomers } from "./registration/newcomers.ts";
import { ProofOfWork } from "./registration/proof-of-work.ts";
import { Registration } from "./registration/registration.ts";
import type { AdminRules } from "./sessions/model.ts";
import { Sessions } from "./sessions/sessions.ts";
import { signInAccountEndpoints } from "./sign-in/account-routes.ts";
import { signInAdminEndpoints } from "./sign-in/admin-routes.ts";
import { signInBrowserEndpoints } from "./sign-in/browser-routes.ts";
import { FlowCookie } from "./sign-in/flow-cookie.ts";
import { type IssuerDeps, Issuers } from "./sign-in/issuers.ts";
import { LinkedSignIns } from "./sign-in/linked-sign-ins.ts";
import { NewMembers } from "./sign-in/new-members.ts";
import { Providers } from "./sign-in/providers.ts";
import { SignIn } from "./sign-in/sign-in.ts";
import { SecondFactor } from "./totp/second-factor.ts";
import { userAdminEndpoints } from "./user-admin-routes.ts";
import { OwnAccount } from "./users/own-account.ts";

export type AccountsDeps = {
  readonly db: Database;
  readonly masterKey: MasterKey;
  readonly clock: Clock;
  readonly mails: MailQueue;
  readonly gatewayUsers: GatewayUsers;
  readonly approvals: Approvals;
  readonly acts: AccountActs;
  readonly onVerified: OnVerified;
  readonly onReferred: OnReferred;
  /** What newcomers accept with their registration. */
  readonly consents: Consents;
  readonly pages: AccountPages;
  /** How issuers of sign-ins are called. */
  readonly issuers: IssuerDeps;
  /** The base URL of the links in emails. */
  readonly baseUrl: string;
  /** The name of the service, which authenticators show. */
  readonly brandName: () => string;
  readonly returnsVerificationLink: boolean;
  /** How long the closing of an account can be undone; read on each request. */
  readonly waitingDays: () => number;
  /** Allows cookies over plain HTTP. */
  readonly isDevelopment: boolean;
  /** Read on each request of an admin. */
  readonly adminRules: () => AdminRules;
  /** Read on each attempt, because admins can change them. */
  readonly limits: () => AddressNumbers;
};

export type Accounts = {
  readonly callers: CallerReader;
  readonly feature: Feature;
};

/** Wires up the feature. */
export function buildAccounts(deps: AccountsDeps): Accounts {
  const { db, mails, baseUrl, gatewayUsers, limits } = deps;
  const sessions = new Sessions({ db, isSecure: !deps.isDevelopment, adminRules: deps.adminRules });
  const hashing = new PasswordHashing();
  const devices = new KnownDevices(deps.masterKey, !deps.isDevelopment);
  const login: LoginDeps = { db, sessions, hashing, devices, factor: new SecondFactor(deps), limits };
  const returnsLink = deps.returnsVerificationLink;
  const adminAccess = new AdminAccess({ db, hashing });
  const ownAccount = new OwnAccount({ ...login, mails, baseUrl });
  const providers = new Providers(deps);
  const issuers = new Issuers(deps.issuers);
  const links = new LinkedSignIns({ ...deps, ownAccount });
  const cookie = new FlowCookie(deps.masterKey, !deps.isDevelopment);
  const marks = new ClosedMarks(deps.masterKey);
  const newcomers = new Newcomers({ ...deps, work: new ProofOfWork(deps), devices, marks });
  const createdHere = new CreatedHere(deps, !deps.isDevelopment);
  const newMembers = new NewMembers({ ...deps, newcomers });
  const challenges = new Challenges({ ...deps, isSecure: !deps.isDevelopment });
  const party = relyingPartyOf(baseUrl);
  const routeDeps = {
    db,
    sessions,
    approvals: deps.approvals,
    acts: deps.acts,
    pages: deps.pages,
    registration: new Registration({ ...login, mails, gatewayUsers, newcomers, createdHere, baseUrl, returnsLink }),
    userLogin: new UserLogin(login),
    reset: new PasswordReset({ db, hashing, mails, devices, newcomers, baseUrl, limits, adminAccess, providers }),
    ownAccount,
    newcomers,
    devices,
    providers,
    issuers,
    links,
    closings: new Closings(db, deps),
    emailChange: new EmailChange(deps),
    passkeys: new Passkeys({ ...deps, challenges, party }),
    passkeyLogin: new PasskeyLogin({ ...login, mails, baseUrl, challenges, party }),
    signIn: new SignIn({ ...login, clock: deps.clock, providers, issuers, cookie, links, newMembers }),
    adminLogin: new AdminLogin(login),
    adminAccounts: new AdminAccounts(login),
    adminAccess,
  };
  return {
    callers: sessions,
    feature: {
      name: "accounts",
      endpoints: [
        ...authEndpoints(routeDeps),
        ...formEndpoints(routeDeps),
        ...accountEndpoints(routeDeps),
        ...signInBrowserEndpoints(routeDeps),
        ...signInAccountEndpoints(routeDeps),
        ...passkeyEndpoints(routeDeps),
        ...closingEndpoints(routeDeps),
        ...emailChangeEndpoints(routeDeps),
        ...dataExportEndpoints(routeDeps),
        ...signInAdminEndpoints(routeDeps),
        ...registrationAdminEndpoints({ ...routeDeps, masterKey: deps.masterKey, baseUrl }),
        ...accessTokenEndpoints({ tokens: new AccessTokens(db), links: routeDeps.links }),
        ...adminAccountEndpoints(routeDeps),
        ...userAdminEndpoints(routeDeps),
      ],
    },
  };
}

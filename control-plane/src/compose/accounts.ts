import { PooledHttpClient } from "@sluice/http-client/pooled-client";
import { type Accounts, type AccountsDeps, buildAccounts } from "../accounts/accounts.ts";
import type { MailQueue } from "../mail/model.ts";
import { adminLoginPage, codePage, loginPage, resetPage, sentPage, verifyPage } from "../pages/account-pages.ts";
import { registerPage } from "../pages/register-page.ts";
import { recordReferral } from "../payments/referrals/referrals.ts";
import { creditPaidOrders } from "../payments/settle/credit-waiting.ts";
import { openUpstreamGuard } from "../platform/address-guard.ts";
import { systemClock } from "../platform/clock.ts";
import { type Config, publicBaseUrl } from "../platform/config.ts";
import type { BackendDeps } from "./backend-deps.ts";
import { gatewayUsers } from "./gateway-users.ts";
import { formLook } from "./pages.ts";
import { referralRules } from "./setting-rules.ts";

/** Whether responses include the links that emails contain. */
export const returnsLinks = (config: Config): boolean =>
  config.REGISTRATION_RETURNS_VERIFICATION_URL ?? config.NODE_ENV !== "production";

/** The accounts of users and admins, with what they need from other features. */
export function openAccounts(
  deps: BackendDeps,
  mails: MailQueue,
  agreed: Pick<AccountsDeps, "approvals" | "acts" | "consents">,
): Accounts {
  const { config, db, masterKey, log, settings } = deps;
  return buildAccounts({
    ...agreed,
    db,
    masterKey,
    clock: systemClock,
    mails,
    gatewayUsers,
    onVerified: creditPaidOrders,
    onReferred: async (tx, invitedId, code) => recordReferral(tx, referralRules(settings.values), { invitedId, code }),
    pages: {
      login: (state, status) => loginPage(state, status, formLook(deps)),
      code: (state, status) => codePage(state, status, formLook(deps)),
      register: (state, status) => registerPage(state, status, formLook(deps)),
      sent: (state) => sentPage(state, formLook(deps)),
      verify: (state, status) => verifyPage(state, status, formLook(deps)),
      reset: (state, status) => resetPage(state, status, formLook(deps)),
      adminLogin: (state, status) => adminLoginPage(state, status, formLook(deps)),
    },
    issuers: { client: new PooledHttpClient({ guard: openUpstreamGuard(config, log) }), clock: systemClock, log },
    baseUrl: publicBaseUrl(config),
    brandName: () => settings.values["brand.name"],
    returnsVerificationLink: returnsLinks(config),
    waitingDays: () => settings.values["accounts.closing_days"],
    isDevelopment: config.NODE_ENV === "development",
    adminRules: () => ({
      freshLoginMinutes: settings.values["admin.fresh_login_minutes"],
      isSecondFactorRequired: settings.values["admin.second_factor_required"],
    }),
    limits: () => ({
      logins: settings.values["accounts.logins_per_address"],
      adminLogins: settings.values["accounts.admin_logins_per_address"],
      registrations: settings.values["accounts.registrations_per_address"],
      mails: settings.values["accounts.mails_per_address"],
    }),
  });
}

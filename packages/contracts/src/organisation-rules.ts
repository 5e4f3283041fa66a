import type { OrganisationRule } from "./organisation-rights.ts";

/** What each path requires of a member. Apart from the rights of the roles, which browsers load, too. */
const paths = (rule: OrganisationRule, base: string, names: string): readonly (readonly [string, OrganisationRule])[] =>
  names.split(" ").map((name) => [`${base}${name}/`, rule] as const);

const rules: ReadonlyMap<string, OrganisationRule> = new Map([
  ...paths("person", "/backend/auth/", "me profile/save password/change sessions sessions/revoke"),
  ...paths("person", "/backend/auth/", "consents consents/accept"),
  ...paths("person", "/backend/auth/", "sign-ins sign-ins/link sign-ins/unlink"),
  ...paths("person", "/backend/auth/", "closing closing/begin closing/undo email/change data-export"),
  ...paths("person", "/backend/auth/", "passkeys passkeys/begin passkeys/add passkeys/rename passkeys/remove"),
  ...paths("person", "/backend/auth/totp/", "begin enable recovery-codes disable"),
  ...paths("person", "/backend/account/", "inbox inbox/read"),
  ...paths("person", "/backend/organisations/", "list create invitation/read invitation/accept leave"),
  ...paths("see", "/backend/organisations/", "detail"),
  ...paths("settings", "/backend/organisations/", "save"),
  ...paths("members", "/backend/organisations/", "invite invitation/revoke member/save member/remove"),
  ...paths("projects", "/backend/organisations/", "project/save"),
  // Members with `own_keys` or `own_usage` alone see and change only what is theirs.
  ...paths("own_keys", "/backend/keys/", "create list save disable enable revoke rotate first-request"),
  ...paths(
    "own_usage",
    "/backend/usage/",
    "list summary course labels performance export sums/export earlier earlier/export earlier/calls/export receipt receipt/:request_id",
  ),
  ...paths("settings", "/backend/usage/", "labels/save"),
  ...paths("own_usage", "/backend/usage/", "payload payload/reading payload/access/list"),
  ...paths("contents", "/backend/usage/payload/", "reading/save"),
  ...paths("see", "/backend/", "models/list billing/balance response-cache"),
  ...paths("billing", "/backend/billing/", "ledger statement statement/sums order/list order/create order/status"),
  ...paths(
    "billing",
    "/backend/billing/",
    "order/cancel order/quote order/invoices order/invoice coupon/check code/redeem subscription/list subscription/cancel",
  ),
  ...paths("billing", "/backend/billing/renewal/", "list start cancel manage"),
  ...paths("billing", "/backend/billing/", "invoice/list invoice/file buyer buyer/save"),
  ...paths("billing", "/backend/billing/", "top-up top-up/start top-up/remove"),
  ...paths("billing", "/backend/payment/", "options mock-settle walletpay/create cardpay/create"),
  ...paths("webhooks", "/backend/webhooks/", "list create save rotate test deliveries replay remove"),
  ...paths("tokens", "/backend/tokens/", "list create revoke"),
]);

export const organisationRulePaths: readonly string[] = [...rules.keys()];

export function organisationRuleOf(path: string): OrganisationRule {
  return rules.get(path) ?? "refused";
}

/**
 * Whether members with a login may do this while their organisation is suspended, beside reading: nobody is charged every month
 * for what they can't end.
 */
export const isAllowedSuspended = (path: string): boolean => path === "/backend/billing/renewal/cancel/";

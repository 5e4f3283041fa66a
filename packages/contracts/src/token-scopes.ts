/** What an access token may be allowed to do, in the order in which forms offer it. */
export const tokenScopes = [
  "usage",
  "contents",
  "keys",
  "billing",
  "users",
  "upstreams",
  "everything",
  "sensitive",
] as const;

export type TokenScope = (typeof tokenScopes)[number];

/** The scopes of users' tokens. */
export const userTokenScopes = [
  "usage",
  "contents",
  "keys",
  "billing",
  "everything",
] as const satisfies readonly TokenScope[];

/** The scopes of admins' tokens: the contents of calls take a person who states a reason. */
export const adminTokenScopes = [
  "usage",
  "keys",
  "billing",
  "users",
  "upstreams",
  "everything",
  "sensitive",
] as const satisfies readonly TokenScope[];
export type AdminTokenScope = (typeof adminTokenScopes)[number];

/** What an operation requires of a token: a scope; any token; or a login, whatever the token's scopes. */
export type TokenRule = Exclude<TokenScope, "sensitive"> | "any" | "closed";

const paths = (rule: TokenRule, base: string, names: string): readonly (readonly [string, TokenRule])[] =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => [`${base}${name}/`, rule] as const);

/**
 * The only table of what access tokens may do. An operation that requires a fresh login also requires the scope
 * `sensitive`, which `everything` does not include; nor does it include `contents`, the bodies of a user's own calls. Closed are
 * logins and passwords, second factors, tokens, the rights of admins, the decision of a second person, the contents of calls of
 * others, secrets and settings; and what visitors may do without a login.
 */
const rules: ReadonlyMap<string, TokenRule> = new Map([
  ...paths("any", "/backend/", "auth/me auth/admin/me models/list"),
  ...paths("any", "/backend/organisations/", "list detail"),
  ...paths("everything", "/backend/organisations/", "create save leave invite member/save member/remove project/save"),
  ...paths("closed", "/backend/organisations/invitation/", "read accept"),
  ...paths("everything", "/backend/organisations/invitation/", "revoke"),
  ...paths(
    "usage",
    "/backend/usage/",
    "list summary course labels performance export sums/export earlier earlier/export earlier/calls/export receipt receipt/:request_id",
  ),
  ...paths("everything", "/backend/usage/", "labels/save"),
  ...paths("contents", "/backend/usage/", "payload"),
  ...paths("usage", "/backend/usage/payload/", "reading access/list"),
  ...paths("closed", "/backend/usage/payload/", "reading/save"),
  ...paths("usage", "/backend/billing/", "balance"),
  ...paths("keys", "/backend/keys/", "create list save disable enable revoke rotate first-request"),
  ...paths("keys", "/backend/", "response-cache"),
  ...paths("billing", "/backend/billing/", "ledger statement statement/sums order/list order/claim"),
  ...paths("billing", "/backend/billing/", "invoice/list invoice/file buyer buyer/save"),
  ...paths("billing", "/backend/billing/subscription/", "list cancel"),
  ...paths("billing", "/backend/billing/renewal/", "list"),
  ...paths("billing", "/backend/payment/", "options"),
  ...paths("everything", "/backend/", "auth/profile/save account/inbox account/inbox/read"),

  ...paths("usage", "/backend/admin/", "usage/list usage/export dashboard overview channel/health model/performance"),
  ...paths("usage", "/backend/admin/report/", "usage usage/course margin campaign"),
  ...paths("usage", "/backend/admin/trace/", "list export detail histogram"),
  ...paths("keys", "/backend/admin/key/", "list export detail save lock unlock revoke"),
  ...paths("everything", "/backend/admin/", "branding branding/legal branding/image/save branding/text/save"),
  ...paths("everything", "/backend/admin/branding/legal/", "save preview"),
  ...paths("everything", "/backend/admin/incident/", "list create update"),
  ...paths("users", "/backend/admin/user/", "list export detail save sessions/revoke resend-verification closing"),
  ...paths("closed", "/backend/admin/user/", "closing/begin closing/undo"),
  ...paths("users", "/backend/admin/organisation/", "list export detail create save"),
  ...paths("users", "/backend/admin/registration/", "credit/list credit/export"),
  ...paths("users", "/backend/admin/consent/", "list export"),
  ...paths("users", "/backend/admin/", "limit/explain limit/save"),
  ...paths("users", "/backend/admin/group/", "list export detail save assign remove"),
  ...paths("billing", "/backend/admin/order/", "list export resolve"),
  ...paths("billing", "/backend/admin/payment/", "list export"),
  ...paths("billing", "/backend/admin/gateway-event/", "list export replay"),
  ...paths("billing", "/backend/admin/refund/", "list export preview create close"),
  ...paths("billing", "/backend/admin/plan/", "list export save"),
  ...paths("billing", "/backend/admin/code-batch/", "list export create codes revoke"),
  ...paths("billing", "/backend/admin/coupon/", "list export create revoke"),
  ...paths("billing", "/backend/admin/top-up/", "list export charge close"),
  ...paths("billing", "/backend/admin/referral/", "list export"),
  ...paths("billing", "/backend/admin/invoice/", "list export file terms terms/save"),
  ...paths("billing", "/backend/admin/renewal/", "list export cancel"),
  ...paths("billing", "/backend/admin/manual-adjust/", "list export"),
  ...paths("billing", "/backend/admin/", "manual-adjust ledger/list ledger/export money-check usage-settle"),
  ...paths("billing", "/backend/admin/report/", "revenue reconciliation"),
  ...paths("upstreams", "/backend/admin/model/", "list export save fallbacks/save explain"),
  ...paths("upstreams", "/backend/admin/channel/", "list export save enable disable test models adopt"),
  ...paths("upstreams", "/backend/admin/channel/credential/", "save remove"),
  ...paths("upstreams", "/backend/admin/", "ability/list ability/export ability/save upstream/save"),
  ...paths("upstreams", "/backend/admin/", "channel-cost/list channel-cost/save response-cache/clear"),
  ...paths("upstreams", "/backend/admin/price-data/", "upload source/save remove fetch"),
  ...paths("upstreams", "/backend/admin/", "price-data"),
  ...paths("upstreams", "/backend/admin/exit-node/", "list export detail save dns-check health switch"),
  ...paths("upstreams", "/backend/admin/exit-node/", "account/list account/save route/list route/save"),
  ...paths("upstreams", "/backend/admin/anthropic/model-map/", "list save"),
  ...paths("upstreams", "/backend/upstream/auth-profiles/", "list save refresh"),
  ...paths("everything", "/backend/webhooks/", "list create save remove rotate test deliveries replay"),
  ...paths("everything", "/backend/admin/event-target/", "list create save remove rotate test deliveries replay"),
  ...paths("everything", "/backend/admin/", "setup audit/list audit/export settings/list"),
  ...paths("everything", "/backend/admin/registration/", "invitation/create invitation/revoke"),
  ...paths("everything", "/backend/admin/mail/", "list export resend resend-failed"),
  ...paths("everything", "/backend/admin/mail/template/", "list save preview"),
  ...paths("everything", "/backend/admin/", "mail/template lead/list lead/export lead/save"),
  ...paths("everything", "/backend/admin/", "approval/list approval/detail trace/access/list trace/access/check"),
  ...paths("everything", "/backend/admin/trace/", "own-access/list"),
  ...paths("everything", "/backend/admin/archive/", "preview add restore"),

  // Programs call the operation of each row; what they may do is then judged by its scope.
  ...paths("closed", "/backend/admin/bulk/", "preview run"),
  ...paths("closed", "/backend/admin/change/", "preview"),
  ...paths("closed", "/backend/admin/view/", "list save remove"),
  ...paths("closed", "/backend/auth/", "password/change sessions sessions/revoke"),
  ...paths("closed", "/backend/auth/totp/", "begin enable recovery-codes disable"),
  ...paths("closed", "/backend/auth/admin/", "locale/save password/change sessions sessions/revoke"),
  ...paths("closed", "/backend/auth/admin/totp/", "begin enable recovery-codes disable"),
  // A program reads no terms.
  ...paths("closed", "/backend/auth/", "consents consents/accept"),
  ...paths("closed", "/backend/auth/", "sign-ins sign-ins/link sign-ins/unlink"),
  ...paths("closed", "/backend/auth/", "closing closing/begin closing/undo email/change data-export"),
  ...paths("closed", "/backend/auth/", "passkeys passkeys/begin passkeys/add passkeys/rename passkeys/remove"),
  ...paths("closed", "/backend/admin/sign-in-provider/", "list save remove test"),
  ...paths("closed", "/backend/admin/registration/", "save"),
  // It shows the codes of invitations.
  ...paths("closed", "/backend/admin/", "registration"),
  ...paths("closed", "/backend/tokens/", "list create revoke"),
  ...paths("closed", "/backend/admin/token/", "list create revoke"),
  ...paths("closed", "/backend/admin/admin/", "list create save password-link sessions/revoke"),
  ...paths("closed", "/backend/admin/", "totp/remove approval/decide settings/save"),
  ...paths("closed", "/backend/admin/secret/", "list uses save remove"),
  ...paths("closed", "/backend/admin/trace/payload/", "count"),
  ...paths("closed", "/backend/admin/", "trace/payload"),
  ...paths("closed", "/backend/billing/order/", "create status cancel quote invoices invoice"),
  ...paths("closed", "/backend/billing/code/", "redeem"),
  ...paths("closed", "/backend/billing/coupon/", "check"),
  ...paths("closed", "/backend/billing/", "top-up top-up/start top-up/remove"),
  ...paths("closed", "/backend/billing/referral/", "list link"),
  ...paths("closed", "/backend/billing/renewal/", "start cancel manage"),
  ...paths("closed", "/backend/payment/", "mock-settle walletpay/create cardpay/create"),
  ...paths("closed", "/", "login"),
]);

/** Every path of the table. */
export const tokenRulePaths: readonly string[] = [...rules.keys()];

/** What the operation at a path requires of a token. A path that is not in the table is closed. */
export function tokenRuleOf(path: string): TokenRule {
  return rules.get(path) ?? "closed";
}

/** Whether a token with these scopes satisfies a rule. */
export function allowsToken(scopes: readonly string[], rule: TokenRule): boolean {
  if (rule === "any" || rule === "closed") {
    return rule === "any";
  }
  return scopes.includes(rule) || (rule !== "contents" && scopes.includes("everything"));
}

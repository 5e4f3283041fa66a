/** What members of an organisation are to it, the most powerful first. */
export const organisationRoles = ["owner", "admin", "billing", "member"] as const;
export type OrganisationRole = (typeof organisationRoles)[number];

export const organisationStatuses = ["active", "suspended"] as const;
export const projectStatuses = ["active", "archived"] as const;

/** A request that names an organisation here acts for it, and not for the account of the person. */
export const organisationHeader = "x-organisation";
/** A download is a plain link, which can't have headers: it names the organisation in its query. */
export const organisationParameter = "as_organisation";

/** What the only table of rights by role distinguishes. */
export type OrganisationRight =
  | "see"
  | "settings"
  | "members"
  | "projects"
  | "keys"
  | "own_keys"
  | "usage"
  | "own_usage"
  | "contents"
  | "billing"
  | "webhooks"
  | "tokens";

/** The only table of what the roles may do; endpoints and pages decide by it. */
export const organisationRights = {
  owner: [
    "see",
    "settings",
    "members",
    "projects",
    "keys",
    "own_keys",
    "usage",
    "own_usage",
    "contents",
    "billing",
    "webhooks",
    "tokens",
  ],
  admin: ["see", "members", "projects", "keys", "own_keys", "usage", "own_usage", "contents", "webhooks", "tokens"],
  billing: ["see", "usage", "billing", "tokens"],
  member: ["see", "own_keys", "own_usage"],
} as const satisfies Readonly<Record<OrganisationRole, readonly OrganisationRight[]>>;

export function mayInOrganisation(role: OrganisationRole, right: OrganisationRight): boolean {
  return (organisationRights[role] as readonly OrganisationRight[]).includes(right);
}

/** Who may invite, change and remove whom: nobody gives or takes a role above the own one, and only owners make owners. */
export function mayManageRole(own: OrganisationRole, other: OrganisationRole): boolean {
  return own === "owner" || (own === "admin" && other !== "owner");
}

/**
 * What an endpoint requires of a member who acts for an organisation. `person` is about the person who is logged in,
 * whichever organisation was chosen; what is not in the table can't be done for one.
 */
export type OrganisationRule = OrganisationRight | "person" | "refused";

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

/** Whether a role satisfies the rule of an endpoint. A right to all keys or all usage includes that to the own ones. */
export function allowsRole(role: OrganisationRole, rule: OrganisationRule): boolean {
  if (rule === "person" || rule === "refused") {
    return rule === "person";
  }
  return (
    mayInOrganisation(role, rule) ||
    (rule === "own_keys" && mayInOrganisation(role, "keys")) ||
    (rule === "own_usage" && mayInOrganisation(role, "usage"))
  );
}

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

/** Who may invite, change and remove whom: nobody gives or takes a role above their own, and only owners make owners. */
export function mayManageRole(own: OrganisationRole, other: OrganisationRole): boolean {
  return own === "owner" || (own === "admin" && other !== "owner");
}

/**
 * What an endpoint requires of a member who acts for an organisation. `person` is about the person who is logged in,
 * whichever organisation was chosen; what is not in the table can't be done for one.
 */
export type OrganisationRule = OrganisationRight | "person" | "refused";

/** Whether a role satisfies the rule of an endpoint. A right to all keys or all usage includes that to one's own. */
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

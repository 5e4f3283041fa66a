import { allowsRole, type OrganisationRole, type OrganisationRule } from "@sluice/contracts/organisation-rights";
import { actForOrganisation, onRefused } from "../api/client.ts";
import { keepPreference, readPreference } from "../shell/preferences.ts";

/** The organisation that the console shows and acts for. The backend checks each request; this is only what was chosen. */
export type Acting = { readonly id: string; readonly name: string; readonly role: OrganisationRole };

const key = "acting-for";
const roles: readonly string[] = ["owner", "admin", "billing", "member"] satisfies readonly OrganisationRole[];

function read(): Acting | null {
  try {
    const { id, name, role } = JSON.parse(readPreference(key) ?? "null") as Record<keyof Acting, unknown>;
    const isOne =
      typeof id === "string" && /^\d+$/.test(id) && typeof name === "string" && roles.includes(String(role));
    return isOne ? { id, name, role: role as OrganisationRole } : null;
  } catch {
    return null;
  }
}

/** Chosen before the page was loaded: another choice loads it again, so that nothing of two accounts is ever mixed. */
export const acting: Acting | null = read();

/** Whether the account that the console acts for may do this: one's own may do everything. */
export const mayDo = (rule: OrganisationRule): boolean => acting === null || allowsRole(acting.role, rule);

/** Chooses an organisation, or the user's own account with null, and opens a page for it. */
export function actFor(chosen: Acting | null, path = "/console/"): void {
  keepPreference(key, JSON.stringify(chosen));
  location.assign(path);
}

/** Names the organisation in every request. Somebody who is no longer a member gets their own account back. */
export function startActing(): void {
  actForOrganisation(acting?.id ?? null);
  onRefused("organisation_refused", () => {
    if (acting !== null) {
      actFor(null);
    }
  });
}

/** Keeps name and role as they are now, for the next page. */
export function refreshActing(found: Acting | null): void {
  if (acting !== null && found?.id === acting.id && (found.name !== acting.name || found.role !== acting.role)) {
    keepPreference(key, JSON.stringify(found));
    if (found.role !== acting.role) {
      location.reload();
    }
  }
}

import type { SiteModel } from "@sluice/contracts/site-catalogue";

/** The models of a group of the visitor, with the prices that the visitor pays in it. */
export type ModelOffer = {
  readonly group: string;
  readonly groups: readonly { readonly name: string }[];
  readonly models: readonly SiteModel[];
};

/**
 * Asks for the offer to a visitor who has logged in here before; null for everyone else, and when the login has ended.
 * @param group null for the one that the visitor's keys use
 */
export async function askForOffer(group: string | null): Promise<ModelOffer | null> {
  if (document.documentElement.dataset["signedIn"] === undefined) {
    return null;
  }
  const query = group === null ? "" : `?group=${encodeURIComponent(group)}`;
  const answer = await fetch(`/backend/models/list/${query}`, { headers: { accept: "application/json" } }).catch(
    () => null,
  );
  // The public prices stay where they are while the service can't say others.
  const body: unknown = answer?.ok === true ? await answer.json().catch(() => null) : null;
  return isOffer(body) ? body : null;
}

function isOffer(body: unknown): body is ModelOffer {
  return typeof body === "object" && body !== null && "models" in body && Array.isArray(body.models);
}

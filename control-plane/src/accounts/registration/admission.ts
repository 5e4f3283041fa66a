import type { Queryable } from "../../platform/db.ts";
import { AppError } from "../../platform/errors.ts";
import { digestOfInvitation } from "./invitation-codes.ts";
import { countWaiting, findUsableInvitation, type RegistrationRules } from "./registration-store.ts";

/** How many addresses may wait for each use that is left: people mistype theirs. */
const waitingPerUse = 3;

/**
 * Whether an address may register, by whichever way it comes. What it says depends on the domain alone and not on whether
 * the address has an account.
 * @returns the invitation that it uses, if any
 * @throws AppError `registration_closed`, `domain_refused`, `invitation_required`, `invitation_unusable`
 */
export async function admitRegistration(
  db: Queryable,
  { mode, domains, refusedDomains }: RegistrationRules,
  { email, invitation }: { readonly email: string; readonly invitation: string },
): Promise<bigint | null> {
  if (mode === "closed") {
    throw new AppError("registration_closed");
  }
  if (isAtAny(email, refusedDomains)) {
    throw new AppError("domain_refused");
  }
  if (invitation.trim() !== "") {
    const digest = digestOfInvitation(invitation);
    const found = digest === null ? null : await findUsableInvitation(db, digest);
    // A use counts when an address is verified. Until then it can be tried for some more addresses, but not for any number.
    if (found === null || (await countWaiting(db, found.id)) >= found.usesLeft * waitingPerUse) {
      throw new AppError("invitation_unusable");
    }
    return found.id;
  }
  if (mode === "invitation") {
    throw new AppError("invitation_required");
  }
  if (mode === "domains" && !isAtAny(email, domains)) {
    throw new AppError("domain_refused");
  }
  return null;
}

/** Whether an address is of one of these domains; `*.example.org` means all domains below that one. */
export function isAtAny(email: string, domains: readonly string[]): boolean {
  const domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  return domains.some((each) => (each.startsWith("*.") ? domain.endsWith(each.slice(1)) : domain === each));
}

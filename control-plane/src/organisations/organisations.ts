import type { UserId } from "@sluice/contracts/ids";
import { type OrganisationEntry, organisationLimits } from "@sluice/contracts/organisations";
import type { AuditOrigin } from "../admin/audit/model.ts";
import { audit } from "../admin/audit/service.ts";
import type { Transaction } from "../platform/db.ts";
import type { ActingMember } from "../platform/endpoint/model.ts";
import { AppError, notFound } from "../platform/errors.ts";
import type { OrganisationDeps } from "./port.ts";
import {
  countOwned,
  findOrganisation,
  insertMember,
  insertOrganisation,
  type LockedOrganisation,
  lockOrganisation,
  lockPerson,
  updateOrganisation,
} from "./store.ts";

/** Who does something for an organisation, and the request in which it happens. */
export type Acting = { readonly acting: ActingMember; readonly userId: UserId; readonly origin: AuditOrigin };

/** Locks an organisation for a change by its members. @throws AppError `not_found`, `organisation_suspended` */
export async function openOrganisation(tx: Transaction, organisationId: bigint): Promise<LockedOrganisation> {
  const found = await requireLocked(tx, organisationId);
  if (found.status === "suspended") {
    throw new AppError("organisation_suspended");
  }
  return found;
}

/** Locks an organisation in any state. @throws AppError `not_found` */
export async function requireLocked(tx: Transaction, organisationId: bigint): Promise<LockedOrganisation> {
  const found = await lockOrganisation(tx, organisationId);
  if (found === null) {
    throw notFound("organisation");
  }
  return found;
}

export const subjectOf = (organisationId: bigint) => ({ subjectKind: "organisation", subjectId: organisationId });

export type Owner = { readonly userId: UserId; readonly email: string };

/**
 * Creates an organisation with an empty account of its own, in the group in which its owner's account would start.
 * @throws AppError `organisation_limit`
 */
export async function createOrganisation(
  deps: OrganisationDeps,
  owner: Owner,
  { name, origin }: { readonly name: string; readonly origin: AuditOrigin },
): Promise<OrganisationEntry> {
  return await deps.db.withTransaction(async (tx) => {
    await lockPerson(tx, owner.userId);
    if (await ownsTooMany(tx, owner.userId)) {
      throw new AppError("organisation_limit", {
        message: `You can own at most ${organisationLimits.owned} organisations.`,
      });
    }
    const { organisationId, memberId, after } = await addOrganisation(tx, deps, { owner, name });
    await audit(tx, origin, "organisation.create", { ...subjectOf(organisationId), after });
    return await requireEntry(tx, memberId);
  });
}

/** Whether a person, whose profile is locked, owns as many organisations as one can. */
export async function ownsTooMany(tx: Transaction, userId: UserId): Promise<boolean> {
  return (await countOwned(tx, userId)) >= organisationLimits.owned;
}

export async function addOrganisation(
  tx: Transaction,
  { gatewayUsers }: Pick<OrganisationDeps, "gatewayUsers">,
  { owner, name }: { readonly owner: Owner; readonly name: string },
) {
  const gatewayUserId = await gatewayUsers.create(tx, owner.email);
  const organisationId = await insertOrganisation(tx, gatewayUserId, name);
  const memberId = await insertMember(tx, { organisationId, userId: owner.userId, role: "owner" });
  return { organisationId, memberId, after: { name, gatewayUserId, owner: owner.email } };
}

export async function renameOrganisation(
  { db }: OrganisationDeps,
  { acting, origin }: Acting,
  name: string,
): Promise<OrganisationEntry> {
  return await db.withTransaction(async (tx) => {
    await openOrganisation(tx, acting.organisationId);
    const before = await requireEntry(tx, acting.memberId);
    await updateOrganisation(tx, acting.organisationId, { name });
    const change = { before: { name: before.name }, after: { name } };
    await audit(tx, origin, "organisation.save", { ...subjectOf(acting.organisationId), ...change });
    return await requireEntry(tx, acting.memberId);
  });
}

async function requireEntry(tx: Transaction, memberId: bigint): Promise<OrganisationEntry> {
  const entry = await findOrganisation(tx, memberId);
  if (entry === null) {
    throw notFound("organisation");
  }
  return entry;
}

import type { GatewayUserId, UserId } from "@sluice/contracts/ids";
import type { OrganisationRole } from "@sluice/contracts/organisation-rights";
import { setQuotaLimit } from "../gateway/keys/key-quota.ts";
import type { Transaction } from "../platform/db.ts";
import {
  insertMember,
  insertOrganisation,
  insertProject,
  isNameTaken,
  lockOrganisation,
  updateOrganisation,
} from "./store.ts";

const nameLengthMax = 100;

/** Adds an organisation of another gateway, with an account that exists. It needs an owner. */
export async function addImportedOrganisation(
  tx: Transaction,
  gatewayUserId: GatewayUserId,
  { name, isSuspended }: { readonly name: string; readonly isSuspended: boolean },
): Promise<bigint> {
  const id = await insertOrganisation(tx, gatewayUserId, name.slice(0, nameLengthMax));
  if (isSuspended) {
    await updateOrganisation(tx, id, { status: "suspended" });
  }
  return id;
}

/**
 * Names, suspends or resumes an organisation that was imported before, unless it was changed here since.
 * @param to without a name, it keeps its own
 * @returns whether it was changed
 */
export async function changeImportedOrganisation(
  tx: Transaction,
  id: bigint,
  { name, isSuspended }: { readonly name: string | null; readonly isSuspended: boolean },
  writtenAt: Date,
): Promise<boolean> {
  const now = await lockOrganisation(tx, id);
  if (now === null || now.updatedAt.getTime() > writtenAt.getTime()) {
    return false;
  }
  const status = isSuspended ? "suspended" : "active";
  await updateOrganisation(tx, id, { name: (name ?? now.name).slice(0, nameLengthMax), status });
  return true;
}

export type ImportedMember = {
  readonly organisationId: bigint;
  readonly userId: UserId;
  readonly role: OrganisationRole;
  /** Quota per month; null without a limit. */
  readonly spendPerMonth: bigint | null;
};

export async function addImportedMember(
  tx: Transaction,
  { spendPerMonth, ...member }: ImportedMember,
): Promise<bigint> {
  const memberId = await insertMember(tx, member);
  await limitSpend(tx, { memberId }, spendPerMonth);
  return memberId;
}

export type ImportedProject = {
  readonly organisationId: bigint;
  readonly name: string;
  readonly status: "active" | "archived";
  readonly spendPerMonth: bigint | null;
};

/** Adds a project; one whose name is taken gets a number. */
export async function addImportedProject(
  tx: Transaction,
  { organisationId, name, status, spendPerMonth }: ImportedProject,
): Promise<bigint> {
  for (let number = 1; ; number += 1) {
    const ending = number === 1 ? "" : ` ${number}`;
    const free = `${name.slice(0, nameLengthMax - ending.length)}${ending}`;
    const isTaken = await isNameTaken(tx, organisationId, { name: free, exceptId: 0n });
    const projectId = isTaken ? null : await insertProject(tx, organisationId, { name: free, status });
    if (projectId !== null) {
      await limitSpend(tx, { projectId }, spendPerMonth);
      return projectId;
    }
  }
}

type SpendOwner = { readonly memberId: bigint } | { readonly projectId: bigint };

async function limitSpend(tx: Transaction, owner: SpendOwner, quota: bigint | null): Promise<void> {
  if (quota !== null) {
    await setQuotaLimit(tx, owner, { quota, period: "monthly" });
  }
}

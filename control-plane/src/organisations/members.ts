import { mayInOrganisation, mayManageRole, type OrganisationRole } from "@sluice/contracts/organisation-rights";
import type { MemberView, ProjectView } from "@sluice/contracts/organisations";
import { organisationLimits } from "@sluice/contracts/organisations";
import { audit } from "../admin/audit/service.ts";
import { endKeysOfMember, lockKeys, setQuotaLimit } from "../gateway/keys/key-quota.ts";
import type { Transaction } from "../platform/db.ts";
import { AppError, notFound } from "../platform/errors.ts";
import { revokeInvitationsOf } from "./invitation-store.ts";
import { type Acting, openOrganisation, requireLocked, subjectOf } from "./organisations.ts";
import type { OrganisationDeps } from "./port.ts";
import {
  countProjects,
  hasOtherOwner,
  insertProject,
  isNameTaken,
  markLeft,
  revokeTokensOfMember,
  selectMembers,
  selectProjects,
  updateProject,
  updateRole,
} from "./store.ts";

/** Quota per calendar month; null for no limit. */
const limitOf = (spendPerMonth: number | null) =>
  spendPerMonth === null ? null : ({ quota: BigInt(spendPerMonth), period: "monthly" } as const);

export type MemberChange = {
  readonly memberId: bigint;
  readonly role: OrganisationRole;
  readonly spendPerMonth: number | null;
};

/** @throws AppError `not_found`, `forbidden`, `last_owner` */
export async function saveMember(
  { db }: OrganisationDeps,
  { acting, origin }: Acting,
  { memberId, role, spendPerMonth }: MemberChange,
): Promise<MemberView> {
  const { organisationId } = acting;
  return await db.withTransaction(async (tx) => {
    await openOrganisation(tx, organisationId);
    const own = await refuseWithoutRight(tx, acting);
    const before = await requireMember(tx, organisationId, memberId);
    if (!mayManageRole(own.role, before.role) || !mayManageRole(own.role, role)) {
      throw new AppError("forbidden", { message: "Only an owner can change owners." });
    }
    if (before.role === "owner" && role !== "owner") {
      await keepAnOwner(tx, organisationId, memberId);
    }
    await setQuotaLimit(tx, { memberId }, limitOf(spendPerMonth));
    await updateRole(tx, memberId, role);
    const after = await requireMember(tx, organisationId, memberId);
    await audit(tx, origin, "organisation.member.save", { ...subjectOf(organisationId), before, after });
    return after;
  });
}

/**
 * Ends a membership: of another member, or the caller's own. The keys of the member end, or the organisation keeps them; the
 * member's access tokens for it and open invitations end in any case. Books and usage stay.
 * @returns how many keys ended
 * @throws AppError `not_found`, `forbidden`, `last_owner`
 */
export async function removeMember(
  { db }: OrganisationDeps,
  { acting, origin }: Acting,
  { memberId, keys }: { readonly memberId: bigint; readonly keys: "revoke" | "keep" },
): Promise<number> {
  const { organisationId } = acting;
  return await db.withTransaction(async (tx) => {
    const isOwn = memberId === acting.memberId;
    // Nobody has to stay in a suspended one.
    const { gatewayUserId } = await (isOwn ? requireLocked : openOrganisation)(tx, organisationId);
    const own = isOwn ? null : await refuseWithoutRight(tx, acting);
    const before = await requireMember(tx, organisationId, memberId);
    if (own !== null && !mayManageRole(own.role, before.role)) {
      throw new AppError("forbidden", { message: "Only an owner can change owners." });
    }
    if (before.role === "owner") {
      await keepAnOwner(tx, organisationId, memberId);
    }
    await lockKeys(tx, gatewayUserId);
    await markLeft(tx, memberId);
    const revoked = keys === "revoke" ? await endKeysOfMember(tx, memberId) : 0;
    await revokeInvitationsOf(tx, organisationId, memberId);
    await revokeTokensOfMember(tx, organisationId, memberId);
    const action = isOwn ? "organisation.leave" : "organisation.member.remove";
    await audit(tx, origin, action, { ...subjectOf(organisationId), before, after: { keys, revokedKeys: revoked } });
    return revoked;
  });
}

/**
 * Who lost the right while the request waited for the lock changes nothing.
 * @returns the member who acts, with the role of this moment
 */
async function refuseWithoutRight(
  tx: Transaction,
  { organisationId, memberId }: Acting["acting"],
): Promise<MemberView> {
  const [own] = await selectMembers(tx, organisationId, memberId);
  if (own === undefined) {
    throw new AppError("organisation_refused");
  }
  if (!mayInOrganisation(own.role, "members")) {
    throw new AppError("forbidden");
  }
  return own;
}

/** Who can't log in owns nothing for the others. */
async function keepAnOwner(tx: Transaction, organisationId: bigint, exceptId: bigint): Promise<void> {
  if (!(await hasOtherOwner(tx, organisationId, exceptId))) {
    throw new AppError("last_owner");
  }
}

async function requireMember(tx: Transaction, organisationId: bigint, memberId: bigint): Promise<MemberView> {
  const [found] = await selectMembers(tx, organisationId, memberId);
  if (found === undefined) {
    throw notFound("member");
  }
  return found;
}

export type ProjectChange = {
  readonly projectId: bigint | null;
  readonly name: string;
  readonly status: "active" | "archived";
  readonly spendPerMonth: number | null;
};

/** Creates a project, or changes one. @throws AppError `not_found`, `conflict`, `organisation_limit` */
export async function saveProject(
  { db }: OrganisationDeps,
  { acting, origin }: Acting,
  { projectId, spendPerMonth, ...fields }: ProjectChange,
): Promise<ProjectView> {
  const { organisationId } = acting;
  return await db.withTransaction(async (tx) => {
    await openOrganisation(tx, organisationId);
    const [before] = projectId === null ? [] : await selectProjects(tx, organisationId, projectId);
    if (projectId !== null && before === undefined) {
      throw notFound("project");
    }
    const id = before?.project_id ?? (await makeProject(tx, organisationId, fields));
    if (await isNameTaken(tx, organisationId, { name: fields.name, exceptId: id })) {
      throw nameTaken();
    }
    if (before !== undefined) {
      await updateProject(tx, id, fields);
    }
    await setQuotaLimit(tx, { projectId: id }, limitOf(spendPerMonth));
    const [after] = await selectProjects(tx, organisationId, id);
    if (after === undefined) {
      throw notFound("project");
    }
    await audit(tx, origin, "organisation.project.save", { ...subjectOf(organisationId), before, after });
    return after;
  });
}

const nameTaken = () => new AppError("conflict", { message: "The organisation already has a project with this name." });

async function makeProject(
  tx: Transaction,
  organisationId: bigint,
  fields: Pick<ProjectChange, "name" | "status">,
): Promise<bigint> {
  if ((await countProjects(tx, organisationId)) >= organisationLimits.projects) {
    throw new AppError("organisation_limit", {
      message: `An organisation can have at most ${organisationLimits.projects} projects.`,
    });
  }
  const id = await insertProject(tx, organisationId, fields);
  if (id === null) {
    throw nameTaken();
  }
  return id;
}

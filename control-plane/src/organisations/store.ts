import type { GatewayUserId, UserId } from "@sluice/contracts/ids";
import type { OrganisationRole } from "@sluice/contracts/organisation-rights";
import type { MemberView, OrganisationEntry, ProjectView } from "@sluice/contracts/organisations";
import { and, asc, eq, isNull, ne, sql } from "drizzle-orm";
import type { UserStatus } from "../accounts/model.ts";
import { clock, countOfRows, equalsInAnyCase, now } from "../db/expressions.ts";
import { managementToken, userProfile as profile } from "../db/schema/accounts.ts";
import {
  organisationMember as member,
  organisation,
  organisationProject as project,
} from "../db/schema/organisations.ts";
import type { Queryable } from "../platform/db.ts";
import type { Membership } from "../platform/endpoint/model.ts";

export const isPresent = isNull(member.leftAt);

/** What a user is to an organisation now. */
export async function findMembership(
  db: Queryable,
  userId: UserId,
  organisationId: bigint,
): Promise<Membership | null> {
  const [row] = await db.drizzle
    .select({
      memberId: member.id,
      role: member.role,
      isSuspended: sql<boolean>`${organisation.status} = 'suspended'`,
      gatewayUserId: organisation.gatewayUserId,
    })
    .from(member)
    .innerJoin(organisation, eq(organisation.id, member.organisationId))
    .where(and(eq(member.userId, userId), eq(member.organisationId, organisationId), isPresent));
  return (row ?? null) as Membership | null;
}

const entryColumns = {
  organisation_id: organisation.id,
  name: organisation.name,
  status: organisation.status,
  role: member.role,
  member_id: member.id,
};

/** The organisations of a user, the oldest membership first. */
export async function selectOrganisations(db: Queryable, userId: UserId): Promise<OrganisationEntry[]> {
  return await db.drizzle
    .select(entryColumns)
    .from(member)
    .innerJoin(organisation, eq(organisation.id, member.organisationId))
    .where(and(eq(member.userId, userId), isPresent))
    .orderBy(asc(member.id))
    .limit(200);
}

export async function findOrganisation(db: Queryable, memberId: bigint): Promise<OrganisationEntry | null> {
  const [row] = await db.drizzle
    .select(entryColumns)
    .from(member)
    .innerJoin(organisation, eq(organisation.id, member.organisationId))
    .where(eq(member.id, memberId));
  return row ?? null;
}

/** Serializes changes of members, invitations and projects of one organisation. */
export async function lockOrganisation(tx: Queryable, id: bigint): Promise<LockedOrganisation | null> {
  const [row] = await tx.drizzle
    .select({
      gatewayUserId: organisation.gatewayUserId,
      name: organisation.name,
      status: organisation.status,
      updatedAt: organisation.updatedAt,
    })
    .from(organisation)
    .where(eq(organisation.id, id))
    .for("no key update");
  return (row ?? null) as LockedOrganisation | null;
}

export type LockedOrganisation = {
  readonly gatewayUserId: GatewayUserId;
  readonly name: string;
  readonly status: OrganisationEntry["status"];
  readonly updatedAt: Date;
};

/** Locks the person, so that two requests can't both take the last place. */
export async function lockPerson(tx: Queryable, userId: UserId): Promise<void> {
  await tx.drizzle.select({ id: profile.id }).from(profile).where(eq(profile.id, userId)).for("no key update");
}

/** The active user with this address or id. */
export async function findPerson(
  db: Queryable,
  named: { readonly email: string } | { readonly id: bigint },
): Promise<{ readonly userId: UserId; readonly email: string } | null> {
  const [row] = await db.drizzle
    .select({ userId: profile.id, email: profile.email })
    .from(profile)
    .where(
      and(
        eq(profile.status, "active"),
        "id" in named ? eq(profile.id, named.id) : equalsInAnyCase(profile.email, named.email),
      ),
    );
  return (row ?? null) as { userId: UserId; email: string } | null;
}

export async function countOwned(tx: Queryable, userId: UserId): Promise<number> {
  const [row] = await tx.drizzle
    .select({ count: countOfRows })
    .from(member)
    .where(and(eq(member.userId, userId), eq(member.role, "owner"), isPresent));
  return row?.count ?? 0;
}

export async function insertOrganisation(tx: Queryable, gatewayUserId: GatewayUserId, name: string): Promise<bigint> {
  const [row] = await tx.drizzle
    .insert(organisation)
    .values({ gatewayUserId, name })
    .returning({ id: organisation.id });
  if (row === undefined) {
    throw new Error("the organisation was not inserted");
  }
  return row.id;
}

export async function updateOrganisation(
  tx: Queryable,
  id: bigint,
  change: { readonly name?: string; readonly status?: OrganisationEntry["status"] },
): Promise<void> {
  await tx.drizzle
    .update(organisation)
    .set({ ...change, updatedAt: clock })
    .where(eq(organisation.id, id));
}

export async function insertMember(
  tx: Queryable,
  made: { readonly organisationId: bigint; readonly userId: UserId; readonly role: OrganisationRole },
): Promise<bigint> {
  const [row] = await tx.drizzle.insert(member).values(made).returning({ id: member.id });
  if (row === undefined) {
    throw new Error("the member was not inserted");
  }
  return row.id;
}

export async function countMembers(tx: Queryable, organisationId: bigint): Promise<number> {
  const [row] = await tx.drizzle
    .select({ count: countOfRows })
    .from(member)
    .where(and(eq(member.organisationId, organisationId), isPresent));
  return row?.count ?? 0;
}

/** Whether an owner who can log in remains without this member. */
export async function hasOtherOwner(tx: Queryable, organisationId: bigint, memberId: bigint): Promise<boolean> {
  const rows = await tx.drizzle
    .select({ id: member.id })
    .from(member)
    .innerJoin(profile, and(eq(profile.id, member.userId), eq(profile.status, "active")))
    .where(and(eq(member.organisationId, organisationId), eq(member.role, "owner"), ne(member.id, memberId), isPresent))
    .limit(1);
  return rows.length > 0;
}

export async function updateRole(tx: Queryable, memberId: bigint, role: OrganisationRole): Promise<void> {
  await tx.drizzle.update(member).set({ role, updatedAt: clock }).where(eq(member.id, memberId));
}

export async function markLeft(tx: Queryable, memberId: bigint): Promise<void> {
  await tx.drizzle.update(member).set({ leftAt: clock, updatedAt: clock }).where(eq(member.id, memberId));
}

const budgetColumns = (column: "member_id" | "project_id") => `
  case when b.is_enforced then b.granted end as spend_per_month,
  case when not b.is_enforced then null when b.period_ends_at <= now() then 0 else b.used - b.period_base end as spent_this_month,
  (select count(*) from api_key k where k.${column} = x.id and k.status <> 'revoked'
    and (k.expires_at is null or k.expires_at > now())) as live_keys`;

/** The members of an organisation, or one of them. */
export async function selectMembers(
  db: Queryable,
  organisationId: bigint,
  memberId: bigint | null,
): Promise<MemberView[]> {
  return await db.query<MemberView>(
    `select x.id as member_id, p.email, p.display_name, x.role, x.created_at as joined_at, ${budgetColumns("member_id")}
     from organisation_member x
     join user_profile p on p.id = x.user_id
     left join budget b on b.member_id = x.id
     where x.organisation_id = $1::bigint and x.left_at is null and ($2::bigint is null or x.id = $2::bigint)
     order by x.id limit 1000`,
    [organisationId, memberId],
  );
}

export type Person = { readonly member_id: bigint; readonly user_id: bigint; readonly status: UserStatus };

/** Who the members of an organisation are. */
export async function selectPersons(db: Queryable, organisationId: bigint): Promise<Person[]> {
  return await db.drizzle
    .select({ member_id: member.id, user_id: profile.id, status: profile.status })
    .from(member)
    .innerJoin(profile, eq(profile.id, member.userId))
    .where(and(eq(member.organisationId, organisationId), isPresent))
    .limit(1_000);
}

/** The projects of an organisation, or one of them. */
export async function selectProjects(
  db: Queryable,
  organisationId: bigint,
  projectId: bigint | null,
): Promise<ProjectView[]> {
  return await db.query<ProjectView>(
    `select x.id as project_id, x.name, x.status, x.created_at, ${budgetColumns("project_id")}
     from organisation_project x
     left join budget b on b.project_id = x.id
     where x.organisation_id = $1::bigint and ($2::bigint is null or x.id = $2::bigint)
     order by x.status, x.id limit 1000`,
    [organisationId, projectId],
  );
}

export async function countProjects(tx: Queryable, organisationId: bigint): Promise<number> {
  const [row] = await tx.drizzle
    .select({ count: countOfRows })
    .from(project)
    .where(eq(project.organisationId, organisationId));
  return row?.count ?? 0;
}

type ProjectFields = { readonly name: string; readonly status: "active" | "archived" };

/** Null if another project of the organisation has the name. */
export async function insertProject(
  tx: Queryable,
  organisationId: bigint,
  fields: ProjectFields,
): Promise<bigint | null> {
  const [row] = await tx.drizzle
    .insert(project)
    .values({ organisationId, ...fields })
    .onConflictDoNothing()
    .returning({ id: project.id });
  return row?.id ?? null;
}

export async function updateProject(tx: Queryable, id: bigint, fields: ProjectFields): Promise<void> {
  await tx.drizzle
    .update(project)
    .set({ ...fields, updatedAt: clock })
    .where(eq(project.id, id));
}

/** Whether another project of the organisation has this name. */
export async function isNameTaken(
  tx: Queryable,
  organisationId: bigint,
  { name, exceptId }: { readonly name: string; readonly exceptId: bigint },
): Promise<boolean> {
  const rows = await tx.drizzle
    .select({ id: project.id })
    .from(project)
    .where(and(eq(project.organisationId, organisationId), equalsInAnyCase(project.name, name)));
  return rows.some(({ id }) => id !== exceptId);
}

/** Whether a member with this address is in the organisation. */
export async function isMemberAddress(tx: Queryable, organisationId: bigint, email: string): Promise<boolean> {
  const rows = await tx.drizzle
    .select({ id: member.id })
    .from(member)
    .innerJoin(profile, eq(profile.id, member.userId))
    .where(and(eq(member.organisationId, organisationId), isPresent, equalsInAnyCase(profile.email, email)));
  return rows.length > 0;
}

/** Ends the access tokens with which a member acts for the organisation. */
export async function revokeTokensOfMember(tx: Queryable, organisationId: bigint, memberId: bigint): Promise<void> {
  await tx.drizzle
    .update(managementToken)
    .set({ revokedAt: now })
    .where(
      and(
        eq(managementToken.organisationId, organisationId),
        isNull(managementToken.revokedAt),
        eq(managementToken.userId, userOf(tx, memberId)),
      ),
    );
}

/** The user who a member is. */
export const userOf = (tx: Queryable, memberId: bigint) =>
  sql`(${tx.drizzle.select({ id: member.userId }).from(member).where(eq(member.id, memberId))})`;

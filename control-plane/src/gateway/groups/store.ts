import type { groupVisibilities } from "@sluice/contracts/groups";
import type { GatewayUserId } from "@sluice/contracts/ids";
import type { Decimal } from "@sluice/contracts/money";
import { and, arrayContains, arrayOverlaps, asc, desc, eq, inArray, ne, or, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/pg-core";
import { clock, excluded, isAnyOf } from "../../db/expressions.ts";
import { userProfile } from "../../db/schema/accounts.ts";
import { gatewayUser } from "../../db/schema/gateway-keys.ts";
import { ability, channel } from "../../db/schema/gateway-routing.ts";
import { userGroupMember } from "../../db/schema/group-members.ts";
import { userGroup } from "../../db/schema/groups.ts";
import { organisation } from "../../db/schema/organisations.ts";
import { type Queryable, rowsWritten } from "../../platform/db.ts";
import { arrayLiteral } from "../../platform/db-array-literal.ts";
import { takeAdvisoryLock } from "../../platform/db-locks.ts";

export type GroupSettings = {
  readonly name: string;
  readonly description: string;
  readonly multiplier: Decimal;
  readonly visibility: (typeof groupVisibilities)[number];
  readonly rank: number;
  readonly isStart: boolean;
  readonly emailDomains: readonly string[];
};

export type Group = GroupSettings & {
  readonly archivedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

const columns = {
  name: userGroup.name,
  description: userGroup.description,
  multiplier: userGroup.multiplier,
  visibility: userGroup.visibility,
  rank: userGroup.rank,
  isStart: userGroup.isStart,
  emailDomains: userGroup.emailDomains,
  archivedAt: userGroup.archivedAt,
  createdAt: userGroup.createdAt,
  updatedAt: userGroup.updatedAt,
};

export async function findGroup(db: Queryable, name: string): Promise<Group | null> {
  const [row] = await db.drizzle.select(columns).from(userGroup).where(eq(userGroup.name, name));
  return (row ?? null) as Group | null;
}

/** Serializes changes of groups; reads and calls do not wait. */
export async function lockGroups(tx: Queryable): Promise<void> {
  await takeAdvisoryLock(tx, "groups");
}

/** The group, locked until the transaction ends. */
export async function lockGroup(tx: Queryable, name: string): Promise<Group | null> {
  const [row] = await tx.drizzle.select(columns).from(userGroup).where(eq(userGroup.name, name)).for("update");
  return (row ?? null) as Group | null;
}

/** Returns false when the name is taken. */
export async function insertGroup(tx: Queryable, made: GroupSettings): Promise<boolean> {
  const written = await tx.drizzle
    .insert(userGroup)
    .values({ ...made, emailDomains: [...made.emailDomains] })
    .onConflictDoNothing({ target: userGroup.name });
  return rowsWritten(written) > 0;
}

export async function updateGroup(tx: Queryable, { name, ...to }: GroupSettings): Promise<void> {
  await tx.drizzle
    .update(userGroup)
    .set({ ...to, emailDomains: [...to.emailDomains], updatedAt: clock })
    .where(eq(userGroup.name, name));
}

/** Accounts no longer start in the group that they started in. */
export async function clearStart(tx: Queryable): Promise<void> {
  await tx.drizzle.update(userGroup).set({ isStart: false, updatedAt: clock }).where(eq(userGroup.isStart, true));
}

/** Which other group has one of these domains already; null for none. */
export async function findGroupOfDomains(
  db: Queryable,
  domains: readonly string[],
  except: string,
): Promise<string | null> {
  const [row] = await db.drizzle
    .select({ name: userGroup.name })
    .from(userGroup)
    .where(and(ne(userGroup.name, except), arrayOverlaps(userGroup.emailDomains, [...domains])))
    .limit(1);
  return row?.name ?? null;
}

/** The group in which an account with this address starts. */
export async function findStartGroup(db: Queryable, email: string): Promise<string> {
  const domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  const hasDomain = arrayContains(userGroup.emailDomains, [domain]);
  const [row] = await db.drizzle
    .select({ name: userGroup.name })
    .from(userGroup)
    .where(or(hasDomain, eq(userGroup.isStart, true)))
    .orderBy(desc(hasDomain), asc(userGroup.name))
    .limit(1);
  if (row === undefined) {
    throw new Error("accounts start in no group");
  }
  return row.name;
}

/** An account whose group is changed, with the group that keys without one of their own use now, and until when. */
export type MemberAccount = {
  readonly gatewayUserId: GatewayUserId;
  readonly ownerKind: "user" | "organisation";
  readonly ownerId: bigint;
  /** The address of the user, or the name of the organisation. */
  readonly name: string;
  readonly groupName: string;
  readonly multiplier: Decimal;
  readonly endsAt: Date | null;
  /** The multiplier of the account's own group, which is left when all others have ended. */
  readonly ownMultiplier: Decimal;
};

/** Served by the index on the address in lower case. */
const hasAnyAddress = (addresses: readonly string[]) =>
  sql`lower(${userProfile.email}) = any (${arrayLiteral(addresses)}::text[])`;

export type MemberNames = {
  readonly ids: readonly bigint[];
  /** In lower case. */
  readonly addresses: readonly string[];
  readonly organisations: readonly bigint[];
};

/** The accounts of users and organisations, locked until the transaction ends, in the order of their ids. */
export async function lockMembers(tx: Queryable, named: MemberNames): Promise<MemberAccount[]> {
  const ofUsers = tx.drizzle
    .select({ id: userProfile.gatewayUserId })
    .from(userProfile)
    .where(or(isAnyOf(userProfile.id, named.ids), hasAnyAddress(named.addresses)));
  const ofOrganisations = tx.drizzle
    .select({ id: organisation.gatewayUserId })
    .from(organisation)
    .where(isAnyOf(organisation.id, named.organisations));
  const locked = await tx.drizzle
    .select({
      gatewayUserId: gatewayUser.id,
      userId: userProfile.id,
      email: userProfile.email,
      organisationId: organisation.id,
      organisationName: organisation.name,
    })
    .from(gatewayUser)
    .leftJoin(userProfile, eq(userProfile.gatewayUserId, gatewayUser.id))
    .leftJoin(organisation, eq(organisation.gatewayUserId, gatewayUser.id))
    .where(inArray(gatewayUser.id, unionAll(ofUsers, ofOrganisations)))
    .orderBy(asc(gatewayUser.id))
    .for("no key update", { of: gatewayUser });
  return await readGroups(
    tx,
    locked.map(({ gatewayUserId, userId, email, organisationId, organisationName }) => ({
      gatewayUserId: gatewayUserId as GatewayUserId,
      ownerKind: userId === null ? ("organisation" as const) : ("user" as const),
      ownerId: userId ?? organisationId ?? 0n,
      name: email ?? organisationName ?? "",
    })),
  );
}

type Owner = Pick<MemberAccount, "gatewayUserId" | "ownerKind" | "ownerId" | "name">;

/** The accounts again, locked already, with the groups that they have by now. */
export async function readGroups(tx: Queryable, accounts: readonly Owner[]): Promise<MemberAccount[]> {
  const members: MemberAccount[] = [];
  for (const account of accounts) {
    const [groups] = await tx.sql<Pick<MemberAccount, "groupName" | "multiplier" | "endsAt" | "ownMultiplier">>`
      select c.group_name as "groupName", c.multiplier, c.ends_at as "endsAt", o.multiplier as "ownMultiplier"
      from gateway_user u join user_group o on o.name = u.group_name cross join key_group(u.id, null) c
      where u.id = ${account.gatewayUserId}::bigint`;
    if (groups !== undefined) {
      members.push({ ...account, ...groups });
    }
  }
  return members;
}

/** Makes the group the account's own. Returns the one before. */
export async function setAccountGroup(tx: Queryable, id: GatewayUserId, groupName: string): Promise<string | null> {
  const [before] = await tx.drizzle
    .select({ groupName: gatewayUser.groupName })
    .from(gatewayUser)
    .where(eq(gatewayUser.id, id));
  await tx.drizzle.update(gatewayUser).set({ groupName, updatedAt: clock }).where(eq(gatewayUser.id, id));
  return before?.groupName ?? null;
}

/** Adds a group, or moves its end. */
export async function putMember(
  tx: Queryable,
  member: { readonly gatewayUserId: GatewayUserId; readonly groupName: string; readonly endsAt: Date | null },
): Promise<void> {
  await tx.drizzle
    .insert(userGroupMember)
    .values(member)
    .onConflictDoUpdate({
      target: [userGroupMember.gatewayUserId, userGroupMember.groupName],
      set: { endsAt: excluded(userGroupMember.endsAt), updatedAt: clock },
    });
}

/** Returns whether the user had it. */
export async function deleteMember(tx: Queryable, id: GatewayUserId, groupName: string): Promise<boolean> {
  const deleted = await tx.drizzle
    .delete(userGroupMember)
    .where(and(eq(userGroupMember.gatewayUserId, id), eq(userGroupMember.groupName, groupName)));
  return rowsWritten(deleted) > 0;
}

/** The names of the enabled channels that serve each model to a group. */
export async function listChannelsOf(db: Queryable, groupName: string): Promise<ReadonlyMap<string, string[]>> {
  const rows = await db.drizzle
    .select({ model: ability.model, channel: channel.name })
    .from(ability)
    .innerJoin(channel, and(eq(channel.id, ability.channelId), eq(channel.status, "enabled")))
    .where(and(eq(ability.groupName, groupName), eq(ability.isEnabled, true)))
    .orderBy(asc(ability.model), asc(ability.priority), asc(channel.name));
  const channels = new Map<string, string[]>();
  for (const row of rows) {
    channels.set(row.model, [...(channels.get(row.model) ?? []), row.channel]);
  }
  return channels;
}

import { and, eq, gt, inArray, isNull, lt, ne, or } from "drizzle-orm";
import { clock, countOfRows, now } from "../../db/expressions.ts";
import { plan, subscription } from "../../db/schema/billing.ts";
import { codeBatch } from "../../db/schema/codes.ts";
import { apiKey, gatewayUser } from "../../db/schema/gateway-keys.ts";
import { ability } from "../../db/schema/gateway-routing.ts";
import { userGroupMember } from "../../db/schema/group-members.ts";
import { userGroup } from "../../db/schema/groups.ts";
import { registrationInvitation } from "../../db/schema/registration.ts";
import { renewal } from "../../db/schema/renewals.ts";
import type { Queryable } from "../../platform/db.ts";
import { type Archivable, type Counts, rowsOf } from "./archive-store.ts";

/** Belongs to the exit nodes, which the database keeps in it. */
const exitNodeGroup = "node-test";

export async function lockGroupRow(tx: Queryable, name: string): Promise<Archivable | null> {
  const [row] = await tx.drizzle
    .select({ name: userGroup.name, archivedAt: userGroup.archivedAt })
    .from(userGroup)
    .where(eq(userGroup.name, name))
    .for("update");
  return row ?? null;
}

export async function countOfGroup(tx: Queryable, name: string): Promise<Counts> {
  const rows = { rows: countOfRows };
  const { drizzle } = tx;
  const isStart = and(eq(userGroup.name, name), eq(userGroup.isStart, true));
  const isLiveKey = and(eq(apiKey.groupName, name), ne(apiKey.status, "revoked"));
  return {
    abilities: rowsOf(await drizzle.select(rows).from(ability).where(eq(ability.groupName, name))),
    start_group: rowsOf(await drizzle.select(rows).from(userGroup).where(isStart)),
    exit_node_group: name === exitNodeGroup ? 1 : 0,
    own_groups: rowsOf(await drizzle.select(rows).from(gatewayUser).where(eq(gatewayUser.groupName, name))),
    members: rowsOf(
      await drizzle
        .select(rows)
        .from(userGroupMember)
        .where(
          and(eq(userGroupMember.groupName, name), or(isNull(userGroupMember.endsAt), gt(userGroupMember.endsAt, now))),
        ),
    ),
    group_keys: rowsOf(await drizzle.select(rows).from(apiKey).where(isLiveKey)),
    ...(await countOfSales(tx, name)),
  };
}

/** What was sold, or can still be, and gives the group. */
async function countOfSales({ drizzle }: Queryable, name: string): Promise<Counts> {
  const rows = { rows: countOfRows };
  const isOpenBatch = and(
    eq(codeBatch.groupName, name),
    isNull(codeBatch.revokedAt),
    or(isNull(codeBatch.expiresAt), gt(codeBatch.expiresAt, now)),
  );
  const isOpenInvitation = and(
    eq(registrationInvitation.groupName, name),
    isNull(registrationInvitation.revokedAt),
    lt(registrationInvitation.uses, registrationInvitation.usesMax),
  );
  return {
    group_plans: rowsOf(
      await drizzle
        .select(rows)
        .from(plan)
        .where(and(eq(plan.groupName, name), isNull(plan.archivedAt))),
    ),
    group_months: rowsOf(
      await drizzle
        .select(rows)
        .from(subscription)
        .where(and(eq(subscription.groupName, name), eq(subscription.status, "active"))),
    ),
    group_renewals: rowsOf(
      await drizzle
        .select(rows)
        .from(renewal)
        .where(
          and(
            or(eq(renewal.groupName, name), eq(renewal.nextGroupName, name)),
            inArray(renewal.status, ["pending", "active", "past_due"]),
          ),
        ),
    ),
    group_codes: rowsOf(await drizzle.select(rows).from(codeBatch).where(isOpenBatch)),
    group_invitations: rowsOf(await drizzle.select(rows).from(registrationInvitation).where(isOpenInvitation)),
  };
}

/** Nobody may use it any more, and no account starts in it. */
export async function archiveGroup(tx: Queryable, name: string): Promise<void> {
  await tx.drizzle.delete(ability).where(eq(ability.groupName, name));
  await tx.drizzle
    .update(userGroup)
    .set({ visibility: "assigned", emailDomains: [], archivedAt: clock, updatedAt: clock })
    .where(eq(userGroup.name, name));
}

export async function restoreGroup(tx: Queryable, name: string): Promise<void> {
  await tx.drizzle.update(userGroup).set({ archivedAt: null, updatedAt: clock }).where(eq(userGroup.name, name));
}

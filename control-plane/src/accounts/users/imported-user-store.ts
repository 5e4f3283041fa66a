import type { GatewayUserId, UserId } from "@sluice/contracts/ids";
import { eq, sql } from "drizzle-orm";
import { clock, equalsInAnyCase } from "../../db/expressions.ts";
import { userProfile as profile } from "../../db/schema/accounts.ts";
import type { Queryable } from "../../platform/db.ts";

export type ImportedUser = {
  readonly email: string;
  /** The name by which the user logged in elsewhere; null if it can't be used here. */
  readonly username: string | null;
  readonly displayName: string | null;
  readonly passwordHash: string | null;
  readonly status: "active" | "suspended" | "closed";
  readonly isVerified: boolean;
};

export async function insertImportedProfile(
  tx: Queryable,
  gatewayUserId: GatewayUserId,
  { isVerified, ...user }: ImportedUser,
): Promise<UserId> {
  const [row] = await tx.drizzle
    .insert(profile)
    .values({ ...user, gatewayUserId, updatedAt: clock, emailVerifiedAt: isVerified ? clock : null })
    .returning({ id: profile.id });
  if (row === undefined) {
    throw new Error("the profile was not inserted");
  }
  return row.id as UserId;
}

/** Addresses and names are whatever they were when the user was first imported. */
export async function updateImportedProfile(
  tx: Queryable,
  userId: UserId,
  { displayName, passwordHash, status }: Pick<ImportedUser, "displayName" | "passwordHash" | "status">,
): Promise<void> {
  await tx.drizzle
    .update(profile)
    .set({ displayName, passwordHash, status, updatedAt: clock })
    .where(eq(profile.id, userId));
}

export async function isEmailTaken(tx: Queryable, email: string): Promise<boolean> {
  const rows = await tx.drizzle.select({ id: profile.id }).from(profile).where(equalsInAnyCase(profile.email, email));
  return rows.length > 0;
}

export async function isUsernameTaken(tx: Queryable, username: string): Promise<boolean> {
  const rows = await tx.drizzle
    .select({ id: profile.id })
    .from(profile)
    .where(equalsInAnyCase(profile.username, username));
  return rows.length > 0;
}

/** When the profile was last changed; it is locked until the transaction ends. */
export async function lockImportedProfile(
  tx: Queryable,
  userId: UserId,
): Promise<{ readonly gatewayUserId: GatewayUserId; readonly updatedAt: Date } | null> {
  const [row] = await tx.drizzle
    .select({ gatewayUserId: profile.gatewayUserId, updatedAt: sql<Date>`${profile.updatedAt}` })
    .from(profile)
    .where(eq(profile.id, userId))
    .for("update");
  return (row ?? null) as { gatewayUserId: GatewayUserId; updatedAt: Date } | null;
}

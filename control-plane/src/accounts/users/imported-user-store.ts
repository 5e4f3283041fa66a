import type { GatewayUserId, UserId } from "@sluice/contracts/ids";
import { and, eq, ne, type SQL, sql } from "drizzle-orm";
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

/** Another address is as verified as the operator says; the same one stays as verified as it is. */
export async function updateImportedProfile(
  tx: Queryable,
  userId: UserId,
  { isVerified, ...user }: ImportedUser,
): Promise<void> {
  const { email } = user;
  const verifiedAt = sql`case when ${equalsInAnyCase(profile.email, email)} then ${profile.emailVerifiedAt}
    when ${isVerified} then ${clock} end`;
  await tx.drizzle
    .update(profile)
    .set({ ...user, emailVerifiedAt: verifiedAt, updatedAt: clock })
    .where(eq(profile.id, userId));
}

/** @param own the user who may have it; null for one who is new */
export async function isEmailTaken(tx: Queryable, email: string, own: UserId | null): Promise<boolean> {
  return await isTaken(tx, own, equalsInAnyCase(profile.email, email));
}

/** @param own the user who may have it; null for one who is new */
export async function isUsernameTaken(tx: Queryable, username: string, own: UserId | null): Promise<boolean> {
  return await isTaken(tx, own, equalsInAnyCase(profile.username, username));
}

async function isTaken(tx: Queryable, own: UserId | null, isSame: SQL): Promise<boolean> {
  const rows = await tx.drizzle
    .select({ id: profile.id })
    .from(profile)
    .where(and(isSame, own === null ? undefined : ne(profile.id, own)));
  return rows.length > 0;
}

export type ImportedProfile = {
  readonly email: string;
  readonly username: string | null;
  /** Whether someone has changed it here since. */
  readonly isChangedHere: boolean;
};

/** The profile as it is here, locked until the transaction ends; null if there is none. */
export async function lockImportedProfile(
  tx: Queryable,
  userId: UserId,
  writtenAt: Date,
): Promise<ImportedProfile | null> {
  const [row] = await tx.drizzle
    .select({ email: profile.email, username: profile.username, updatedAt: profile.updatedAt })
    .from(profile)
    .where(eq(profile.id, userId))
    .for("update");
  if (row === undefined) {
    return null;
  }
  const { email, username, updatedAt } = row;
  return { email, username, isChangedHere: updatedAt.getTime() > writtenAt.getTime() };
}

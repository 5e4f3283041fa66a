import type { UserId } from "@sluice/contracts/ids";
import { and, eq, sql } from "drizzle-orm";
import { equalsInAnyCase, now } from "../../db/expressions.ts";
import { userProfile as profile } from "../../db/schema/accounts.ts";
import type { Queryable, Transaction } from "../../platform/db.ts";
import { isUniqueViolation } from "../../platform/db-errors.ts";

/** Changes the address of an account, which counts as verified. Returns false if somebody has it. */
export async function updateEmail(tx: Transaction, userId: UserId, email: string): Promise<boolean> {
  try {
    await tx.savepoint(() =>
      tx.drizzle.update(profile).set({ email, emailVerifiedAt: now, updatedAt: now }).where(eq(profile.id, userId)),
    );
    return true;
  } catch (error) {
    if (isUniqueViolation(error)) {
      return false;
    }
    throw error;
  }
}

/** An account with this address that nobody has verified is closed, without the address. */
export async function releaseAddress(tx: Queryable, email: string): Promise<void> {
  await tx.drizzle
    .update(profile)
    .set({
      email: sql`'closed-' || ${profile.id} || '@closed.invalid'`,
      status: "closed",
      passwordHash: null,
      updatedAt: now,
    })
    .where(and(equalsInAnyCase(profile.email, email), eq(profile.status, "email_pending")));
}

export async function clearPassword(tx: Queryable, userId: UserId): Promise<void> {
  await tx.drizzle.update(profile).set({ passwordHash: null, updatedAt: now }).where(eq(profile.id, userId));
}

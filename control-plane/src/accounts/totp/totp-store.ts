import { and, eq, getTableName, gt, isNotNull, isNull, lt, lte, or } from "drizzle-orm";
import { isSet, now } from "../../db/expressions.ts";
import { recoveryCode, userProfile } from "../../db/schema/accounts.ts";
import { sharedAdminCredentials } from "../../db/schema/admins.ts";
import { type Queryable, rowsWritten } from "../../platform/db.ts";

/** The owner of the authenticator. */
export type CodeOwner = { readonly kind: "user" | "admin"; readonly id: bigint };

type OwnerTable = typeof userProfile | typeof sharedAdminCredentials;

/** The table for each kind of owner; both have the same columns for the authenticator. */
const tables = { user: userProfile, admin: sharedAdminCredentials };

export const tableNameOf = (kind: CodeOwner["kind"]): string => getTableName(tables[kind]);

const tableOf = (owner: CodeOwner): OwnerTable => tables[owner.kind];

const codeOwner = { user: recoveryCode.userId, admin: recoveryCode.adminId };

/** The recovery codes of an owner. */
export const codesOf = (owner: CodeOwner) => eq(codeOwner[owner.kind], owner.id);

export type SealedSecret = { readonly sealed: Uint8Array | null; readonly isEnabled: boolean };

/** The stored secret of an authenticator; the row stays locked until the transaction ends. */
export async function lockSecret(db: Queryable, owner: CodeOwner): Promise<SealedSecret> {
  const table = tableOf(owner);
  const [row] = await db.drizzle
    .select({ sealed: table.totpSealed, isEnabled: isSet(table.totpEnabledAt) })
    .from(table)
    .where(eq(table.id, owner.id))
    .for("update");
  return row ?? { sealed: null, isEnabled: false };
}

/** Stores a secret that logins do not require yet. */
export async function putSecret(db: Queryable, owner: CodeOwner, sealed: Uint8Array): Promise<void> {
  const table = tableOf(owner);
  await db.drizzle
    .update(table)
    .set({ totpSealed: sealed, totpLastStep: null, updatedAt: now })
    .where(and(eq(table.id, owner.id), isNull(table.totpEnabledAt)));
}

/** Marks a time step as used. Returns false when it, or a later one, was used before. */
export async function takeStep(db: Queryable, owner: CodeOwner, step: number): Promise<boolean> {
  const table = tableOf(owner);
  const written = await db.drizzle
    .update(table)
    .set({ totpLastStep: step })
    .where(and(eq(table.id, owner.id), or(isNull(table.totpLastStep), lt(table.totpLastStep, step))));
  return rowsWritten(written) > 0;
}

export async function enableSecret(db: Queryable, owner: CodeOwner): Promise<void> {
  const table = tableOf(owner);
  await db.drizzle.update(table).set({ totpEnabledAt: now, updatedAt: now }).where(eq(table.id, owner.id));
}

/** Stores the secret of another gateway's authenticator, whose codes logins require immediately; recovery codes stay. */
export async function replaceSecret(db: Queryable, owner: CodeOwner, sealed: Uint8Array): Promise<void> {
  const table = tableOf(owner);
  await db.drizzle
    .update(table)
    .set({ totpSealed: sealed, totpEnabledAt: now, totpLastStep: null, updatedAt: now })
    .where(eq(table.id, owner.id));
}

/** Removes the authenticator with its recovery codes. Returns whether there was one. */
export async function removeSecret(db: Queryable, owner: CodeOwner): Promise<boolean> {
  const table = tableOf(owner);
  await db.drizzle.delete(recoveryCode).where(codesOf(owner));
  const written = await db.drizzle
    .update(table)
    .set({ totpSealed: null, totpEnabledAt: null, totpLastStep: null, updatedAt: now })
    .where(and(eq(table.id, owner.id), isNotNull(table.totpSealed)));
  return rowsWritten(written) > 0;
}

/**
 * Removes an authenticator that was set up after this time, or is not confirmed yet; of an older one, the recovery codes that
 * were made since. Returns whether an authenticator was removed.
 */
export async function removeSecretSince(db: Queryable, owner: CodeOwner, since: Date): Promise<boolean> {
  const table = tableOf(owner);
  const kept = await db.drizzle
    .select({ id: table.id })
    .from(table)
    .where(and(eq(table.id, owner.id), lte(table.totpEnabledAt, since)));
  if (kept.length === 0) {
    return await removeSecret(db, owner);
  }
  await db.drizzle.delete(recoveryCode).where(and(codesOf(owner), gt(recoveryCode.createdAt, since)));
  return false;
}

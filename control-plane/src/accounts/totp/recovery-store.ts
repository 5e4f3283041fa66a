import type { UserId } from "@sluice/contracts/ids";
import { and, eq, isNull, notInArray } from "drizzle-orm";
import { now } from "../../db/expressions.ts";
import { recoveryCode, userProfile } from "../../db/schema/accounts.ts";
import { sharedAdminCredentials } from "../../db/schema/admins.ts";
import type { Queryable } from "../../platform/db.ts";
import { type CodeOwner, codesOf } from "./totp-store.ts";

/** Stores the digests of new codes in place of all earlier ones. */
export async function replaceRecoveryCodes(db: Queryable, owner: CodeOwner, digests: readonly Buffer[]): Promise<void> {
  await removeRecoveryCodes(db, owner);
  const key = owner.kind === "user" ? { userId: owner.id } : { adminId: owner.id };
  await db.drizzle.insert(recoveryCode).values(digests.map((codeHash) => ({ ...key, codeHash })));
}

export async function removeRecoveryCodes(db: Queryable, owner: CodeOwner): Promise<void> {
  await db.drizzle.delete(recoveryCode).where(codesOf(owner));
}

/** Keeps exactly these codes of another gateway. One that is here already is not changed: it may have been used. */
export async function keepImportedCodes(db: Queryable, userId: UserId, hashes: readonly string[]): Promise<void> {
  const digests = hashes.map((hash) => Buffer.from(hash, "latin1"));
  await db.drizzle
    .delete(recoveryCode)
    .where(and(codesOf({ kind: "user", id: userId }), notInArray(recoveryCode.codeHash, digests)));
  if (digests.length > 0) {
    await db.drizzle
      .insert(recoveryCode)
      .values(digests.map((codeHash) => ({ userId, codeHash })))
      .onConflictDoNothing();
  }
}

export type KeptCode = { readonly id: bigint; readonly digest: Uint8Array };

/** The unused codes, in no particular order. */
export async function listUnusedCodes(db: Queryable, owner: CodeOwner): Promise<KeptCode[]> {
  return await db.drizzle
    .select({ id: recoveryCode.id, digest: recoveryCode.codeHash })
    .from(recoveryCode)
    .where(and(codesOf(owner), isNull(recoveryCode.usedAt)));
}

/** Returns false when the code was used before. */
export async function markCodeUsed(db: Queryable, id: bigint): Promise<boolean> {
  const rows = await db.drizzle
    .update(recoveryCode)
    .set({ usedAt: now })
    .where(and(eq(recoveryCode.id, id), isNull(recoveryCode.usedAt)))
    .returning({ id: recoveryCode.id });
  return rows.length > 0;
}

export type CodeHolder = { readonly name: string; readonly email: string | null; readonly locale: string };

/** The owner's name in the audit log, and address for emails. */
export async function findCodeHolder(db: Queryable, owner: CodeOwner): Promise<CodeHolder | null> {
  if (owner.kind === "user") {
    const { email, locale, id } = userProfile;
    const [user] = await db.drizzle.select({ name: email, email, locale }).from(userProfile).where(eq(id, owner.id));
    return user ?? null;
  }
  const { username, email, id } = sharedAdminCredentials;
  const [admin] = await db.drizzle
    .select({ name: username, email })
    .from(sharedAdminCredentials)
    .where(eq(id, owner.id));
  return admin === undefined ? null : { ...admin, locale: "en" };
}

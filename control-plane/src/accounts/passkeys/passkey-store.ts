import type { UserId } from "@sluice/contracts/ids";
import { and, asc, count, eq, isNull } from "drizzle-orm";
import { isSet, now } from "../../db/expressions.ts";
import { userProfile as profile } from "../../db/schema/accounts.ts";
import { passkey } from "../../db/schema/passkeys.ts";
import { type Queryable, rowsWritten } from "../../platform/db.ts";
import type { LoginProfile } from "../store.ts";
import type { MadeKey, Passkey } from "./model.ts";

const shown = {
  id: passkey.id,
  name: passkey.name,
  isSynced: passkey.isSynced,
  createdAt: passkey.createdAt,
  lastUsedAt: passkey.lastUsedAt,
};

export async function selectPasskeys(db: Queryable, userId: UserId): Promise<Passkey[]> {
  return await db.drizzle.select(shown).from(passkey).where(eq(passkey.userId, userId)).orderBy(asc(passkey.id));
}

/** How browsers recognise the passkeys that a user has already. */
export async function selectCredentials(
  db: Queryable,
  userId: UserId,
): Promise<{ readonly id: string; readonly transports: string[] }[]> {
  return await db.drizzle
    .select({ id: passkey.credentialId, transports: passkey.transports })
    .from(passkey)
    .where(eq(passkey.userId, userId))
    .orderBy(asc(passkey.id));
}

export async function countPasskeys(db: Queryable, userId: UserId): Promise<number> {
  const [row] = await db.drizzle.select({ keys: count() }).from(passkey).where(eq(passkey.userId, userId));
  return row?.keys ?? 0;
}

/** The bytes by which authenticators know the account; the given ones become them if it has none. */
export async function keepHandle(db: Queryable, userId: UserId, fresh: Uint8Array): Promise<Uint8Array> {
  await db.drizzle
    .update(profile)
    .set({ passkeyHandle: fresh })
    .where(and(eq(profile.id, userId), isNull(profile.passkeyHandle)));
  const [row] = await db.drizzle.select({ handle: profile.passkeyHandle }).from(profile).where(eq(profile.id, userId));
  if (row?.handle == null) {
    throw new Error("the user does not exist");
  }
  return row.handle;
}

/** Null if the key is registered already, to whomever. */
export async function insertPasskey(
  tx: Queryable,
  userId: UserId,
  { transports, ...made }: MadeKey & { readonly name: string },
): Promise<Passkey | null> {
  const [row] = await tx.drizzle
    .insert(passkey)
    .values({ userId, ...made, transports: [...transports] })
    .onConflictDoNothing()
    .returning(shown);
  return row ?? null;
}

/** The passkey with its new name; null if it is not the user's. */
export async function updateName(db: Queryable, userId: UserId, id: bigint, name: string): Promise<Passkey | null> {
  const [row] = await db.drizzle
    .update(passkey)
    .set({ name })
    .where(and(eq(passkey.id, id), eq(passkey.userId, userId)))
    .returning(shown);
  return row ?? null;
}

/** The name of the removed passkey; null if it is not the user's. */
export async function deletePasskey(tx: Queryable, userId: UserId, id: bigint): Promise<string | null> {
  const [row] = await tx.drizzle
    .delete(passkey)
    .where(and(eq(passkey.id, id), eq(passkey.userId, userId)))
    .returning({ name: passkey.name });
  return row?.name ?? null;
}

/** Removes all passkeys of a user; returns their names. */
export async function deletePasskeys(tx: Queryable, userId: UserId): Promise<string[]> {
  const rows = await tx.drizzle.delete(passkey).where(eq(passkey.userId, userId)).returning({ name: passkey.name });
  return rows.map(({ name }) => name);
}

/** A passkey with its owner, as a login needs them. */
export type KnownPasskey = {
  readonly id: bigint;
  readonly name: string;
  readonly publicKey: Uint8Array;
  readonly isSynced: boolean;
  readonly handle: Uint8Array | null;
  readonly user: LoginProfile;
};

export async function findPasskey(db: Queryable, credentialId: string): Promise<KnownPasskey | null> {
  const [row] = await db.drizzle
    .select({
      id: passkey.id,
      name: passkey.name,
      publicKey: passkey.publicKey,
      isSynced: passkey.isSynced,
      handle: profile.passkeyHandle,
      user: {
        userId: profile.id,
        email: profile.email,
        status: profile.status,
        passwordHash: profile.passwordHash,
        locale: profile.locale,
        hasCode: isSet(profile.totpEnabledAt),
      },
    })
    .from(passkey)
    .innerJoin(profile, eq(profile.id, passkey.userId))
    .where(eq(passkey.credentialId, credentialId));
  return (row ?? null) as KnownPasskey | null;
}

/** The counter of a passkey, whose row stays locked until the end of the transaction; null if it was removed meanwhile. */
export async function lockCounter(tx: Queryable, id: bigint): Promise<number | null> {
  const [row] = await tx.drizzle
    .select({ counter: passkey.counter })
    .from(passkey)
    .where(eq(passkey.id, id))
    .for("update");
  return row?.counter ?? null;
}

/** Records a login with a passkey. */
export async function markUsed(
  tx: Queryable,
  id: bigint,
  to: { readonly counter: number; readonly isBackedUp: boolean },
): Promise<boolean> {
  return (
    rowsWritten(
      await tx.drizzle
        .update(passkey)
        .set({ ...to, lastUsedAt: now })
        .where(eq(passkey.id, id)),
    ) > 0
  );
}

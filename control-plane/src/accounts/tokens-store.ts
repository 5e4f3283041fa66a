import type { UserId } from "@sluice/contracts/ids";
import { and, eq, gt, isNull, lt } from "drizzle-orm";
import { ago, fromNow, now } from "../db/expressions.ts";
import { accountToken as token } from "../db/schema/accounts.ts";
import type { Queryable } from "../platform/db.ts";

export type TokenPurpose = "email_verify" | "password_reset" | "email_change" | "email_undo";

/** Stores the digest of a token that is sent by email. Returns the id of the row. */
export async function insertToken(
  db: Queryable,
  made: {
    readonly userId: UserId;
    readonly purpose: TokenPurpose;
    readonly tokenHash: Uint8Array;
    readonly minutes: number;
    /** The address that the account gets by it. */
    readonly address?: string;
  },
): Promise<{ readonly id: bigint; readonly expiresAt: Date }> {
  const { minutes, ...rest } = made;
  const [row] = await db.drizzle
    .insert(token)
    .values({ ...rest, expiresAt: fromNow(minutes, "minutes") })
    .returning({ id: token.id, expiresAt: token.expiresAt });
  if (row === undefined) {
    throw new Error("the token was not inserted");
  }
  return row;
}

const isValid = (tokenHash: Uint8Array, purpose: TokenPurpose) =>
  and(eq(token.tokenHash, tokenHash), eq(token.purpose, purpose), isNull(token.usedAt), gt(token.expiresAt, now));

/** The owner of the token, if it is valid, and uses the token up. Of two simultaneous calls, one gets null. */
export async function takeToken(db: Queryable, tokenHash: Uint8Array, purpose: TokenPurpose): Promise<UserId | null> {
  const [row] = await db.drizzle
    .update(token)
    .set({ usedAt: now })
    .where(isValid(tokenHash, purpose))
    .returning({ userId: token.userId });
  return (row?.userId ?? null) as UserId | null;
}

/** As `takeToken`, with the address that the token is for. */
export async function takeAddressToken(
  db: Queryable,
  tokenHash: Uint8Array,
  purpose: "email_change" | "email_undo",
): Promise<{
  readonly id: bigint;
  readonly userId: UserId;
  readonly address: string;
  readonly createdAt: Date;
} | null> {
  const [row] = await db.drizzle
    .update(token)
    .set({ usedAt: now })
    .where(isValid(tokenHash, purpose))
    .returning({ id: token.id, userId: token.userId, address: token.address, createdAt: token.createdAt });
  return row?.userId == null || row.address === null
    ? null
    : { id: row.id, userId: row.userId as UserId, address: row.address, createdAt: row.createdAt };
}

/** What a valid token is for; null for any other. */
export async function findPurpose(
  db: Queryable,
  tokenHash: Uint8Array,
): Promise<TokenPurpose | "admin_password" | null> {
  const [row] = await db.drizzle
    .select({ purpose: token.purpose })
    .from(token)
    .where(and(eq(token.tokenHash, tokenHash), isNull(token.usedAt), gt(token.expiresAt, now)));
  return row?.purpose ?? null;
}

/** The owner of the token, if it is valid; the token stays valid. */
export async function peekToken(db: Queryable, tokenHash: Uint8Array, purpose: TokenPurpose): Promise<UserId | null> {
  const [row] = await db.drizzle.select({ userId: token.userId }).from(token).where(isValid(tokenHash, purpose));
  return (row?.userId ?? null) as UserId | null;
}

/** Invalidates the tokens of a user for this purpose: all, or those made after another. */
export async function spendTokens(db: Queryable, userId: UserId, purpose: TokenPurpose, after = 0n): Promise<void> {
  await db.drizzle
    .update(token)
    .set({ usedAt: now })
    .where(and(eq(token.userId, userId), eq(token.purpose, purpose), isNull(token.usedAt), gt(token.id, after)));
}

export async function deleteOldTokens(db: Queryable): Promise<void> {
  await db.drizzle.delete(token).where(lt(token.expiresAt, ago(30, "days")));
}

import { and, eq, gt, isNull } from "drizzle-orm";
import { fromNow, now } from "../../db/expressions.ts";
import { accountToken as token } from "../../db/schema/accounts.ts";
import type { Queryable } from "../../platform/db.ts";

const purpose = "admin_password";

/** Stores the digest of a token that is mailed to an admin. Returns the id of the row. */
export async function insertAdminToken(
  db: Queryable,
  made: { readonly adminId: bigint; readonly tokenHash: Uint8Array; readonly minutes: number },
): Promise<{ readonly id: bigint; readonly expiresAt: Date }> {
  const { minutes, ...rest } = made;
  const [row] = await db.drizzle
    .insert(token)
    .values({ ...rest, purpose, expiresAt: fromNow(minutes, "minutes") })
    .returning({ id: token.id, expiresAt: token.expiresAt });
  if (row === undefined) {
    throw new Error("the token was not inserted");
  }
  return row;
}

const isValid = (tokenHash: Uint8Array) =>
  and(eq(token.tokenHash, tokenHash), eq(token.purpose, purpose), isNull(token.usedAt), gt(token.expiresAt, now));

/** The owner of the token, if it is valid; the token stays valid. */
export async function peekAdminToken(db: Queryable, tokenHash: Uint8Array): Promise<bigint | null> {
  const [row] = await db.drizzle.select({ adminId: token.adminId }).from(token).where(isValid(tokenHash));
  return row?.adminId ?? null;
}

/** The owner of the token, if it is valid, and uses the token up. Of two simultaneous calls, one gets null. */
export async function takeAdminToken(db: Queryable, tokenHash: Uint8Array): Promise<bigint | null> {
  const [row] = await db.drizzle
    .update(token)
    .set({ usedAt: now })
    .where(isValid(tokenHash))
    .returning({ adminId: token.adminId });
  return row?.adminId ?? null;
}

/** Invalidates every token of an admin. */
export async function spendAdminTokens(db: Queryable, adminId: bigint): Promise<void> {
  await db.drizzle
    .update(token)
    .set({ usedAt: now })
    .where(and(eq(token.adminId, adminId), isNull(token.usedAt)));
}

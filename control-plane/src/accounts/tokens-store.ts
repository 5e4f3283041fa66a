import type { UserId } from "@sluice/contracts/ids";
import type { Queryable } from "../platform/db.ts";

export type TokenPurpose = "email_verify" | "password_reset";

/** Stores the digest of a token that is sent by email. Returns the id of the row. */
export async function insertToken(
  db: Queryable,
  token: {
    readonly userId: UserId;
    readonly purpose: TokenPurpose;
    readonly tokenHash: Uint8Array;
    readonly minutes: number;
  },
): Promise<{ readonly id: bigint; readonly expiresAt: Date }> {
  const [row] = await db.sql<{ id: bigint; expires_at: Date }>`
    insert into account_token (user_id, purpose, token_hash, expires_at)
    values (${token.userId}::bigint, ${token.purpose}, ${token.tokenHash},
      now() + make_interval(mins => ${token.minutes}::int))
    returning id, expires_at`;
  if (row === undefined) {
    throw new Error("the token was not inserted");
  }
  return { id: row.id, expiresAt: row.expires_at };
}

/** The owner of the token, if it is valid, and uses the token up. Of two simultaneous calls, one gets null. */
export async function takeToken(db: Queryable, tokenHash: Uint8Array, purpose: TokenPurpose): Promise<UserId | null> {
  const [row] = await db.sql<{ user_id: bigint }>`
    update account_token set used_at = now()
    where token_hash = ${tokenHash} and purpose = ${purpose} and used_at is null and expires_at > now()
    returning user_id`;
  return (row?.user_id ?? null) as UserId | null;
}

/** The owner of the token, if it is valid; the token stays valid. */
export async function peekToken(db: Queryable, tokenHash: Uint8Array, purpose: TokenPurpose): Promise<UserId | null> {
  const [row] = await db.sql<{ user_id: bigint }>`
    select user_id from account_token
    where token_hash = ${tokenHash} and purpose = ${purpose} and used_at is null and expires_at > now()`;
  return (row?.user_id ?? null) as UserId | null;
}

/** Invalidates every token of this purpose. */
export async function spendTokens(db: Queryable, userId: UserId, purpose: TokenPurpose): Promise<void> {
  await db.sql`
    update account_token set used_at = now()
    where user_id = ${userId}::bigint and purpose = ${purpose} and used_at is null`;
}

export async function deleteOldTokens(db: Queryable): Promise<void> {
  await db.sql`delete from account_token where expires_at < now() - interval '30 days'`;
}

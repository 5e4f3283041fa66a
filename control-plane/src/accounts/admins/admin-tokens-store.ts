import type { Queryable } from "../../platform/db.ts";

const purpose = "admin_password";

/** Stores the digest of a token that is mailed to an admin. Returns the id of the row. */
export async function insertAdminToken(
  db: Queryable,
  token: { readonly adminId: bigint; readonly tokenHash: Uint8Array; readonly minutes: number },
): Promise<{ readonly id: bigint; readonly expiresAt: Date }> {
  const [row] = await db.sql<{ id: bigint; expires_at: Date }>`
    insert into account_token (admin_id, purpose, token_hash, expires_at)
    values (${token.adminId}::bigint, ${purpose}, ${token.tokenHash},
      now() + make_interval(mins => ${token.minutes}::int))
    returning id, expires_at`;
  if (row === undefined) {
    throw new Error("the token was not inserted");
  }
  return { id: row.id, expiresAt: row.expires_at };
}

/** The owner of the token, if it is valid; the token stays valid. */
export async function peekAdminToken(db: Queryable, tokenHash: Uint8Array): Promise<bigint | null> {
  const [row] = await db.sql<{ admin_id: bigint }>`
    select admin_id from account_token
    where token_hash = ${tokenHash} and purpose = ${purpose} and used_at is null and expires_at > now()`;
  return row?.admin_id ?? null;
}

/** The owner of the token, if it is valid, and uses the token up. Of two simultaneous calls, one gets null. */
export async function takeAdminToken(db: Queryable, tokenHash: Uint8Array): Promise<bigint | null> {
  const [row] = await db.sql<{ admin_id: bigint }>`
    update account_token set used_at = now()
    where token_hash = ${tokenHash} and purpose = ${purpose} and used_at is null and expires_at > now()
    returning admin_id`;
  return row?.admin_id ?? null;
}

/** Invalidates every token of an admin. */
export async function spendAdminTokens(db: Queryable, adminId: bigint): Promise<void> {
  await db.sql`
    update account_token set used_at = now() where admin_id = ${adminId}::bigint and used_at is null`;
}

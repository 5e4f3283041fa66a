import { type Queryable, rowsWritten } from "../../platform/db.ts";

/** The owner of the authenticator. */
export type CodeOwner = { readonly kind: "user" | "admin"; readonly id: bigint };

/** The table for each kind of owner. */
export const tables = { user: "user_profile", admin: "shared_admin_credentials" } as const;

const tableOf = (owner: CodeOwner): string => tables[owner.kind];

export type SealedSecret = { readonly sealed: Uint8Array | null; readonly isEnabled: boolean };

/** The stored secret of an authenticator; the row stays locked until the transaction ends. */
export async function lockSecret(db: Queryable, owner: CodeOwner): Promise<SealedSecret> {
  const [row] = await db.query<{ totp_sealed: Uint8Array | null; is_enabled: boolean }>(
    `select totp_sealed, totp_enabled_at is not null as is_enabled from ${tableOf(owner)} where id = $1 for update`,
    [owner.id],
  );
  return { sealed: row?.totp_sealed ?? null, isEnabled: row?.is_enabled === true };
}

/** Stores a secret that is not in use yet. */
export async function putSecret(db: Queryable, owner: CodeOwner, sealed: Uint8Array): Promise<void> {
  await db.query(
    `update ${tableOf(owner)} set totp_sealed = $2, totp_last_step = null, updated_at = now()
     where id = $1 and totp_enabled_at is null`,
    [owner.id, sealed],
  );
}

/** Marks a time step as used. Returns false when it, or a later one, was used before. */
export async function takeStep(db: Queryable, owner: CodeOwner, step: number): Promise<boolean> {
  const written = await db.query(
    `update ${tableOf(owner)} set totp_last_step = $2
     where id = $1 and (totp_last_step is null or totp_last_step < $2)`,
    [owner.id, step],
  );
  return rowsWritten(written) > 0;
}

export async function enableSecret(db: Queryable, owner: CodeOwner): Promise<void> {
  await db.query(`update ${tableOf(owner)} set totp_enabled_at = now(), updated_at = now() where id = $1`, [owner.id]);
}

/** Removes the authenticator with its recovery codes. Returns whether there was one. */
export async function removeSecret(db: Queryable, owner: CodeOwner): Promise<boolean> {
  await db.query(`delete from recovery_code where ${owner.kind}_id = $1`, [owner.id]);
  const written = await db.query(
    `update ${tableOf(owner)} set totp_sealed = null, totp_enabled_at = null, totp_last_step = null, updated_at = now()
     where id = $1 and totp_sealed is not null`,
    [owner.id],
  );
  return rowsWritten(written) > 0;
}

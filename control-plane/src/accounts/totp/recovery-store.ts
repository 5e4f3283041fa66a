import type { Queryable } from "../../platform/db.ts";
import { type CodeOwner, tables } from "./totp-store.ts";

const columns = { user: "user_id", admin: "admin_id" } as const;

const columnOf = (owner: CodeOwner): string => columns[owner.kind];

/** Stores the digests of new codes in place of all earlier ones. */
export async function replaceRecoveryCodes(db: Queryable, owner: CodeOwner, digests: readonly Buffer[]): Promise<void> {
  await removeRecoveryCodes(db, owner);
  await db.query(
    `insert into recovery_code (${columnOf(owner)}, code_hash)
     select $1, decode(digest, 'hex') from unnest(string_to_array($2, ',')) digest`,
    [owner.id, digests.map((digest) => digest.toString("hex")).join(",")],
  );
}

export async function removeRecoveryCodes(db: Queryable, owner: CodeOwner): Promise<void> {
  await db.query(`delete from recovery_code where ${columnOf(owner)} = $1`, [owner.id]);
}

export type KeptCode = { readonly id: bigint; readonly digest: Uint8Array };

/** The unused codes, in no particular order. */
export async function listUnusedCodes(db: Queryable, owner: CodeOwner): Promise<KeptCode[]> {
  const rows = await db.query<{ id: bigint; code_hash: Uint8Array }>(
    `select id, code_hash from recovery_code where ${columnOf(owner)} = $1 and used_at is null`,
    [owner.id],
  );
  return [...rows].map((row) => ({ id: row.id, digest: row.code_hash }));
}

/** Returns false when the code was used before. */
export async function markCodeUsed(db: Queryable, id: bigint): Promise<boolean> {
  const rows = await db.sql`
    update recovery_code set used_at = now() where id = ${id}::bigint and used_at is null returning 1`;
  return rows.length > 0;
}

export type CodeHolder = { readonly name: string; readonly email: string | null; readonly locale: string };

/** The owner's name in the audit log, and address for emails. */
export async function findCodeHolder(db: Queryable, owner: CodeOwner): Promise<CodeHolder | null> {
  const fields = { user: "email as name, email, locale", admin: "username as name, email, 'en' as locale" }[owner.kind];
  const [row] = await db.query<CodeHolder>(`select ${fields} from ${tables[owner.kind]} where id = $1`, [owner.id]);
  return row ?? null;
}

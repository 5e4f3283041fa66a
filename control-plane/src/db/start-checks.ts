import { type MasterKey, MasterKeyError } from "../platform/crypto/master-key.ts";
import type { SealedColumn } from "../platform/crypto/sealed-column.ts";
import type { Queryable } from "../platform/db.ts";
import type { Log } from "../platform/log.ts";

/**
 * Checks that this program and this database belong together, before anything is written.
 * @throws MasterKeyError when everything encrypted in this database is under keys that the program does not have
 */
export async function checkDatabase(parts: {
  readonly db: Queryable;
  readonly masterKey: MasterKey;
  readonly log: Log;
  readonly sealedColumns: readonly SealedColumn[];
}): Promise<void> {
  const { db, masterKey, log, sealedColumns } = parts;
  const keyIds = await findSealingKeyIds(
    db,
    sealedColumns.filter(({ isSmall }) => isSmall),
  );
  const opening = masterKey.opening.map(({ id }) => id);
  const closed = keyIds.filter((id) => !opening.includes(id));
  if (keyIds.length > 0 && closed.length === keyIds.length) {
    throw new MasterKeyError(
      `The master key ${opening.join(", ")} decrypts nothing in this database, which is encrypted under ${keyIds.join(", ")}.`,
    );
  }
  if (closed.length > 0) {
    const detail = "some of what is encrypted here cannot be decrypted; give the key as MASTER_KEY_PREVIOUS and rotate";
    log.error("secrets.key_missing", { keyIds: closed, detail });
  }
  if (masterKey.previous !== null && keyIds.includes(masterKey.previous.id)) {
    log.info("secrets.under_previous_key", { detail: "some is still sealed under MASTER_KEY_PREVIOUS" });
  }
  if (!(await isDurable(db))) {
    log.warn("database.not_durable", {
      detail: "fsync or full_page_writes is off: a power cut can lose settled usage",
    });
  }
}

/**
 * The ids of the master keys under which anything in these columns is encrypted: the four bytes after the version of
 * each encrypted value (platform/crypto/seal.ts).
 */
async function findSealingKeyIds(db: Queryable, columns: readonly SealedColumn[]): Promise<string[]> {
  const values = columns.map(
    ({ table, column }) => `select ${column} as sealed from ${table} where ${column} is not null`,
  );
  const rows = await db.query<{ key_id: string }>(
    `select distinct encode(substring(sealed from 2 for 4), 'hex') as key_id from (${values.join(" union all ")}) as every`,
    [],
  );
  return rows.map((row) => row.key_id);
}

/** Whether the server keeps confirmed writes even when its machine loses power. */
async function isDurable(db: Queryable): Promise<boolean> {
  const [row] = await db.sql<{ durable: boolean }>`
    select current_setting('fsync')::boolean and current_setting('full_page_writes')::boolean as durable`;
  return row?.durable === true;
}

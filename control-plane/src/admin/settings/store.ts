import type { Queryable } from "../../platform/db.ts";
import type { StoredSetting } from "./model.ts";

type Row = { name: string; value: unknown; version: number; updated_by_name: string; updated_at: Date };

const toSetting = (row: Row): StoredSetting => ({
  name: row.name,
  value: row.value,
  version: row.version,
  updatedByName: row.updated_by_name,
  updatedAt: row.updated_at,
});

export async function listStoredSettings(db: Queryable): Promise<StoredSetting[]> {
  const rows = await db.sql<Row>`select name, value, version, updated_by_name, updated_at from setting order by name`;
  return rows.map(toSetting);
}

/** The setting, locked until the transaction ends; null when nobody has changed it yet. */
export async function lockStoredSetting(tx: Queryable, name: string): Promise<StoredSetting | null> {
  const [row] = await tx.sql<Row>`
    select name, value, version, updated_by_name, updated_at from setting where name = ${name} for update`;
  return row === undefined ? null : toSetting(row);
}

export type SettingWrite = {
  readonly name: string;
  readonly value: number | boolean | null;
  readonly adminId: bigint;
  readonly adminName: string;
};

/** Stores a setting that nobody has changed yet; null when someone else was first. */
export async function insertStoredSetting(tx: Queryable, write: SettingWrite): Promise<StoredSetting | null> {
  const [row] = await tx.sql<Row>`
    insert into setting (name, value, updated_by, updated_by_name)
    values (${write.name}, ${JSON.stringify(write.value)}::text::jsonb, ${write.adminId}::bigint, ${write.adminName})
    on conflict (name) do nothing
    returning name, value, version, updated_by_name, updated_at`;
  return row === undefined ? null : toSetting(row);
}

/** Changes a locked setting and increments its version. */
export async function updateStoredSetting(tx: Queryable, write: SettingWrite): Promise<StoredSetting | null> {
  const [row] = await tx.sql<Row>`
    update setting set value = ${JSON.stringify(write.value)}::text::jsonb, version = version + 1,
      updated_by = ${write.adminId}::bigint, updated_by_name = ${write.adminName}, updated_at = now()
    where name = ${write.name}
    returning name, value, version, updated_by_name, updated_at`;
  return row === undefined ? null : toSetting(row);
}

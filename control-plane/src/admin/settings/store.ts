import type { SettingView } from "@sluice/contracts/settings";
import { asc, eq } from "drizzle-orm";
import { now, plusOne, toJsonb } from "../../db/expressions.ts";
import { setting } from "../../db/schema/settings.ts";
import type { Queryable } from "../../platform/db.ts";
import type { StoredSetting } from "./model.ts";

const stored = {
  name: setting.name,
  value: setting.value,
  version: setting.version,
  updatedByName: setting.updatedByName,
  updatedAt: setting.updatedAt,
};

export async function listStoredSettings(db: Queryable): Promise<StoredSetting[]> {
  return await db.drizzle.select(stored).from(setting).orderBy(asc(setting.name));
}

/** The setting, locked until the transaction ends; null when nobody has changed it yet. */
export async function lockStoredSetting(tx: Queryable, name: string): Promise<StoredSetting | null> {
  const [row] = await tx.drizzle.select(stored).from(setting).where(eq(setting.name, name)).for("update");
  return row ?? null;
}

export type SettingWrite = {
  readonly name: string;
  readonly value: SettingView["value"] | null;
  readonly adminId: bigint;
  readonly adminName: string;
};

const toColumns = ({ value, adminId, adminName }: SettingWrite) => ({
  value: toJsonb(value),
  updatedBy: adminId,
  updatedByName: adminName,
});

/** Stores a setting that nobody has changed yet; null when someone else was first. */
export async function insertStoredSetting(tx: Queryable, write: SettingWrite): Promise<StoredSetting | null> {
  const [row] = await tx.drizzle
    .insert(setting)
    .values({ name: write.name, ...toColumns(write) })
    .onConflictDoNothing({ target: setting.name })
    .returning(stored);
  return row ?? null;
}

/** Changes a locked setting and increments its version. */
export async function updateStoredSetting(tx: Queryable, write: SettingWrite): Promise<StoredSetting | null> {
  const [row] = await tx.drizzle
    .update(setting)
    .set({ ...toColumns(write), version: plusOne(setting.version), updatedAt: now })
    .where(eq(setting.name, write.name))
    .returning(stored);
  return row ?? null;
}

import type { ApiKeyId, GatewayUserId } from "@sluice/contracts/ids";
import { sha256 } from "../../platform/crypto/digest.ts";
import type { Transaction } from "../../platform/db.ts";
import {
  type ImportedKeySettings,
  insertImportedKey,
  lockImportedKey,
  updateImportedKey,
} from "./imported-key-store.ts";
import { setQuotaLimit } from "./key-quota.ts";
import { canonicalApiKey, describeApiKey } from "./model.ts";

export type { ImportedKeySettings } from "./imported-key-store.ts";

/** A key of another gateway, with what may still be spent by it; null without a limit. */
export type ImportedKey = ImportedKeySettings & { readonly remaining: bigint | null };

/** Whether a key of another gateway can be one here: anything else is refused before the database is asked. */
export function isMovableKey(key: string): boolean {
  return canonicalApiKey(key) !== null;
}

/**
 * Adds a key that clients already have. Only its digest is stored.
 * @returns null if there is such a key
 */
export async function addImportedKey(
  tx: Transaction,
  gatewayUserId: GatewayUserId,
  key: string,
  { remaining, ...settings }: ImportedKey,
): Promise<ApiKeyId | null> {
  const made = { gatewayUserId, keyHash: sha256(key), ...describeApiKey(key), ...settings };
  const id = await insertImportedKey(tx, made);
  if (id !== null && remaining !== null) {
    await setQuotaLimit(tx, { apiKeyId: id }, { quota: remaining, period: "none" });
  }
  return id;
}

/**
 * Changes a key that was imported before, unless it was changed or used here since.
 * @returns whether it was changed
 */
export async function changeImportedKey(
  tx: Transaction,
  id: ApiKeyId,
  { remaining, ...settings }: ImportedKey,
  writtenAt: Date,
): Promise<boolean> {
  const now = await lockImportedKey(tx, id);
  if (now === null || now.firstUsedAt !== null || now.updatedAt.getTime() > writtenAt.getTime()) {
    return false;
  }
  await updateImportedKey(tx, id, settings);
  await setQuotaLimit(tx, { apiKeyId: id }, remaining === null ? null : { quota: remaining, period: "none" });
  return true;
}

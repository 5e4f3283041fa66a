import type { ApiKeyId, GatewayUserId } from "@sluice/contracts/ids";
import { sha256 } from "../../platform/crypto/digest.ts";
import type { Transaction } from "../../platform/db.ts";
import {
  type ImportedKeySettings,
  insertImportedKey,
  lockImportedKey,
  type NewImportedKey,
  revokeImportedKey,
  updateImportedKey,
} from "./imported-key-store.ts";
import { type QuotaLimit, setQuotaLimit } from "./key-quota.ts";
import { canonicalApiKey, describeApiKey } from "./model.ts";

export type { ImportedKeySettings } from "./imported-key-store.ts";

/** A key of another gateway, with what may still be spent by it; null without a limit. */
export type ImportedKey = ImportedKeySettings & { readonly limit: QuotaLimit | null };

/** Whose key it is; a key that was rotated shares the limits of the one that replaces it. */
export type ImportedKeyOwner = {
  readonly gatewayUserId: GatewayUserId;
  readonly memberId: bigint | null;
  readonly projectId: bigint | null;
  readonly limitKeyId: ApiKeyId | null;
};

/** A key as clients send it, or the SHA-256 of that in hexadecimal digits. */
export type ImportedSecret =
  | { readonly key: string }
  | { readonly hash: string; readonly prefix: string; readonly lastFour: string };

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
  owner: ImportedKeyOwner,
  secret: ImportedSecret,
  { limit, ...settings }: ImportedKey,
): Promise<ApiKeyId | null> {
  const id = await insertImportedKey(tx, { ...owner, ...storedSecret(secret), ...settings });
  if (id !== null && limit !== null && owner.limitKeyId === null) {
    await setQuotaLimit(tx, { apiKeyId: id }, limit);
  }
  return id;
}

function storedSecret(secret: ImportedSecret): Pick<NewImportedKey, "keyHash" | "keyPrefix" | "keyLastFour"> {
  if ("key" in secret) {
    return { keyHash: sha256(secret.key), ...describeApiKey(secret.key) };
  }
  return { keyHash: Buffer.from(secret.hash, "hex"), keyPrefix: secret.prefix, keyLastFour: secret.lastFour };
}

/**
 * Whether a key that was imported before is this one. Databases that count on from the highest id give the id of a deleted
 * key to the next one. True if the key does not exist here any more.
 */
export async function isImportedKey(tx: Transaction, id: ApiKeyId, secret: ImportedSecret): Promise<boolean> {
  const now = await lockImportedKey(tx, id);
  return now === null || Buffer.compare(now.keyHash, storedSecret(secret).keyHash) === 0;
}

/**
 * Revokes a key that was imported before and deleted there since, unless it was changed here. That it was used does not
 * keep it.
 */
export async function endImportedKey(
  tx: Transaction,
  id: ApiKeyId,
  writtenAt: Date,
): Promise<"ended" | "was ended" | "kept"> {
  const now = await lockImportedKey(tx, id);
  if (now === null || now.isRevoked) {
    return "was ended";
  }
  if (now.updatedAt.getTime() > writtenAt.getTime()) {
    return "kept";
  }
  await revokeImportedKey(tx, id);
  return "ended";
}

/**
 * Changes a key that was imported before, unless it was changed or used here since.
 * @returns whether it was changed
 */
export async function changeImportedKey(
  tx: Transaction,
  id: ApiKeyId,
  { limit, ...settings }: ImportedKey,
  writtenAt: Date,
): Promise<boolean> {
  const now = await lockImportedKey(tx, id);
  if (now === null || now.firstUsedAt !== null || now.updatedAt.getTime() > writtenAt.getTime()) {
    return false;
  }
  await updateImportedKey(tx, id, settings);
  if (now.limitKeyId === null) {
    await setQuotaLimit(tx, { apiKeyId: id }, limit);
  }
  return true;
}

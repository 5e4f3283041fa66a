import type { ApiKeyId, GatewayUserId } from "@sluice/contracts/ids";
import { eq, sql } from "drizzle-orm";
import { clock } from "../../db/expressions.ts";
import { apiKey } from "../../db/schema/gateway-keys.ts";
import type { Queryable } from "../../platform/db.ts";

export type ImportedKeySettings = {
  readonly name: string;
  readonly status: "active" | "disabled" | "revoked";
  readonly expiresAt: Date | null;
  readonly allowedModels: readonly string[] | null;
  readonly allowedIps: readonly string[] | null;
  readonly groupName: string | null;
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly concurrencyMax: number | null;
};

export type NewImportedKey = ImportedKeySettings & {
  readonly gatewayUserId: GatewayUserId;
  readonly memberId: bigint | null;
  readonly projectId: bigint | null;
  readonly limitKeyId: ApiKeyId | null;
  readonly keyHash: Uint8Array;
  readonly keyPrefix: string;
  readonly keyLastFour: string;
};

const columnsOf = ({ allowedModels, allowedIps, ...rest }: ImportedKeySettings) => ({
  ...rest,
  allowedModels: allowedModels === null ? null : [...allowedModels],
  allowedIps: allowedIps === null ? null : [...allowedIps],
  updatedAt: clock,
});

/** Null if there is a key with this digest. */
export async function insertImportedKey(tx: Queryable, key: NewImportedKey): Promise<ApiKeyId | null> {
  const { gatewayUserId, memberId, projectId, limitKeyId, keyHash, keyPrefix, keyLastFour, ...settings } = key;
  const made = { gatewayUserId, memberId, projectId, limitKeyId, keyHash, keyPrefix, keyLastFour };
  const [row] = await tx.drizzle
    .insert(apiKey)
    .values({ ...made, ...columnsOf(settings) })
    .onConflictDoNothing({ target: apiKey.keyHash })
    .returning({ id: apiKey.id });
  return (row?.id ?? null) as ApiKeyId | null;
}

export async function updateImportedKey(tx: Queryable, id: ApiKeyId, settings: ImportedKeySettings): Promise<void> {
  await tx.drizzle.update(apiKey).set(columnsOf(settings)).where(eq(apiKey.id, id));
}

export async function revokeImportedKey(tx: Queryable, id: ApiKeyId): Promise<void> {
  await tx.drizzle.update(apiKey).set({ status: "revoked", updatedAt: clock }).where(eq(apiKey.id, id));
}

type LockedImportedKey = {
  readonly keyHash: Uint8Array;
  readonly isRevoked: boolean;
  readonly updatedAt: Date;
  readonly firstUsedAt: Date | null;
  readonly limitKeyId: bigint | null;
};

/** The key, when it was last changed, and whether calls were made with it; it is locked until the transaction ends. */
export async function lockImportedKey(tx: Queryable, id: ApiKeyId): Promise<LockedImportedKey | null> {
  const [row] = await tx.drizzle
    .select({
      keyHash: apiKey.keyHash,
      isRevoked: sql<boolean>`${apiKey.status} = 'revoked'`,
      updatedAt: apiKey.updatedAt,
      firstUsedAt: apiKey.firstUsedAt,
      limitKeyId: apiKey.limitKeyId,
    })
    .from(apiKey)
    .where(eq(apiKey.id, id))
    .for("update");
  return row ?? null;
}

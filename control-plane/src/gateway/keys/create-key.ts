import type { GatewayUserId } from "@sluice/contracts/ids";
import { sha256 } from "../../platform/crypto/digest.ts";
import type { Queryable } from "../../platform/db.ts";
import { generateApiKey } from "./generate-api-key.ts";
import { describeApiKey } from "./model.ts";
import { hasApiKey, insertApiKey } from "./store.ts";

/** Creates an API key and returns it; it can never be read again. */
export async function createApiKey(tx: Queryable, gatewayUserId: GatewayUserId, name: string): Promise<string> {
  const key = generateApiKey();
  await insertApiKey(tx, { gatewayUserId, name, keyHash: sha256(key), ...describeApiKey(key) });
  return key;
}

/** Creates a user's first API key, or returns null when the user has one. */
export async function createFirstApiKey(
  tx: Queryable,
  gatewayUserId: GatewayUserId,
  name: string,
): Promise<string | null> {
  return (await hasApiKey(tx, gatewayUserId)) ? null : await createApiKey(tx, gatewayUserId, name);
}

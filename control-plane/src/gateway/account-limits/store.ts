import type { GatewayUserId } from "@sluice/contracts/ids";
import { and, eq } from "drizzle-orm";
import { clock } from "../../db/expressions.ts";
import { accountLimit } from "../../db/schema/account-limits.ts";
import { userProfile } from "../../db/schema/accounts.ts";
import { apiKey } from "../../db/schema/gateway-keys.ts";
import type { Queryable } from "../../platform/db.ts";
import type { Limits } from "./model.ts";

/** Whose limits they are. */
export type Place =
  | { readonly scope: "default" }
  | { readonly scope: "group"; readonly groupName: string }
  | { readonly scope: "user"; readonly gatewayUserId: GatewayUserId };

const columns = {
  requests_per_minute: accountLimit.requestsPerMinute,
  tokens_per_minute: accountLimit.tokensPerMinute,
  concurrency_max: accountLimit.concurrencyMax,
};

function isAt(place: Place) {
  const scope = eq(accountLimit.scope, place.scope);
  switch (place.scope) {
    case "default":
      return scope;
    case "group":
      return and(scope, eq(accountLimit.groupName, place.groupName));
    case "user":
      return and(scope, eq(accountLimit.gatewayUserId, place.gatewayUserId));
  }
}

export async function findLimits(db: Queryable, place: Place): Promise<Limits | null> {
  const [row] = await db.drizzle.select(columns).from(accountLimit).where(isAt(place));
  return row ?? null;
}

/** Replaces the limits of a place. The database announces it to all replicas. */
export async function putLimits(tx: Queryable, place: Place, limits: Limits): Promise<void> {
  const values = {
    requestsPerMinute: limits.requests_per_minute,
    tokensPerMinute: limits.tokens_per_minute,
    concurrencyMax: limits.concurrency_max,
  };
  await tx.drizzle
    .insert(accountLimit)
    .values({ ...place, ...values })
    .onConflictDoUpdate({
      target: [accountLimit.scope, accountLimit.groupName, accountLimit.gatewayUserId],
      set: { ...values, updatedAt: clock },
    });
}

export async function deleteLimits(tx: Queryable, place: Place): Promise<void> {
  await tx.drizzle.delete(accountLimit).where(isAt(place));
}

export type Owner = { readonly userId: bigint; readonly gatewayUserId: GatewayUserId };

/** The user with this id, or null. */
export async function findOwner(db: Queryable, userId: bigint): Promise<Owner | null> {
  const [row] = await db.drizzle
    .select({ userId: userProfile.id, gatewayUserId: userProfile.gatewayUserId })
    .from(userProfile)
    .where(eq(userProfile.id, userId));
  return (row ?? null) as Owner | null;
}

export type LimitedKey = {
  readonly gatewayUserId: GatewayUserId;
  readonly userId: bigint | null;
  readonly groupName: string | null;
  readonly limits: Limits;
};

/** A key with its owner and its own limits, or null. */
export async function findLimitedKey(db: Queryable, keyId: bigint): Promise<LimitedKey | null> {
  const [row] = await db.drizzle
    .select({
      gatewayUserId: apiKey.gatewayUserId,
      userId: userProfile.id,
      groupName: apiKey.groupName,
      limits: {
        requests_per_minute: apiKey.requestsPerMinute,
        tokens_per_minute: apiKey.tokensPerMinute,
        concurrency_max: apiKey.concurrencyMax,
      },
    })
    .from(apiKey)
    .leftJoin(userProfile, eq(userProfile.gatewayUserId, apiKey.gatewayUserId))
    .where(eq(apiKey.id, keyId));
  return (row ?? null) as LimitedKey | null;
}

/** The group of an account's calls whose key names none. */
export async function findChosenGroup(db: Queryable, id: GatewayUserId): Promise<string | null> {
  const [row] = await db.sql<{ group_name: string }>`select group_name from key_group(${id}::bigint, null)`;
  return row?.group_name ?? null;
}

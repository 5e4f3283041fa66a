import { camelCase } from "@sluice/contracts/camel-case";
import type { ApiKeyId, BudgetId, GatewayUserId } from "@sluice/contracts/ids";
import { type KeySetting, keySettings, type ResetPeriod } from "@sluice/contracts/key-fields";
import type { ApiKeyStatus, ApiKeyView } from "@sluice/contracts/keys";
import { and, eq, gt, isNull, ne, or, sql } from "drizzle-orm";
import { clock, countOfRows, now } from "../../db/expressions.ts";
import { apiKey, budget, gatewayUser, quotaGrant } from "../../db/schema/gateway-keys.ts";
import type { Queryable } from "../../platform/db.ts";
import { arrayLiteral } from "../../platform/db-array-literal.ts";
import type { KeySettings } from "./model.ts";

type KeyRow = Omit<ApiKeyView, "key_id" | "group" | "quota_remaining"> & {
  id: bigint;
  group_name: string;
  limit_key_id: bigint;
};

/** A key with the additional fields that only the service needs. */
export type KeyRecord = { readonly view: ApiKeyView; readonly limitKeyId: ApiKeyId };

function toRecord({ id, group_name, limit_key_id, ...row }: KeyRow): KeyRecord {
  const { quota_limit: limit, quota_used: used } = row;
  const isSpent = limit !== null && used !== null && used >= limit;
  const remaining = limit === null || used === null ? null : isSpent ? 0n : limit - used;
  const view: ApiKeyView = { key_id: id, group: group_name, ...row, quota_remaining: remaining };
  return { view, limitKeyId: limit_key_id as ApiKeyId };
}

/** Serializes changes to one user's keys; reads and calls do not wait. False if the user does not exist. */
export async function lockUser(tx: Queryable, gatewayUserId: GatewayUserId): Promise<boolean> {
  const rows = await tx.drizzle
    .select({ id: gatewayUser.id })
    .from(gatewayUser)
    .where(eq(gatewayUser.id, gatewayUserId))
    .for("no key update");
  return rows.length > 0;
}

export type KeyQuery = {
  readonly gatewayUserId: GatewayUserId;
  readonly keyId: ApiKeyId | null;
  /** Selects only keys created before this one. */
  readonly before: bigint | null;
  readonly isLiveOnly: boolean;
  readonly limit: number;
};

const settingNames = keySettings.map(({ name }) => name);

const selectKeys = `
  select k.id, ${settingNames.map((name) => `k.${name}`).join(", ")}, k.key_prefix, k.key_last_four,
    coalesce(g.group_name, k.group_name) as group_name, k.group_name as own_group,
    g.group_name is not null as has_group,
    case when k.status <> 'revoked' and k.expires_at <= now() then 'expired' else k.status end as status,
    k.lock_reason, b.granted as quota_limit, coalesce(b.period, 'none') as reset_period,
    case when b.period_ends_at <= now() then 0 else b.used - b.period_base end as quota_used,
    case when b.period_ends_at <= now() then next_period_end(b.period, now()) else b.period_ends_at end as period_ends_at,
    k.first_used_at as first_request_at, s.last_used_at, k.rotated_from_id, n.id as rotated_to_id, k.created_at,
    to_char(k.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as updated_at,
    coalesce(k.limit_key_id, k.id) as limit_key_id
  from api_key k
  join gateway_user u on u.id = k.gateway_user_id
  left join key_group(u.id, k.group_name) g on true
  left join budget b on b.api_key_id = coalesce(k.limit_key_id, k.id) and b.is_enforced
  left join api_key_use s on s.api_key_id = k.id
  left join lateral (
    select max(next.id) as id from api_key next where next.rotated_from_id = k.id and next.status <> 'revoked'
  ) n on true
  where k.gateway_user_id = $1::bigint
    and ($2::bigint is null or k.id = $2::bigint)
    and ($3::bigint is null or k.id < $3::bigint)
    and (not $4::boolean or (k.status <> 'revoked' and (k.expires_at is null or k.expires_at > now())))
  order by k.id desc limit $5::integer`;

/** Keys of one user, newest first. */
export async function findKeys(db: Queryable, query: KeyQuery): Promise<KeyRecord[]> {
  const { gatewayUserId, keyId, before, isLiveOnly, limit } = query;
  const rows = await db.query<KeyRow>(selectKeys, [gatewayUserId, keyId, before, isLiveOnly, limit]);
  return rows.map(toRecord);
}

export async function findKey(db: Queryable, gatewayUserId: GatewayUserId, keyId: ApiKeyId): Promise<KeyRecord | null> {
  const [record] = await findKeys(db, { gatewayUserId, keyId, before: null, isLiveOnly: false, limit: 1 });
  return record ?? null;
}

/** How many of a user's keys work or can be enabled. */
export async function countLiveKeys(db: Queryable, gatewayUserId: GatewayUserId): Promise<number> {
  const [row] = await db.drizzle
    .select({ live: countOfRows })
    .from(apiKey)
    .where(
      and(
        eq(apiKey.gatewayUserId, gatewayUserId),
        ne(apiKey.status, "revoked"),
        or(isNull(apiKey.expiresAt), gt(apiKey.expiresAt, now)),
      ),
    );
  return row?.live ?? 0;
}

/** The key created by an earlier request with this idempotency key, and the digest of that request. */
export async function findByIdempotencyKey(
  db: Queryable,
  gatewayUserId: GatewayUserId,
  idempotencyKey: string,
): Promise<{ keyId: ApiKeyId; digest: Uint8Array } | null> {
  const [row] = await db.drizzle
    .select({ keyId: apiKey.id, digest: apiKey.idempotencyDigest })
    .from(apiKey)
    .where(and(eq(apiKey.gatewayUserId, gatewayUserId), eq(apiKey.idempotencyKey, idempotencyKey)));
  return (row ?? null) as { keyId: ApiKeyId; digest: Uint8Array } | null;
}

/** Names of models that are not in the catalog. */
export async function findUnknownModels(db: Queryable, names: readonly string[]): Promise<string[]> {
  const rows = await db.sql<{ name: string }>`
    select name from unnest(${arrayLiteral(names)}::text[]) as asked (name)
    where not exists (select 1 from model m where m.name = asked.name)`;
  return rows.map(({ name }) => name);
}

/** Settings by the names of their columns in the schema. */
function columnsOf(fields: readonly KeySetting[], settings: KeySettings): Partial<typeof apiKey.$inferInsert> {
  return Object.fromEntries(
    fields.map(({ name, kind }) => {
      const value = settings[name];
      return [camelCase(name), kind === "moment" && typeof value === "string" ? new Date(value) : value];
    }),
  );
}

/** Writes all settings of a key except its quota limit. */
export async function updateSettings(tx: Queryable, keyId: ApiKeyId, settings: KeySettings): Promise<void> {
  const columns = columnsOf(keySettings, settings);
  await tx.drizzle
    .update(apiKey)
    .set({ ...columns, updatedAt: clock })
    .where(eq(apiKey.id, keyId));
}

/** Whether a user may use a group now. */
export async function hasGroup(tx: Queryable, gatewayUserId: GatewayUserId, groupName: string): Promise<boolean> {
  const rows = await tx.sql`select from key_group(${gatewayUserId}::bigint, ${groupName})`;
  return rows.length > 0;
}

export async function findGroupNames(db: Queryable, gatewayUserId: GatewayUserId): Promise<string[]> {
  const rows = await db.sql<{ name: string }>`
    select distinct group_name as name from group_of_user where gateway_user_id = ${gatewayUserId}::bigint order by 1`;
  return rows.map(({ name }) => name);
}

/** Null lets the key follow the account. */
export async function updateGroup(tx: Queryable, keyId: ApiKeyId, groupName: string | null): Promise<void> {
  await tx.drizzle.update(apiKey).set({ groupName, updatedAt: clock }).where(eq(apiKey.id, keyId));
}

/** Copies the limits of this key to the keys that share them, and makes all replicas reload those keys. */
export async function alignSharedLimits(tx: Queryable, limitKeyId: ApiKeyId, settings: KeySettings): Promise<void> {
  const shared = keySettings.filter(({ isShared }) => isShared);
  await tx.drizzle
    .update(apiKey)
    .set({ ...columnsOf(shared, settings), updatedAt: clock })
    .where(and(or(eq(apiKey.id, limitKeyId), eq(apiKey.limitKeyId, limitKeyId)), ne(apiKey.status, "revoked")));
}

export async function updateStatus(
  tx: Queryable,
  keyId: ApiKeyId,
  status: Exclude<ApiKeyStatus, "expired">,
): Promise<void> {
  await tx.drizzle.update(apiKey).set({ status, updatedAt: clock }).where(eq(apiKey.id, keyId));
}

/** Locks a key and those that share its limits, or unlocks them with null. Revoked ones stay as they are. */
export async function updateLock(tx: Queryable, limitKeyId: ApiKeyId, lockReason: string | null): Promise<void> {
  await tx.drizzle
    .update(apiKey)
    .set({ lockReason, updatedAt: clock })
    .where(and(or(eq(apiKey.id, limitKeyId), eq(apiKey.limitKeyId, limitKeyId)), ne(apiKey.status, "revoked")));
}

/** Whose key it is; null for a key that does not exist. */
export async function findKeyOwner(db: Queryable, keyId: ApiKeyId): Promise<GatewayUserId | null> {
  const [row] = await db.drizzle.select({ id: apiKey.gatewayUserId }).from(apiKey).where(eq(apiKey.id, keyId));
  return (row?.id ?? null) as GatewayUserId | null;
}

/** Makes a key expire after this many seconds, unless it already expires sooner. */
export async function endKeyWithin(tx: Queryable, keyId: ApiKeyId, seconds: number): Promise<void> {
  const end = sql`now() + make_interval(secs => ${seconds}::double precision)`;
  await tx.drizzle
    .update(apiKey)
    .set({ expiresAt: sql`least(${apiKey.expiresAt}, ${end})`, updatedAt: clock })
    .where(eq(apiKey.id, keyId));
}

const copied = [...settingNames, "gateway_user_id", "group_name", "status"].join(", ");

const insertCopy = `
  insert into api_key (key_hash, key_prefix, key_last_four, rotated_from_id, limit_key_id, ${copied})
  select $2, $3, $4, id, coalesce(limit_key_id, id), ${copied} from api_key where id = $1::bigint
  returning id`;

/** A copy of a key under another secret; both share limits from now on. */
export async function insertSuccessor(
  tx: Queryable,
  oldId: ApiKeyId,
  secret: { readonly keyHash: Uint8Array; readonly keyPrefix: string; readonly keyLastFour: string },
): Promise<ApiKeyId> {
  const { keyHash, keyPrefix, keyLastFour } = secret;
  const [row] = await tx.query<{ id: bigint }>(insertCopy, [oldId, keyHash, keyPrefix, keyLastFour]);
  if (row === undefined) {
    throw new Error("the key that was to be rotated is gone");
  }
  return row.id as ApiKeyId;
}

export async function setIdempotency(tx: Queryable, keyId: ApiKeyId, key: string, digest: Uint8Array): Promise<void> {
  await tx.drizzle.update(apiKey).set({ idempotencyKey: key, idempotencyDigest: digest }).where(eq(apiKey.id, keyId));
}

/** Whether a key has had its first response, and when; null for a key that is not this user's. */
export async function findFirstUse(
  db: Queryable,
  gatewayUserId: GatewayUserId,
  keyId: ApiKeyId,
): Promise<{ firstUsedAt: Date | null } | null> {
  const [row] = await db.drizzle
    .select({ firstUsedAt: apiKey.firstUsedAt })
    .from(apiKey)
    .where(and(eq(apiKey.id, keyId), eq(apiKey.gatewayUserId, gatewayUserId)));
  return row ?? null;
}

export type KeyBudget = {
  readonly budgetId: BudgetId;
  readonly granted: bigint;
  readonly period: ResetPeriod;
  readonly isEnforced: boolean;
  /** The number of grants so far; the next grant gets the next number. */
  readonly grants: bigint;
};

/** The budget of a key, locked until the end of the transaction. */
export async function lockKeyBudget(tx: Queryable, limitKeyId: ApiKeyId): Promise<KeyBudget | null> {
  const [row] = await tx.drizzle
    .select({ id: budget.id, granted: budget.granted, period: budget.period, isEnforced: budget.isEnforced })
    .from(budget)
    .where(eq(budget.apiKeyId, limitKeyId))
    .for("update");
  if (row === undefined) {
    return null;
  }
  const [grants] = await tx.drizzle
    .select({ count: sql<bigint>`count(*)` })
    .from(quotaGrant)
    .where(eq(quotaGrant.budgetId, row.id));
  const { id, ...rest } = row;
  return { budgetId: id as BudgetId, ...rest, grants: grants?.count ?? 0n };
}

/** A budget that is empty until something is granted. */
export async function insertKeyBudget(tx: Queryable, limitKeyId: ApiKeyId, period: ResetPeriod): Promise<KeyBudget> {
  await tx.drizzle
    .insert(budget)
    .values({ apiKeyId: limitKeyId, period, periodEndsAt: sql`next_period_end(${period}, now())` });
  const made = await lockKeyBudget(tx, limitKeyId);
  if (made === null) {
    throw new Error("the budget of the key was not inserted");
  }
  return made;
}

/** Restarts the count for this period. */
export async function restartBudget(tx: Queryable, budgetId: BudgetId, period: ResetPeriod): Promise<void> {
  await tx.drizzle
    .update(budget)
    .set({
      isEnforced: true,
      period,
      periodBase: budget.used,
      periodEndsAt: sql`next_period_end(${period}, now())`,
      updatedAt: now,
    })
    .where(eq(budget.id, budgetId));
}

/** Calls that begin from now on are no longer counted here. */
export async function liftBudget(tx: Queryable, budgetId: BudgetId): Promise<void> {
  await tx.drizzle.update(budget).set({ isEnforced: false, updatedAt: now }).where(eq(budget.id, budgetId));
}

/** Recalls idle quota from all replicas, so that none of it is spent beyond a lowered limit. */
export async function recallIdleLeases(tx: Queryable, budgetId: BudgetId): Promise<void> {
  await tx.sql`
    with called as (
      update budget set recall_sequence = recall_sequence + 1 where id = ${budgetId}::bigint returning id, recall_sequence
    )
    select pg_notify('lease_recall', id || ':' || recall_sequence) from called`;
}

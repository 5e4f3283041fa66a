import { camelCase } from "@sluice/contracts/camel-case";
import type { ApiKeyId, GatewayUserId } from "@sluice/contracts/ids";
import { type KeySetting, keySettings } from "@sluice/contracts/key-fields";
import type { ApiKeyStatus, ApiKeyView } from "@sluice/contracts/keys";
import { and, desc, eq, gt, isNull, ne, or, sql } from "drizzle-orm";
import { clock, countOfRows, now } from "../../db/expressions.ts";
import { apiKey, gatewayUser } from "../../db/schema/gateway-keys.ts";
import { organisation, organisationMember, organisationProject } from "../../db/schema/organisations.ts";
import { type Queryable, rowsWritten } from "../../platform/db.ts";
import { arrayLiteral } from "../../platform/db-array-literal.ts";
import type { KeySettings } from "./model.ts";

type KeyRow = Omit<ApiKeyView, "key_id" | "group" | "quota_remaining" | "organisation"> & {
  id: bigint;
  member_id: bigint | null;
  member_email: string | null;
  project_id: bigint | null;
  project_name: string | null;
  group_name: string;
  limit_key_id: bigint;
};

/** A key with the additional fields that only the service needs. */
export type KeyRecord = { readonly view: ApiKeyView; readonly limitKeyId: ApiKeyId };

function toRecord({ id, group_name, limit_key_id, ...found }: KeyRow): KeyRecord {
  const { member_id, member_email, project_id, project_name, ...row } = found;
  const assigned = member_id === null ? null : { member_id, member_email, project_id, project_name };
  const { quota_limit: limit, quota_used: used } = row;
  const isSpent = limit !== null && used !== null && used >= limit;
  const remaining = limit === null || used === null ? null : isSpent ? 0n : limit - used;
  const view: ApiKeyView = {
    key_id: id,
    group: group_name,
    ...row,
    quota_remaining: remaining,
    organisation: assigned,
  };
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

/** The keys of an account, or those of them that one member of an organisation has made. */
export type KeyPlaceFilter = { readonly gatewayUserId: GatewayUserId; readonly madeById: bigint | null };

export type KeyQuery = KeyPlaceFilter & {
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
    coalesce(k.limit_key_id, k.id) as limit_key_id, k.member_id, mp.email as member_email, k.project_id, op.name as project_name
  from api_key k
  join gateway_user u on u.id = k.gateway_user_id
  left join key_group(u.id, k.group_name) g on true
  left join budget b on b.api_key_id = coalesce(k.limit_key_id, k.id) and b.is_enforced
  left join api_key_use s on s.api_key_id = k.id
  left join organisation_member om on om.id = k.member_id
  left join user_profile mp on mp.id = om.user_id
  left join organisation_project op on op.id = k.project_id
  left join lateral (
    select max(next.id) as id from api_key next where next.rotated_from_id = k.id and next.status <> 'revoked'
  ) n on true
  where k.gateway_user_id = $1::bigint
    and ($2::bigint is null or k.id = $2::bigint)
    and ($3::bigint is null or k.id < $3::bigint)
    and (not $4::boolean or (k.status <> 'revoked' and (k.expires_at is null or k.expires_at > now())))
    and ($6::bigint is null or k.member_id = $6::bigint)
    and ($2::bigint is not null or not k.is_for_playground or (k.status <> 'revoked' and (k.expires_at is null or k.expires_at > now())))
  order by k.id desc limit $5::integer`;

/** Keys of one user, newest first; without those of the playground that have ended, unless one is asked for by its id. */
export async function findKeys(db: Queryable, query: KeyQuery): Promise<KeyRecord[]> {
  const { gatewayUserId, madeById, keyId, before, isLiveOnly, limit } = query;
  const rows = await db.query<KeyRow>(selectKeys, [gatewayUserId, keyId, before, isLiveOnly, limit, madeById]);
  return rows.map(toRecord);
}

export async function findKey(db: Queryable, place: KeyPlaceFilter, keyId: ApiKeyId): Promise<KeyRecord | null> {
  const [record] = await findKeys(db, { ...place, keyId, before: null, isLiveOnly: false, limit: 1 });
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

export async function markForPlayground(tx: Queryable, keyId: ApiKeyId): Promise<void> {
  await tx.drizzle.update(apiKey).set({ isForPlayground: true }).where(eq(apiKey.id, keyId));
}

/** The keys of the playground that work and that the same person has made, newest first, after so many newer ones. */
export async function findPlaygroundKeys(
  tx: Queryable,
  { gatewayUserId, memberId }: { readonly gatewayUserId: GatewayUserId; readonly memberId?: bigint },
  offset: number,
): Promise<ApiKeyId[]> {
  const rows = await tx.drizzle
    .select({ id: apiKey.id })
    .from(apiKey)
    .where(
      and(
        eq(apiKey.gatewayUserId, gatewayUserId),
        sql`coalesce(${apiKey.memberId}, 0) = ${memberId ?? 0n}::bigint`,
        apiKey.isForPlayground,
        ne(apiKey.status, "revoked"),
        or(isNull(apiKey.expiresAt), gt(apiKey.expiresAt, now)),
      ),
    )
    .orderBy(desc(apiKey.id))
    .offset(offset);
  return rows.map(({ id }) => id as ApiKeyId);
}

/** The key that an earlier request of the same maker created with this idempotency key, and the digest of that request. */
export async function findByIdempotencyKey(
  db: Queryable,
  { gatewayUserId, memberId }: { readonly gatewayUserId: GatewayUserId; readonly memberId?: bigint },
  idempotencyKey: string,
): Promise<{ keyId: ApiKeyId; digest: Uint8Array } | null> {
  const [row] = await db.drizzle
    .select({ keyId: apiKey.id, digest: apiKey.idempotencyDigest })
    .from(apiKey)
    .where(
      and(
        eq(apiKey.gatewayUserId, gatewayUserId),
        sql`coalesce(${apiKey.memberId}, 0) = ${memberId ?? 0n}::bigint`,
        eq(apiKey.idempotencyKey, idempotencyKey),
      ),
    );
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

/** Whether this is a project of the organisation with this account that takes new keys. */
export async function hasProject(tx: Queryable, gatewayUserId: GatewayUserId, projectId: bigint): Promise<boolean> {
  const rows = await tx.drizzle
    .select({ id: organisationProject.id })
    .from(organisationProject)
    .innerJoin(organisation, eq(organisation.id, organisationProject.organisationId))
    .where(
      and(
        eq(organisationProject.id, projectId),
        eq(organisation.gatewayUserId, gatewayUserId),
        eq(organisationProject.status, "active"),
      ),
    )
    .for("share", { of: organisationProject });
  return rows.length > 0;
}

/** Whether this is a member of an organisation who has not left. */
export async function isMember(tx: Queryable, memberId: bigint): Promise<boolean> {
  const rows = await tx.drizzle
    .select({ id: organisationMember.id })
    .from(organisationMember)
    .where(and(eq(organisationMember.id, memberId), isNull(organisationMember.leftAt)))
    .for("share");
  return rows.length > 0;
}

/** Ends all keys that a member of an organisation has made. Returns how many still worked or could be enabled. */
export async function revokeKeysOfMember(tx: Queryable, memberId: bigint): Promise<number> {
  const written = await tx.drizzle
    .update(apiKey)
    .set({ status: "revoked", updatedAt: clock })
    .where(and(eq(apiKey.memberId, memberId), ne(apiKey.status, "revoked")));
  return rowsWritten(written);
}

/** Notes who in an organisation has made a key, and for which project. */
export async function assignKey(
  tx: Queryable,
  keyId: ApiKeyId,
  place: { readonly memberId: bigint; readonly projectId: bigint | null },
): Promise<void> {
  await tx.drizzle.update(apiKey).set(place).where(eq(apiKey.id, keyId));
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

const copied = [...settingNames, "gateway_user_id", "group_name", "status", "member_id", "project_id"].join(", ");

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
  { gatewayUserId, madeById }: KeyPlaceFilter,
  keyId: ApiKeyId,
): Promise<{ firstUsedAt: Date | null } | null> {
  const [row] = await db.drizzle
    .select({ firstUsedAt: apiKey.firstUsedAt })
    .from(apiKey)
    .where(
      and(
        eq(apiKey.id, keyId),
        eq(apiKey.gatewayUserId, gatewayUserId),
        madeById === null ? undefined : eq(apiKey.memberId, madeById),
      ),
    );
  return row ?? null;
}

import type { ApiKeyId, BudgetId, GatewayUserId, UserId } from "@sluice/contracts/ids";
import { callSettings } from "@sluice/contracts/key-fields";
import type { Decimal } from "@sluice/contracts/money";
import { and, eq, isNull, sql } from "drizzle-orm";
import { now } from "../../db/expressions.ts";
import { userProfile } from "../../db/schema/accounts.ts";
import { apiKey, gatewayUser } from "../../db/schema/gateway-keys.ts";
import { organisation, organisationMember } from "../../db/schema/organisations.ts";
import type { Queryable } from "../../platform/db.ts";
import { arrayLiteral } from "../../platform/db-array-literal.ts";
import type { Principal, RateLimits } from "../model.ts";
import { type CallRow, toCallSettings } from "./model.ts";

type PrincipalRow = CallRow & {
  account_keeps_labels: boolean;
  api_key_id: bigint;
  gateway_user_id: bigint;
  user_id: bigint | null;
  group_name: string;
  has_group: boolean;
  rights_end_at: Date | null;
  user_status: string;
  key_status: Principal["keyStatus"];
  lock_reason: string | null;
  first_used_at: Date | null;
  rate_multiplier: string;
  user_budget_id: bigint;
  key_budget_id: bigint | null;
  project_budget_id: bigint | null;
  member_budget_id: bigint | null;
  limit_key_id: bigint;
  group_requests: number | null;
  group_tokens: number | null;
  group_concurrency: number | null;
  account_requests: number | null;
  account_tokens: number | null;
  account_concurrency: number | null;
};

function toPrincipal(row: PrincipalRow): Principal {
  return {
    userId: row.user_id as UserId | null,
    gatewayUserId: row.gateway_user_id as GatewayUserId,
    apiKeyId: row.api_key_id as ApiKeyId,
    groupName: row.group_name,
    hasGroup: row.has_group,
    rightsEndAtMs: row.rights_end_at?.getTime() ?? null,
    isUserEnabled: row.user_status === "enabled",
    keyStatus: row.key_status,
    lockReason: row.lock_reason,
    ...toCallSettings({ ...row, are_labels_kept: row.are_labels_kept && row.account_keeps_labels }),
    isFirstUse: row.first_used_at === null,
    rateMultiplier: row.rate_multiplier as Decimal,
    userBudgetId: row.user_budget_id as BudgetId,
    keyBudgetId: row.key_budget_id as BudgetId | null,
    sharedBudgetIds: [row.project_budget_id, row.member_budget_id].filter((id) => id !== null) as BudgetId[],
    groupLimits: toRateLimits(row.group_requests, row.group_tokens, row.group_concurrency),
    accountLimits: toRateLimits(row.account_requests, row.account_tokens, row.account_concurrency),
    limitKeyId: row.limit_key_id as ApiKeyId,
  };
}

/** Null without any limit, so that most calls have nothing to look at. */
function toRateLimits(
  requestsPerMinute: number | null,
  tokensPerMinute: number | null,
  concurrencyMax: number | null,
): RateLimits | null {
  return requestsPerMinute === null && tokensPerMinute === null && concurrencyMax === null
    ? null
    : { requestsPerMinute, tokensPerMinute, concurrencyMax };
}

const selectPrincipal = `
  select k.id as api_key_id, k.gateway_user_id, p.id as user_id, coalesce(g.group_name, k.group_name) as group_name,
    g.group_name is not null as has_group, least(g.ends_at, pl.ends_at) as rights_end_at, u.status as user_status, u.are_labels_kept as account_keeps_labels,
    case when (op.status = 'archived' or maker.status in ('suspended', 'closed')) and k.status = 'active' then 'disabled' else k.status end as key_status, k.lock_reason, ${callSettings.map(({ name }) => `k.${name}`).join(", ")},
    k.first_used_at, combined_multiplier(u.rate_multiplier, coalesce(g.multiplier, 1)) as rate_multiplier, ub.id as user_budget_id, kb.id as key_budget_id,
    pb.id as project_budget_id, mb.id as member_budget_id,
    coalesce(k.limit_key_id, k.id) as limit_key_id,
    coalesce(gl.requests_per_minute, case when pl.requests_per_minute is null then dl.requests_per_minute end) as group_requests,
    coalesce(gl.tokens_per_minute, case when pl.tokens_per_minute is null then dl.tokens_per_minute end) as group_tokens,
    coalesce(gl.concurrency_max, case when pl.concurrency_max is null then dl.concurrency_max end) as group_concurrency,
    least(ul.requests_per_minute, pl.requests_per_minute) as account_requests,
    least(ul.tokens_per_minute, pl.tokens_per_minute) as account_tokens,
    least(ul.concurrency_max, pl.concurrency_max) as account_concurrency
  from api_key k
  join gateway_user u on u.id = k.gateway_user_id
  join budget ub on ub.gateway_user_id = u.id
  left join budget kb on kb.api_key_id = coalesce(k.limit_key_id, k.id) and kb.is_enforced
  left join organisation_project op on op.id = k.project_id
  left join budget pb on pb.project_id = k.project_id and pb.is_enforced
  left join organisation_member om on om.id = k.member_id and om.left_at is null
  left join user_profile maker on maker.id = om.user_id
  left join budget mb on mb.member_id = k.member_id and mb.is_enforced
  left join user_profile p on p.gateway_user_id = u.id
  left join key_group(u.id, k.group_name) g on true
  left join account_limit dl on dl.scope = 'default'
  left join account_limit gl on gl.scope = 'group' and gl.group_name = g.group_name
  left join plan_limits_of(u.id) pl on true
  left join account_limit ul on ul.scope = 'user' and ul.gateway_user_id = u.id
  where k.key_hash = $1`;

/** Everything admission needs to know of the key with this SHA-256, or null. */
export async function findPrincipal(db: Queryable, keyHash: Uint8Array): Promise<Principal | null> {
  const [row] = await db.query<PrincipalRow>(selectPrincipal, [keyHash]);
  return row === undefined ? null : toPrincipal(row);
}

export type NewApiKey = {
  readonly gatewayUserId: GatewayUserId;
  readonly keyHash: Uint8Array;
  readonly keyPrefix: string;
  readonly keyLastFour: string;
  readonly name: string;
};

export async function insertApiKey(db: Queryable, key: NewApiKey): Promise<ApiKeyId> {
  const [row] = await db.drizzle
    .insert(apiKey)
    .values({ ...key })
    .returning({ id: apiKey.id });
  if (row === undefined) {
    throw new Error("the API key was not inserted");
  }
  return row.id as ApiKeyId;
}

/** Records that these keys were used just now. */
export async function markUse(db: Queryable, ids: readonly ApiKeyId[]): Promise<void> {
  await db.sql`
    insert into api_key_use (api_key_id, last_used_at)
    select id, now() from api_key where id = any (${arrayLiteral(ids)}::bigint[]) order by id
    on conflict (api_key_id) do update set last_used_at = excluded.last_used_at`;
}

/** Sets the time of the first call; later calls change nothing. */
export async function markFirstUse(db: Queryable, id: ApiKeyId): Promise<void> {
  await db.drizzle
    .update(apiKey)
    .set({ firstUsedAt: now })
    .where(and(eq(apiKey.id, id), isNull(apiKey.firstUsedAt)));
}

/** Creates a gateway user with an empty budget. */
export async function insertGatewayUser(
  db: Queryable,
  groupName: string,
): Promise<{ gatewayUserId: GatewayUserId; budgetId: BudgetId }> {
  const [row] = await db.sql<{ gateway_user_id: bigint; id: bigint }>`
    with u as (insert into gateway_user (group_name) values (${groupName}) returning id)
    insert into budget (gateway_user_id) select id from u returning gateway_user_id, id`;
  if (row === undefined) {
    throw new Error("the gateway user was not inserted");
  }
  return { gatewayUserId: row.gateway_user_id as GatewayUserId, budgetId: row.id as BudgetId };
}

/**
 * Changes a gateway user; null fields stay. The database notifies the replicas. The keys that a person has made for
 * organisations work only while the person's account is open.
 */
export async function updateGatewayUser(
  db: Queryable,
  id: GatewayUserId,
  change: { readonly isEnabled: boolean | null; readonly rateMultiplier: Decimal | null },
): Promise<void> {
  const { isEnabled, rateMultiplier } = change;
  await db.drizzle
    .update(gatewayUser)
    .set({
      ...(isEnabled === null ? {} : { status: isEnabled ? "enabled" : "disabled" }),
      ...(rateMultiplier === null ? {} : { rateMultiplier }),
      updatedAt: now,
    })
    .where(eq(gatewayUser.id, id));
  if (isEnabled !== null) {
    await db.drizzle
      .select({ told: sql`pg_notify('user_changed', ${organisation.gatewayUserId}::text)` })
      .from(organisation)
      .innerJoin(organisationMember, eq(organisationMember.organisationId, organisation.id))
      .innerJoin(userProfile, eq(userProfile.id, organisationMember.userId))
      .where(and(eq(userProfile.gatewayUserId, id), isNull(organisationMember.leftAt)));
  }
}

/** Whether a user has any key that works or worked. */
export async function hasApiKey(db: Queryable, gatewayUserId: GatewayUserId): Promise<boolean> {
  const rows = await db.drizzle
    .select({ id: apiKey.id })
    .from(apiKey)
    .where(eq(apiKey.gatewayUserId, gatewayUserId))
    .limit(1);
  return rows.length > 0;
}

import { type LimitName, limitNames } from "@sluice/contracts/account-limits";
import type { GatewayUserId } from "@sluice/contracts/ids";
import { and, eq, sql } from "drizzle-orm";
import { clock } from "../../db/expressions.ts";
import { accountLimit } from "../../db/schema/account-limits.ts";
import { userProfile } from "../../db/schema/accounts.ts";
import { plan } from "../../db/schema/billing.ts";
import { apiKey, budget } from "../../db/schema/gateway-keys.ts";
import { organisation } from "../../db/schema/organisations.ts";
import type { Queryable } from "../../platform/db.ts";
import type { Limits, LimitsUse } from "./model.ts";

/** Whose limits they are. */
export type Place =
  | { readonly scope: "default" }
  | { readonly scope: "group"; readonly groupName: string }
  | { readonly scope: "plan"; readonly planCode: string }
  | { readonly scope: "user"; readonly gatewayUserId: GatewayUserId };

const columns = {
  requests_per_minute: accountLimit.requestsPerMinute,
  tokens_per_minute: accountLimit.tokensPerMinute,
  concurrency_max: accountLimit.concurrencyMax,
  spend_per_day: sql<number | null>`${accountLimit.spendPerDay}`.mapWith(Number),
  spend_per_month: sql<number | null>`${accountLimit.spendPerMonth}`.mapWith(Number),
};

function isAt(place: Place) {
  const scope = eq(accountLimit.scope, place.scope);
  switch (place.scope) {
    case "default":
      return scope;
    case "group":
      return and(scope, eq(accountLimit.groupName, place.groupName));
    case "plan":
      return and(scope, eq(accountLimit.planCode, place.planCode));
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
    spendPerDay: toQuota(limits.spend_per_day),
    spendPerMonth: toQuota(limits.spend_per_month),
  };
  await tx.drizzle
    .insert(accountLimit)
    .values({ ...place, ...values })
    .onConflictDoUpdate({
      target: [accountLimit.scope, accountLimit.groupName, accountLimit.gatewayUserId, accountLimit.planCode],
      set: { ...values, updatedAt: clock },
    });
}

const toQuota = (value: number | null): bigint | null => (value === null ? null : BigInt(value));

/** Calls back what replicas have leased and not used of the budgets that a place limits. */
export async function recallLeases(tx: Queryable, place: Place): Promise<void> {
  await tx.sql`select recall_user_leases(${place.scope === "user" ? place.gatewayUserId : null}::bigint)`;
}

/** The limits of the plans whose month runs for an account, and which plans have any. */
export async function findPlanLimits(db: Queryable, id: GatewayUserId): Promise<PlanLimits> {
  const [row] = await db.sql<{ plans: readonly string[] } & Record<LimitName, bigint | number | null>>`
    select plans, requests_per_minute, tokens_per_minute, concurrency_max, spend_per_day, spend_per_month
    from plan_limits_of(${id}::bigint)`;
  if (row === undefined) {
    return { plans: [], limits: null };
  }
  const values = limitNames.map((name) => [name, row[name] === null ? null : Number(row[name])]);
  return { plans: row.plans, limits: Object.fromEntries(values) as Limits };
}

export type PlanLimits = { readonly plans: readonly string[]; readonly limits: Limits | null };

export async function hasPlan(db: Queryable, planCode: string): Promise<boolean> {
  const rows = await db.drizzle.select({ id: plan.id }).from(plan).where(eq(plan.planCode, planCode));
  return rows.length > 0;
}

/**
 * What an account has used: of calls that began in the last minute, and of quota in the current day and month. The minutes of
 * ids (`callMinute`) lead to these calls.
 */
export async function findUse(db: Queryable, id: GatewayUserId): Promise<LimitsUse> {
  const [row] = await db.sql<Record<keyof LimitsUse, bigint>>`
    select count(u.*) as requests_per_minute,
      coalesce(sum(u.input_tokens::bigint + u.output_tokens), 0)::bigint as tokens_per_minute,
      spent_since(${id}::bigint, 'daily') as spend_per_day, spent_since(${id}::bigint, 'monthly') as spend_per_month
    from (values (1)) one
    left join usage_log u on u.gateway_user_id = ${id}::bigint
      and u.day >= (now() at time zone 'UTC')::date - 1 and u.started_at > now() - interval '1 minute'
      and left(u.request_id::text, 8) collate "C"
        >= lpad(to_hex((extract(epoch from now() - interval '5 minutes') * 1000)::bigint >> 16), 8, '0') collate "C"`;
  const number = (name: keyof LimitsUse): number => Number(row?.[name] ?? 0n);
  return {
    requests_per_minute: number("requests_per_minute"),
    tokens_per_minute: number("tokens_per_minute"),
    spend_per_day: number("spend_per_day"),
    spend_per_month: number("spend_per_month"),
  };
}

export async function deleteLimits(tx: Queryable, place: Place): Promise<void> {
  await tx.drizzle.delete(accountLimit).where(isAt(place));
}

export type AccountOwner = { readonly user_id: bigint } | { readonly organisation_id: bigint };

/** The account of the user or organisation with this id, or null. */
export async function findAccount(db: Queryable, owner: AccountOwner): Promise<GatewayUserId | null> {
  const [row] =
    "user_id" in owner
      ? await db.drizzle
          .select({ id: userProfile.gatewayUserId })
          .from(userProfile)
          .where(eq(userProfile.id, owner.user_id))
      : await db.drizzle
          .select({ id: organisation.gatewayUserId })
          .from(organisation)
          .where(eq(organisation.id, owner.organisation_id));
  return (row?.id ?? null) as GatewayUserId | null;
}

export type LimitedKey = {
  readonly gatewayUserId: GatewayUserId;
  readonly userId: bigint | null;
  readonly organisationId: bigint | null;
  readonly groupName: string | null;
  readonly limits: Limits;
};

/** A key with its owner and its own limits, or null. */
export async function findLimitedKey(db: Queryable, keyId: bigint): Promise<LimitedKey | null> {
  const [row] = await db.drizzle
    .select({
      gatewayUserId: apiKey.gatewayUserId,
      userId: userProfile.id,
      organisationId: organisation.id,
      groupName: apiKey.groupName,
      limits: {
        requests_per_minute: apiKey.requestsPerMinute,
        tokens_per_minute: apiKey.tokensPerMinute,
        concurrency_max: apiKey.concurrencyMax,
        spend_per_day: sql<number | null>`case when ${budget.period} = 'daily' then ${budget.granted} end`.mapWith(
          Number,
        ),
        spend_per_month: sql<number | null>`case when ${budget.period} = 'monthly' then ${budget.granted} end`.mapWith(
          Number,
        ),
      },
    })
    .from(apiKey)
    .leftJoin(
      budget,
      and(eq(budget.apiKeyId, sql`coalesce(${apiKey.limitKeyId}, ${apiKey.id})`), eq(budget.isEnforced, true)),
    )
    .leftJoin(userProfile, eq(userProfile.gatewayUserId, apiKey.gatewayUserId))
    .leftJoin(organisation, eq(organisation.gatewayUserId, apiKey.gatewayUserId))
    .where(eq(apiKey.id, keyId));
  return (row ?? null) as LimitedKey | null;
}

/** The group of an account's calls whose key names none. */
export async function findChosenGroup(db: Queryable, id: GatewayUserId): Promise<string | null> {
  const [row] = await db.sql<{ group_name: string }>`select group_name from key_group(${id}::bigint, null)`;
  return row?.group_name ?? null;
}

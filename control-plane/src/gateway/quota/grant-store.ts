import type { BudgetId, GatewayUserId } from "@sluice/contracts/ids";
import { and, eq, sql } from "drizzle-orm";
import { now } from "../../db/expressions.ts";
import { budget, quotaGrant } from "../../db/schema/gateway-keys.ts";
import type { Queryable } from "../../platform/db.ts";

/** Gives or takes quota, once per reference, with its entries in the ledger; returns whether this call did it. */
export async function grantQuota(
  db: Queryable,
  grant: { budgetId: BudgetId; amount: bigint; changeType: string; reference: string },
): Promise<boolean> {
  const [row] = await db.sql<{ granted: boolean }>`
    select grant_quota(${grant.budgetId}::bigint, ${grant.amount}::bigint, ${grant.changeType}, ${grant.reference}) as granted`;
  return row?.granted ?? false;
}

/** A user's balance, read under the lock of the budget. */
export type UserQuota = {
  readonly budgetId: BudgetId;
  /** Available, without what is lent to replicas. */
  readonly remaining: bigint;
  /** Lent to replicas: running calls may use it, or it may come back. */
  readonly leased: bigint;
  /** Everything that calls have ever cost this user, with multipliers. */
  readonly consumed: bigint;
};

/**
 * Locks the budget of a user until the end of the transaction and returns its contents. Anything that gives or takes
 * quota by rules that depend on the balance does this first. Null without a budget.
 */
export async function lockUserQuotaIfAny(tx: Queryable, gatewayUserId: GatewayUserId): Promise<UserQuota | null> {
  const isOfUser = eq(budget.gatewayUserId, gatewayUserId);
  const locked = await tx.drizzle.select({ id: budget.id }).from(budget).where(isOfUser).for("update");
  if (locked.length === 0) {
    return null;
  }
  // The sum needs a separate statement: in the locking one, it would date from before the wait for the lock.
  const settled = tx.drizzle
    .select({ total: sql`sum(${quotaGrant.amount})` })
    .from(quotaGrant)
    .where(and(eq(quotaGrant.budgetId, budget.id), eq(quotaGrant.changeType, "usage_quota")));
  const [row] = await tx.drizzle
    .select({
      budgetId: budget.id,
      remaining: sql<bigint>`${budget.granted} - (${budget.used} - ${budget.periodBase}) - ${budget.leased} - ${budget.reserved}`,
      leased: budget.leased,
      consumed: sql<bigint>`${budget.used} + ${budget.reserved} - coalesce((${settled}), 0)::bigint`,
    })
    .from(budget)
    .where(isOfUser);
  return row === undefined ? null : { ...row, budgetId: row.budgetId as BudgetId };
}

/** Locks the budget of a user who is known to exist. @throws Error when the user has no budget */
export async function lockUserQuota(tx: Queryable, gatewayUserId: GatewayUserId): Promise<UserQuota> {
  const quota = await lockUserQuotaIfAny(tx, gatewayUserId);
  if (quota === null) {
    throw new Error(`gateway user ${gatewayUserId} has no budget`);
  }
  return quota;
}

/** What a user can use, including what is lent to replicas, and what calls have cost so far; zeros without a budget. */
export async function readUserQuota(
  db: Queryable,
  gatewayUserId: GatewayUserId,
): Promise<{ readonly remaining: bigint; readonly used: bigint }> {
  const [row] = await db.drizzle
    .select({
      remaining: sql<bigint>`${budget.granted} - (${budget.used} - ${budget.periodBase}) - ${budget.reserved}`,
      used: budget.used,
    })
    .from(budget)
    .where(eq(budget.gatewayUserId, gatewayUserId));
  return row ?? { remaining: 0n, used: 0n };
}

/** What a member's budget leaves in this month; null without one. */
export async function readMemberBudget(db: Queryable, memberId: bigint): Promise<bigint | null> {
  const used = sql`case when ${budget.periodEndsAt} <= ${now} then 0 else ${budget.used} - ${budget.periodBase} end`;
  const [row] = await db.drizzle
    .select({ left: sql<bigint>`greatest(${budget.granted} - ${used} - ${budget.reserved}, 0)` })
    .from(budget)
    .where(and(eq(budget.memberId, memberId), budget.isEnforced));
  return row?.left ?? null;
}

/** The limits of spending that an account meets, as its owner sees them. */
export async function listSpendLimits(db: Queryable, gatewayUserId: GatewayUserId): Promise<readonly SpendLimitView[]> {
  return await db.sql<SpendLimitView>`
    select period, quota as limit_quota, spent as spent_quota, resets_at
    from spend_limits_of(${gatewayUserId}::bigint) order by period`;
}

type SpendLimitView = {
  readonly period: "daily" | "monthly";
  readonly limit_quota: bigint;
  readonly spent_quota: bigint;
  readonly resets_at: Date;
};

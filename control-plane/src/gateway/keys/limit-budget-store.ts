import type { ApiKeyId, BudgetId } from "@sluice/contracts/ids";
import type { ResetPeriod } from "@sluice/contracts/key-fields";
import { eq, sql } from "drizzle-orm";
import { now } from "../../db/expressions.ts";
import { budget, quotaGrant } from "../../db/schema/gateway-keys.ts";
import type { Queryable } from "../../platform/db.ts";

/** Whose limit a budget is. The key is the one whose limits a line of rotated keys shares. */
export type LimitOwner =
  | { readonly apiKeyId: ApiKeyId }
  | { readonly projectId: bigint }
  | { readonly memberId: bigint };

const isOf = (owner: LimitOwner) =>
  "apiKeyId" in owner
    ? eq(budget.apiKeyId, owner.apiKeyId)
    : "projectId" in owner
      ? eq(budget.projectId, owner.projectId)
      : eq(budget.memberId, owner.memberId);

export type LimitBudget = {
  readonly budgetId: BudgetId;
  readonly granted: bigint;
  readonly period: ResetPeriod;
  readonly isEnforced: boolean;
  /** The number of grants so far; the next grant gets the next number. */
  readonly grants: bigint;
};

/** The budget of a limit, locked until the end of the transaction. */
export async function lockLimitBudget(tx: Queryable, owner: LimitOwner): Promise<LimitBudget | null> {
  const [row] = await tx.drizzle
    .select({ id: budget.id, granted: budget.granted, period: budget.period, isEnforced: budget.isEnforced })
    .from(budget)
    .where(isOf(owner))
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
export async function insertLimitBudget(tx: Queryable, owner: LimitOwner, period: ResetPeriod): Promise<LimitBudget> {
  await tx.drizzle.insert(budget).values({ ...owner, period, periodEndsAt: sql`next_period_end(${period}, now())` });
  const made = await lockLimitBudget(tx, owner);
  if (made === null) {
    throw new Error("the budget of the limit was not inserted");
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

import type { BudgetId, GatewayUserId, ReplicaId } from "@sluice/contracts/ids";
import type { Quota } from "@sluice/contracts/money";
import { and, eq, gt, sql } from "drizzle-orm";
import { budget, quotaGrant } from "../../db/schema/gateway-keys.ts";
import { budgetLease } from "../../db/schema/gateway-usage.ts";
import type { Database, Queryable } from "../../platform/db.ts";
import type { LeaseStore } from "./model.ts";

/** Leases of one replica, through guarded functions of the database. */
export function createLeaseStore(db: Database, replicaId: ReplicaId): LeaseStore {
  return {
    async lease({ budgetId, need, want, recall, statement }) {
      type Row = { leased_now: bigint; remaining_after: bigint; recall: bigint; is_recall_answered: boolean };
      const [row] = await db.sql<Row>`
        select leased_now, remaining_after, recall, is_recall_answered
        from lease_quota(${budgetId}::bigint, ${replicaId}, ${need}::bigint, ${want}::bigint, ${recall}::bigint,
          ${statement}::bigint)`;
      if (row === undefined) {
        throw new Error(`lease_quota returned nothing for budget ${budgetId}`);
      }
      return {
        leasedNow: row.leased_now as Quota,
        remainingAfter: row.remaining_after as Quota,
        recall: row.recall,
        isRecallAnswered: row.is_recall_answered,
      };
    },
    async giveBack({ budgetId, amount, recall, statement }) {
      await db.sql`
        select return_lease(${budgetId}::bigint, ${replicaId}, ${amount}::bigint, ${recall}::bigint, ${statement}::bigint)`;
    },
    async readLease(budgetId, statement) {
      const [row] = await db.sql<{ amount: bigint }>`
        select read_lease(${budgetId}::bigint, ${replicaId}, ${statement}::bigint) as amount`;
      return (row?.amount ?? 0n) as Quota;
    },
    async listLeases() {
      const rows = await db.drizzle
        .select({ budgetId: budgetLease.budgetId, amount: budgetLease.amount })
        .from(budgetLease)
        .where(and(eq(budgetLease.replicaId, replicaId), gt(budgetLease.amount, 0n)));
      return new Map(rows.map(({ budgetId, amount }) => [budgetId as BudgetId, amount as Quota]));
    },
  };
}

/** Changes what a budget was granted, once per reference; returns whether this call did it. */
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

/** Locks the budget of a user until the end of the transaction and returns its contents. Null without a budget. */
export async function lockUserQuota(tx: Queryable, gatewayUserId: GatewayUserId): Promise<UserQuota | null> {
  const isOfUser = eq(budget.gatewayUserId, gatewayUserId);
  const locked = await tx.drizzle.select({ id: budget.id }).from(budget).where(isOfUser).for("update");
  if (locked.length === 0) {
    return null;
  }
  // A separate statement: in the locking one, the sum would be as of the moment when the wait for the lock began.
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

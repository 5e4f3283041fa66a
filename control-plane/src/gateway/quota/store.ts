import type { BudgetId, GatewayUserId, ReplicaId } from "@sluice/contracts/ids";
import type { Quota } from "@sluice/contracts/money";
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
      const rows = await db.sql<{ budget_id: BudgetId; amount: Quota }>`
        select budget_id, amount from budget_lease where replica_id = ${replicaId} and amount > 0`;
      return new Map(rows.map(({ budget_id, amount }) => [budget_id, amount]));
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
  const locked = await tx.sql`select 1 from budget where gateway_user_id = ${gatewayUserId}::bigint for update`;
  if (locked.length === 0) {
    return null;
  }
  // A separate statement: in the locking one, the sum would be as of the moment when the wait for the lock began.
  const [row] = await tx.sql<{ id: bigint; remaining: bigint; leased: bigint; consumed: bigint }>`
    select id, granted - (used - period_base) - leased - reserved as remaining, leased,
      used + reserved - coalesce((
        select sum(amount) from quota_grant where budget_id = budget.id and change_type = 'usage_quota'
      ), 0)::bigint as consumed
    from budget where gateway_user_id = ${gatewayUserId}::bigint`;
  return row === undefined ? null : { ...row, budgetId: row.id as BudgetId };
}

/** What a user can use, including what is lent to replicas, and what calls have cost so far; zeros without a budget. */
export async function readUserQuota(
  db: Queryable,
  gatewayUserId: GatewayUserId,
): Promise<{ readonly remaining: bigint; readonly used: bigint }> {
  const [row] = await db.sql<{ remaining: bigint; used: bigint }>`
    select granted - (used - period_base) - reserved as remaining, used
    from budget where gateway_user_id = ${gatewayUserId}::bigint`;
  return row ?? { remaining: 0n, used: 0n };
}

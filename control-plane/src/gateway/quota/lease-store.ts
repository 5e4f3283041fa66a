import type { BudgetId, ReplicaId } from "@sluice/contracts/ids";
import type { Quota } from "@sluice/contracts/money";
import { and, eq, gt } from "drizzle-orm";
import { budgetLease } from "../../db/schema/gateway-usage.ts";
import type { Database } from "../../platform/db.ts";
import type { LeaseStore, SpendLimit } from "./model.ts";

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
    async findSpendLimit(budgetId, amount) {
      const [row] = await db.sql<{ period: SpendLimit["period"]; quota: Quota; spent: Quota; resets_at: Date }>`
        select l.period, l.quota, l.spent, l.resets_at
        from budget b cross join lateral spend_limits_of(b.gateway_user_id) l
        where b.id = ${budgetId}::bigint and l.quota - l.spent - b.leased < ${amount}::bigint
          and b.granted - (b.used - b.period_base) - b.leased - b.reserved >= ${amount}::bigint
        order by l.quota - l.spent limit 1`;
      return row === undefined
        ? null
        : { period: row.period, limit: row.quota, spent: row.spent, resetsAt: row.resets_at };
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

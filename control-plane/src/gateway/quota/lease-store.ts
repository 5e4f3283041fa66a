import type { BudgetId, ReplicaId } from "@sluice/contracts/ids";
import type { Quota } from "@sluice/contracts/money";
import { and, eq, gt } from "drizzle-orm";
import { budgetLease } from "../../db/schema/gateway-usage.ts";
import type { Database } from "../../platform/db.ts";
import type { LeaseStore, SpendLimit } from "./model.ts";

type ShortageRow = { is_budget_short: boolean } & (
  | { period: null }
  | { period: SpendLimit["period"]; quota: Quota; spent: Quota; resets_at: Date }
);

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
    async findShortage(budgetId, amount) {
      const [row] = await db.sql<ShortageRow>`
        select b.granted - (b.used - b.period_base) - b.leased - b.reserved < ${amount}::bigint as is_budget_short,
          l.period, l.quota, l.spent, l.resets_at
        from budget b left join lateral (
          select * from spend_limits_of(b.gateway_user_id)
          where b.gateway_user_id is not null and quota - spent - b.leased < ${amount}::bigint
          order by quota - spent limit 1
        ) l on true
        where b.id = ${budgetId}::bigint`;
      if (row === undefined || row.is_budget_short) {
        return "budget";
      }
      return row.period === null
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

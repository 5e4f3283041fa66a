import type { BudgetId, ReplicaId } from "@sluice/contracts/ids";
import type { Quota } from "@sluice/contracts/money";
import { and, eq, gt } from "drizzle-orm";
import { budgetLease } from "../../db/schema/gateway-usage.ts";
import type { Database } from "../../platform/db.ts";
import { arrayLiteral } from "../../platform/db-array-literal.ts";
import type { LeaseStore, Remainder, SpendLimit } from "./model.ts";

type RemainderRow = { whole: Quota; leased: Quota } & (
  | { period: null }
  | { period: SpendLimit["period"]; quota: Quota; spent: Quota; resets_at: Date }
);

/** Of two that leave as much it is the one that lasts longer: the budget, which nothing resets, or the month. */
function toRemainder(row: RemainderRow): Remainder {
  const ofLimit = row.period === null ? row.whole : row.quota - row.spent;
  if (row.period === null || ofLimit >= row.whole) {
    return { limit: null, whole: row.whole, free: (row.whole - row.leased) as Quota };
  }
  const limit = { period: row.period, limit: row.quota, spent: row.spent, resetsAt: row.resets_at };
  return { limit, whole: ofLimit as Quota, free: (ofLimit - row.leased) as Quota };
}

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
    async readRemainders(budgetIds) {
      const rows = await db.sql<RemainderRow>`
        select b.granted - b.reserved - b.used + case when b.period <> 'none' and b.period_ends_at <= now() then b.used
            else b.period_base end as whole,
          b.leased, l.period, l.quota, l.spent, l.resets_at
        from unnest(${arrayLiteral(budgetIds)}::bigint[]) with ordinality as asked (id, number)
        join budget b on b.id = asked.id
        left join lateral (
          select * from spend_limits_of(b.gateway_user_id) where b.gateway_user_id is not null
          order by quota - spent, period desc limit 1
        ) l on true
        order by asked.number`;
      if (rows.length < budgetIds.length) {
        throw new Error(`one of the budgets ${budgetIds.join()} does not exist`);
      }
      return rows.map(toRemainder);
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

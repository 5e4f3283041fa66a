import type { BudgetId, ReplicaId } from "@sluice/contracts/ids";
import { eq, sql } from "drizzle-orm";
import { replica } from "../../db/schema/gateway-usage.ts";
import type { Queryable } from "../../platform/db.ts";
import { arrayLiteral } from "../../platform/db-array-literal.ts";
import type { TermAnswer } from "./model.ts";

/** Renews the term of a replica, unless its leases were given back since the era that it names. */
export async function renewTerm(
  db: Queryable,
  replicaId: ReplicaId,
  term: { readonly era: string | null; readonly lengthMs: number },
): Promise<TermAnswer> {
  const [row] = await db.sql<{ era: string; is_renewed: boolean; live: number }>`
    select current_era::text as era, is_renewed, live
    from renew_term(${replicaId}, ${term.era}::uuid, make_interval(secs => ${term.lengthMs / 1_000}::double precision))`;
  if (row === undefined) {
    throw new Error(`renew_term returned nothing for replica ${replicaId}`);
  }
  return { era: row.era, isRenewed: row.is_renewed, live: row.live };
}

/**
 * Gives back every lease of a replica; returns how much that was.
 * @param owed the future cost of rows that can't be written now. That much remains leased, or everything if the leases
 * are worth less
 */
export async function releaseLeases(
  db: Queryable,
  replicaId: ReplicaId,
  owed: ReadonlyMap<BudgetId, bigint> = new Map(),
): Promise<bigint> {
  const [row] = await db.sql<{ total: bigint }>`
    select release_leases(${replicaId}, ${arrayLiteral([...owed.keys()])}::bigint[],
      ${arrayLiteral([...owed.values()])}::bigint[]) as total`;
  return row?.total ?? 0n;
}

/** How much of one replica's leases was given back. */
export type WrittenOff = { readonly replicaId: ReplicaId; readonly budgets: bigint; readonly quota: bigint };

/** Gives back the leases of replicas that were given up and whose terms are over. */
export async function writeOffLeases(db: Queryable): Promise<WrittenOff[]> {
  return await db.sql<WrittenOff>`select replica_id as "replicaId", budgets, quota from write_off_leases()`;
}

/** Marks the host of a replica as lost. Returns false when it does not exist. */
export async function markGivenUp(db: Queryable, replicaId: ReplicaId): Promise<boolean> {
  const marked = await db.drizzle
    .update(replica)
    .set({ givenUpAt: sql`coalesce(${replica.givenUpAt}, now())` })
    .where(eq(replica.id, replicaId))
    .returning({ id: replica.id });
  return marked.length > 0;
}

/** A replica as operators see it. */
export type ReplicaState = {
  readonly replicaId: ReplicaId;
  readonly startedAt: Date;
  readonly silentSeconds: number;
  /** At 0 or below, it can admit no call on its leases. */
  readonly secondsToEnd: number;
  readonly isGivenUp: boolean;
  readonly budgets: bigint;
  readonly quota: bigint;
};

/** All replicas that were seen lately or hold leases, those silent for longest first. */
export async function selectReplicas(db: Queryable): Promise<ReplicaState[]> {
  return await db.sql<ReplicaState>`
    select r.id as "replicaId", r.started_at as "startedAt",
      extract(epoch from now() - r.seen_at)::float8 as "silentSeconds",
      greatest(extract(epoch from term_is_over_at(r.seen_at, r.term_ends_at) - now()), 0)::float8 as "secondsToEnd",
      r.given_up_at is not null as "isGivenUp", coalesce(l.budgets, 0) as budgets, coalesce(l.quota, 0)::int8 as quota
    from replica r left join (
      select replica_id, count(*) as budgets, sum(amount) as quota from budget_lease where amount > 0 group by replica_id
    ) l on l.replica_id = r.id
    order by r.seen_at`;
}

/** Removes leases that have long been empty, up to a limit, and replicas that are long gone. */
export async function forgetEmptyLeases(db: Queryable, rowsMax: number): Promise<bigint> {
  const [row] = await db.sql<{ count: bigint }>`select forget_empty_leases(${rowsMax}::integer) as count`;
  return row?.count ?? 0n;
}

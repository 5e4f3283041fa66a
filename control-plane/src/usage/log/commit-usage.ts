import type { BudgetId, ReplicaId } from "@sluice/contracts/ids";
import type { Quota } from "@sluice/contracts/money";
import { withMultiplierAboveOne } from "../../models/cost.ts";
import type { Database, Transaction } from "../../platform/db.ts";
import { isMissingPartition } from "../../platform/db-errors.ts";
import type { BudgetCharge } from "./model.ts";
import { decodeUsageRow, type EncodedUsageRow, encodeUsageRow } from "./row-codec.ts";
import { type BudgetSum, chargeBudgets, insertUsageRows } from "./usage-store.ts";

/** The leases of this process, as far as a commit concerns them. */
export interface CommitLeases {
  commit(
    run: () => Promise<{
      charges: readonly BudgetCharge[];
      totals: ReadonlyMap<BudgetId, bigint>;
      isRetry: boolean;
    }>,
  ): Promise<void>;
}

export type UsageCommitDeps = {
  readonly db: Database;
  /** The replica that the rows are charged to: its leases are used first. */
  readonly replicaId: ReplicaId;
  /** Null when the replica is gone: there is nothing in memory to update. */
  readonly leases: CommitLeases | null;
  /** Writes what belongs to the same calls, in the same transaction. */
  readonly alongside?: (tx: Transaction) => Promise<void>;
  /** Creates the missing partitions for these days of usage rows and for what is written alongside. */
  readonly createPartitions: (days: Iterable<string>) => Promise<unknown>;
};

export type UsageBatch = {
  readonly rows: readonly EncodedUsageRow[];
  /** The rows date from before this process began, so none of them is pending in its leases. */
  readonly isReplay: boolean;
  readonly isRetry: boolean;
};

/** How usage rows are converted for a spool and back. */
export const usageRowCodec = { encode: encodeUsageRow, decode: decodeUsageRow };

/**
 * Writes usage rows and charges their budgets. Existing rows change nothing, so it may be repeated after any failure.
 * @returns what was charged for the rows that were new; empty if none were
 * @throws SQL.PostgresError, DatabaseUnavailableError, DatabaseTimeoutError
 */
export async function commitUsage(
  tx: Transaction,
  replicaId: ReplicaId,
  rows: readonly EncodedUsageRow[],
): Promise<BudgetCharge[]> {
  if (rows.length === 0) {
    return [];
  }
  const freshIds = await insertUsageRows(tx, rows);
  // Each id counts once, even if the batch contains a row twice.
  const fresh = freshIds === null ? rows : rows.filter(({ row }) => freshIds.delete(row.requestId));
  const sums = sumByBudget(fresh);
  if (sums.length === 0) {
    return [];
  }
  const taken = await chargeBudgets(tx, replicaId, sums);
  return sums.map(({ budgetId, charge }) => {
    const takenHere = taken.get(budgetId);
    if (takenHere === undefined) {
      throw new Error(`budget ${budgetId} of a usage row does not exist`);
    }
    return { budgetId, charged: charge, taken: takenHere };
  });
}

/**
 * Commits one batch of the spool, and updates the leases of this process accordingly.
 * @throws the errors of `commitUsage`, CommitUnknownError
 */
export async function commitUsageBatch(deps: UsageCommitDeps, batch: UsageBatch): Promise<void> {
  const run = () => commitWithPartitions(deps, batch.rows);
  if (deps.leases === null || batch.isReplay) {
    // This process does not know the leases of an earlier one; they are given back as soon as everything is replayed.
    await run();
    return;
  }
  await deps.leases.commit(async () => ({
    charges: await run(),
    totals: owedTotals(batch.rows),
    isRetry: batch.isRetry,
  }));
}

/** The partition of a day may be missing: for rows that were spooled for weeks, or if a job did not run. */
async function commitWithPartitions(deps: UsageCommitDeps, rows: readonly EncodedUsageRow[]): Promise<BudgetCharge[]> {
  const commit = () =>
    deps.db.withTransaction(async (tx) => {
      // This runs first, so that the locks on budgets, which every commit needs, are held for the shortest time.
      await deps.alongside?.(tx);
      return commitUsage(tx, deps.replicaId, rows);
    });
  try {
    return await commit();
  } catch (error) {
    if (!isMissingPartition(error)) {
      throw error;
    }
  }
  await deps.createPartitions(new Set(rows.map(({ row }) => row.day)));
  return commit();
}

/** What the rows charge to each budget: their base cost to user and key, what a multiplier adds to the user alone. */
export function sumByBudget(rows: readonly EncodedUsageRow[]): BudgetSum[] {
  const sums = new Map<BudgetId, { budgetId: BudgetId; charge: Quota; reserve: Quota }>();
  const add = (budgetId: BudgetId, charge: Quota, reserve: bigint): void => {
    const sum = sums.get(budgetId);
    if (sum === undefined) {
      sums.set(budgetId, { budgetId, charge, reserve: reserve as Quota });
    } else {
      sum.charge = (sum.charge + charge) as Quota;
      sum.reserve = (sum.reserve + reserve) as Quota;
    }
  };
  for (const { row } of rows) {
    const { quota, rateMultiplier, userBudgetId, keyBudgetId } = row;
    if (quota > 0n) {
      add(userBudgetId, quota, withMultiplierAboveOne(quota, rateMultiplier) - quota);
      if (keyBudgetId !== null) {
        add(keyBudgetId, quota, 0n);
      }
    }
  }
  return [...sums.values()];
}

/** What the rows take out of leases once they are written. */
export function owedTotals(rows: readonly EncodedUsageRow[]): Map<BudgetId, bigint> {
  return new Map(sumByBudget(rows).map(({ budgetId, charge, reserve }) => [budgetId, charge + reserve]));
}

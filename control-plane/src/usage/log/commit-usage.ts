import type { BudgetId, ReplicaId, RequestId } from "@sluice/contracts/ids";
import type { Quota } from "@sluice/contracts/money";
import { asBuffer } from "@sluice/http-client/as-buffer";
import { withMultiplier, withMultiplierAboveOne } from "../../models/cost.ts";
import { type Amount, minus, plus } from "../../platform/amount.ts";
import type { Database, Transaction } from "../../platform/db.ts";
import { isMissingPartition, isUniqueViolation } from "../../platform/db-errors.ts";
import type { JsonBytes } from "../../platform/spool/json-bytes.ts";
import { toJsonList } from "../../platform/spool/json-lists.ts";
import { readCallRecord, toUsageFields } from "./call-record.ts";
import type { BudgetCharge, Payer, RecordedCall, UsageRow } from "./model.ts";
import { writeUsageRow } from "./row-bytes.ts";
import { decodeUsageRow, type EncodedUsageRow, encodeUsageRow } from "./row-codec.ts";
import { type BudgetSum, chargeBudgets, insertUsage, type UsageList } from "./usage-store.ts";

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
  /** Null when the replica is gone: there is nothing in memory to update. */
  readonly leases: CommitLeases | null;
  /** `writeUsage`, here or on another thread. */
  readonly write: (order: UsageOrder) => Promise<readonly BudgetCharge[]>;
};

/** Usage rows in the form in which they go to the database, here or on another thread. */
export type UsageOrder = {
  /** In the spool's forms; none of them is empty. */
  readonly lists: readonly UsageList[];
  /** What the rows charge if all of them are new. */
  readonly sums: readonly BudgetSum[];
  readonly days: readonly string[];
};

export type UsageWriteDeps = {
  readonly db: Database;
  /** The replica that the rows are charged to: its leases are used first. */
  readonly replicaId: ReplicaId;
  /** Writes what belongs to the same calls, in the same transaction; the rows are new, as far as anybody knows, or not. */
  readonly alongside?: (tx: Transaction, isNew: boolean) => Promise<void>;
  /** Nobody has tried to write these rows before. */
  readonly isNew?: boolean;
  /** Creates the missing partitions for these days of usage rows and for what is written alongside. */
  readonly createPartitions: (days: Iterable<string>) => Promise<unknown>;
};

export type UsageBatch = {
  readonly rows: readonly EncodedUsageRow[];
  /** The rows date from before this process began, so none of them is pending in its leases. */
  readonly isReplay: boolean;
  readonly isRetry: boolean;
};

/** What the rows of a batch charge, instead of the rows. */
export type ChargedBatch = Pick<UsageBatch, "isReplay" | "isRetry"> & { readonly sums: readonly BudgetSum[] };

/** How usage rows are converted for a spool and back. */
export const usageRowCodec = {
  encode: (row: UsageRow | RecordedCall) => encodeUsageRow(madeRow(row)),
  writePlain: (row: UsageRow | RecordedCall, out: JsonBytes) => writeUsageRow(madeRow(row), out),
  decode: decodeUsageRow,
};

const madeRow = (row: UsageRow | RecordedCall): UsageRow => ("toRow" in row ? row.toRow() : row);

export function toUsageOrder(rows: readonly EncodedUsageRow[]): UsageOrder {
  const list = toJsonList(rows.map(({ json }) => json));
  return {
    lists: rows.length === 0 ? [] : [{ form: "rows", ...list }],
    sums: sumByBudget(rows),
    days: [...new Set(rows.map(({ row }) => row.day))],
  };
}

/**
 * Writes usage rows and charges their budgets. Existing rows change nothing, so it may be repeated after any failure.
 * @returns what was charged for the rows that were new; empty if none were
 * @throws SQL.PostgresError, DatabaseUnavailableError, DatabaseTimeoutError
 */
export async function commitUsage(
  tx: Transaction,
  replicaId: ReplicaId,
  order: Pick<UsageOrder, "lists" | "sums">,
  isNew = false,
): Promise<BudgetCharge[]> {
  const fresh: (Set<RequestId> | null)[] = [];
  for (const list of order.lists) {
    fresh.push(await insertUsage(tx, list, isNew));
  }
  const sums = fresh.every((ids) => ids === null) ? order.sums : sumFresh(order.lists, fresh);
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
 * What the new rows charge. Each id counts once, even if the order contains a row twice.
 * @param freshIds of each list, null where all are new
 */
function sumFresh(lists: readonly UsageList[], freshIds: readonly (Set<RequestId> | null)[]): readonly BudgetSum[] {
  const sums = new ChargeSums();
  for (const [index, { form, json }] of lists.entries()) {
    const ids = freshIds[index] ?? null;
    for (const value of JSON.parse(asBuffer(json).toString("utf8")) as unknown[]) {
      const row = decodeUsageRow(form === "rows" ? value : toUsageFields(readCallRecord(value)));
      if (ids === null || ids.delete(row.requestId)) {
        sums.add(row);
      }
    }
  }
  return sums.list;
}

/**
 * Commits one batch of the spool, and updates the leases of this process accordingly.
 * @throws the errors of `write`
 */
export async function commitUsageBatch({ leases, write }: UsageCommitDeps, batch: UsageBatch): Promise<void> {
  const order = toUsageOrder(batch.rows);
  await commitCharges(leases, { ...batch, sums: order.sums }, () => write(order));
}

/**
 * The same of rows that are already on their way.
 * @param write writes the rows of the batch
 * @throws the errors of `write`
 */
export async function commitCharges(
  leases: CommitLeases | null,
  { sums, isReplay, isRetry }: ChargedBatch,
  write: () => Promise<readonly BudgetCharge[]>,
): Promise<void> {
  if (leases === null || isReplay) {
    // This process does not know the leases of an earlier one; they are given back as soon as everything is replayed.
    await write();
    return;
  }
  await leases.commit(async () => ({ charges: await write(), totals: totalsOf(sums), isRetry }));
}

/**
 * Commits usage rows in a transaction of their own. The partition of a day may be missing: for rows that were spooled
 * for weeks, or if a job did not run.
 * @param newLists what is left of the lists if all rows are new, because others are then written alongside
 * @throws the errors of `commitUsage`, CommitUnknownError
 */
export async function writeUsage(
  deps: UsageWriteDeps,
  order: UsageOrder,
  newLists: readonly UsageList[] = order.lists,
): Promise<BudgetCharge[]> {
  const commit = (isNew: boolean) =>
    deps.db.withTransaction(async (tx) => {
      // This runs first, so that the locks on budgets, which every commit needs, are held for the shortest time.
      await deps.alongside?.(tx, isNew);
      return commitUsage(tx, deps.replicaId, isNew ? { sums: order.sums, lists: newLists } : order, isNew);
    });
  try {
    return await commit(deps.isNew === true);
  } catch (error) {
    if (isMissingPartition(error)) {
      await deps.createPartitions(order.days);
    } else if (deps.isNew !== true || !isUniqueViolation(error)) {
      throw error;
    }
  }
  return commit(false);
}

type AnyRow = { readonly row: UsageRow | RecordedCall };

/** What the calls of one payer charge. */
type PayerSum = {
  /** Their base cost. */
  charge: Amount;
  /** What a multiplier adds to it. */
  reserve: Amount;
  /** Their cost with it, if budgets of a project and a member are charged. */
  shared: Amount;
};

/**
 * What rows charge to each budget: their base cost to user and key, what a multiplier adds to the user alone, and their cost
 * with the multiplier to what a project and a member may spend.
 */
export class ChargeSums {
  /** Calls of a key have one payer, whom they find faster than each of its budgets. */
  readonly #payers = new Map<Payer, PayerSum>();

  get list(): readonly BudgetSum[] {
    const sums = new Map<BudgetId, { charge: Amount; reserve: Amount }>();
    const add = (budgetId: BudgetId, charge: Amount, reserve: Amount) => {
      const sum = sums.get(budgetId);
      sums.set(budgetId, { charge: plus(sum?.charge ?? 0, charge), reserve: plus(sum?.reserve ?? 0, reserve) });
    };
    for (const [{ userBudgetId, keyBudgetId, sharedBudgetIds }, { charge, reserve, shared }] of this.#payers) {
      add(userBudgetId, charge, reserve);
      if (keyBudgetId !== null) {
        add(keyBudgetId, charge, 0);
      }
      for (const sharedId of sharedBudgetIds) {
        add(sharedId, shared, 0);
      }
    }
    return Array.from(sums, ([budgetId, { charge, reserve }]) => ({
      budgetId,
      charge: BigInt(charge) as Quota,
      reserve: BigInt(reserve) as Quota,
    }));
  }

  add(row: UsageRow | RecordedCall): void {
    const { quota } = row;
    if (quota > 0) {
      const payer = "toRow" in row ? row.state.principal : row;
      const { rateMultiplier } = payer;
      const sum = this.#sumOf(payer);
      sum.charge = plus(sum.charge, quota);
      const owed = withMultiplierAboveOne(quota, rateMultiplier);
      if (owed !== quota) {
        sum.reserve = plus(sum.reserve, minus(owed, quota));
      }
      if (payer.sharedBudgetIds.length > 0) {
        sum.shared = plus(sum.shared, withMultiplier(quota, rateMultiplier));
      }
    }
  }

  /** Adds what other rows charge. */
  merge(other: ChargeSums): void {
    for (const [payer, { charge, reserve, shared }] of other.#payers) {
      const sum = this.#sumOf(payer);
      sum.charge = plus(sum.charge, charge);
      sum.reserve = plus(sum.reserve, reserve);
      sum.shared = plus(sum.shared, shared);
    }
  }

  #sumOf(payer: Payer): PayerSum {
    let sum = this.#payers.get(payer);
    if (sum === undefined) {
      sum = { charge: 0, reserve: 0, shared: 0 };
      this.#payers.set(payer, sum);
    }
    return sum;
  }
}

export function sumByBudget(rows: readonly AnyRow[]): readonly BudgetSum[] {
  const sums = new ChargeSums();
  for (const { row } of rows) {
    sums.add(row);
  }
  return sums.list;
}

/** What the rows take out of leases once they are written. */
export function owedTotals(rows: readonly AnyRow[]): Map<BudgetId, bigint> {
  return totalsOf(sumByBudget(rows));
}

function totalsOf(sums: readonly BudgetSum[]): Map<BudgetId, bigint> {
  return new Map(sums.map(({ budgetId, charge, reserve }) => [budgetId, charge + reserve]));
}

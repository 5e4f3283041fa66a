import type { BudgetId, ReplicaId, RequestId } from "@sluice/contracts/ids";
import type { Quota } from "@sluice/contracts/money";
import type { Queryable } from "../../platform/db.ts";
import { arrayLiteral } from "../../platform/db-array-literal.ts";
import { usageRowColumns } from "./row-codec.ts";

/** What new rows take from one budget. */
export type BudgetSum = {
  readonly budgetId: BudgetId;
  readonly charge: Quota;
  /** The amount that a multiplier above 1 adds at settlement. */
  readonly reserve: Quota;
};

/** A field in the spool's form, as a value of its column; times are milliseconds there. */
function fieldSql({ name, type }: (typeof usageRowColumns)[number], index: number): string {
  const place = index + 1;
  if (type === "timestamptz") {
    return `timestamptz 'epoch' + (f->>${place})::bigint * interval '1 millisecond' as ${name}`;
  }
  // As a text, which `usage_attempts` reads: a list takes half as much again.
  return type === "jsonb" ? `to_jsonb(f->>${place}) as ${name}` : `(f->>${place})::${type} as ${name}`;
}

const insertRows = (onConflict: string): string => `
  with fresh as (
    insert into usage_log (${usageRowColumns.map(({ name }) => name).join(", ")})
    select ${usageRowColumns.map(fieldSql).join(", ")}
    from jsonb_array_elements($1::text::jsonb) as incoming (f)
    ${onConflict}
    returning request_id
  )
  select count(*)::integer as fresh,
    case when count(*) < $2::integer then string_agg(request_id::text, ',') end as fresh_ids
  from fresh`;
const insertNewRows = insertRows("");
const insertFreshRows = insertRows("on conflict do nothing");

/**
 * Writes usage rows with one statement; existing rows stay as they are. Rows that are all new, as far as anybody knows, cost
 * the log of the database less without a provision for others (`isNew`). The rows are sent in the spool's format: it
 * costs the server as much as one array for each column, and this process a fifth.
 * @param json a list of `count` rows
 * @returns the request ids of the rows that are new, or null when all are
 * @throws SQL.PostgresError, see `isMissingPartition` for a day without a partition, and `isUniqueViolation` if not all of
 * them were new
 */
export async function insertUsageJson(
  tx: Queryable,
  json: string,
  count: number,
  isNew = false,
): Promise<Set<RequestId> | null> {
  // The ids are returned only in the rare case that some rows existed, because reading 500 ids costs more than
  // everything else.
  const [result] = await tx.query<{ fresh: number; fresh_ids: string | null }>(
    isNew ? insertNewRows : insertFreshRows,
    [json, count],
  );
  if (result?.fresh === count) {
    return null;
  }
  return new Set((result?.fresh_ids ?? "").split(",").filter((id) => id !== "") as RequestId[]);
}

/**
 * Charges budgets, each listed once, and returns how much of that came out of this replica's leases.
 * @throws SQL.PostgresError
 */
export async function chargeBudgets(
  tx: Queryable,
  replicaId: ReplicaId,
  sums: readonly BudgetSum[],
): Promise<Map<BudgetId, Quota>> {
  const rows = await tx.sql<{ budget_id: BudgetId; taken: Quota }>`
    select budget_id, taken from charge_budgets(
      ${replicaId},
      ${arrayLiteral(sums.map(({ budgetId }) => budgetId))}::bigint[],
      ${arrayLiteral(sums.map(({ charge }) => charge))}::bigint[],
      ${arrayLiteral(sums.map(({ reserve }) => reserve))}::bigint[])`;
  return new Map(rows.map(({ budget_id, taken }) => [budget_id, taken]));
}

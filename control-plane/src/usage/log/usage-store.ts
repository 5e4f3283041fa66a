import type { BudgetId, ReplicaId, RequestId } from "@sluice/contracts/ids";
import type { Quota } from "@sluice/contracts/money";
import { rareCounts } from "@sluice/contracts/priced-units";
import type { Queryable } from "../../platform/db.ts";
import { arrayLiteral } from "../../platform/db-array-literal.ts";
import { type InsertTexts, incomingSql, type JsonList } from "../../platform/spool/json-lists.ts";
import { recordedColumn, recordPlaces } from "./call-record.ts";
import { usageRowColumns } from "./row-codec.ts";

/** What new rows take from one budget. */
export type BudgetSum = {
  readonly budgetId: BudgetId;
  readonly charge: Quota;
  /** The amount that a multiplier above 1 adds at settlement. */
  readonly reserve: Quota;
};

type Column = (typeof usageRowColumns)[number];

/** A field in the spool's form, as a value of its column; times are milliseconds there. */
function fieldSql(type: string, place: number): string {
  if (type === "timestamptz") {
    return `timestamptz 'epoch' + (f->>${place})::bigint * interval '1 millisecond'`;
  }
  // As a text, which `usage_attempts` reads: a list takes half as much again.
  return type === "jsonb" ? `to_jsonb(f->>${place})` : `(f->>${place})::${type}`;
}

/** The field of a usage row by itself, after its version. */
const rowSql = ({ name, type }: Column, index: number): string => {
  const field = fieldSql(type, index + 1);
  return rareCounts.has(name) ? `nullif(${field}, 0)` : field;
};

/** The same of the record of a call. */
function recordSql({ name, type }: Column): string {
  if (name === "attempts") {
    const { attempt_start, attempt_started_ms, attempt_duration_ms, attempt_end } = recordPlaces;
    const times = `(f->>${attempt_started_ms}) || ',' || (f->>${attempt_duration_ms})`;
    return `to_jsonb((f->>${attempt_start}) || ${times} || (f->>${attempt_end}))`;
  }
  const column = recordedColumn(name);
  return "place" in column ? fieldSql(type, column.place) : `${column.value}::${type}`;
}

const insertSql = (toSql: (column: Column, index: number) => string, onConflict: string): string => `
  fresh as (
    insert into usage_log (${usageRowColumns.map(({ name }) => name).join(", ")})
    select ${usageRowColumns.map((column, index) => `${toSql(column, index)} as ${column.name}`).join(", ")}
    from incoming
    ${onConflict}
    returning request_id
  )
  select count(*)::integer as fresh,
    case when count(*) < $2::integer then string_agg(request_id::text, ',') end as fresh_ids
  from fresh`;
const skipExisting = "on conflict do nothing";
const statements = {
  rows: { new: insertSql(rowSql, ""), missing: insertSql(rowSql, skipExisting) },
  records: { new: insertSql(recordSql, ""), missing: insertSql(recordSql, skipExisting) },
};

/** Usage rows as a JSON list, by themselves or as records of calls. */
export type UsageList = JsonList & {
  readonly form: keyof typeof statements;
  /** Inserts what else is in the same elements, which are parsed once for both. */
  readonly alsoInserts?: InsertTexts;
};

/**
 * Writes usage rows with one statement; existing rows stay as they are. Rows that are all new, as far as anybody knows, cost
 * the log of the database less without a provision for others (`isNew`). The rows are sent in the spool's format: it
 * costs the server as much as one array for each column, and this process a fifth.
 * @returns the request ids of the rows that are new, or null when all are
 * @throws SQL.PostgresError, see `isMissingPartition` for a day without a partition, and `isUniqueViolation` if not all of
 * them were new
 */
export async function insertUsage(
  tx: Queryable,
  { form, json, count, alsoInserts }: UsageList,
  isNew = false,
): Promise<Set<RequestId> | null> {
  const texts = isNew ? "new" : "missing";
  const other = alsoInserts === undefined ? "" : `other as (${alsoInserts[texts]}),`;
  // The ids are returned only in the rare case that some rows existed, because reading 500 ids costs more than
  // everything else.
  const [result] = await tx.query<{ fresh: number; fresh_ids: string | null }>(
    `${incomingSql}, ${other} ${statements[form][texts]}`,
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

import type { Quota } from "@sluice/contracts/money";
import type { Queryable } from "../../platform/db.ts";
import type { SettlementLag, SettlementStep } from "./model.ts";

type StepRow = {
  outcome: SettlementStep["outcome"];
  rows_settled: number;
  base_quota: Quota;
  settled_quota: Quota;
  rows_refused: number;
  cursor_xid: string | null;
};

type NextRows = {
  readonly rowsMax: number;
  readonly isReconciled: boolean;
  /** Null: the first shard that has rows. */
  readonly shard: number | null;
};

/**
 * Settles the next rows of the usage log in a separate transaction. It is a single statement, so that the locks on
 * budgets end with it on the server, even when this process is stopped in the middle.
 * @throws SQL.PostgresError, DatabaseUnavailableError, DatabaseTimeoutError: the step has either happened as a whole or
 * not at all
 */
export async function settleNextRows(
  db: Queryable,
  { rowsMax, isReconciled, shard }: NextRows,
): Promise<SettlementStep> {
  const [row] = await db.sql<StepRow>`
    select outcome, rows_settled, base_quota, settled_quota, rows_refused, cursor_xid
    from settle_usage(${rowsMax}::integer, ${isReconciled}::boolean, ${shard}::integer)`;
  if (row === undefined) {
    throw new Error("the settlement did not say what it did");
  }
  return {
    outcome: row.outcome,
    rowsSettled: row.rows_settled,
    baseQuota: row.base_quota,
    settledQuota: row.settled_quota,
    rowsQuarantined: row.rows_refused,
    checkpoint: row.cursor_xid,
  };
}

/** The rows that wait to be settled, and those that could not be settled. */
export async function readSettlementLag(db: Queryable): Promise<SettlementLag> {
  const [row] = await db.sql<{ lag_seconds: number; rows_quarantined: number }>`
    select lag_seconds, rows_quarantined::integer as rows_quarantined from settlement_lag()`;
  return { seconds: row?.lag_seconds ?? 0, rowsQuarantined: row?.rows_quarantined ?? 0 };
}

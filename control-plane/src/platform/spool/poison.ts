import { isConnectionLoss, isDatabaseOutage, sqlStateOf } from "../db-errors.ts";
import { NotTriedError, WorkerLostError } from "./errors.ts";

/**
 * The states for data that can't be converted, violated constraints, and limits of a single row: the same rows fail
 * every time.
 */
const rowStates = /^(22|23|54)/;
/**
 * An error that did not come from the database may be temporary; one that recurs this often is the fault of the rows.
 */
const repeatsMax = 5;
/** How many workers a single row may end in a row. */
const lossesMax = 3;

/** A failed commit: how often it has failed in this way without a break, from 1, and how many rows there were. */
export type FailedCommit = { readonly error: unknown; readonly repeats: number; readonly rows: number };

/**
 * Whether a failed commit is the fault of its rows. An unreachable database never is, and neither is a missing schema
 * or permission: putting rows aside would not help. Several rows that a worker was lost over are tried in halves.
 */
export function isFaultOfRows({ error, repeats, rows }: FailedCommit): boolean {
  if (error instanceof WorkerLostError) {
    return rows > 1 || repeats >= lossesMax;
  }
  const state = sqlStateOf(error);
  if (state !== null) {
    return rowStates.test(state);
  }
  const isOther = !(isDatabaseOutage(error) || isConnectionLoss(error) || error instanceof NotTriedError);
  return isOther && repeats >= repeatsMax;
}

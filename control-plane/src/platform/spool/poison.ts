import { isConnectionLoss, isDatabaseOutage, sqlStateOf } from "../db-errors.ts";

/**
 * The states for data that can't be converted, violated constraints, and limits of a single row: the same rows fail
 * every time.
 */
const rowStates = /^(22|23|54)/;
/**
 * An error that did not come from the database may be temporary; one that recurs this often is the fault of the rows.
 */
const repeatsMax = 5;

/**
 * Whether a failed commit is the fault of its rows. An unreachable database never is, and neither is a missing schema
 * or permission: putting rows aside would not help.
 */
export function isRejectedByDatabase(error: unknown, repeats: number): boolean {
  const state = sqlStateOf(error);
  if (state !== null) {
    return rowStates.test(state);
  }
  return !(isDatabaseOutage(error) || isConnectionLoss(error)) && repeats >= repeatsMax;
}

export type AgedSizes = {
  /** Calls of the usage log, spread evenly over the days, the last of them today. */
  readonly calls: number;
  readonly days: number;
  /** Registered users. */
  readonly users: number;
  /** How many of them make calls. */
  readonly callers: number;
  /** Orders, payments, mails; audit and ledger have four times as many. */
  readonly orders: number;
};

/** One in ten users makes calls; there are two hundred calls for a user, and twenty for an order. */
export function sizesOf(calls: number, days: number): AgedSizes {
  const users = Math.ceil(calls / 200);
  return { calls, days, users, callers: Math.ceil(users / 10), orders: Math.ceil(calls / 20) };
}

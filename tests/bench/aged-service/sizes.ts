export type AgedSizes = {
  /** Calls of the usage log, spread evenly over the days, the last of them today. */
  readonly calls: number;
  readonly days: number;
  /** Over how many times as many days there are sums: those before the log repeat those of its days. */
  readonly spans: number;
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
  return { calls, days, spans: 1, users, callers: Math.ceil(users / 10), orders: Math.ceil(calls / 20) };
}

const logDays = 40;

/**
 * A service whose sums go further back than its log: about as many calls in its sums, of which the newest 40 days are in
 * the log. 2,000 users make calls, and the rest is as if the log was all there is.
 */
export function longSizesOf(calls: number, logged: number): AgedSizes {
  const spans = Math.ceil(calls / logged);
  return { ...sizesOf(logged, logDays), spans, callers: Math.min(2_000, Math.ceil(logged / 200)) };
}

/** What happened to an account, newest first in lists. Amounts are quota. */
export type LedgerEntry = {
  readonly id: bigint;
  readonly changeType: string;
  readonly reference: string;
  readonly note: string | null;
  readonly amount: bigint;
  readonly balanceAfter: bigint;
  readonly createdAt: Date;
};

/** A line of a statement; the cost of calls is one line per day. */
export type StatementLine = {
  readonly day: string;
  readonly changeType: string;
  /** Empty for the lines that sum up calls. */
  readonly reference: string;
  readonly amount: bigint;
};

/** A month of an account, UTC. The opening balance and the lines add up to the closing balance. */
export type Statement = {
  readonly month: string;
  readonly openingBalance: bigint;
  readonly lines: readonly StatementLine[];
  readonly closingBalance: bigint;
};

/** A finding of `check_money()`: which invariant, where, and what it saw. */
export type MoneyViolation = { readonly invariant: string; readonly subject: string; readonly detail: string };

/** The table that an invariant covers, and its number of rows. */
export type LookedAt = { readonly table: string; readonly count: bigint; readonly isExact: boolean };

export type CheckedInvariant = {
  readonly invariant: string;
  /** Null if the invariant covers more than one table. */
  readonly rows: LookedAt | null;
  readonly violations: readonly MoneyViolation[];
};

/** A database function that checks a part of the money. */
export type CheckedPart = { readonly name: string; readonly invariants: readonly CheckedInvariant[] };

/** Tables by the first word of the subject that an invariant names. */
const tablesOfSubjects: Readonly<Record<string, string>> = {
  batch: "settlement_batch",
  budget: "budget",
  "gateway user": "gateway_user",
  "ledger account": "ledger_account",
  "listed call": "settled_calls",
  order: "sales_order",
  posting: "ledger_posting",
  refund: "refund",
  replica: "usage_quarantine",
  request: "usage_settlement",
  subscription: "subscription",
  user: "user_profile",
};

/**
 * The invariants in a function's source, each with its table: a select of one begins with its sentence, and then the
 * subject, as `select 'a posting sums to zero', 'posting ' || id`. An invariant that holds has no row, so only the
 * function knows the names of all.
 */
export function readInvariants(source: string): { invariant: string; table: string | null }[] {
  const select = /\bselect\s+'((?:[^']|'')+)'\s*,\s*(?:'([a-z ]+?) ?'|)/gi;
  return [...source.replace(/--.*$/gm, "").matchAll(select)].map(([, sentence = "", subject = ""]) => ({
    invariant: sentence.replaceAll("''", "'"),
    table: tablesOfSubjects[subject] ?? null,
  }));
}

/** What happened to an account, the newest first in lists. Amounts are quota. */
export type LedgerEntry = {
  readonly id: bigint;
  readonly changeType: string;
  readonly reference: string;
  readonly note: string | null;
  readonly amount: bigint;
  readonly balanceAfter: bigint;
  readonly createdAt: Date;
};

/** A line of a statement; what calls cost is one line for each day. */
export type StatementLine = {
  readonly day: string;
  readonly changeType: string;
  /** Empty for the calls of a day. */
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

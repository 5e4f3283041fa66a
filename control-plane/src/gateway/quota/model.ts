import type { BudgetId } from "@sluice/contracts/ids";
import type { Quota } from "@sluice/contracts/money";

/** A request for a slice of a budget. */
export type LeaseRequest = {
  readonly budgetId: BudgetId;
  /** The smallest amount that would help. */
  readonly need: Quota;
  readonly want: Quota;
  /** The recall of idle leases that this asks about; 0 starts one if needed, -1 recalls nothing. */
  readonly recall: bigint;
  /** Increases with every statement on a lease, so that late ones can be recognised. */
  readonly statement: bigint;
};

/** The result of requesting a slice of a budget. */
export type LeaseAnswer = {
  /** 0 when too little remains. */
  readonly leasedNow: Quota;
  readonly remainingAfter: Quota;
  /** The recall of idle leases that this request started or asked about; 0 when nobody else holds any. */
  readonly recall: bigint;
  readonly isRecallAnswered: boolean;
};

/** What operators let an account spend per UTC day or month, as far as that is what refuses a call. */
export type SpendLimit = {
  readonly period: "daily" | "monthly";
  readonly limit: Quota;
  readonly spent: Quota;
  readonly resetsAt: Date;
};

/**
 * What is left of a budget, by the tighter of the budget itself and its limits of spending. Leases count against all of them
 * alike, so who has leased what does not decide which one that is.
 */
export type Remainder = {
  /** Null if it is the budget itself. */
  readonly limit: SpendLimit | null;
  /** What would be left if everything that replicas have leased came back. */
  readonly whole: Quota;
  /** What nobody has leased. */
  readonly free: Quota;
};

/** Idle quota being returned. */
export type LeaseReturn = {
  readonly budgetId: BudgetId;
  readonly amount: Quota;
  /** The recall of idle leases that this answers, or 0. */
  readonly recall: bigint;
  readonly statement: bigint;
};

/** The database side of leases, on behalf of one replica. A statement that throws may or may not have taken effect. */
export interface LeaseStore {
  lease(request: LeaseRequest): Promise<LeaseAnswer>;
  giveBack(returned: LeaseReturn): Promise<void>;
  /** What is left of budgets at one moment, in their order. */
  readRemainders(budgetIds: readonly BudgetId[]): Promise<readonly Remainder[]>;
  /**
   * What this replica holds according to the database, once no statement with a lower number can change that any more.
   */
  readLease(budgetId: BudgetId, statement: bigint): Promise<Quota>;
  /** Every lease of this replica that is not empty. */
  listLeases(): Promise<ReadonlyMap<BudgetId, Quota>>;
}

/** The database's response to the renewal of a replica's term. */
export type TermAnswer = {
  /** Changes when someone else has given back this replica's leases. */
  readonly era: string;
  /** False when another era was named: the term is unchanged. */
  readonly isRenewed: boolean;
  /** How many replicas were seen lately, including this one. */
  readonly live: number;
};

/**
 * Whether a hold was granted; `unavailable` means that the database, or a replica that may have idle quota, could not be
 * asked.
 */
export type HoldAnswer = "held" | "insufficient" | "unavailable";

import type { BudgetId } from "@sluice/contracts/ids";
import type { Quota } from "@sluice/contracts/money";

/** A question for a slice of a budget. */
export type LeaseRequest = {
  readonly budgetId: BudgetId;
  /** The least that is of use. */
  readonly need: Quota;
  readonly want: Quota;
  /** The call for idle leases that this asks about; 0 makes one where it is needed, -1 leaves others in peace. */
  readonly recall: bigint;
  /** Grows with every statement on a lease, so that late ones can be recognized. */
  readonly statement: bigint;
};

/** What asking the database for a slice of a budget brought. */
export type LeaseAnswer = {
  /** 0 when too little remains. */
  readonly leasedNow: Quota;
  readonly remainingAfter: Quota;
  /** The call for idle leases that this request made or asked about; 0 when nobody else holds any. */
  readonly recall: bigint;
  readonly isRecallAnswered: boolean;
};

/** Idle quota on its way back. */
export type LeaseReturn = {
  readonly budgetId: BudgetId;
  readonly amount: Quota;
  /** The call for idle leases that this answers, or 0. */
  readonly recall: bigint;
  readonly statement: bigint;
};

/** The database side of leases, always on behalf of one replica. Whatever throws may have happened or not. */
export interface LeaseStore {
  lease(request: LeaseRequest): Promise<LeaseAnswer>;
  giveBack(returned: LeaseReturn): Promise<void>;
  /** What the database says this replica holds, once no statement with a lower number can change that any more. */
  readLease(budgetId: BudgetId, statement: bigint): Promise<Quota>;
  /** Every lease of this replica that is not empty. */
  listLeases(): Promise<ReadonlyMap<BudgetId, Quota>>;
}

/** What the database says to a replica that asks for the renewal of its term. */
export type TermAnswer = {
  /** Another one than before when the leases of this replica were given back by somebody else. */
  readonly era: string;
  /** False when another era was named: the term is as it was. */
  readonly isRenewed: boolean;
  /** How many replicas were heard of lately, this one included. */
  readonly live: number;
};

/** Whether a hold was granted; `unavailable` means that the database could not be asked. */
export type HoldAnswer = "held" | "insufficient" | "unavailable";

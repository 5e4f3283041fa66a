import type { BudgetId } from "@sluice/contracts/ids";
import type { Quota } from "@sluice/contracts/money";

/** What asking the database for a slice of a budget brought. */
export type LeaseAnswer = {
  /** 0 when too little remains. */
  readonly leasedNow: Quota;
  readonly remainingAfter: Quota;
  /** The call for idle leases that this request made or asked about; 0 when nobody else holds any. */
  readonly recall: bigint;
  readonly isRecallAnswered: boolean;
};

/** The database side of leases, always on behalf of one replica. */
export interface LeaseStore {
  lease(budgetId: BudgetId, need: Quota, want: Quota, recall: bigint): Promise<LeaseAnswer>;
  giveBack(budgetId: BudgetId, amount: Quota, recall: bigint): Promise<void>;
  /** What the database says this replica holds; asked when the outcome of an earlier statement is unknown. */
  readLease(budgetId: BudgetId): Promise<Quota>;
}

/** Whether a hold was granted; `unavailable` means that the database could not be asked. */
export type HoldAnswer = "held" | "insufficient" | "unavailable";

import type { BudgetId } from "@sluice/contracts/ids";
import type { HoldAnswer } from "./model.ts";

/** A call that waits for quota. */
export type Waiter = { readonly amount: bigint; resolve(answer: HoldAnswer): void };

/**
 * The part of one budget that this replica may spend without asking.
 * leased = what may be held + held + pending + returning, except after an overrun, when what may be held is negative.
 */
export type Slice = {
  readonly budgetId: BudgetId;
  /** What the database has lent us, as far as its answers have come. */
  leased: bigint;
  /** Set aside for calls that still run. */
  held: bigint;
  /** Charged by calls that ended, not yet committed. */
  pending: bigint;
  /** On its way back to the database. */
  returning: bigint;
  /** How much to ask for next time; grows while refills follow each other quickly. */
  want: bigint;
  lastUsedTick: number;
  lastRefillTick: number;
  isAcquiring: boolean;
  /** The outcome of a statement is unknown: the lease has to be read again before it is trusted. */
  isDoubtful: boolean;
  readonly waiters: Waiter[];
  /** Amounts from here up were refused by the database a moment ago. */
  refusal: { readonly amount: bigint; readonly untilTick: number } | null;
  /** Wakes an acquisition that waits for other replicas. */
  wake: (() => void) | null;
  /** The statement on this lease that has to end before the next may begin. */
  turn: Promise<unknown>;
};

export function emptySlice(budgetId: BudgetId, tick: number): Slice {
  return {
    budgetId,
    leased: 0n,
    held: 0n,
    pending: 0n,
    returning: 0n,
    want: 0n,
    lastUsedTick: tick,
    lastRefillTick: 0,
    isAcquiring: false,
    isDoubtful: false,
    waiters: [],
    refusal: null,
    wake: null,
    turn: Promise.resolve(),
  };
}

/** What may still be held; negative after an overrun. */
export function available(slice: Slice): bigint {
  return slice.isDoubtful ? 0n : slice.leased - slice.held - slice.pending - slice.returning;
}

export function isForgettable(slice: Slice): boolean {
  return (
    slice.leased === 0n && slice.held === 0n && slice.pending === 0n && slice.returning === 0n && !slice.isAcquiring
  );
}

import type { BudgetId } from "@sluice/contracts/ids";
import { type Amount, minus, plus, toAmount } from "../../platform/amount.ts";
import { ampleShare, coveredSeconds, paceWindowMs, recallPollMs } from "./lease-limits.ts";
import type { HoldAnswer, Remainder } from "./model.ts";

/** A call waiting for quota. */
export type Waiter = { readonly amount: Amount; resolve(answer: HoldAnswer): void };

type Refusal = {
  /** What was refused, and everything above it. */
  readonly amount: Amount;
  readonly untilTick: number;
  readonly remainder: Remainder;
  /** What was available here: as long as there is not more, the answer would be the same. */
  readonly available: Amount;
  /** Whether all replicas have given back what was idle. */
  readonly isCertain: boolean;
};

/**
 * The part of one budget that this replica may spend without asking. leased = available + held + pending + returning,
 * except after an overrun, when the available part is negative.
 */
export type Slice = {
  readonly budgetId: BudgetId;
  /** What the database has certainly lent us: never more than its lease row says. */
  leased: Amount;
  /** Quota that is set aside for running calls. */
  held: Amount;
  /** Quota that finished calls were charged and that is not committed yet. */
  pending: Amount;
  /** Quota that is being returned to the database. */
  returning: Amount;
  /** How much to request next time; grows while refills come in quick succession. */
  want: bigint;
  /** What calls were charged in the current window of the pace, which began at this tick. */
  spent: Amount;
  windowTick: number;
  /** What calls were charged in a second, lately. */
  pace: bigint;
  /** What was left of the budget after the last loan. */
  remaining: bigint;
  /** An early refill begins when less than this is available. */
  refillBelow: Amount;
  lastUsedTick: number;
  lastRefillTick: number;
  /** No early refill begins before this time. */
  nextRefillTick: number;
  /** Another replica is short of quota: until this time, no more is requested than waiting calls need. */
  sparesUntilTick: number;
  isAcquiring: boolean;
  /** The outcome of a statement is unknown: the database may have lent us more than we know, and has to be asked. */
  isDoubtful: boolean;
  readonly waiters: Waiter[];
  /** Amounts of at least this much were refused by the database a moment ago. */
  refusal: Refusal | null;
  /** What refused calls last. It outlives `refusal`, because another call may end before those that were refused ask for it. */
  refusedBy: Remainder | null;
  /** Wakes an acquisition that waits for other replicas. */
  wake: (() => void) | null;
  /** The statement on this lease that must finish before the next may begin. */
  turn: Promise<unknown>;
};

export function emptySlice(budgetId: BudgetId, tick: number): Slice {
  return {
    budgetId,
    leased: 0,
    held: 0,
    pending: 0,
    returning: 0,
    want: 0n,
    spent: 0,
    windowTick: tick,
    pace: 0n,
    remaining: 0n,
    refillBelow: 0,
    lastUsedTick: tick,
    lastRefillTick: 0,
    nextRefillTick: 0,
    sparesUntilTick: 0,
    isAcquiring: false,
    isDoubtful: false,
    waiters: [],
    refusal: null,
    refusedBy: null,
    wake: null,
    turn: Promise.resolve(),
  };
}

/** What may still be held; negative after an overrun. */
export function available(slice: Slice): Amount {
  return minus(minus(minus(slice.leased, slice.held), slice.pending), slice.returning);
}

export function isForgettable(slice: Slice, tick: number): boolean {
  const isEmpty = slice.leased === 0 && slice.held === 0 && slice.pending === 0 && slice.returning === 0;
  const isQuiet = !slice.isDoubtful && !slice.isAcquiring && slice.waiters.length === 0;
  return isEmpty && isQuiet && tick >= slice.sparesUntilTick;
}

/** Appends a call to the queue; it gets `unavailable` when nothing has been decided in time. */
export function addWaiter(slice: Slice, amount: Amount, waitMsMax: number): Promise<HoldAnswer> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      slice.waiters.splice(slice.waiters.indexOf(waiter), 1);
      resolve("unavailable");
    }, waitMsMax);
    const waiter: Waiter = {
      amount,
      resolve: (answer) => {
        clearTimeout(timer);
        resolve(answer);
      },
    };
    slice.waiters.push(waiter);
  });
}

/** Grants the holds of waiting calls, in order, as far as the quota suffices. */
export function serveWaiters(slice: Slice): void {
  for (
    let first = slice.waiters[0];
    first !== undefined && available(slice) >= first.amount;
    first = slice.waiters[0]
  ) {
    slice.waiters.shift();
    slice.held = plus(slice.held, first.amount);
    first.resolve("held");
  }
}

/**
 * The answer to a call that is refused. While a replica does not say what it has idle, only an amount that could not be
 * covered with everything back is refused for good.
 */
export function answerOf({ remainder, isCertain }: Refusal, amount: Amount): HoldAnswer {
  return isCertain || amount > remainder.whole ? "insufficient" : "unavailable";
}

/** Refuses everyone who waits for at least this much; smaller amounts have to be requested again. */
export function refuseWaiters(slice: Slice, refusal: Refusal): void {
  slice.refusal = refusal;
  slice.refusedBy = refusal.remainder;
  for (const waiter of slice.waiters.splice(0)) {
    if (waiter.amount >= refusal.amount) {
      waiter.resolve(answerOf(refusal, waiter.amount));
    } else {
      slice.waiters.push(waiter);
    }
  }
}

/**
 * How much to request: enough for all waiting calls, and not less than usual or than brings the slice to what its pace
 * calls for, unless another replica is short of it.
 */
export function wanted(slice: Slice, tick: number): bigint {
  let waiting = -BigInt(available(slice));
  for (const waiter of slice.waiters) {
    waiting += BigInt(waiter.amount);
  }
  if (tick < slice.sparesUntilTick) {
    return waiting < 0n ? 0n : waiting;
  }
  const usual = slice.want + stock(slice) - (waiting < 0n ? -waiting : 0n);
  const least = usual < slice.want ? slice.want : usual;
  return waiting < least ? least : waiting;
}

/**
 * What calls continue with while the database is away, beside the usual slice: a minute of the pace, but no more than a
 * quarter of what was left of the budget, so that a budget that is nearly used up is not kept from other replicas.
 */
function stock({ pace, remaining }: Slice): bigint {
  const minute = pace * coveredSeconds;
  return minute < remaining / 4n ? minute : remaining / 4n;
}

/** To be called when what it depends on has changed. A refill begins when half of the stock is gone. */
export function adjustRefill(slice: Slice): void {
  slice.refillBelow = toAmount(slice.want / 4n + stock(slice) / 2n);
}

/** Counts what a call was charged. The pace falls more slowly than it rises. */
export function noteSpent(slice: Slice, charged: Amount, tick: number): void {
  slice.spent = plus(slice.spent, charged);
  const elapsedMs = tick - slice.windowTick;
  if (elapsedMs < paceWindowMs) {
    return;
  }
  const pace = (BigInt(slice.spent) * 1_000n) / BigInt(Math.ceil(elapsedMs));
  slice.pace = pace > slice.pace / 2n ? pace : slice.pace / 2n;
  slice.spent = 0;
  slice.windowTick = tick;
  adjustRefill(slice);
}

/** Whether so much is left of the budget that nobody misses what this replica has of it. */
export function isAmple(slice: Slice): boolean {
  return slice.remaining >= BigInt(slice.leased) * ampleShare;
}

/** Resolves when another replica has returned quota, and after a moment in any case. */
export function waitForReturns(slice: Slice): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, recallPollMs);
    function done() {
      clearTimeout(timer);
      slice.wake = null;
      resolve();
    }
    slice.wake = done;
  });
}

export type SliceTotals = {
  readonly budgets: number;
  readonly leased: bigint;
  readonly held: bigint;
  readonly pending: bigint;
  readonly idle: bigint;
};

export function totalsOf(slices: readonly Slice[]): SliceTotals {
  const sum = { budgets: slices.length, leased: 0n, held: 0n, pending: 0n, idle: 0n };
  for (const slice of slices) {
    sum.leased += BigInt(slice.leased);
    sum.held += BigInt(slice.held);
    sum.pending += BigInt(slice.pending);
    const idle = BigInt(available(slice));
    sum.idle += idle > 0n ? idle : 0n;
  }
  return sum;
}

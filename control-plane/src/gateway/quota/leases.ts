import type { BudgetId } from "@sluice/contracts/ids";
import type { Quota } from "@sluice/contracts/money";
import type { Clock } from "../../platform/clock.ts";
import type { Log } from "../../platform/log.ts";
import type { BudgetCharge } from "../usage-log/model.ts";
import type { HoldAnswer, LeaseAnswer, LeaseStore } from "./model.ts";
import { available, emptySlice, isForgettable, type Slice } from "./slice.ts";

/** How long a refused amount is refused again without asking the database. */
const refusalMs = 200;
/** How long an acquisition waits for other replicas to give idle quota back. */
const recallMsMax = 600;
/** A lost notification costs this much and no more. */
const recallPollMs = 50;
const idleReturnMs = 3_000;
const forgetMs = 60_000;
const refillPauseMs = 100;
/** The first lease covers this many calls of the size that asked for it. */
const callsPerLease = 32n;
const wantMax = 1n << 50n;

/**
 * Holds quota against slices of budgets that this replica has leased. A hold that the slice covers touches no database;
 * otherwise one acquisition per budget asks for more, calls idle quota of other replicas back, and refuses for certain.
 */
export class QuotaLeases {
  readonly #slices = new Map<BudgetId, Slice>();
  readonly #store: LeaseStore;
  readonly #clock: Clock;
  readonly #log: Log;
  /** Commits and re-reads of leases exclude each other, because both learn what the database says of a lease. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(store: LeaseStore, clock: Clock, log: Log) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  /** Sets quota aside; the answer is a promise only when the slice does not cover it. */
  hold(budgetId: BudgetId, amount: Quota): HoldAnswer | Promise<HoldAnswer> {
    const slice = this.#slice(budgetId);
    const tick = this.#clock.tick();
    slice.lastUsedTick = tick;
    if (slice.waiters.length === 0 && available(slice) >= amount) {
      slice.held += amount;
      this.#refillAhead(slice, tick);
      return "held";
    }
    if (slice.refusal !== null && tick < slice.refusal.untilTick && amount >= slice.refusal.amount) {
      return "insufficient";
    }
    if (slice.want < amount * callsPerLease) {
      slice.want = amount * callsPerLease;
    }
    return new Promise((resolve) => {
      slice.waiters.push({ amount, resolve });
      this.#startAcquiring(slice);
    });
  }

  /** Ends a hold: what was charged stays pending until its usage row is committed, the rest may be held again. */
  settle(budgetId: BudgetId, held: Quota, charged: Quota): void {
    const slice = this.#slice(budgetId);
    slice.held -= held;
    slice.pending += charged;
    this.#serveWaiters(slice);
  }

  /**
   * Runs one commit of usage rows. `charges` are what the database did for rows that were new; `totals` is what this
   * process had pending for the batch. After a retry the two may differ, and the database is asked.
   */
  async commit(
    run: () => Promise<{ charges: readonly BudgetCharge[]; totals: ReadonlyMap<BudgetId, bigint>; isRetry: boolean }>,
  ): Promise<void> {
    await this.#exclusively(async () => {
      const { charges, totals, isRetry } = await run();
      for (const [budgetId, total] of totals) {
        const slice = this.#slice(budgetId);
        slice.pending -= total;
        slice.isDoubtful ||= isRetry;
      }
      for (const charge of charges) {
        this.#slice(charge.budgetId).leased -= charge.taken;
      }
    });
  }

  /** Another replica needs idle quota of this budget: whatever is idle here goes back, and the call is answered. */
  async onRecall(budgetId: BudgetId, recall: bigint): Promise<void> {
    const slice = this.#slices.get(budgetId);
    const idle = slice === undefined ? 0n : available(slice);
    await this.#giveBack(slice ?? this.#slice(budgetId), idle > 0n ? idle : 0n, recall);
  }

  /** Quota of this budget came back or was granted somewhere. */
  onBudgetChanged(budgetId: BudgetId): void {
    const slice = this.#slices.get(budgetId);
    if (slice !== undefined) {
      slice.refusal = null;
      slice.wake?.();
    }
  }

  /** Returns what lies idle and settles doubts; called every second. */
  async tend(): Promise<void> {
    const tick = this.#clock.tick();
    for (const slice of [...this.#slices.values()]) {
      if (slice.isDoubtful) {
        await this.#readAgain(slice);
      }
      const idleMs = tick - slice.lastUsedTick;
      if (idleMs > idleReturnMs && slice.waiters.length === 0 && available(slice) > 0n) {
        slice.want = 0n;
        await this.#giveBack(slice, available(slice), 0n);
      } else if (idleMs > forgetMs && isForgettable(slice)) {
        this.#slices.delete(slice.budgetId);
      }
    }
  }

  /** Sums over all slices, for metrics. */
  totals(): { budgets: number; leased: bigint; held: bigint; pending: bigint } {
    const sum = { budgets: this.#slices.size, leased: 0n, held: 0n, pending: 0n };
    for (const slice of this.#slices.values()) {
      sum.leased += slice.leased;
      sum.held += slice.held;
      sum.pending += slice.pending;
    }
    return sum;
  }

  #slice(budgetId: BudgetId): Slice {
    let slice = this.#slices.get(budgetId);
    if (slice === undefined) {
      slice = emptySlice(budgetId, this.#clock.tick());
      this.#slices.set(budgetId, slice);
    }
    return slice;
  }

  #serveWaiters(slice: Slice): void {
    while (slice.waiters[0] !== undefined && available(slice) >= slice.waiters[0].amount) {
      const waiter = slice.waiters.shift();
      if (waiter !== undefined) {
        slice.held += waiter.amount;
        waiter.resolve("held");
      }
    }
  }

  /** Asks for more before the slice runs dry, so that in the steady state no call waits. */
  #refillAhead(slice: Slice, tick: number): void {
    if (slice.isAcquiring || available(slice) * 4n >= slice.want || tick - slice.lastRefillTick < refillPauseMs) {
      return;
    }
    const isQuick = tick - slice.lastRefillTick < 10 * refillPauseMs;
    slice.want = isQuick && slice.want < wantMax ? slice.want * 2n : slice.want;
    slice.lastRefillTick = tick;
    this.#startAcquiring(slice, 1n);
  }

  #startAcquiring(slice: Slice, extra = 0n): void {
    if (slice.isAcquiring) {
      return;
    }
    slice.isAcquiring = true;
    this.#acquire(slice, extra)
      .catch((error: unknown) => {
        this.#log.warn("quota.lease_failed", { budgetId: slice.budgetId, error });
        slice.isDoubtful = true;
        for (const waiter of slice.waiters.splice(0)) {
          waiter.resolve("unavailable");
        }
      })
      .finally(() => {
        slice.isAcquiring = false;
        if (slice.waiters.length > 0) {
          this.#startAcquiring(slice);
        }
      });
  }

  async #acquire(slice: Slice, extra: bigint): Promise<void> {
    if (slice.isDoubtful) {
      await this.#readAgain(slice);
    }
    if (extra > 0n && slice.waiters.length === 0) {
      await this.#lease(slice, extra, slice.want, 0n);
    }
    const deadline = this.#clock.tick() + recallMsMax;
    let recall = 0n;
    for (this.#serveWaiters(slice); slice.waiters[0] !== undefined; this.#serveWaiters(slice)) {
      const shortfall = slice.waiters[0].amount - available(slice);
      const answer = await this.#lease(slice, shortfall, this.#wanted(slice), recall);
      if (answer.leasedNow > 0n) {
        slice.lastRefillTick = this.#clock.tick();
        recall = 0n;
      } else if (answer.isRecallAnswered || this.#clock.tick() >= deadline) {
        this.#refuse(slice, shortfall);
        recall = 0n;
      } else {
        recall = answer.recall;
        await this.#waitForReturns(slice);
      }
    }
  }

  #lease(slice: Slice, need: bigint, want: bigint, recall: bigint): Promise<LeaseAnswer> {
    return this.#inTurn(slice, async () => {
      const answer = await this.#store.lease(slice.budgetId, need as Quota, want as Quota, recall);
      slice.leased += answer.leasedNow;
      return answer;
    });
  }

  #wanted(slice: Slice): bigint {
    let waiting = -available(slice);
    for (const waiter of slice.waiters) {
      waiting += waiter.amount;
    }
    if (waiting < slice.want) {
      return slice.want;
    }
    return waiting;
  }

  /** Everyone who waits for at least as much as was just refused is refused too; those who need less are asked for anew. */
  #refuse(slice: Slice, shortfall: bigint): void {
    const amount = shortfall + available(slice);
    slice.refusal = { amount, untilTick: this.#clock.tick() + refusalMs };
    const stay = slice.waiters.splice(0).filter((waiter) => {
      const isRefused = waiter.amount >= amount;
      if (isRefused) {
        waiter.resolve("insufficient");
      }
      return !isRefused;
    });
    slice.waiters.push(...stay);
  }

  #waitForReturns(slice: Slice): Promise<void> {
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

  async #giveBack(slice: Slice, amount: bigint, recall: bigint): Promise<void> {
    slice.returning += amount;
    try {
      await this.#inTurn(slice, async () => {
        await this.#store.giveBack(slice.budgetId, amount as Quota, recall);
        slice.leased -= amount;
      });
    } catch (error) {
      this.#log.warn("quota.return_failed", { budgetId: slice.budgetId, error });
      slice.isDoubtful = true;
    } finally {
      slice.returning -= amount;
    }
  }

  async #readAgain(slice: Slice): Promise<void> {
    await this.#inTurn(slice, () =>
      this.#exclusively(async () => {
        slice.leased = await this.#store.readLease(slice.budgetId);
        slice.isDoubtful = false;
      }),
    );
  }

  /** Statements that change or read one lease follow each other, so that no answer is counted twice. */
  #inTurn<T>(slice: Slice, run: () => Promise<T>): Promise<T> {
    const result = slice.turn.then(run, run);
    slice.turn = result.catch(() => undefined);
    return result;
  }

  #exclusively<T>(run: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(run, run);
    this.#turn = result.catch(() => undefined);
    return result;
  }
}

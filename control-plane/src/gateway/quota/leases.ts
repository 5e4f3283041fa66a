import type { BudgetId } from "@sluice/contracts/ids";
import { type Amount, minus, plus, toAmount } from "../../platform/amount.ts";
import type { Clock } from "../../platform/clock.ts";
import { throughLosses } from "../../platform/db-losses.ts";
import type { Log } from "../../platform/log.ts";
import type { BudgetCharge } from "../../usage/log/model.ts";
import {
  callsPerLease,
  forgetMs,
  holdMsMax,
  idleReturnMs,
  recallMsMax,
  refillPauseMs,
  refillPauseMsAfterFailure,
  refusalMs,
  wantMax,
} from "./lease-limits.ts";
import { LeaseStatements } from "./lease-statements.ts";
import type { HoldAnswer, LeaseAnswer, LeaseStore, Remainder, TermAnswer } from "./model.ts";
import { Recall } from "./recall.ts";
import { Remainders } from "./remainders.ts";
import {
  addWaiter,
  adjustRefill,
  answerOf,
  available,
  emptySlice,
  isAmple,
  isForgettable,
  noteSpent,
  refuseWaiters,
  type Slice,
  type SliceTotals,
  serveWaiters,
  totalsOf,
  type Waiter,
  waitForReturns,
} from "./slice.ts";
import type { LeaseTerm } from "./term.ts";

/**
 * Holds quota against slices of budgets that this replica has leased. A hold that the slice covers touches no database;
 * otherwise one acquisition per budget asks for more, recalls idle quota from other replicas, and refuses for certain.
 *
 * Where the outcome of a statement is unknown, the worse one is assumed (nothing was lent, all was given back) until
 * the lease was read again. So this process never believes that it holds more than the database says, and keeps working
 * while the database is unreachable, until its term is over.
 */
export class QuotaLeases {
  readonly #slices = new Map<BudgetId, Slice>();
  readonly #store: LeaseStore;
  readonly #statements: LeaseStatements;
  readonly #remainders: Remainders;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #term: LeaseTerm;
  /** How long budgets with plenty left keep idle quota. */
  keptMs = idleReturnMs;

  constructor(store: LeaseStore, term: LeaseTerm, clock: Clock, log: Log) {
    this.#store = store;
    this.#statements = new LeaseStatements(store, clock, log);
    this.#remainders = new Remainders(store, clock);
    this.#term = term;
    this.#clock = clock;
    this.#log = log;
  }

  /** Applies the response to a renewal of the term; after the first era no lease counts before it was read again. */
  renew(askedTick: number, answer: TermAnswer): void {
    if (!this.#term.renew(askedTick, answer)) {
      this.#log.warn("quota.leases_lost", { budgets: this.#slices.size });
      this.#distrust();
    }
  }

  /** The leases of this replica were taken away: each counts as gone until it was read again. */
  #distrust(): void {
    this.#statements.voidAnswers();
    for (const slice of this.#slices.values()) {
      slice.leased = 0;
      slice.isDoubtful = true;
    }
  }

  /**
   * Sets quota aside; returns a promise only when the slice does not cover it.
   * @param tick if the time was just read
   */
  hold(budgetId: BudgetId, amount: Amount, tick = this.#clock.tick()): HoldAnswer | Promise<HoldAnswer> {
    const slice = this.#slice(budgetId);
    slice.lastUsedTick = tick;
    if (!this.#term.holds(tick)) {
      return "unavailable";
    }
    const left = available(slice);
    if (slice.waiters.length === 0 && left >= amount) {
      slice.held = plus(slice.held, amount);
      this.#refillAhead(slice, minus(left, amount), tick);
      return "held";
    }
    if (slice.refusal !== null && tick < slice.refusal.untilTick && amount >= slice.refusal.amount) {
      return answerOf(slice.refusal, amount);
    }
    const usual = BigInt(amount) * callsPerLease;
    if (slice.want < usual) {
      slice.want = usual;
      adjustRefill(slice);
    }
    const answer = addWaiter(slice, amount, holdMsMax);
    this.#startAcquiring(slice);
    return answer;
  }

  /** What has just refused a hold of this budget. */
  refusedBy(budgetId: BudgetId): Remainder | null {
    return this.#slices.get(budgetId)?.refusedBy ?? null;
  }

  /** What is left of budgets, to compare them for a refusal; in their order. @throws when the database does not respond */
  remaindersOf(budgetIds: readonly BudgetId[]): Promise<readonly Remainder[]> {
    return this.#remainders.of(budgetIds);
  }

  /** Ends a hold: what was charged stays pending until its usage row is committed, the rest may be held again. */
  settle(budgetId: BudgetId, held: Amount, charged: Amount): void {
    const slice = this.#slice(budgetId);
    slice.held = minus(slice.held, held);
    slice.pending = plus(slice.pending, charged);
    noteSpent(slice, charged, slice.lastUsedTick);
    // A hold that another budget refuses comes back at once, and frees nothing that was not there.
    if (slice.refusal !== null && available(slice) > slice.refusal.available) {
      slice.refusal = null;
    }
    if (slice.waiters.length > 0 && this.#term.holds(this.#clock.tick())) {
      serveWaiters(slice);
    }
  }

  /**
   * Runs one commit of usage rows. `charges` are what the database did for rows that were new; `totals` is what this
   * process had pending for the batch. A retry does not know what an earlier attempt took from the lease.
   */
  async commit(
    run: () => Promise<{ charges: readonly BudgetCharge[]; totals: ReadonlyMap<BudgetId, bigint>; isRetry: boolean }>,
  ): Promise<void> {
    await this.#statements.exclusively(async () => {
      const { charges, totals, isRetry } = await run();
      const taken = new Map(charges.map((charge) => [charge.budgetId, charge.taken]));
      for (const [budgetId, total] of totals) {
        const slice = this.#slice(budgetId);
        slice.pending = minus(slice.pending, total);
        const takenHere = isRetry ? total : (taken.get(budgetId) ?? 0n);
        slice.leased = minus(slice.leased, takenHere);
        slice.isDoubtful ||= isRetry;
        if (takenHere < total) {
          // The lease row did not cover the rows, so it is empty, whatever we assumed.
          slice.leased = slice.leased > 0 ? 0 : slice.leased;
          slice.isDoubtful = true;
        }
      }
    });
  }

  /**
   * Records what an earlier process of this replica spent but could not record; that part of its lease is still lent.
   */
  owe(totals: ReadonlyMap<BudgetId, bigint>): void {
    for (const [budgetId, total] of totals) {
      const slice = this.#slice(budgetId);
      slice.pending = plus(slice.pending, total);
      slice.isDoubtful = true;
    }
  }

  /**
   * Another replica needs idle quota of this budget: gives back whatever is idle here, and answers the recall. For a
   * while, no more is leased than waiting calls need: more could be what the other one was promised.
   */
  async onRecall(budgetId: BudgetId, recall: bigint): Promise<void> {
    const isKnown = this.#slices.has(budgetId);
    const slice = this.#slice(budgetId);
    slice.sparesUntilTick = this.#clock.tick() + recallMsMax;
    if (!isKnown || this.#statements.isStopped) {
      return;
    }
    if (slice.isDoubtful && !(await this.#statements.resolveDoubt(slice))) {
      return;
    }
    await this.#statements.giveBack(slice, recall);
  }

  /** Quota of this budget was returned or granted somewhere. */
  onBudgetChanged(budgetId: BudgetId): void {
    const slice = this.#slices.get(budgetId);
    if (slice !== undefined) {
      slice.refusal = null;
      slice.wake?.();
    }
  }

  /** Returns what is idle and resolves doubts, until the database fails to respond; called every second. */
  async sweep(): Promise<void> {
    for (const slice of [...this.#slices.values()]) {
      const idleMs = this.#clock.tick() - slice.lastUsedTick;
      if (slice.isDoubtful && !(await this.#statements.resolveDoubt(slice))) {
        return;
      }
      const keptMs = isAmple(slice) ? Math.max(idleReturnMs, this.keptMs) : idleReturnMs;
      if (idleMs > keptMs && slice.waiters.length === 0 && available(slice) > 0) {
        slice.want = 0n;
        slice.pace = 0n;
        adjustRefill(slice);
        if (!(await this.#statements.giveBack(slice, 0n))) {
          return;
        }
      } else if (idleMs > forgetMs && isForgettable(slice, this.#clock.tick())) {
        this.#slices.delete(slice.budgetId);
      }
    }
  }

  /**
   * Looks for leases unknown to this process: a statement whose response was lost may have happened after the lease was
   * read, or in an earlier process of the replica. Differing leases are read again, so that they can be given back.
   */
  async reconcile(): Promise<void> {
    for (const [budgetId, amount] of await this.#store.listLeases()) {
      const slice = this.#slice(budgetId);
      slice.isDoubtful ||= slice.leased !== toAmount(amount);
    }
  }

  /** From now on no statement is sent; resolves when the last one has ended, so that all leases can be given back. */
  async stop(): Promise<void> {
    this.#statements.stop();
    await Promise.all([...this.#slices.values()].map((slice) => slice.turn));
  }

  /** Sums over all slices, for metrics. `idle` is what may be held without asking. */
  totals(): SliceTotals {
    return totalsOf([...this.#slices.values()]);
  }

  #slice(budgetId: BudgetId): Slice {
    let slice = this.#slices.get(budgetId);
    if (slice === undefined) {
      slice = emptySlice(budgetId, this.#clock.tick());
      this.#slices.set(budgetId, slice);
    }
    return slice;
  }

  /** Asks for more before the slice runs dry, so that in the steady state no call waits. */
  #refillAhead(slice: Slice, left: Amount, tick: number): void {
    if (slice.isAcquiring || left >= slice.refillBelow || tick < slice.nextRefillTick || tick < slice.sparesUntilTick) {
      return;
    }
    const isQuick = tick - slice.lastRefillTick < 10 * refillPauseMs;
    slice.want = isQuick && slice.want < wantMax ? slice.want * 2n : slice.want;
    adjustRefill(slice);
    slice.lastRefillTick = tick;
    slice.nextRefillTick = tick + refillPauseMs;
    this.#startAcquiring(slice, true);
  }

  #startAcquiring(slice: Slice, isAhead = false): void {
    if (slice.isAcquiring) {
      return;
    }
    slice.isAcquiring = true;
    // Leases that were requested on a lost connection are read again before they are requested once more.
    throughLosses(() => this.#acquire(slice, isAhead))
      .catch((error: unknown) => {
        this.#log.warn("quota.lease_failed", { budgetId: slice.budgetId, error });
        slice.nextRefillTick = this.#clock.tick() + refillPauseMsAfterFailure;
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

  async #acquire(slice: Slice, isAhead: boolean): Promise<void> {
    if (slice.isDoubtful) {
      await this.#statements.readAgain(slice);
    }
    if (isAhead && slice.waiters.length === 0) {
      await this.#statements.refill(slice);
    }
    const recall = new Recall(this.#clock.tick());
    for (let first = this.#serve(slice); first !== undefined; first = this.#serve(slice)) {
      const shortfall = BigInt(first.amount) - BigInt(available(slice));
      const answer = await this.#statements.lease(slice, shortfall, recall.number);
      if (answer.leasedNow > 0n) {
        slice.lastRefillTick = this.#clock.tick();
        slice.nextRefillTick = slice.lastRefillTick + refillPauseMs;
        recall.restart(slice.lastRefillTick);
      } else if (answer.isRecallAnswered || recall.isOver(this.#clock.tick())) {
        if (await this.#refuse(slice, first, { ...answer, shortfall })) {
          recall.end();
        }
      } else {
        recall.wait(answer.recall, this.#clock.tick());
        await waitForReturns(slice);
      }
    }
  }

  /**
   * Refuses all calls that wait for at least as much as the first. Returns false if enough came back since the database
   * refused: the calls then ask again, until their wait ends.
   */
  async #refuse(
    slice: Slice,
    { amount: least }: Waiter,
    { shortfall, isRecallAnswered }: { shortfall: bigint } & Pick<LeaseAnswer, "isRecallAnswered">,
  ): Promise<boolean> {
    const [remainder] = await this.#store.readRemainders([slice.budgetId]);
    if (remainder === undefined || remainder.free >= shortfall) {
      return false;
    }
    // Quota that was freed until now raises the refused amount, so that the waiting call is tried again; returned
    // quota does not lower it.
    const left = available(slice);
    const refused = plus(shortfall, left);
    const amount = refused > least ? refused : least;
    const untilTick = this.#clock.tick() + refusalMs;
    refuseWaiters(slice, { amount, untilTick, remainder, available: left, isCertain: isRecallAnswered });
    return true;
  }

  /** Serves waiting calls, and returns the first one that does not fit. */
  #serve(slice: Slice): Waiter | undefined {
    if (!this.#term.holds(this.#clock.tick())) {
      throw new Error("the term of this replica is over");
    }
    serveWaiters(slice);
    return slice.waiters[0];
  }
}

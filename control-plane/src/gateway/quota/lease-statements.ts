import type { Quota } from "@sluice/contracts/money";
import { minus, plus, toAmount } from "../../platform/amount.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Log } from "../../platform/log.ts";
import type { LeaseAnswer, LeaseStore } from "./model.ts";
import { adjustRefill, available, type Slice, wanted } from "./slice.ts";

/** What this replica asks of the database about its leases, and what it may believe of the responses. */
export class LeaseStatements {
  readonly #store: LeaseStore;
  readonly #clock: Clock;
  readonly #log: Log;
  /** Commits and re-reads of leases exclude each other, because both learn what the database says about a lease. */
  #turn: Promise<unknown> = Promise.resolve();
  /** Statement numbers start above those of any earlier process of this replica. */
  #statement = BigInt(Date.now()) * 1_000n;
  /** Counts how often everything was put in doubt. A response to an earlier request is void. */
  #doubts = 0;
  #isStopped = false;

  constructor(store: LeaseStore, clock: Clock, log: Log) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** From now on no statement is sent. */
  stop(): void {
    this.#isStopped = true;
  }

  /** The leases were taken away: responses to what was asked before say nothing about those that follow. */
  voidAnswers(): void {
    this.#doubts += 1;
  }

  /**
   * Requests more of a budget: as much as is wanted once it is this statement's turn.
   * @param need the least that helps
   * @param recall as in `LeaseRequest`
   */
  lease(slice: Slice, need: bigint, recall: bigint): Promise<LeaseAnswer> {
    return this.#inTurn(slice, (statement) => this.#lease(slice, { need, recall, statement }));
  }

  /** Requests more before any call waits for it, unless another replica is short of it. */
  async refill(slice: Slice): Promise<void> {
    await this.#inTurn(slice, async (statement) => {
      if (this.#clock.tick() >= slice.sparesUntilTick) {
        // It is not worth recalling idle quota from other replicas.
        await this.#lease(slice, { need: 1n, recall: -1n, statement });
      }
    });
  }

  async #lease(slice: Slice, asked: Record<"need" | "recall" | "statement", bigint>): Promise<LeaseAnswer> {
    const { budgetId } = slice;
    const doubts = this.#doubts;
    const [need, want] = [asked.need as Quota, wanted(slice, this.#clock.tick()) as Quota];
    const answer = await this.#store.lease({ ...asked, budgetId, need, want });
    slice.remaining = answer.remainingAfter;
    adjustRefill(slice);
    if (doubts === this.#doubts) {
      slice.leased = plus(slice.leased, answer.leasedNow);
    }
    return answer;
  }

  /**
   * Gives back what is idle once it is this statement's turn: a loan that is on its way may bring more than is needed, and a
   * replica that has answered a recall must not keep that. Returns whether the database is known to have accepted it. Even
   * if not, it may have, so the quota no longer counts as ours.
   * @param recall as in `LeaseReturn`
   */
  async giveBack(slice: Slice, recall: bigint): Promise<boolean> {
    const { budgetId } = slice;
    try {
      await this.#inTurn(slice, async (statement) => {
        const idle = BigInt(available(slice));
        const amount = idle > 0n ? idle : 0n;
        // Nobody waits for the answer of a replica that has nothing of the budget.
        if (amount === 0n && (recall === 0n || slice.leased === 0)) {
          return;
        }
        slice.returning = plus(slice.returning, amount);
        try {
          await this.#store.giveBack({ budgetId, amount: amount as Quota, recall, statement });
        } finally {
          slice.leased = minus(slice.leased, amount);
          slice.returning = minus(slice.returning, amount);
        }
      });
      return true;
    } catch (error) {
      this.#log.warn("quota.return_failed", { budgetId, error });
      return false;
    }
  }

  /** Reads a doubtful lease again; returns whether the database responded. */
  async resolveDoubt(slice: Slice): Promise<boolean> {
    try {
      await this.readAgain(slice);
      return true;
    } catch (error) {
      this.#log.warn("quota.read_failed", { budgetId: slice.budgetId, error });
      return false;
    }
  }

  /** Reads a lease again. @throws when the database does not respond */
  async readAgain(slice: Slice): Promise<void> {
    await this.#inTurn(slice, (statement) =>
      this.exclusively(async () => {
        const doubts = this.#doubts;
        const leased = await this.#store.readLease(slice.budgetId, statement);
        if (doubts === this.#doubts) {
          slice.leased = toAmount(leased);
          slice.isDoubtful = false;
        }
      }),
    );
  }

  /**
   * Statements on one lease run in sequence, so no response counts twice. A failed one may have taken effect or not.
   */
  #inTurn<T>(slice: Slice, run: (statement: bigint) => Promise<T>): Promise<T> {
    const start = () => {
      if (this.#isStopped) {
        throw new Error("the leases of this process are given up");
      }
      this.#statement += 1n;
      return run(this.#statement);
    };
    const result = slice.turn.then(start).catch((error: unknown) => {
      slice.isDoubtful = true;
      throw error;
    });
    slice.turn = result.catch(() => undefined);
    return result;
  }

  /** Runs something that no reading of a lease may overlap. */
  exclusively<T>(run: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(run, run);
    this.#turn = result.catch(() => undefined);
    return result;
  }
}

import type { Quota } from "@sluice/contracts/money";
import { reserveQuota } from "../admit/reserve-quota.ts";
import type { Hold, Principal } from "../model.ts";
import type { QuotaLeases } from "../quota/leases.ts";

const nothing = 0n as Quota;

/**
 * The holds of a session. Each one covers the dearest response that the model can give; as many are kept as responses
 * run, and one while none does, so that a response that begins by itself is covered too. What is charged is charged
 * against one of them, and the session only goes on once it was replaced.
 */
export class SessionFunds {
  readonly #leases: QuotaLeases;
  readonly #principal: Principal;
  readonly #cost: Quota;
  #holds: Hold[] = [];
  #isClosed = false;

  /** @param cost what the dearest response can cost, before a multiplier */
  constructor(leases: QuotaLeases, principal: Principal, cost: Quota) {
    this.#leases = leases;
    this.#principal = principal;
    this.#cost = cost;
  }

  /** Takes over a hold of the same size. */
  add(hold: Hold): void {
    this.#holds.push(hold);
  }

  /**
   * Sees to it that so many holds are there, no more and no less.
   * @throws AppError `insufficient_quota`, `temporarily_unavailable`
   */
  async keep(count: number): Promise<void> {
    while (this.#holds.length > count) {
      this.#release(this.#holds.pop());
    }
    while (this.#holds.length < count && !this.#isClosed) {
      const hold = await reserveQuota(this.#leases, this.#principal, this.#cost);
      if (this.#isClosed) {
        this.#release(hold);
      } else {
        this.#holds.push(hold);
      }
    }
  }

  /** A hold to charge against; it belongs to the caller now. Null when there is none. */
  take(): Hold | null {
    return this.#holds.pop() ?? null;
  }

  /** Gives everything back; what is being fetched comes back too. */
  close(): void {
    this.#isClosed = true;
    for (const hold of this.#holds.splice(0)) {
      this.#release(hold);
    }
  }

  #release(hold: Hold | undefined): void {
    if (hold !== undefined) {
      this.#leases.settle(hold.userBudgetId, hold.userAmount, nothing);
      if (hold.keyBudgetId !== null) {
        this.#leases.settle(hold.keyBudgetId, hold.keyAmount, nothing);
      }
    }
  }
}

import type { Amount } from "../../platform/amount.ts";
import { reserveQuota } from "../admit/reserve-quota.ts";
import type { Hold, Principal } from "../model.ts";
import type { QuotaLeases } from "../quota/leases.ts";
import { releaseHold } from "../settle/settle-quota.ts";

/**
 * The holds of a session. Each one covers the most expensive response that the model can give; there are as many as
 * running responses, and one while none runs, so that a response that begins by itself is covered too. A charge uses
 * one of them up, and the session only continues once that one was replaced.
 */
export class SessionFunds {
  readonly #leases: QuotaLeases;
  readonly #principal: Principal;
  readonly #cost: Amount;
  #holds: Hold[] = [];
  #isClosed = false;

  /** @param cost what the most expensive response can cost, before a multiplier */
  constructor(leases: QuotaLeases, principal: Principal, cost: Amount) {
    this.#leases = leases;
    this.#principal = principal;
    this.#cost = cost;
  }

  /** Takes over a hold of the same size. */
  add(hold: Hold): void {
    this.#holds.push(hold);
  }

  /**
   * Keeps exactly this many holds.
   * @throws AppError `insufficient_quota`, `spend_limit_reached`, `temporarily_unavailable`
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

  /** Removes a hold to charge against; it now belongs to the caller. Null when there is none. */
  take(): Hold | null {
    return this.#holds.pop() ?? null;
  }

  /** Gives everything back, including holds that are still being acquired. */
  close(): void {
    this.#isClosed = true;
    for (const hold of this.#holds.splice(0)) {
      this.#release(hold);
    }
  }

  #release(hold: Hold | undefined): void {
    if (hold !== undefined) {
      releaseHold(this.#leases, hold);
    }
  }
}

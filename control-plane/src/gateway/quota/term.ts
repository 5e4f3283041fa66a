import type { TermAnswer } from "./model.ts";

/**
 * How long this replica may let calls in, by its own clock: from the moment before it asked. The database counts from
 * when it was asked, and waits a quarter longer, so that it never considers the term over before we do.
 */
export class LeaseTerm {
  readonly lengthMs: number;
  #endsTick = Number.NEGATIVE_INFINITY;
  #era: string | null = null;

  constructor(lengthMs: number) {
    this.lengthMs = lengthMs;
  }

  /** What the database called the present leases of this replica; null before it was asked for the first time. */
  get era(): string | null {
    return this.#era;
  }

  holds(tick: number): boolean {
    return tick < this.#endsTick;
  }

  /**
   * Takes the answer to a renewal that was asked for at a tick.
   * @returns false when the leases of this replica were given back by somebody else
   */
  renew(askedTick: number, answer: TermAnswer): boolean {
    const isSameEra = this.#era === null || this.#era === answer.era;
    this.#era = answer.era;
    if (!isSameEra) {
      this.#endsTick = Number.NEGATIVE_INFINITY;
    }
    if (answer.isRenewed) {
      this.#endsTick = Math.max(this.#endsTick, askedTick + this.lengthMs);
    }
    return isSameEra;
  }
}

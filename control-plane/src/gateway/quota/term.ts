import type { TermAnswer } from "./model.ts";

/**
 * How long this replica may admit calls, by its own clock, from the moment before it asked. The database counts from
 * when it was asked, and waits a quarter longer, so that it never considers the term over before we do.
 */
export class LeaseTerm {
  readonly lengthMs: number;
  #endsTick = Number.NEGATIVE_INFINITY;
  #era: string | null = null;

  constructor(lengthMs: number) {
    this.lengthMs = lengthMs;
  }

  /** The database's identifier for this replica's current leases; null before the first renewal. */
  get era(): string | null {
    return this.#era;
  }

  holds(tick: number): boolean {
    return tick < this.#endsTick;
  }

  /**
   * Applies the response to a renewal that was requested at a tick.
   * @returns false when someone else gave back this replica's leases
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

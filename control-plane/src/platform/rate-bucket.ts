const minuteMs = 60_000;

/**
 * Allows `limit` units in a period, a minute unless said otherwise, all at once if need be, and refills evenly. Taking
 * may go below zero: what a call really used is known only after it was let in.
 */
export class RateBucket {
  readonly limit: number;
  readonly #periodMs: number;
  #level: number;
  #tick: number | null = null;

  constructor(limit: number, periodMs = minuteMs) {
    this.limit = limit;
    this.#periodMs = periodMs;
    this.#level = limit;
  }

  /** The same bucket while the limit is the same, a new one when it changed, null without a limit. */
  static adjusted(
    current: RateBucket | null,
    perPeriod: number | null,
    replicas: number,
    periodMs = minuteMs,
  ): RateBucket | null {
    if (perPeriod === null) {
      return null;
    }
    const limit = Math.max(1, Math.floor(perPeriod / replicas));
    return current !== null && current.limit === limit ? current : new RateBucket(limit, periodMs);
  }

  has(amount: number, tick: number): boolean {
    this.#refill(tick);
    return this.#level >= amount;
  }

  take(amount: number, tick: number): void {
    this.#refill(tick);
    this.#level -= amount;
  }

  /** Whether nothing of it is taken, so that it need not be remembered. */
  isFull(tick: number): boolean {
    return this.has(this.limit, tick);
  }

  /** Seconds until `amount` can be taken, at least 1. */
  secondsUntil(amount: number, tick: number): number {
    this.#refill(tick);
    return Math.max(1, Math.ceil(((amount - this.#level) * this.#periodMs) / (this.limit * 1_000)));
  }

  #refill(tick: number): void {
    if (this.#tick !== null) {
      this.#level = Math.min(this.limit, this.#level + ((tick - this.#tick) * this.limit) / this.#periodMs);
    }
    this.#tick = tick;
  }
}

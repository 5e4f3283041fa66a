/**
 * Allows `limit` units in a minute, all at once if need be, and refills evenly. Taking may go below zero: what a call
 * really used is known only after it was let in.
 */
export class RateBucket {
  readonly limit: number;
  #level: number;
  #tick: number | null = null;

  constructor(limit: number) {
    this.limit = limit;
    this.#level = limit;
  }

  /** The same bucket while the limit is the same, a new one when it changed, null without a limit. */
  static adjusted(current: RateBucket | null, perMinute: number | null, replicas: number): RateBucket | null {
    if (perMinute === null) {
      return null;
    }
    const limit = Math.max(1, Math.floor(perMinute / replicas));
    return current !== null && current.limit === limit ? current : new RateBucket(limit);
  }

  has(amount: number, tick: number): boolean {
    this.#refill(tick);
    return this.#level >= amount;
  }

  take(amount: number, tick: number): void {
    this.#refill(tick);
    this.#level -= amount;
  }

  /** Seconds until `amount` can be taken, at least 1. */
  secondsUntil(amount: number, tick: number): number {
    this.#refill(tick);
    return Math.max(1, Math.ceil(((amount - this.#level) * 60) / this.limit));
  }

  #refill(tick: number): void {
    if (this.#tick !== null) {
      this.#level = Math.min(this.limit, this.#level + ((tick - this.#tick) * this.limit) / 60_000);
    }
    this.#tick = tick;
  }
}

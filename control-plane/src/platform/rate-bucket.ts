const minuteMs = 60_000;

/**
 * Allows this many units per period, a minute by default, all at once if need be, and refills evenly. A rate below one
 * allows one, and the next once enough has accumulated. Taking may go below zero, because the real use of a call is
 * known only after it was admitted.
 */
export class RateBucket {
  /** The maximum that can accumulate. */
  readonly limit: number;
  readonly #perPeriod: number;
  readonly #periodMs: number;
  #level: number;
  #tick: number | null = null;

  constructor(perPeriod: number, periodMs = minuteMs) {
    this.limit = Math.max(1, Math.floor(perPeriod));
    this.#perPeriod = perPeriod;
    this.#periodMs = periodMs;
    this.#level = this.limit;
  }

  /** Returns the same bucket if the limit has not changed, a new one if it has, and null without a limit. */
  static adjusted(
    current: RateBucket | null,
    perPeriod: number | null,
    replicas: number,
    periodMs = minuteMs,
  ): RateBucket | null {
    return perPeriod === null ? null : RateBucket.shared(current, perPeriod, replicas, periodMs);
  }

  /** The same for a limit that always holds. */
  static shared(current: RateBucket | null, perPeriod: number, replicas: number, periodMs = minuteMs): RateBucket {
    const share = perPeriod / replicas;
    return current !== null && current.#perPeriod === share ? current : new RateBucket(share, periodMs);
  }

  has(amount: number, tick: number): boolean {
    this.#refill(tick);
    return this.#level >= amount;
  }

  take(amount: number, tick: number): void {
    this.#refill(tick);
    this.#level -= amount;
  }

  /** How many whole units can be taken now. */
  left(tick: number): number {
    this.#refill(tick);
    return Math.max(0, Math.floor(this.#level));
  }

  /** Milliseconds until the bucket is full if nothing is taken, 0 if it is. */
  msUntilFull(tick: number): number {
    this.#refill(tick);
    return Math.ceil(((this.limit - this.#level) * this.#periodMs) / this.#perPeriod);
  }

  /** Whether the bucket is full, so that it need not be kept. */
  isFull(tick: number): boolean {
    return this.has(this.limit, tick);
  }

  /** Seconds until `amount` can be taken, at least 1. */
  secondsUntil(amount: number, tick: number): number {
    this.#refill(tick);
    return Math.max(1, Math.ceil(((amount - this.#level) * this.#periodMs) / (this.#perPeriod * 1_000)));
  }

  #refill(tick: number): void {
    if (this.#tick !== null) {
      this.#level = Math.min(this.limit, this.#level + ((tick - this.#tick) * this.#perPeriod) / this.#periodMs);
    }
    this.#tick = tick;
  }
}

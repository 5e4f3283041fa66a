const minuteMs = 60_000;

/**
 * Allows this many units per period, a minute by default, all at once if need be, and refills evenly. A rate below one
 * allows one, and the next once enough has accumulated. Taking may go below zero, because the real use of a call is
 * known only after it was admitted.
 */
export class RateBucket {
  /** What all replicas may take together. */
  readonly #whole: number;
  readonly #periodMs: number;
  #share = 1;
  #perPeriod: number;
  #level: number;
  #limit: number;
  #tick: number | null = null;

  constructor(perPeriod: number, periodMs = minuteMs) {
    this.#whole = perPeriod;
    this.#perPeriod = perPeriod;
    this.#limit = mostOf(perPeriod);
    this.#periodMs = periodMs;
    this.#level = this.#limit;
  }

  /**
   * Returns the same bucket if the limit has not changed, a new one if it has, and null without a limit.
   * @param share the part of the limit that is this replica's. A larger one lets more accumulate from now on; what a
   * smaller one can't hold is lost, so that nothing is allowed twice
   */
  static adjusted(
    current: RateBucket | null,
    perPeriod: number | null,
    share: number,
    periodMs = minuteMs,
  ): RateBucket | null {
    return perPeriod === null ? null : RateBucket.shared(current, perPeriod, share, periodMs);
  }

  /** The same for a limit that always holds. */
  static shared(current: RateBucket | null, perPeriod: number, share: number, periodMs = minuteMs): RateBucket {
    if (current === null || current.#whole !== perPeriod) {
      const bucket = new RateBucket(perPeriod, periodMs);
      bucket.#resize(share);
      return bucket;
    }
    if (current.#share !== share) {
      current.#resize(share);
    }
    return current;
  }

  /** The maximum that can accumulate. */
  get limit(): number {
    return this.#limit;
  }

  /** Whether more than half of what can accumulate was taken. */
  isLow(tick: number): boolean {
    this.#refill(tick);
    return this.#level * 2 < this.#limit;
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
    return Math.ceil(((this.#limit - this.#level) * this.#periodMs) / this.#perPeriod);
  }

  /** Whether the bucket is full, so that it need not be kept. */
  isFull(tick: number): boolean {
    return this.has(this.#limit, tick);
  }

  /** Seconds until `amount` can be taken, at least 1. */
  secondsUntil(amount: number, tick: number): number {
    this.#refill(tick);
    return Math.max(1, Math.ceil(((amount - this.#level) * this.#periodMs) / (this.#perPeriod * 1_000)));
  }

  #resize(share: number): void {
    this.#share = share;
    this.#perPeriod = this.#whole * share;
    this.#limit = mostOf(this.#perPeriod);
    this.#level = Math.min(this.#level, this.#limit);
  }

  /** A tick that was read before another one adds nothing. */
  #refill(tick: number): void {
    if (this.#tick === null) {
      this.#tick = tick;
    } else if (tick > this.#tick) {
      this.#level = Math.min(this.#limit, this.#level + ((tick - this.#tick) * this.#perPeriod) / this.#periodMs);
      this.#tick = tick;
    }
  }
}

/** A third of three is one, whatever the computer makes of a third. */
function mostOf(perPeriod: number): number {
  return Math.max(1, Math.floor(perPeriod + 1e-9));
}

import { addressGroup } from "./client-address.ts";
import { RateBucket } from "./rate-bucket.ts";

export type AddressLimits = {
  /** The limit for one address in a minute. */
  readonly perAddress: number;
  /** The limit for all addresses together in a minute. */
  readonly inAll: number;
};

/** How many addresses are remembered; the one silent for longest is dropped first. */
const addressesMax = 20_000;

/**
 * Limits how often strangers may do something that costs them nothing, in this process. Those who ask too often do not
 * use up the share of others.
 */
export class AddressLimiter {
  readonly #limits: AddressLimits;
  readonly #all: RateBucket;
  readonly #ofAddress = new Map<string, RateBucket>();

  constructor(limits: AddressLimits) {
    this.#limits = limits;
    this.#all = new RateBucket(limits.inAll);
  }

  /**
   * Counts one attempt, if it is allowed.
   * @param tick milliseconds of a monotonic clock
   * @returns null, or how many seconds to wait
   */
  tryTake(ip: string, tick: number): number | null {
    const group = addressGroup(ip);
    const own = this.#ofAddress.get(group) ?? new RateBucket(this.#limits.perAddress);
    this.#ofAddress.delete(group);
    this.#ofAddress.set(group, own);
    if (this.#ofAddress.size > addressesMax) {
      const [oldest] = this.#ofAddress.keys();
      this.#ofAddress.delete(oldest ?? group);
    }
    for (const bucket of [own, this.#all]) {
      if (!bucket.has(1, tick)) {
        return bucket.secondsUntil(1, tick);
      }
    }
    own.take(1, tick);
    this.#all.take(1, tick);
    return null;
  }
}

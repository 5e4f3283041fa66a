import type { GatewayUserId } from "@sluice/contracts/ids";

/** How long what one customer saw waits for a second who sees the same. */
export const sightingMsMax = 10_000;

/** The two customers who last saw something of a channel that a request may have caused. */
export class Witnesses {
  #latest: GatewayUserId | null = null;
  #latestTick = 0;
  #other: GatewayUserId | null = null;
  #otherTick = 0;

  /** Notes what a customer saw; whether another one saw it too, a short while ago. */
  add(customer: GatewayUserId, tick: number): boolean {
    if (this.#latest !== customer) {
      this.#other = this.#latest;
      this.#otherTick = this.#latestTick;
      this.#latest = customer;
    }
    this.#latestTick = tick;
    return this.#other !== null && tick - this.#otherTick <= sightingMsMax;
  }
}

import type { GatewayUserId } from "@sluice/contracts/ids";

/** How long one customer's observation waits for a second customer's. */
export const sightingMsMax = 10_000;

/** The last two customers who observed something about a channel that a request may have caused. */
export class Witnesses {
  #latest: GatewayUserId | null = null;
  #latestTick = 0;
  #other: GatewayUserId | null = null;
  #otherTick = 0;

  /** Records a customer's observation; returns whether another customer made the same one shortly before. */
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

import type { GatewayUserId } from "@sluice/contracts/ids";
import { sightingMsMax } from "./witnesses.ts";

/** How often a pause is tested that only customers reported. */
const probeMs = 5_000;
/** How long a customer's reports are ignored after a pause that they reported proved wrong. */
const doubtMs = 600_000;
/** How many customers are remembered; further ones replace those heard of longest ago. */
const signsMax = 64;

export type Pause = {
  readonly untilTick: number;
  /** True if the provider limits the rate of calls; false if it is down. */
  readonly isLimit: boolean;
};

/** What one customer met at the channel. */
type Sign = { pause: Pause; seenTick: number; doubtedUntilTick: number };

const none: Pause = { untilTick: 0, isLimit: false };

/**
 * The pauses of one channel. A pause that the provider certainly caused applies to everyone, and a pause that a single
 * customer met applies to that customer. A pause that two customers have met applies to everyone too, but only
 * provisionally, because two accounts may belong to one person: every few seconds a call of a customer who has not met
 * it is let through. If it succeeds, the pause is over and the reports of those customers are ignored for a while; if
 * it fails in the same way, the pause has one more witness.
 */
export class Pauses {
  #certain = none;
  #vouched = none;
  #vouchedSinceTick = 0;
  #probeTick = 0;
  /** From this time on, no customer is blocked. */
  #quietTick = 0;
  readonly #signs = new Map<GatewayUserId, Sign>();

  /** The pause that currently blocks the customer; null when there is none. */
  of(customer: GatewayUserId, tick: number): Pause | null {
    if (tick >= this.#quietTick) {
      return null;
    }
    const own = this.#signs.get(customer)?.pause ?? none;
    const longest = longer(longer(own, this.#vouchedFor(customer, tick)), this.#certain);
    return tick < longest.untilTick ? longest : null;
  }

  /** An admitted call begins; returns whether it tests a pause. */
  begin(customer: GatewayUserId, tick: number): boolean {
    const isProbe = tick < this.#vouched.untilTick && !this.#isInvolved(customer, tick);
    if (isProbe) {
      this.#probeTick = tick + probeMs;
    }
    return isProbe;
  }

  /** A probe succeeded: the pause did not apply to the whole channel. */
  lift(tick: number): void {
    if (tick >= this.#vouched.untilTick) {
      return;
    }
    this.#vouched = none;
    for (const sign of this.#signs.values()) {
      if (this.#hasVouched(sign)) {
        sign.doubtedUntilTick = tick + doubtMs;
      }
    }
  }

  /** A pause that only the provider can have caused. */
  addCertain(pause: Pause): void {
    this.#certain = longer(this.#certain, pause);
    this.#quietTick = Math.max(this.#quietTick, pause.untilTick);
  }

  /** A pause that a customer's request may have caused. */
  addSign(customer: GatewayUserId, pause: Pause, tick: number): void {
    const isActive = tick < this.#vouched.untilTick;
    const isNew = !this.#isInvolved(customer, tick);
    const sign = this.#signOf(customer);
    sign.pause = longer(sign.pause, pause);
    sign.seenTick = tick;
    this.#quietTick = Math.max(this.#quietTick, pause.untilTick);
    if (isActive ? isNew : tick >= sign.doubtedUntilTick && this.#isSeenByOther(customer, tick)) {
      if (!isActive) {
        this.#vouchedSinceTick = tick;
        this.#probeTick = tick + probeMs;
      }
      this.#vouched = longer(this.#vouched, pause);
    }
  }

  /** For a customer who has not met it, a provisional pause lasts until the next probe. */
  #vouchedFor(customer: GatewayUserId, tick: number): Pause {
    const { untilTick, isLimit } = this.#vouched;
    return this.#probeTick >= untilTick || this.#isInvolved(customer, tick)
      ? this.#vouched
      : { untilTick: this.#probeTick, isLimit };
  }

  /** Whether the customer's report counts for the pause, or is ignored. */
  #isInvolved(customer: GatewayUserId, tick: number): boolean {
    const sign = this.#signs.get(customer);
    return sign !== undefined && (tick < sign.doubtedUntilTick || this.#hasVouched(sign));
  }

  #hasVouched({ seenTick }: Sign): boolean {
    return seenTick >= this.#vouchedSinceTick - sightingMsMax;
  }

  #isSeenByOther(customer: GatewayUserId, tick: number): boolean {
    return this.#signs
      .entries()
      .some(
        ([other, { seenTick, doubtedUntilTick }]) =>
          other !== customer && tick - seenTick <= sightingMsMax && tick >= doubtedUntilTick,
      );
  }

  #signOf(customer: GatewayUserId): Sign {
    const sign = this.#signs.get(customer) ?? { pause: none, seenTick: 0, doubtedUntilTick: 0 };
    this.#signs.delete(customer);
    const [eldest] = this.#signs.keys();
    if (this.#signs.size >= signsMax && eldest !== undefined) {
      this.#signs.delete(eldest);
    }
    this.#signs.set(customer, sign);
    return sign;
  }
}

/** A later request never shortens a pause. */
function longer(one: Pause, other: Pause): Pause {
  return one.untilTick > other.untilTick ? one : other;
}

import type { ChannelId } from "@sluice/contracts/ids";
import type { Clock } from "../../platform/clock.ts";
import { RateBucket } from "../../platform/rate-bucket.ts";
import type { Channel } from "./model.ts";

/** The circuit looks at this much of the past, in this many parts. */
const windowMs = 10_000;
const callsMin = 20;
const failureShareMax = 0.5;
const openMs = 5_000;
const cooldownMsDefault = 1_000;
const cooldownMsMax = 60_000;

type Load = {
  inFlight: number;
  requests: RateBucket | null;
  cooldownUntilTick: number;
  openUntilTick: number;
  /** One call is let through a circuit that was open, to see whether the channel is back. */
  isProbing: boolean;
  windowStartTick: number;
  calls: number;
  failures: number;
};

/** What this replica knows of how each channel is doing: its caps, its cooldown, its circuit. */
export class ChannelLoads {
  readonly #loads = new Map<ChannelId, Load>();
  readonly #clock: Clock;
  #replicas = 1;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Caps are shared evenly between the replicas that live. */
  setReplicas(count: number): void {
    this.#replicas = Math.max(1, count);
  }

  /** Whether a call may go to the channel now. */
  isOpen(channel: Channel): boolean {
    const load = this.#load(channel);
    const tick = this.#clock.tick();
    if (tick < load.cooldownUntilTick || tick < load.openUntilTick || (load.openUntilTick > 0 && load.isProbing)) {
      return false;
    }
    if (channel.concurrencyMax !== null && load.inFlight >= this.#share(channel.concurrencyMax)) {
      return false;
    }
    return load.requests === null || load.requests.has(1, tick);
  }

  /** Whether a channel that is not open is merely busy: at a cap, or in a pause that it asked for. */
  isBusy(channel: Channel): boolean {
    return this.#clock.tick() >= this.#load(channel).openUntilTick;
  }

  begin(channel: Channel): void {
    const load = this.#load(channel);
    load.inFlight += 1;
    load.requests?.take(1, this.#clock.tick());
    load.isProbing = load.openUntilTick > 0;
  }

  /** The channel has answered well or badly; `isFailure` counts against it. */
  end(channel: Channel, isFailure: boolean): void {
    const load = this.#load(channel);
    const tick = this.#clock.tick();
    load.inFlight -= 1;
    if (tick - load.windowStartTick > windowMs) {
      load.windowStartTick = tick;
      load.calls = 0;
      load.failures = 0;
    }
    load.calls += 1;
    if (!isFailure) {
      load.openUntilTick = 0;
      load.isProbing = false;
      return;
    }
    load.failures += 1;
    const isProbeFailed = load.isProbing;
    load.isProbing = false;
    if (isProbeFailed || (load.calls >= callsMin && load.failures / load.calls >= failureShareMax)) {
      load.openUntilTick = tick + openMs;
    }
  }

  /** The call ended without telling anything about the channel, for example because the client left. */
  release(channel: Channel): void {
    const load = this.#load(channel);
    load.inFlight -= 1;
    load.isProbing = false;
  }

  /** The channel asked for a pause; jitter keeps replicas from coming back in step. */
  coolDown(channel: Channel, retryAfterSeconds: number | null, random: () => number): void {
    const askedMs = retryAfterSeconds === null ? cooldownMsDefault : Math.min(retryAfterSeconds * 1000, cooldownMsMax);
    this.#load(channel).cooldownUntilTick = this.#clock.tick() + askedMs * (1 + random() * 0.2);
  }

  /** Seconds until the first of these channels is out of its pause, at least 1. */
  retryAfterSeconds(channels: readonly Channel[]): number {
    const tick = this.#clock.tick();
    let waitMs = Number.POSITIVE_INFINITY;
    for (const channel of channels) {
      const load = this.#load(channel);
      waitMs = Math.min(waitMs, Math.max(load.cooldownUntilTick, load.openUntilTick) - tick);
    }
    return Number.isFinite(waitMs) ? Math.max(1, Math.ceil(waitMs / 1000)) : 1;
  }

  #share(limit: number): number {
    return Math.max(1, Math.floor(limit / this.#replicas));
  }

  #load(channel: Channel): Load {
    let load = this.#loads.get(channel.id);
    if (load === undefined) {
      load = {
        inFlight: 0,
        requests: null,
        cooldownUntilTick: 0,
        openUntilTick: 0,
        isProbing: false,
        windowStartTick: 0,
        calls: 0,
        failures: 0,
      };
      this.#loads.set(channel.id, load);
    }
    load.requests = RateBucket.adjusted(load.requests, channel.requestsPerMinute, this.#replicas);
    return load;
  }
}

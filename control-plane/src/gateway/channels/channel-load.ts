import type { ChannelId } from "@sluice/contracts/ids";
import type { Clock } from "../../platform/clock.ts";
import { RateBucket } from "../../platform/rate-bucket.ts";
import { FailureWindow } from "./failure-window.ts";
import type { Channel } from "./model.ts";

const openMs = 5_000;
const cooldownMsDefault = 1_000;
const cooldownMsMax = 60_000;

type Load = {
  inFlight: number;
  requests: RateBucket | null;
  cooldownUntilTick: number;
  /** When the open circuit lets a probe through; 0 while it is closed. */
  openUntilTick: number;
  /** One call is let through a circuit that was open, to see whether the channel is back. */
  isProbing: boolean;
  readonly window: FailureWindow;
  /** Since the traffic of the channel was last taken. */
  calls: number;
  failures: number;
  lastFailure: string | null;
  wasTakenOpen: boolean;
};

/** One attempt at a channel, from `begin` until `end` or `release`, whichever comes first; a second one changes nothing. */
export type ChannelUse = {
  readonly channel: Channel;
  readonly startedTick: number;
  isProbe: boolean;
  isOver: boolean;
};

/** What this replica saw of the calls through one exit node since it last looked. */
export type ExitTraffic = {
  readonly nodeCode: string;
  readonly calls: number;
  readonly failures: number;
  /** The result of the last call that failed; null when none did. */
  readonly lastFailure: string | null;
  /** The circuit is open: the replica sends nothing there, but for a probe now and then. */
  readonly isOpen: boolean;
};

/** What this replica knows of how each channel is doing: its caps, its cooldown, its circuit. */
export class ChannelLoads {
  readonly #loads = new Map<ChannelId, Load>();
  /** The channels of exit nodes that were called. */
  readonly #nodes = new Map<ChannelId, string>();
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
    if (tick < load.cooldownUntilTick || tick < load.openUntilTick || load.isProbing) {
      return false;
    }
    if (channel.concurrencyMax !== null && load.inFlight >= this.#share(channel.concurrencyMax)) {
      return false;
    }
    return load.requests === null || load.requests.has(1, tick);
  }

  /** Whether a channel that is not open is merely busy, at a cap or in a pause that it asked for, and not broken. */
  isBusy(channel: Channel): boolean {
    return this.#load(channel).openUntilTick === 0;
  }

  begin(channel: Channel): ChannelUse {
    const load = this.#load(channel);
    load.inFlight += 1;
    const startedTick = this.#clock.tick();
    load.requests?.take(1, startedTick);
    const isProbe = load.openUntilTick > 0;
    load.isProbing = isProbe;
    return { channel, startedTick, isProbe, isOver: false };
  }

  /** An answer has begun: a probe has told what it was sent for, however long its stream may still take. */
  answered(use: ChannelUse): void {
    if (use.isProbe && !use.isOver) {
      use.isProbe = false;
      const load = this.#load(use.channel);
      load.isProbing = false;
      load.openUntilTick = 0;
      load.window.clear();
    }
  }

  /** The channel has answered well or badly; `isFailure` counts against it, and `result` says what it was. */
  end(use: ChannelUse, isFailure: boolean, result: string | null = null): void {
    if (use.isOver) {
      return;
    }
    this.#count(use.channel, isFailure, result);
    if (!isFailure) {
      this.answered(use);
    }
    const load = this.#leave(use);
    const tick = this.#clock.tick();
    if (use.isProbe) {
      load.openUntilTick = tick + openMs;
    } else if (load.openUntilTick === 0) {
      // While the circuit is open, calls from before say nothing new: only a probe closes it.
      load.window.add(isFailure, tick);
      if (isFailure && load.window.isBad()) {
        load.openUntilTick = tick + openMs;
      }
    }
  }

  /** The call ended without telling anything about the channel, for example because the client left. */
  release(use: ChannelUse): void {
    if (!use.isOver) {
      this.#leave(use);
    }
  }

  /** The channel asked for a pause; jitter keeps replicas from coming back in step. */
  coolDown(channel: Channel, retryAfterSeconds: number | null, random: () => number): void {
    const askedMs = retryAfterSeconds === null ? cooldownMsDefault : Math.min(retryAfterSeconds * 1000, cooldownMsMax);
    const load = this.#load(channel);
    const untilTick = this.#clock.tick() + askedMs * (1 + random() * 0.2);
    load.cooldownUntilTick = Math.max(load.cooldownUntilTick, untilTick);
  }

  /** What was seen of exit nodes since the last time; without those of which there is nothing new. */
  takeExitTraffic(): ExitTraffic[] {
    const taken: ExitTraffic[] = [];
    for (const [id, nodeCode] of this.#nodes) {
      const load = this.#loads.get(id);
      if (load === undefined) {
        continue;
      }
      const isOpen = load.openUntilTick > 0;
      if (load.calls > 0 || isOpen || load.wasTakenOpen) {
        const { calls, failures, lastFailure } = load;
        taken.push({ nodeCode, calls, failures, lastFailure, isOpen });
        Object.assign(load, { calls: 0, failures: 0, lastFailure: null, wasTakenOpen: isOpen });
      }
    }
    return taken;
  }

  /** Seconds until the first of these channels may be worth a try, at least 1. */
  retryAfterSeconds(channels: readonly Channel[]): number {
    const tick = this.#clock.tick();
    let waitMs = Number.POSITIVE_INFINITY;
    for (const channel of channels) {
      const load = this.#load(channel);
      const isEmpty = load.requests?.has(1, tick) === false;
      const refillMs = isEmpty ? (load.requests?.secondsUntil(1, tick) ?? 0) * 1000 : 0;
      waitMs = Math.min(waitMs, Math.max(load.cooldownUntilTick - tick, load.openUntilTick - tick, refillMs));
    }
    return Number.isFinite(waitMs) ? Math.max(1, Math.ceil(waitMs / 1000)) : 1;
  }

  #count(channel: Channel, isFailure: boolean, result: string | null): void {
    if (channel.exitNode === null) {
      return;
    }
    this.#nodes.set(channel.id, channel.exitNode);
    const load = this.#load(channel);
    load.calls += 1;
    if (isFailure) {
      load.failures += 1;
      load.lastFailure = result;
    }
  }

  #leave(use: ChannelUse): Load {
    const load = this.#load(use.channel);
    use.isOver = true;
    load.inFlight -= 1;
    if (use.isProbe) {
      load.isProbing = false;
    }
    return load;
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
        window: new FailureWindow(),
        calls: 0,
        failures: 0,
        lastFailure: null,
        wasTakenOpen: false,
      };
      this.#loads.set(channel.id, load);
    }
    load.requests = RateBucket.adjusted(load.requests, channel.requestsPerMinute, this.#replicas);
    return load;
  }
}

import type { ChannelId, CredentialId, GatewayUserId } from "@sluice/contracts/ids";
import type { Clock } from "../../platform/clock.ts";
import { RateBucket } from "../../platform/rate-bucket.ts";
import type { AttemptFailure } from "../model.ts";
import { concernsCredential, refusalOf } from "./credential-faults.ts";
import { CredentialLoads, type CredentialMarks, type CredentialUse } from "./credential-loads.ts";
import { isCircuitOpen, type Load, newLoad } from "./load.ts";
import type { Channel, ChannelCredential } from "./model.ts";
import type { Pause } from "./pauses.ts";
import { chooseByWeight } from "./weighted-choice.ts";

const none: ReadonlySet<CredentialId> = new Set();
const openMs = 5_000;
const cooldownMsDefault = 1_000;
const cooldownMsMax = 60_000;

/**
 * One attempt at a channel, from `begin` until `end` or `release`, whichever comes first; a second one has no effect.
 */
export type ChannelUse = {
  readonly channel: Channel;
  readonly load: Load;
  readonly customer: GatewayUserId;
  readonly startedTick: number;
  /** Null if the channel needs none. */
  readonly credential: ChannelCredential | null;
  readonly credentialUse: CredentialUse | null;
  /** This attempt tests whether a pause applies to the whole channel. */
  readonly isPauseProbe: boolean;
  isProbe: boolean;
  isOver: boolean;
};

/** What this replica observed about the calls through one exit node since its last report. */
export type ExitTraffic = {
  readonly nodeCode: string;
  readonly calls: number;
  readonly failures: number;
  /** The result of the last failed call; null when none failed. */
  readonly lastFailure: string | null;
  /** The circuit is open: the replica sends nothing there except an occasional probe. */
  readonly isOpen: boolean;
};

/**
 * What this replica knows about the state of each channel: its caps, its pauses, its circuit.
 *
 * A failure that a request may have caused only counts against a channel once two customers have met it. Until then the
 * channel is closed only for the one who did, so that nobody can close it for others. A pause that two have met is
 * tested again.
 */
export class ChannelLoads {
  readonly #loads = new Map<ChannelId, Load>();
  /** The same by the channels of the catalog, which are found sooner than their numbers. */
  readonly #latest = new WeakMap<Channel, Load>();
  /** The channels of exit nodes that were called. */
  readonly #nodes = new Map<ChannelId, string>();
  readonly #clock: Clock;
  readonly #credentials: CredentialLoads;
  #replicas = 1;

  constructor(clock: Clock, marks: CredentialMarks) {
    this.#clock = clock;
    this.#credentials = new CredentialLoads(marks);
  }

  /** Caps are divided evenly among live replicas. */
  setReplicas(count: number): void {
    this.#replicas = Math.max(1, count);
    this.#credentials.setReplicas(this.#replicas);
  }

  /**
   * Whether a call of the customer may go to the channel now.
   * @param tried the credentials that the call has used already
   * @param tick if the time was just read
   */
  isOpen(
    channel: Channel,
    customer: GatewayUserId,
    tried: ReadonlySet<CredentialId> = none,
    tick = this.#clock.tick(),
  ): boolean {
    if (channel.isResting) {
      return false;
    }
    const load = this.#load(channel);
    if (load.pauses.of(customer, tick) !== null) {
      return false;
    }
    if (channel.credentials.length > 0 && !this.#hasUsable(channel, customer, tick, tried)) {
      return false;
    }
    if (isCircuitOpen(load, customer) && (tick < load.openUntilTick || load.isProbing)) {
      return false;
    }
    if (channel.concurrencyMax !== null && load.inFlight >= this.#share(channel.concurrencyMax)) {
      return false;
    }
    return load.requests === null || load.requests.has(1, tick);
  }

  /** Whether a channel that is not open is merely busy, at a cap or in a rate-limit pause, and not down. */
  isBusy(channel: Channel, customer: GatewayUserId): boolean {
    const pause = this.#pauseOf(channel, customer);
    return !isCircuitOpen(this.#load(channel), customer) && (pause === null || pause.isLimit);
  }

  /** What is left of the pause that blocks the customer; 0 if there is none. */
  pauseMs(channel: Channel, customer: GatewayUserId): number {
    const tick = this.#clock.tick();
    return Math.max(0, (this.#pauseOf(channel, customer)?.untilTick ?? tick) - tick);
  }

  /** What keeps the customer from the channel itself, or from all of its credentials until the first is open again. */
  #pauseOf(channel: Channel, customer: GatewayUserId): Pause | null {
    const tick = this.#clock.tick();
    const own = this.#load(channel).pauses.of(customer, tick);
    let first: Pause | null = null;
    for (const credential of channel.credentials) {
      const block = this.#credentials.blockOf(credential, customer, tick);
      if (block === null) {
        return own;
      }
      first = first === null || block.untilTick < first.untilTick ? block : first;
    }
    return own === null || (first !== null && first.untilTick > own.untilTick) ? first : own;
  }

  /** A credential for the next attempt, by weight among those that are open; null if the channel needs none. */
  chooseCredential(
    channel: Channel,
    customer: GatewayUserId,
    { tried, preferred }: { readonly tried: ReadonlySet<CredentialId>; readonly preferred: CredentialId | null },
    random: () => number,
  ): ChannelCredential | null {
    const { credentials } = channel;
    if (credentials.length <= 1) {
      return credentials[0] ?? null;
    }
    const tick = this.#clock.tick();
    const open = credentials.filter((one) => this.#isUsable(one, customer, tick, tried));
    const kept = preferred === null ? undefined : open.find(({ id }) => id === preferred);
    return kept ?? chooseByWeight(open.length > 0 ? open : credentials, random());
  }

  #hasUsable(
    { credentials }: Channel,
    customer: GatewayUserId,
    tick: number,
    tried: ReadonlySet<CredentialId>,
  ): boolean {
    for (const one of credentials) {
      if (this.#isUsable(one, customer, tick, tried)) {
        return true;
      }
    }
    return false;
  }

  #isUsable(one: ChannelCredential, customer: GatewayUserId, tick: number, tried: ReadonlySet<CredentialId>): boolean {
    return !tried.has(one.id) && this.#credentials.isOpen(one, customer, tick);
  }

  /** @param startedTick if the time was just read */
  begin(
    channel: Channel,
    customer: GatewayUserId,
    credential: ChannelCredential | null = channel.credentials[0] ?? null,
    startedTick = this.#clock.tick(),
  ): ChannelUse {
    const load = this.#load(channel);
    load.requests?.take(1, startedTick);
    const isProbe = isCircuitOpen(load, customer);
    load.isProbing ||= isProbe;
    const isPauseProbe = load.pauses.begin(customer, startedTick);
    const credentialUse = credential === null ? null : this.#credentials.begin(credential, customer, startedTick);
    // Last: nobody ends a use that could not begin.
    load.inFlight += 1;
    return { channel, load, customer, startedTick, credential, credentialUse, isPauseProbe, isProbe, isOver: false };
  }

  /** A response has begun: this settles a probe, however long the stream still takes. */
  answered(use: ChannelUse): void {
    this.#closeCircuit(use);
    if (use.isPauseProbe && !use.isOver) {
      use.load.pauses.lift(this.#clock.tick());
    }
    const { credentialUse: used } = use;
    if (used !== null && (used.isPauseProbe || used.isTest) && !use.isOver) {
      this.#credentials.answered(used, this.#clock.tick());
    }
  }

  #closeCircuit(use: ChannelUse): void {
    if (use.isProbe && !use.isOver) {
      use.isProbe = false;
      const { load } = use;
      load.isProbing = false;
      load.openUntilTick = 0;
      load.openFor = null;
      load.window.clear();
    }
  }

  /**
   * The channel succeeded or failed; `blame` is what counts against it, and `result` what happened. Before a success,
   * `answered` must have been called.
   * @param tick if the time was just read
   */
  end(
    use: ChannelUse,
    blame: Exclude<AttemptFailure["blame"], "unasked">,
    result: string | null = null,
    tick = this.#clock.tick(),
  ): void {
    if (use.isOver) {
      return;
    }
    const isFailure = blame !== "none";
    this.#count(use, isFailure, result);
    if (!isFailure) {
      this.#closeCircuit(use);
    }
    const load = this.#leave(use);
    const { customer, isProbe } = use;
    // While the circuit is open, earlier calls say nothing new: only a probe closes it.
    if (!isProbe && isCircuitOpen(load, customer)) {
      return;
    }
    const isCertain = blame === "certain";
    load.window.add(isFailure, isCertain ? null : customer, tick);
    if (isFailure) {
      const isShared = load.failing.add(customer, tick) || isCertain;
      if (isProbe) {
        load.openUntilTick = tick + openMs;
        load.openFor = isShared && load.openFor === null ? null : customer;
      } else {
        this.#judge(load, customer, tick);
      }
    }
  }

  #judge(load: Load, customer: GatewayUserId, tick: number): void {
    const verdict = load.window.judge();
    if (verdict.kind === "bad") {
      load.openUntilTick = tick + openMs;
      load.openFor = null;
    } else if (verdict.kind === "bad_for_one" && verdict.customer === customer && tick >= load.openUntilTick) {
      load.openUntilTick = tick + openMs;
      load.openFor = customer;
    }
  }

  /** The call ended without a verdict on the channel, for example because the client left. */
  release(use: ChannelUse): void {
    if (!use.isOver) {
      this.#leave(use);
    }
  }

  /** The channel was not asked after all: the attempt is as if it had not been. */
  withdraw(use: ChannelUse): void {
    if (!use.isOver) {
      const tick = this.#clock.tick();
      this.#leave(use).requests?.take(-1, tick);
      use.credentialUse?.load.requests?.take(-1, tick);
    }
  }

  /**
   * The channel, or the provider's account behind the credential, asked for a pause and gets exactly that long, because
   * clients are told the same time. If it did not say how long, jitter keeps replicas from returning all at once. A
   * credential that is refused to everyone rests until a call tests it.
   */
  coolDown({ load, customer, credentialUse }: ChannelUse, failure: AttemptFailure, random: () => number): void {
    const { blame, code, isLasting, retryAfterSeconds, retryAfterMs } = failure;
    const askedMs = retryAfterMs ?? (retryAfterSeconds === null ? null : retryAfterSeconds * 1000);
    const tick = this.#clock.tick();
    const paused = concernsCredential(failure) ? credentialUse : null;
    const refusal = refusalOf(failure);
    if (paused !== null && refusal !== null) {
      this.#credentials.refuse(paused, refusal, tick);
      return;
    }
    const { pauses } = paused?.load ?? load;
    const pauseMs = askedMs === null ? cooldownMsDefault * (1 + random() * 0.2) : Math.min(askedMs, cooldownMsMax);
    const pause = { untilTick: tick + pauseMs, isLimit: code === "upstream_rate_limited" && !isLasting };
    if (blame === "certain") {
      pauses.addCertain(pause);
    } else {
      pauses.addSign(customer, pause, tick);
    }
  }

  /** Exit-node traffic since the last call; nodes without changes are omitted. */
  takeExitTraffic(): ExitTraffic[] {
    const taken: ExitTraffic[] = [];
    for (const [id, nodeCode] of this.#nodes) {
      const load = this.#loads.get(id);
      if (load === undefined) {
        continue;
      }
      const isOpen = load.openUntilTick > 0 && load.openFor === null;
      if (load.calls > 0 || isOpen || load.wasTakenOpen) {
        const { calls, failures, lastFailure } = load;
        taken.push({ nodeCode, calls, failures, lastFailure, isOpen });
        Object.assign(load, { calls: 0, failures: 0, lastFailure: null, wasTakenOpen: isOpen });
      }
    }
    return taken;
  }

  /** Seconds until the first of these channels may be worth a retry for the customer, at least 1. */
  retryAfterSeconds(channels: readonly Channel[], customer: GatewayUserId): number {
    const tick = this.#clock.tick();
    let waitMs = Number.POSITIVE_INFINITY;
    for (const channel of channels) {
      const load = this.#load(channel);
      const isEmpty = load.requests?.has(1, tick) === false;
      const refillMs = isEmpty ? (load.requests?.secondsUntil(1, tick) ?? 0) * 1000 : 0;
      const pauseMs = this.pauseMs(channel, customer);
      const openMsLeft = isCircuitOpen(load, customer) ? load.openUntilTick - tick : 0;
      waitMs = Math.min(waitMs, Math.max(pauseMs, openMsLeft, refillMs));
    }
    return Number.isFinite(waitMs) ? Math.max(1, Math.ceil(waitMs / 1000)) : 1;
  }

  #count({ channel, load }: ChannelUse, isFailure: boolean, result: string | null): void {
    if (channel.exitNode === null) {
      return;
    }
    this.#nodes.set(channel.id, channel.exitNode);
    load.calls += 1;
    if (isFailure) {
      load.failures += 1;
      load.lastFailure = result;
    }
  }

  #leave(use: ChannelUse): Load {
    const { load } = use;
    use.isOver = true;
    load.inFlight -= 1;
    if (use.credentialUse !== null) {
      this.#credentials.leave(use.credentialUse);
    }
    if (use.isProbe) {
      load.isProbing = false;
    }
    return load;
  }

  #share(limit: number): number {
    return Math.max(1, Math.floor(limit / this.#replicas));
  }

  #load(channel: Channel): Load {
    let load = this.#latest.get(channel);
    if (load === undefined) {
      load = this.#loads.get(channel.id) ?? this.#newLoad(channel);
      this.#latest.set(channel, load);
    }
    load.requests = RateBucket.adjusted(load.requests, channel.requestsPerMinute, 1 / this.#replicas);
    return load;
  }

  #newLoad({ id }: Channel): Load {
    const load = newLoad(id);
    this.#loads.set(id, load);
    return load;
  }
}

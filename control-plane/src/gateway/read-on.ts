import type { GatewayUserId } from "@sluice/contracts/ids";
import type { Clock } from "../platform/clock.ts";

/** However long a provider has worked, reading does not continue for longer than this. */
const timeoutMsMax = 60_000;
/** A slow model takes this long for a token: output that was seen accounts for that much of the time. */
const outputMsPerToken = 40;
/** How many responses may be read on for longer than the usual time at once, per user and in total. */
const longMax = { user: 16, process: 256 };
export type ReadOnLimits = {
  /** The shortest time for which each response is read on; 0 disables it. */
  readonly timeoutMs: number;
  readonly bytesMax: number;
};

/** What has been received of a response so far. */
type Meter = {
  readonly outputTick: number | null;
  readonly heard: { readonly delivered: { readonly outputTokens: number } };
};

/** Limits how many responses are read on after their clients left, so that leaving often ties up few connections. */
export class ReadOnRoom {
  readonly limits: ReadOnLimits;
  readonly #ofUser = new Map<GatewayUserId, number>();
  #count = 0;
  #isClosed = false;

  constructor(limits: ReadOnLimits) {
    this.limits = limits;
  }

  /** From now on nothing is read on: this process is stopping. */
  close(): void {
    this.#isClosed = true;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Creates the policy for one attempt at a call. @param startedTick if the time was just read */
  open(userId: GatewayUserId, clock: Clock, startedTick = clock.tick()): ReadOn {
    return new ReadOn(this, userId, clock, startedTick);
  }

  /** Returns whether one more long read was allowed; `leave` gives its place back. */
  enter(userId: GatewayUserId): boolean {
    const ofUser = this.#ofUser.get(userId) ?? 0;
    if (ofUser >= longMax.user || this.#count >= longMax.process) {
      return false;
    }
    this.#ofUser.set(userId, ofUser + 1);
    this.#count += 1;
    return true;
  }

  leave(userId: GatewayUserId): void {
    const left = (this.#ofUser.get(userId) ?? 0) - 1;
    this.#count -= 1;
    if (left > 0) {
      this.#ofUser.set(userId, left);
    } else {
      this.#ofUser.delete(userId);
    }
  }
}

/**
 * How long the response of one attempt is still read after its client has left. Only the provider knows the cost of
 * work that produced no output, such as thinking. So its response is read for as long as it had worked without output,
 * within limits. That is the time until the first output, or all the time that the output does not account for.
 */
export class ReadOn implements ReadOnLimits {
  readonly bytesMax: number;
  readonly #room: ReadOnRoom;
  readonly #userId: GatewayUserId;
  readonly #clock: Clock;
  readonly #startedTick: number;
  #meter: Meter | null = null;
  #unseenMs: number | null = null;
  #timeoutMs = 0;
  #isLong = false;

  constructor(room: ReadOnRoom, userId: GatewayUserId, clock: Clock, startedTick: number) {
    this.#room = room;
    this.#userId = userId;
    this.#clock = clock;
    this.#startedTick = startedTick;
    this.bytesMax = room.limits.bytesMax;
  }

  /** The response is a stream. */
  listen(meter: Meter): void {
    this.#meter = meter;
  }

  /** Read once the client has left; the first value then stays until the process stops. */
  get timeoutMs(): number {
    if (this.#room.limits.timeoutMs === 0 || this.#room.isClosed) {
      return 0;
    }
    if (this.#timeoutMs === 0) {
      this.#timeoutMs = this.#decide(this.#room.limits.timeoutMs);
    }
    return this.#timeoutMs;
  }

  /**
   * Whether the provider worked without output for longer than every response is read on: our own count misses that
   * work.
   */
  get isMostlyUnseen(): boolean {
    return this.#unseen() > this.#room.limits.timeoutMs;
  }

  /** The call is over. */
  end(): void {
    if (this.#isLong) {
      this.#isLong = false;
      this.#room.leave(this.#userId);
    }
  }

  #decide(usualMs: number): number {
    const unseenMs = this.#unseen();
    this.#isLong = unseenMs > usualMs && this.#room.enter(this.#userId);
    return this.#isLong ? Math.min(unseenMs, Math.max(usualMs, timeoutMsMax)) : usualMs;
  }

  /** The time that the provider has worked without output, up to when the client left. */
  #unseen(): number {
    if (this.#unseenMs === null) {
      const tick = this.#clock.tick();
      const seenTick = this.#meter?.outputTick ?? tick;
      const seenMs = (this.#meter?.heard.delivered.outputTokens ?? 0) * outputMsPerToken;
      this.#unseenMs = Math.max(seenTick, tick - seenMs) - this.#startedTick;
    }
    return this.#unseenMs;
  }
}

import type { GatewayUserId } from "@sluice/contracts/ids";
import type { Clock } from "../platform/clock.ts";
import type { SurfaceKind } from "./surfaces.ts";

/** However long a provider has worked, it is not read on for longer than this. */
const timeoutMsMax = 60_000;
/** A slow model takes so long for a token: output that was seen accounts for so much of the time. */
const outputMsPerToken = 40;
/** So many answers are read on for longer than the usual time at once, of one user and of all. */
const longMax = { user: 16, process: 256 };
/** Answers of the other kinds cost what their requests say, or nearly: there is nothing that only the provider knows. */
const unseenKinds: ReadonlySet<SurfaceKind> = new Set(["chat", "completions", "responses", "images", "transcription"]);

export type ReadOnLimits = {
  /** Each answer is read on for so long at least. 0 for not at all. */
  readonly timeoutMs: number;
  readonly bytesMax: number;
};

/** What was heard of an answer until now. */
type Meter = {
  readonly outputTick: number | null;
  readonly heard: { readonly delivered: { readonly outputTokens: number } };
};

/** How many answers are read on although their clients have left, so that leaving many keeps few connections for long. */
export class ReadOnRoom {
  readonly limits: ReadOnLimits;
  readonly #ofUser = new Map<GatewayUserId, number>();
  #count = 0;
  #isClosed = false;

  constructor(limits: ReadOnLimits) {
    this.limits = limits;
  }

  /** From now on nothing is read on: this process stops. */
  close(): void {
    this.#isClosed = true;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** For one attempt at a call; null where every answer is read on for the usual time. */
  open(kind: SurfaceKind, userId: GatewayUserId, clock: Clock): ReadOn | null {
    return unseenKinds.has(kind) ? new ReadOn(this, userId, clock) : null;
  }

  /** Whether there was a place for one more that is read on for long; it is given back by `leave`. */
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
 * How long the response of one attempt is still read after its client has left. Only the provider knows what it did
 * unseen, above all how long a model thought: it is read for as long as it had worked unseen, within limits. That is
 * the time until the first output, or all the time that the output does not account for.
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

  constructor(room: ReadOnRoom, userId: GatewayUserId, clock: Clock) {
    this.#room = room;
    this.#userId = userId;
    this.#clock = clock;
    this.#startedTick = clock.tick();
    this.bytesMax = room.limits.bytesMax;
  }

  /** The answer is a stream. */
  listen(meter: Meter): void {
    this.#meter = meter;
  }

  /** Asked when the client has left; what was said first holds until the process stops. */
  get timeoutMs(): number {
    if (this.#room.limits.timeoutMs === 0 || this.#room.isClosed) {
      return 0;
    }
    if (this.#timeoutMs === 0) {
      this.#timeoutMs = this.#decide(this.#room.limits.timeoutMs);
    }
    return this.#timeoutMs;
  }

  /** Whether more of the work was unseen than a provider is always read on for: our own count knows nothing of that. */
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

  /** As it was when the client left. */
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

import type { Clock } from "../../platform/clock.ts";
import type { AdmittedCall } from "../model.ts";
import type { Operation } from "../operations/model.ts";
import { digestCall } from "./digest-call.ts";
import { KeptAnswers } from "./kept-answers.ts";
import type { CacheRules, KeptAnswer, SharedAnswers } from "./model.ts";
import { type CacheWish, readWish } from "./read-wish.ts";
import { Recording, type RecordingRoom } from "./recording.ts";

/** Digesting a longer request would keep other calls waiting. */
const requestBytesMax = 4 * 1024 * 1024;

export type CacheResult = "hit" | "shared_hit" | "miss";

/** What the cache reports; counting only. */
export interface CacheObserver {
  onLookup(result: CacheResult): void;
  onKept(): void;
  onEvicted(count: number): void;
}

export type ResponseCacheDeps = {
  readonly rules: () => CacheRules;
  /** How often operators have cleared the cache. Each clearing hides all earlier entries. */
  readonly generation: () => bigint;
  /** The key of the digests; the same on every replica. */
  readonly secret: Uint8Array;
  /** Null where replicas share nothing. */
  readonly shared: SharedAnswers | null;
  readonly clock: Clock;
  readonly observer: CacheObserver;
};

/** A call that uses the cache. */
export type CacheEntry = {
  readonly digest: string;
  readonly wish: CacheWish;
  readonly rules: CacheRules;
};

/**
 * Responses to requests that were made before, byte for byte. Only keys that ask for it use it, and only as long as the
 * operator allows it.
 */
export class ResponseCache {
  readonly #deps: ResponseCacheDeps;
  readonly #answers = new KeptAnswers();
  readonly #room: RecordingRoom;
  #generation: bigint | null = null;

  constructor(deps: ResponseCacheDeps) {
    this.#deps = deps;
    this.#room = { bytes: 0, bytesMax: () => deps.rules().memoryBytesMax };
  }

  get bytes(): number {
    return this.#answers.bytes;
  }

  get size(): number {
    return this.#answers.size;
  }

  /**
   * Null for a call that does not use the cache: it is off, or the response may be more than an answer.
   * @throws AppError `invalid_parameter` for a wish that means nothing
   */
  open(state: AdmittedCall, { isRepeatable }: Pick<Operation, "isRepeatable">): CacheEntry | null {
    const { call, request, principal, exitNodes } = state;
    const rules = this.#deps.rules();
    const isSimple = isRepeatable && exitNodes === null && (request.bounds.searches ?? 0) === 0;
    if (!rules.isOn) {
      this.#forgetAll();
      return null;
    }
    if (!isSimple || request.body.byteLength > requestBytesMax) {
      return null;
    }
    const wish = readWish(call.headers);
    if (!wish.isRead && !wish.isKept) {
      return null;
    }
    const gatewayUserId = rules.isSharedByUsers ? null : principal.gatewayUserId;
    const scope = { gatewayUserId, generation: this.#followGeneration() };
    return { digest: digestCall(state, scope, this.#deps.secret), wish, rules };
  }

  /** Finds the response to an equal request; asks the shared store only if this process has none. */
  find({ digest, wish }: CacheEntry): KeptAnswer | null | Promise<KeptAnswer | null> {
    if (!wish.isRead) {
      return null;
    }
    const { clock, observer, shared } = this.#deps;
    const answer = this.#answers.find(digest, clock.now());
    if (answer !== null && isYoung(answer, wish, clock)) {
      observer.onLookup("hit");
      return answer;
    }
    if (shared !== null) {
      return this.#findShared(shared, digest, wish);
    }
    observer.onLookup("miss");
    return null;
  }

  /** Collects the response of a call that goes to a provider; null if it may not be kept. */
  record({ digest, wish, rules }: CacheEntry, model: string): Recording | null {
    if (!wish.isKept) {
      return null;
    }
    const lifetimeSeconds = Math.min(wish.lifetimeSeconds ?? rules.lifetimeSeconds, rules.lifetimeSecondsMax);
    return new Recording({
      room: this.#room,
      answerBytesMax: rules.answerBytesMax,
      model,
      keep: (answer) => {
        const now = this.#deps.clock.now();
        this.#keep(digest, { ...answer, keptAtMs: now, expiresAtMs: now + lifetimeSeconds * 1_000 });
      },
    });
  }

  /** Forgets what has expired, and everything once the cache is off or was cleared. */
  sweep(): void {
    const { clock, observer, rules } = this.#deps;
    const { isOn, memoryBytesMax } = rules();
    this.#followGeneration();
    if (!isOn) {
      this.#forgetAll();
    }
    observer.onEvicted(this.#answers.sweep(clock.now(), memoryBytesMax));
  }

  close(): void {
    this.#deps.shared?.close();
  }

  /** Turning the cache off clears it, and may be known here before the generation that it begins. */
  #forgetAll(): void {
    if (this.#answers.size > 0) {
      this.#answers.clear();
    }
  }

  /** Once a clearing is known, frees the memory of what was kept before it. */
  #followGeneration(): bigint {
    const generation = this.#deps.generation();
    if (generation !== this.#generation) {
      this.#generation = generation;
      this.#answers.clear();
    }
    return generation;
  }

  async #findShared(shared: SharedAnswers, digest: string, wish: CacheWish): Promise<KeptAnswer | null> {
    const { clock, observer } = this.#deps;
    const answer = await shared.find(digest);
    if (answer === null || answer.expiresAtMs <= clock.now() || !isYoung(answer, wish, clock)) {
      observer.onLookup("miss");
      return null;
    }
    observer.onLookup("shared_hit");
    this.#keepHere(digest, answer);
    return answer;
  }

  #keep(digest: string, answer: KeptAnswer): void {
    const { observer, rules, shared } = this.#deps;
    if (!rules().isOn) {
      return;
    }
    this.#keepHere(digest, answer);
    observer.onKept();
    void shared?.keep(digest, answer);
  }

  #keepHere(digest: string, answer: KeptAnswer): void {
    const { observer, rules } = this.#deps;
    observer.onEvicted(this.#answers.keep(digest, answer, rules().memoryBytesMax));
  }
}

function isYoung({ keptAtMs }: KeptAnswer, { ageSecondsMax }: CacheWish, clock: Clock): boolean {
  return clock.now() - keptAtMs <= ageSecondsMax * 1_000;
}

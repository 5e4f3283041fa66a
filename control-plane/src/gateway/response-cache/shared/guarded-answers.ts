import type { Clock } from "../../../platform/clock.ts";
import type { SealingKey } from "../../../platform/crypto/sealing-key.ts";
import { inTime } from "../../../platform/in-time.ts";
import type { Log } from "../../../platform/log.ts";
import type { KeptAnswer, SharedAnswers } from "../model.ts";
import { openAnswer, sealAnswer } from "./answer-codec.ts";

/** The longest that a call waits for the store. */
const findMsMax = 50;
const keepMsMax = 2_000;
/** After a failure, the store is not asked for this long, and then by one call first. */
const restMs = 5_000;
/** The most that may be on its way to the store. */
const writesMax = 64;
const writeBytesMax = 16 * 1024 * 1024;

/** Encrypted answers, wherever they are. Any operation may fail or never end. */
export interface SealedStore {
  find(digest: string): Promise<Uint8Array | null>;
  keep(digest: string, sealed: Uint8Array, lifetimeMs: number): Promise<void>;
  /** Called after a failure: open connections may be broken. */
  reset(): void;
  close(): void;
}

export type StoreFailure = "timeout" | "error" | "full";

export type GuardedAnswersDeps = {
  readonly store: SealedStore;
  readonly key: SealingKey;
  readonly clock: Clock;
  readonly log: Log;
  readonly onFailure: (reason: StoreFailure) => void;
};

class StoreTimeoutError extends Error {
  override readonly name = "StoreTimeoutError";
}

/**
 * A store that replicas share, seen from the path of a call: it delays a call by a moment at most, and a failure is
 * a miss. Answers are encrypted before they leave the process.
 */
export class GuardedAnswers implements SharedAnswers {
  readonly #deps: GuardedAnswersDeps;
  #restsUntil = Number.NEGATIVE_INFINITY;
  /** After a rest, one call tries the store; the others do without until it has succeeded. */
  #isTried = false;
  #hasFailed = false;
  #writes = 0;
  #writeBytes = 0;

  constructor(deps: GuardedAnswersDeps) {
    this.#deps = deps;
  }

  async find(digest: string): Promise<KeptAnswer | null> {
    const { store, key, log } = this.#deps;
    const sealed = await this.#ask(() => store.find(digest), findMsMax);
    if (sealed === null || sealed === undefined) {
      return null;
    }
    try {
      return await openAnswer(key, digest, sealed);
    } catch (error) {
      // Another master key, or something that is not ours: it will be replaced.
      log.debug("response_cache.unreadable", { error });
      return null;
    }
  }

  async keep(digest: string, answer: KeptAnswer): Promise<void> {
    const { store, key, clock, log, onFailure } = this.#deps;
    const bytes = answer.body.byteLength;
    if (this.#writes >= writesMax || this.#writeBytes + bytes > writeBytesMax) {
      onFailure("full");
      return;
    }
    this.#writes += 1;
    this.#writeBytes += bytes;
    try {
      const sealed = await sealAnswer(key, digest, answer);
      await this.#ask(() => store.keep(digest, sealed, answer.expiresAtMs - clock.now()), keepMsMax);
    } catch (error) {
      log.error("response_cache.not_sealed", { error });
    } finally {
      this.#writes -= 1;
      this.#writeBytes -= bytes;
    }
  }

  close(): void {
    this.#restsUntil = Number.POSITIVE_INFINITY;
    this.#deps.store.close();
  }

  /** Null while the store rests, and after a failure. */
  async #ask<Found>(work: () => Promise<Found>, msMax: number): Promise<Found | null> {
    const { clock } = this.#deps;
    if (this.#isTried || clock.tick() < this.#restsUntil) {
      return null;
    }
    this.#isTried = this.#hasFailed;
    try {
      const found = await inTime(work(), msMax, () => new StoreTimeoutError(`no reply in ${msMax} ms`));
      this.#noteSuccess();
      return found;
    } catch (error) {
      this.#noteFailure(error);
      return null;
    }
  }

  #noteSuccess(): void {
    if (this.#hasFailed) {
      this.#hasFailed = false;
      this.#isTried = false;
      this.#deps.log.info("response_cache.store_back", {});
    }
  }

  #noteFailure(error: unknown): void {
    const { clock, log, onFailure, store } = this.#deps;
    onFailure(error instanceof StoreTimeoutError ? "timeout" : "error");
    if (!this.#hasFailed) {
      log.warn("response_cache.store_failed", { error });
    }
    this.#hasFailed = true;
    this.#isTried = false;
    this.#restsUntil = Math.max(this.#restsUntil, clock.tick() + restMs);
    store.reset();
  }
}

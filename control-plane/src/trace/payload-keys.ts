import { randomBytes } from "node:crypto";
import { type Clock, dayMs, utcDay } from "../platform/clock.ts";
import type { MasterKey } from "../platform/crypto/master-key.ts";
import { open, seal, sealContext } from "../platform/crypto/seal.ts";
import { keyIdOf, SealingKey, sealingKeyBytes } from "../platform/crypto/sealing-key.ts";
import type { Queryable } from "../platform/db.ts";
import type { Log } from "../platform/log.ts";
import { findDayKey, insertDayKey } from "./store.ts";

const checkMs = 60_000;
const retryMs = 2_000;
/**
 * Another replica may store its key first, or (once in a million keys) have the same id; then the stored one is read.
 */
const attemptsMax = 3;

/** The day's key was destroyed at the end of its retention, and all data encrypted under it is lost. */
export class DayKeyDestroyedError extends Error {
  override readonly name = "DayKeyDestroyedError";
}

export type PayloadKeysDeps = {
  readonly db: Queryable;
  readonly masterKey: MasterKey;
  readonly clock: Clock;
  readonly log: Log;
};

/**
 * The data keys under which payloads are encrypted: one for each UTC day, shared by all replicas, wrapped under the
 * master key in the database. Those of today and tomorrow are fetched ahead, so that a call only looks into a map.
 * Destroying a key is what deletes the payloads of its day for good; the row stays and keeps a new key from being
 * created.
 */
export class PayloadKeys {
  readonly #deps: PayloadKeysDeps;
  readonly #keys = new Map<string, SealingKey>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;
  #isFailing = false;

  constructor(deps: PayloadKeysDeps) {
    this.#deps = deps;
  }

  /** The key for calls that began on that day, or null when this process does not have it (yet, or any more). */
  find(day: string): SealingKey | null {
    return this.#keys.get(day) ?? null;
  }

  /** Prepares the keys of today and tomorrow and keeps doing so. It never fails: without keys, payloads are dropped. */
  async start(): Promise<void> {
    const isReady = await this.#prepare();
    if (!this.#isStopped) {
      this.#timer = setTimeout(() => void this.start(), isReady ? checkMs : retryMs);
      this.#timer.unref();
    }
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#keys.clear();
  }

  /**
   * The key of any day, read from the database, so that a key destroyed elsewhere is not kept alive here.
   * @returns null when the day never had a key
   * @throws DayKeyDestroyedError, SealError when it was wrapped under another master key, or a database error
   */
  async read(day: string): Promise<SealingKey | null> {
    const stored = await findDayKey(this.#deps.db, day);
    if (stored === null) {
      return null;
    }
    if (stored.wrapped === null) {
      throw new DayKeyDestroyedError(`the payload key of ${day} was destroyed`);
    }
    const secret = open(this.#deps.masterKey.opening, stored.wrapped, dayKeyContext(day, stored.keyId));
    return new SealingKey(stored.keyId, secret);
  }

  async #prepare(): Promise<boolean> {
    const { clock, log } = this.#deps;
    const now = clock.now();
    // Calls that began yesterday may end today.
    const kept = new Set([-dayMs, 0, dayMs].map((offset) => utcDay(now + offset)));
    for (const day of this.#keys.keys()) {
      if (!kept.has(day)) {
        this.#keys.delete(day);
      }
    }
    let failure: unknown = null;
    for (const day of [utcDay(now), utcDay(now + dayMs)]) {
      try {
        await this.#prepareDay(day);
      } catch (error) {
        failure = error;
      }
    }
    // The failure is logged when it begins and when it ends, not at every attempt.
    if (failure !== null && !this.#isFailing) {
      log.warn("trace.day_key_unavailable", { error: failure });
    } else if (failure === null && this.#isFailing) {
      log.info("trace.day_key_available");
    }
    this.#isFailing = failure !== null;
    return failure === null;
  }

  async #prepareDay(day: string): Promise<void> {
    for (let attempt = 0; attempt < attemptsMax && !this.#keys.has(day); attempt += 1) {
      const key = await this.read(day);
      if (key === null) {
        await this.#create(day);
      } else if (!this.#isStopped) {
        this.#keys.set(day, key);
      }
    }
    if (!(this.#keys.has(day) || this.#isStopped)) {
      throw new Error("a key was stored and not found again");
    }
  }

  /** Offers a new key to the database. Reading the key shows whether it or another replica's was accepted. */
  async #create(day: string): Promise<void> {
    const secret = randomBytes(sealingKeyBytes);
    const keyId = keyIdOf(secret);
    const wrapped = seal(this.#deps.masterKey.sealing, secret, dayKeyContext(day, keyId));
    await insertDayKey(this.#deps.db, day, { keyId, wrapped });
  }
}

/** Where a day's key is stored, as the context of its encryption. */
export function dayKeyContext(day: string, keyId: string): string {
  return sealContext({ table: "payload_day_key", column: "wrapped", row: day, owner: keyId });
}

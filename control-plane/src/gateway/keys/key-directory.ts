import type { Clock } from "../../platform/clock.ts";
import { AppError } from "../../platform/errors.ts";
import type { Principal } from "../model.ts";

/** An entry this old is loaded again in the background while it still serves. */
const refreshAfterMs = 20_000;
/** Without the channel that announces changes, entries are only trusted this long before they are loaded again. */
const refreshAfterMsBlind = 1_000;
/** When the database is away, an entry that was good serves this long. */
const staleMsMax = 120_000;
/** Absence is remembered briefly: a new key must work at once, a flood of wrong ones must not reach the database. */
const absentMs = 1_000;
/** After a failed load the next one waits this long, so that an outage is not answered with a flood of queries. */
const retryAfterMs = 1_000;
/** How long a call waits for news of a key that was good; then it is taken for good still. */
const newsMsMax = 250;
/** How long a call waits for a key that is not known here. */
const freshMsMax = 2_000;
const entriesMax = 200_000;

type Entry = {
  readonly principal: Principal | null;
  readonly loadedTick: number;
  failedTick: number;
  /** An announcement of a change may have been missed: it has to be loaded again before it serves. */
  readonly isUnsure: boolean;
  loading: Promise<Principal | null> | null;
};

const never = Number.NEGATIVE_INFINITY;
const freshly = { failedTick: never, isUnsure: false, loading: null };

/**
 * Keys by the SHA-256 of the whole key. A warm key costs one map look-up; a change announced by the database
 * drops the entry, so that a revocation holds on every replica within a second.
 */
export class KeyDirectory {
  readonly #entries = new Map<string, Entry>();
  readonly #load: (keyHash: Uint8Array) => Promise<Principal | null>;
  readonly #clock: Clock;
  #isBlind = false;

  constructor(load: (keyHash: Uint8Array) => Promise<Principal | null>, clock: Clock) {
    this.#load = load;
    this.#clock = clock;
  }

  /**
   * @param digest the 32 bytes of the SHA-256 as hex, the key of the map
   * @throws AppError `temporarily_unavailable` when the key is not known here and the database can't be asked
   */
  find(digest: string): Principal | null | Promise<Principal | null> {
    const entry = this.#entries.get(digest);
    if (entry === undefined) {
      return this.#loadFresh(digest);
    }
    const tick = this.#clock.tick();
    const age = tick - entry.loadedTick;
    if (entry.principal === null) {
      return age < absentMs ? null : this.#loadFresh(digest);
    }
    const hasJustFailed = tick - entry.failedTick < retryAfterMs;
    const isFresh = !entry.isUnsure && age < (this.#isBlind ? refreshAfterMsBlind : refreshAfterMs);
    if (isFresh || (hasJustFailed && age < staleMsMax)) {
      return entry.principal;
    }
    if (age < staleMsMax && !this.#isBlind && !entry.isUnsure) {
      this.#refresh(digest, entry);
      return entry.principal;
    }
    return this.#loadOrServeStale(digest, entry, age);
  }

  /** Drops what is known of one key, or of all keys of a user. */
  forget(matches: (principal: Principal) => boolean): void {
    for (const [digest, entry] of this.#entries) {
      // A load that began before the change must not bring the old state back; whose key it loads is not known yet.
      if (entry.principal === null ? entry.loading !== null : matches(entry.principal)) {
        this.#entries.delete(digest);
      }
    }
  }

  /** After a gap in the announcements everything is loaded again at its next use, but still serves while it can't be. */
  onGap(): void {
    for (const [digest, entry] of this.#entries) {
      // A load that began before does not count either.
      this.#entries.set(digest, { ...entry, isUnsure: true, loading: null });
    }
  }

  /** Whether changes are announced right now. */
  setBlind(isBlind: boolean): void {
    this.#isBlind = isBlind;
  }

  size(): number {
    return this.#entries.size;
  }

  async #loadFresh(digest: string): Promise<Principal | null> {
    const entry: Entry = this.#entries.get(digest) ?? {
      principal: null,
      loadedTick: never,
      ...freshly,
    };
    try {
      return await inTime(this.#loadInto(digest, entry), freshMsMax);
    } catch (error) {
      throw new AppError("temporarily_unavailable", { retryAfterSeconds: 2, cause: error });
    }
  }

  #refresh(digest: string, entry: Entry): void {
    this.#loadInto(digest, entry).catch(() => {
      // The entry serves on; how long is decided where it is found.
    });
  }

  async #loadOrServeStale(digest: string, entry: Entry, age: number): Promise<Principal | null> {
    try {
      return await inTime(this.#loadInto(digest, entry), newsMsMax);
    } catch (error) {
      entry.failedTick = this.#clock.tick();
      if (age < staleMsMax) {
        return entry.principal;
      }
      throw new AppError("temporarily_unavailable", { retryAfterSeconds: 2, cause: error });
    }
  }

  #loadInto(digest: string, entry: Entry): Promise<Principal | null> {
    if (entry.loading !== null) {
      return entry.loading;
    }
    const keyHash = Buffer.from(digest, "hex");
    // One lost connection is no outage: a database that is known to be away answers the second try at once.
    const loading = this.#load(keyHash)
      .catch(() => this.#load(keyHash))
      .then((principal) => {
        if (this.#entries.get(digest) === entry) {
          this.#entries.set(digest, { principal, ...freshly, loadedTick: this.#clock.tick() });
        }
        return principal;
      })
      .catch((error: unknown) => {
        entry.failedTick = this.#clock.tick();
        throw error;
      })
      .finally(() => {
        entry.loading = null;
      });
    entry.loading = loading;
    if (!this.#entries.has(digest)) {
      this.#makeRoom();
      this.#entries.set(digest, entry);
    }
    return loading;
  }

  /** The oldest entries go first: a flood of wrong keys can't grow the map. */
  #makeRoom(): void {
    while (this.#entries.size >= entriesMax) {
      const oldest = this.#entries.keys().next().value;
      if (oldest === undefined) {
        return;
      }
      this.#entries.delete(oldest);
    }
  }
}

/** What a promise brings within this time; it may go on behind that. */
async function inTime<T>(promise: Promise<T>, ms: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`the database did not answer in ${ms} ms`)), ms);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

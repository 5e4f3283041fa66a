import type { Clock } from "../../platform/clock.ts";
import { throughLosses } from "../../platform/db-losses.ts";
import { AppError } from "../../platform/errors.ts";
import { inTime } from "../../platform/in-time.ts";
import { Semaphore } from "../../platform/semaphore.ts";
import type { Principal } from "../model.ts";

/** An entry this old is reloaded in the background while it keeps serving. */
const refreshAfterMs = 20_000;
/** Without announcements of changes, an entry is trusted only this long before it is reloaded. */
const refreshAfterMsBlind = 1_000;
/** While the database is unreachable, a valid entry serves this long. */
const staleMsMax = 120_000;
/**
 * A missing key is remembered briefly: a new key must work immediately; a flood of wrong ones must not reach the database.
 */
const absentMs = 1_000;
/** After a failed load, the next one waits this long, so that an outage does not cause a flood of queries. */
const retryAfterMs = 1_000;
/** How long a call waits for the reload of a previously valid key; after that the key is assumed to be valid still. */
const reloadMsMax = 250;
/** How long a call waits for a key that is not cached here. */
const freshMsMax = 2_000;
const entriesMax = 200_000;
/** Keys that do not exist: a flood of wrong ones evicts only wrong ones. */
const absentMax = 10_000;
/**
 * How many unknown keys are looked up at a time: half as many as a pool has connections. Others wait as long as a call
 * waits at all, since many keys return at once when a database does; a cached key never waits.
 */
const lookups = { runningMax: 5, waitingMax: 1_000, waitMsMax: freshMsMax };

/** A key that existed when it was loaded. */
type Entry = {
  readonly principal: Principal;
  readonly loadedTick: number;
  /** From then on the key has another group, or none; infinite if its group has no end. */
  readonly endsTick: number;
  failedTick: number;
  /** The process may have missed an announced change, so the entry has to be reloaded before it serves. */
  readonly isUnsure: boolean;
  loading: Promise<Principal | null> | null;
};

const never = Number.NEGATIVE_INFINITY;
const freshly = { failedTick: never, isUnsure: false, loading: null };

/**
 * Keys by the SHA-256 of the whole key. A cached key costs one map lookup; a change announced by the database drops the
 * entry, so that a revocation takes effect on every replica within a second.
 */
export class KeyDirectory {
  readonly #entries = new Map<string, Entry>();
  /** The time when each missing key was looked up, oldest first. */
  readonly #absent = new Map<string, number>();
  /** Lookups of keys that are not cached here; all calls that wait for the same key share one. */
  readonly #lookups = new Map<string, Promise<Principal | null>>();
  readonly #semaphore = new Semaphore(lookups);
  readonly #load: (keyHash: Uint8Array) => Promise<Principal | null>;
  readonly #clock: Clock;
  #isBlind = false;

  constructor(load: (keyHash: Uint8Array) => Promise<Principal | null>, clock: Clock) {
    this.#load = load;
    this.#clock = clock;
  }

  /**
   * @param digest the 32 bytes of the SHA-256 as hex, the key of the map
   * @param tick if the time was just read
   * @throws AppError `temporarily_unavailable` when the key is not cached and the database is unreachable
   */
  find(digest: string, tick = this.#clock.tick()): Principal | null | Promise<Principal | null> {
    const entry = this.#entries.get(digest);
    if (entry === undefined) {
      return this.#findUnknown(digest);
    }
    const age = tick - entry.loadedTick;
    const hasJustFailed = tick - entry.failedTick < retryAfterMs;
    const isOver = tick >= entry.endsTick;
    const isFresh = !entry.isUnsure && !isOver && age < (this.#isBlind ? refreshAfterMsBlind : refreshAfterMs);
    if (isFresh || (hasJustFailed && age < staleMsMax)) {
      return entry.principal;
    }
    if (age < staleMsMax && !this.#isBlind && !entry.isUnsure && !isOver) {
      this.#refresh(digest, entry);
      return entry.principal;
    }
    return this.#loadOrServeStale(digest, entry, age);
  }

  /** Drops the entries of one key, or of all keys of a user. */
  forget(matches: (principal: Principal) => boolean): void {
    // A load that began before the change must not bring the old state back. Which key a load is for is not known yet,
    // so all are dropped.
    this.#lookups.clear();
    for (const [digest, entry] of this.#entries) {
      if (matches(entry.principal)) {
        this.#entries.delete(digest);
      }
    }
  }

  /** After a gap in the announcements every entry is reloaded at its next use, but keeps serving while it can't be. */
  onGap(): void {
    this.#lookups.clear();
    for (const [digest, entry] of this.#entries) {
      // The result of a load that began before is ignored, too.
      this.#entries.set(digest, { ...entry, isUnsure: true, loading: null });
    }
  }

  /** Sets whether announcements of changes currently arrive. */
  setBlind(isBlind: boolean): void {
    this.#isBlind = isBlind;
  }

  size(): number {
    return this.#entries.size;
  }

  #findUnknown(digest: string): null | Promise<Principal | null> {
    const absentTick = this.#absent.get(digest);
    return absentTick !== undefined && this.#clock.tick() - absentTick < absentMs ? null : this.#lookUp(digest);
  }

  async #lookUp(digest: string): Promise<Principal | null> {
    const running = this.#lookups.get(digest) ?? this.#startLookUp(digest);
    try {
      return await inTime(running, freshMsMax, lateAnswer);
    } catch (error) {
      throw new AppError("temporarily_unavailable", { retryAfterSeconds: 2, cause: error });
    }
  }

  #startLookUp(digest: string): Promise<Principal | null> {
    const isNewest = () => this.#lookups.get(digest) === lookup;
    const lookup = this.#semaphore
      .run(() => this.#ask(digest))
      .then((principal) => {
        if (isNewest()) {
          this.#keep(digest, principal);
        }
        return principal;
      })
      .finally(() => {
        if (isNewest()) {
          this.#lookups.delete(digest);
        }
      });
    this.#lookups.set(digest, lookup);
    return lookup;
  }

  #ask(digest: string): Promise<Principal | null> {
    const keyHash = Buffer.from(digest, "hex");
    return throughLosses(() => this.#load(keyHash));
  }

  #keep(digest: string, principal: Principal | null): void {
    // A renewed entry moves to the end.
    this.#absent.delete(digest);
    if (principal === null) {
      this.#entries.delete(digest);
      makeRoom(this.#absent, absentMax);
      this.#absent.set(digest, this.#clock.tick());
      return;
    }
    if (!this.#entries.has(digest)) {
      makeRoom(this.#entries, entriesMax);
    }
    const loadedTick = this.#clock.tick();
    const { rightsEndAtMs } = principal;
    const endsTick = rightsEndAtMs === null ? Infinity : loadedTick + rightsEndAtMs - this.#clock.now();
    this.#entries.set(digest, { principal, ...freshly, loadedTick, endsTick });
  }

  #refresh(digest: string, entry: Entry): void {
    this.#reload(digest, entry).catch(() => {
      // The entry keeps serving; the lookup decides how long.
    });
  }

  async #loadOrServeStale(digest: string, entry: Entry, age: number): Promise<Principal | null> {
    try {
      return await inTime(this.#reload(digest, entry), reloadMsMax, lateAnswer);
    } catch (error) {
      entry.failedTick = this.#clock.tick();
      if (age < staleMsMax) {
        return entry.principal;
      }
      throw new AppError("temporarily_unavailable", { retryAfterSeconds: 2, cause: error });
    }
  }

  #reload(digest: string, entry: Entry): Promise<Principal | null> {
    entry.loading ??= this.#ask(digest)
      .then((principal) => {
        if (this.#entries.get(digest) === entry) {
          this.#keep(digest, principal);
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
    return entry.loading;
  }
}

/** The entries of the map are sorted, oldest first. */
function makeRoom(map: Map<string, unknown>, sizeMax: number): void {
  while (map.size >= sizeMax) {
    const oldest = map.keys().next().value;
    if (oldest === undefined) {
      return;
    }
    map.delete(oldest);
  }
}

const lateAnswer = (): Error => new Error("the database did not answer in time");

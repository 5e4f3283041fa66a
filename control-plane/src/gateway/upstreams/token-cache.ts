import type { Clock } from "../../platform/clock.ts";

/** A token that an upstream accepts until a moment. */
export type MintedToken = { readonly token: string; readonly expiresAtMs: number };

type Entry = {
  token: MintedToken | null;
  minting: Promise<MintedToken> | null;
  failedAtTick: number;
  mintedAtTick: number;
  /** How long a token is used although the upstream refuses it. */
  restMs: number;
};

/** A token is replaced this long before its end, while it is still used. */
const earlyMs = 300_000;
/** A token that is about to end is not used: the request has to reach the provider before that. */
const marginMs = 30_000;
/** After a failed attempt to replace a token that is still good, wait this long. */
const pauseMs = 10_000;
/** A new token that is refused immediately is not replaced sooner than this, and later each time: 401s can continue for hours. */
const restMsMin = 10_000;
const restMsMax = 300_000;
const entriesMax = 1_000;

/** The tokens of this process: each is requested by one request at a time, and replaced before it ends. */
export class TokenCache {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * The token of a credential.
   * @returns a promise only if there is no usable token; it rejects as `mint` does
   */
  get(credential: string, mint: () => Promise<MintedToken>): string | Promise<string> {
    const entry = this.#entry(credential);
    const leftMs = entry.token === null ? 0 : entry.token.expiresAtMs - this.#clock.now();
    if (entry.token === null || leftMs <= marginMs) {
      return this.#mint(entry, mint).then(({ token }) => token);
    }
    if (leftMs <= earlyMs && this.#clock.tick() - entry.failedAtTick >= pauseMs) {
      // Calls continue with the current token; a failure shows once it has ended.
      this.#mint(entry, mint).catch(() => {
        entry.failedAtTick = this.#clock.tick();
      });
    }
    return entry.token.token;
  }

  /** Drops a token that the upstream refused, unless it is so new that another one would hardly fare better. */
  forget(credential: string): void {
    const entry = this.#entries.get(credential);
    const ageMs = entry === undefined ? 0 : this.#clock.tick() - entry.mintedAtTick;
    if (entry === undefined || entry.token === null || ageMs < entry.restMs) {
      return;
    }
    entry.token = null;
    // One that was good for long says nothing about its successor.
    entry.restMs = ageMs > 2 * restMsMax ? restMsMin : Math.min(restMsMax, entry.restMs * 2);
  }

  #mint(entry: Entry, mint: () => Promise<MintedToken>): Promise<MintedToken> {
    entry.minting ??= mint()
      .then((token) => {
        entry.token = token;
        entry.mintedAtTick = this.#clock.tick();
        return token;
      })
      .finally(() => {
        entry.minting = null;
      });
    return entry.minting;
  }

  #entry(credential: string): Entry {
    let entry = this.#entries.get(credential);
    if (entry === undefined) {
      if (this.#entries.size >= entriesMax) {
        this.#entries.delete(this.#entries.keys().next().value ?? "");
      }
      const never = Number.NEGATIVE_INFINITY;
      entry = { token: null, minting: null, failedAtTick: never, mintedAtTick: never, restMs: restMsMin };
      this.#entries.set(credential, entry);
    }
    return entry;
  }
}

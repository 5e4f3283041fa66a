import { AppError } from "../../platform/errors.ts";
import { RateBucket } from "../../platform/rate-bucket.ts";
import type { RateLimits } from "../model.ts";
import { callsOf, type LimitShares, type LimitUse } from "./limit-shares.ts";

/** What was used of some limits on this replica. */
export type RateCount = LimitUse & {
  inFlight: number;
  requests: RateBucket | null;
  tokens: RateBucket | null;
  lastTick: number;
};

const forgetMs = 120_000;
/** Clients of some SDKs ignore a longer pause, and others obey a pause of hours. */
const retryAfterSecondsMax = 60;

/** Counts requests, tokens and concurrent calls by a name: that of a key, of an account, of an account in a group. */
export class RateCounts<Name> {
  readonly #counts = new Map<Name, RateCount>();
  readonly #shares: LimitShares;
  readonly #prefix: string;

  /** @param prefix what sets these names apart from others whose limits are shared */
  constructor(shares: LimitShares, prefix: string) {
    this.#shares = shares;
    this.#prefix = prefix;
  }

  /** The count under a name, whatever its limits were when it started. */
  known(name: Name): RateCount {
    let count = this.#counts.get(name);
    if (count === undefined) {
      count = { ...this.#shares.use(`${this.#prefix}${name}`), inFlight: 0, requests: null, tokens: null, lastTick: 0 };
      this.#shares.add(count);
      this.#counts.set(name, count);
    }
    return count;
  }

  /** The count, adjusted to its current limits; changed limits start again from zero. */
  adjusted(name: Name, limits: RateLimits): RateCount {
    const count = this.known(name);
    const { rate } = count.share;
    count.requests = RateBucket.adjusted(count.requests, limits.requestsPerMinute, rate);
    count.tokens = RateBucket.adjusted(count.tokens, limits.tokensPerMinute, rate);
    count.callsMax = limits.concurrencyMax;
    return count;
  }

  /** Forgets what has not been used for a while. */
  forgetIdle(tick: number): void {
    for (const [name, count] of this.#counts) {
      if (count.inFlight === 0 && tick - count.lastTick > forgetMs) {
        this.#counts.delete(name);
        this.#shares.remove(count);
      }
    }
  }
}

/** What a refusal says, as whole sentences: the console knows them in every language. */
export type LimitSentences = {
  readonly atOnce: (count: number) => string;
  readonly requests: (count: number) => string;
  readonly tokens: (count: number) => string;
};

export const ofKey: LimitSentences = {
  atOnce: (count) => `This API key is limited to ${count} concurrent calls.`,
  requests: (count) => `This API key is limited to ${count} requests per minute.`,
  tokens: (count) => `This API key is limited to ${count} tokens per minute.`,
};
export const ofAccount: LimitSentences = {
  atOnce: (count) => `Your account is limited to ${count} concurrent calls.`,
  requests: (count) => `Your account is limited to ${count} requests per minute.`,
  tokens: (count) => `Your account is limited to ${count} tokens per minute.`,
};
export const inGroup = (group: string): LimitSentences => ({
  atOnce: (count) => `Your account in the group '${group}' is limited to ${count} concurrent calls.`,
  requests: (count) => `Your account in the group '${group}' is limited to ${count} requests per minute.`,
  tokens: (count) => `Your account in the group '${group}' is limited to ${count} tokens per minute.`,
});

/** @throws AppError `rate_limit_exceeded` */
export function checkConcurrency(count: RateCount, { concurrencyMax }: RateLimits, sentences: LimitSentences): void {
  if (concurrencyMax !== null && count.inFlight >= callsOf(concurrencyMax, count.share)) {
    count.wasRefused = true;
    count.callsRefused += 1;
    throw new AppError("rate_limit_exceeded", {
      message: sentences.atOnce(concurrencyMax),
      retryAfterSeconds: 1,
    });
  }
}

/** @throws AppError `rate_limit_exceeded` with the seconds to wait */
export function checkRates(
  count: RateCount,
  { requestsPerMinute, tokensPerMinute }: RateLimits,
  sentences: LimitSentences,
  tick: number,
): void {
  const { requests, tokens } = count;
  if (requests !== null && !requests.has(1, tick)) {
    count.wasRefused = true;
    throw new AppError("rate_limit_exceeded", {
      message: sentences.requests(requestsPerMinute ?? 0),
      retryAfterSeconds: Math.min(retryAfterSecondsMax, requests.secondsUntil(1, tick)),
    });
  }
  if (tokens !== null && !tokens.has(1, tick)) {
    count.wasRefused = true;
    throw new AppError("rate_limit_exceeded", {
      message: sentences.tokens(tokensPerMinute ?? 0),
      retryAfterSeconds: Math.min(retryAfterSecondsMax, tokens.secondsUntil(1, tick)),
    });
  }
}

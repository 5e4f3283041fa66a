import { AppError } from "../../platform/errors.ts";
import { RateBucket } from "../../platform/rate-bucket.ts";
import type { RateLimits } from "../model.ts";

/** What was used of some limits on this replica. */
export type RateCount = {
  inFlight: number;
  requests: RateBucket | null;
  tokens: RateBucket | null;
  lastTick: number;
};

const forgetMs = 120_000;
/** Clients of some SDKs ignore a longer pause, and others obey a pause of hours. */
export const retryAfterSecondsMax = 60;

/** Counts requests, tokens and concurrent calls by a name: that of a key, of an account, of an account in a group. */
export class RateCounts<Name> {
  readonly #counts = new Map<Name, RateCount>();

  /** The count under a name, whatever its limits were when it started. */
  known(name: Name): RateCount {
    let count = this.#counts.get(name);
    if (count === undefined) {
      count = { inFlight: 0, requests: null, tokens: null, lastTick: 0 };
      this.#counts.set(name, count);
    }
    return count;
  }

  /** The count, adjusted to its current limits; changed limits start again from zero. */
  adjusted(name: Name, limits: RateLimits, replicas: number): RateCount {
    const count = this.known(name);
    count.requests = RateBucket.adjusted(count.requests, limits.requestsPerMinute, replicas);
    count.tokens = RateBucket.adjusted(count.tokens, limits.tokensPerMinute, replicas);
    return count;
  }

  /** Forgets what has not been used for a while. */
  forgetIdle(tick: number): void {
    for (const [name, count] of this.#counts) {
      if (count.inFlight === 0 && tick - count.lastTick > forgetMs) {
        this.#counts.delete(name);
      }
    }
  }
}

/**
 * @param whose begins the message, such as `This API key`
 * @throws AppError `rate_limit_exceeded`
 */
export function checkConcurrency(
  { inFlight }: RateCount,
  { concurrencyMax }: RateLimits,
  whose: string,
  replicas: number,
): void {
  if (concurrencyMax !== null && inFlight >= Math.max(1, Math.floor(concurrencyMax / replicas))) {
    throw new AppError("rate_limit_exceeded", {
      message: `${whose} is limited to ${concurrencyMax} concurrent calls.`,
      retryAfterSeconds: 1,
    });
  }
}

/** @throws AppError `rate_limit_exceeded` with the seconds to wait */
export function checkRates(
  { requests, tokens }: RateCount,
  { requestsPerMinute, tokensPerMinute }: RateLimits,
  whose: string,
  tick: number,
): void {
  if (requests !== null && !requests.has(1, tick)) {
    throw new AppError("rate_limit_exceeded", {
      message: `${whose} is limited to ${requestsPerMinute} requests per minute.`,
      retryAfterSeconds: Math.min(retryAfterSecondsMax, requests.secondsUntil(1, tick)),
    });
  }
  if (tokens !== null && !tokens.has(1, tick)) {
    throw new AppError("rate_limit_exceeded", {
      message: `${whose} is limited to ${tokensPerMinute} tokens per minute.`,
      retryAfterSeconds: Math.min(retryAfterSecondsMax, tokens.secondsUntil(1, tick)),
    });
  }
}

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
const retryAfterSecondsMax = 60;

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
export function checkConcurrency(
  { inFlight }: RateCount,
  { concurrencyMax }: RateLimits,
  sentences: LimitSentences,
  replicas: number,
): void {
  if (concurrencyMax !== null && inFlight >= Math.max(1, Math.floor(concurrencyMax / replicas))) {
    throw new AppError("rate_limit_exceeded", {
      message: sentences.atOnce(concurrencyMax),
      retryAfterSeconds: 1,
    });
  }
}

/** @throws AppError `rate_limit_exceeded` with the seconds to wait */
export function checkRates(
  { requests, tokens }: RateCount,
  { requestsPerMinute, tokensPerMinute }: RateLimits,
  sentences: LimitSentences,
  tick: number,
): void {
  if (requests !== null && !requests.has(1, tick)) {
    throw new AppError("rate_limit_exceeded", {
      message: sentences.requests(requestsPerMinute ?? 0),
      retryAfterSeconds: Math.min(retryAfterSecondsMax, requests.secondsUntil(1, tick)),
    });
  }
  if (tokens !== null && !tokens.has(1, tick)) {
    throw new AppError("rate_limit_exceeded", {
      message: sentences.tokens(tokensPerMinute ?? 0),
      retryAfterSeconds: Math.min(retryAfterSecondsMax, tokens.secondsUntil(1, tick)),
    });
  }
}

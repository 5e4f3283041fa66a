import type { ApiKeyId, GatewayUserId } from "@sluice/contracts/ids";
import type { Clock } from "../../platform/clock.ts";
import { AppError } from "../../platform/errors.ts";
import { RateBucket } from "../../platform/rate-bucket.ts";
import type { Principal } from "../model.ts";

type Usage = {
  inFlight: number;
  requests: RateBucket | null;
  tokens: RateBucket | null;
  lastTick: number;
};

const forgetMs = 120_000;
const hourMs = 3_600_000;

/** Requests and tokens per minute and concurrent calls for each key, as far as this replica handled them. */
export class KeyLimits {
  /** The counters by the key whose limits apply. */
  readonly #usages = new Map<ApiKeyId, Usage>();
  /**
   * Calls that a provider may bill us for although we do not charge them. They are counted per user, who could
   * otherwise switch from one key to the next.
   */
  readonly #unpaid = new Map<GatewayUserId, RateBucket>();
  readonly #used = new Set<ApiKeyId>();
  readonly #clock: Clock;
  readonly #unpaidPerHour: number | null;
  #replicas = 1;

  /**
   * @param unpaidPerHour how many calls of a user may be free although a provider began to work on them: abandoned before
   * their response begins or their cost is reported, or without output; null for any number
   */
  constructor(clock: Clock, unpaidPerHour: number | null) {
    this.#clock = clock;
    this.#unpaidPerHour = unpaidPerHour;
  }

  /** Limits are divided evenly among live replicas. */
  setReplicas(count: number): void {
    this.#replicas = Math.max(1, count);
  }

  /**
   * Lets a call in; `end` must follow.
   * @throws AppError `rate_limit_exceeded` with the seconds to wait
   */
  begin(principal: Principal): void {
    const usage = this.#usage(principal);
    const tick = this.#clock.tick();
    usage.lastTick = tick;
    const { concurrencyMax } = principal;
    if (concurrencyMax !== null && usage.inFlight >= Math.max(1, Math.floor(concurrencyMax / this.#replicas))) {
      throw new AppError("rate_limit_exceeded", {
        message: `This API key is limited to ${concurrencyMax} concurrent calls.`,
        retryAfterSeconds: 1,
      });
    }
    this.#checkRates(principal, usage, tick);
    usage.requests?.take(1, tick);
    usage.inFlight += 1;
    this.#used.add(principal.apiKeyId);
  }

  /**
   * Lets a running call request another response, which counts as a request.
   * @throws AppError `rate_limit_exceeded` with the seconds to wait
   */
  beginResponse(principal: Principal): void {
    const usage = this.#usage(principal);
    const tick = this.#clock.tick();
    this.#checkRates(principal, usage, tick);
    usage.requests?.take(1, tick);
  }

  /** Counts a response that began by itself and could not be refused. */
  noteResponse(principal: Principal): void {
    this.#known(principal).requests?.take(1, this.#clock.tick());
  }

  #checkRates(principal: Principal, usage: Usage, tick: number): void {
    if (usage.requests !== null && !usage.requests.has(1, tick)) {
      throw new AppError("rate_limit_exceeded", {
        message: `This API key is limited to ${principal.requestsPerMinute} requests per minute.`,
        retryAfterSeconds: usage.requests.secondsUntil(1, tick),
      });
    }
    if (usage.tokens !== null && !usage.tokens.has(1, tick)) {
      throw new AppError("rate_limit_exceeded", {
        message: `This API key is limited to ${principal.tokensPerMinute} tokens per minute.`,
        retryAfterSeconds: usage.tokens.secondsUntil(1, tick),
      });
    }
    const unpaid = this.#unpaidOf(principal.gatewayUserId);
    if (unpaid?.has(1, tick) === false) {
      throw new AppError("rate_limit_exceeded", {
        message: `This account can make at most ${this.#unpaidPerHour} calls per hour that produce no output or that it abandons before their cost is known.`,
        retryAfterSeconds: unpaid.secondsUntil(1, tick),
      });
    }
  }

  /** A provider may have done more work for a call than is charged: it was abandoned, or produced no output. */
  noteUnpaid(principal: Principal): void {
    const { gatewayUserId: id } = principal;
    const bucket = this.#unpaidOf(id) ?? RateBucket.adjusted(null, this.#unpaidPerHour, this.#replicas, hourMs);
    if (bucket !== null) {
      this.#unpaid.set(id, bucket);
      bucket.take(1, this.#clock.tick());
    }
  }

  /** A running call used this many tokens. */
  use(principal: Principal, tokens: bigint): void {
    this.#known(principal).tokens?.take(Number(tokens), this.#clock.tick());
  }

  /** The call is over and used this many tokens. */
  end(principal: Principal, tokens: bigint): void {
    const usage = this.#known(principal);
    const tick = this.#clock.tick();
    usage.inFlight -= 1;
    usage.lastTick = tick;
    usage.tokens?.take(Number(tokens), tick);
  }

  /** Keys used by admitted calls since the last call of this method. */
  takeUsed(): ApiKeyId[] {
    const used = [...this.#used];
    this.#used.clear();
    return used;
  }

  /** Forgets keys that have not been used for a while. */
  forgetIdle(): void {
    const tick = this.#clock.tick();
    for (const [id, usage] of this.#usages) {
      if (usage.inFlight === 0 && tick - usage.lastTick > forgetMs) {
        this.#usages.delete(id);
      }
    }
    for (const [id, bucket] of this.#unpaid) {
      if (bucket.isFull(tick)) {
        this.#unpaid.delete(id);
      }
    }
  }

  /** Returns null if nothing is counted. */
  #unpaidOf(id: GatewayUserId): RateBucket | null {
    const known = this.#unpaid.get(id);
    if (known === undefined) {
      return null;
    }
    const bucket = RateBucket.adjusted(known, this.#unpaidPerHour, this.#replicas, hourMs);
    if (bucket !== null && bucket !== known) {
      this.#unpaid.set(id, bucket);
    }
    return bucket;
  }

  /** The counters of a key, whatever its limits were when they started. */
  #known(principal: Principal): Usage {
    let usage = this.#usages.get(principal.limitKeyId);
    if (usage === undefined) {
      usage = { inFlight: 0, requests: null, tokens: null, lastTick: 0 };
      this.#usages.set(principal.limitKeyId, usage);
    }
    return usage;
  }

  /** The counters of a key, adjusted to its current limits; changed limits start again from zero. */
  #usage(principal: Principal): Usage {
    const usage = this.#known(principal);
    usage.requests = RateBucket.adjusted(usage.requests, principal.requestsPerMinute, this.#replicas);
    usage.tokens = RateBucket.adjusted(usage.tokens, principal.tokensPerMinute, this.#replicas);
    return usage;
  }
}

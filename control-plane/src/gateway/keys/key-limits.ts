import type { ApiKeyId, GatewayUserId } from "@sluice/contracts/ids";
import type { Amount } from "../../platform/amount.ts";
import type { Clock } from "../../platform/clock.ts";
import { AppError } from "../../platform/errors.ts";
import { RateBucket } from "../../platform/rate-bucket.ts";
import type { Gauge, LimitGauges, Principal, RateLimits } from "../model.ts";
import { LimitShares } from "./limit-shares.ts";
import {
  checkConcurrency,
  checkRates,
  inGroup,
  type LimitSentences,
  ofAccount,
  ofKey,
  type RateCount,
  RateCounts,
} from "./rate-counters.ts";

const hourMs = 3_600_000;

/** The limits of an account beside those of its key, with what was used of each. */
type Further = { readonly limits: RateLimits; readonly count: RateCount; readonly sentences: LimitSentences };
const none: readonly Further[] = [];

type Written<Of> = { -readonly [Name in keyof Of]: Of[Name] };
const emptyGauge = (): Written<Gauge> => ({ limit: 0, left: 0, fullInMs: 0 });

/**
 * Requests and tokens per minute and concurrent calls for each key, and for each account where operators limit it, as
 * far as this replica handled them. The strictest limit counts.
 */
export class KeyLimits {
  /** By the key whose limits apply. */
  readonly #keys: RateCounts<ApiKeyId>;
  readonly #accounts: RateCounts<GatewayUserId>;
  /** By account and group. */
  readonly #inGroups: RateCounts<string>;
  /**
   * Calls that a provider may bill us for although we do not charge them. They are counted per user, who could
   * otherwise switch from one key to the next.
   */
  readonly #unpaid = new Map<GatewayUserId, RateBucket>();
  readonly #used = new Set<ApiKeyId>();
  readonly #gauges: Written<LimitGauges> = { requests: null, tokens: null };
  readonly #requestsGauge = emptyGauge();
  readonly #tokensGauge = emptyGauge();
  readonly #clock: Clock;
  readonly #unpaidPerHour: number | null;
  /** How the limits are divided among live replicas: by use, except for that of unpaid calls. */
  readonly shares: LimitShares;

  /**
   * @param unpaidPerHour how many calls of a user may be free although a provider began to work on them: abandoned before
   * their response begins or their cost is reported, or without output; null for any number
   */
  constructor(clock: Clock, unpaidPerHour: number | null, shares = new LimitShares("", clock)) {
    this.#clock = clock;
    this.#unpaidPerHour = unpaidPerHour;
    this.shares = shares;
    this.#keys = new RateCounts(shares, "k");
    this.#accounts = new RateCounts(shares, "a");
    this.#inGroups = new RateCounts(shares, "g");
  }

  /**
   * Lets a call in; `end` must follow.
   * @param tick if the time was just read
   * @throws AppError `rate_limit_exceeded` with the seconds to wait
   */
  begin(principal: Principal, tick = this.#clock.tick()): void {
    this.#letIn(principal, true, tick);
    this.#used.add(principal.apiKeyId);
  }

  /**
   * Lets a running call request another response, which counts as a request.
   * @throws AppError `rate_limit_exceeded` with the seconds to wait
   */
  beginResponse(principal: Principal): void {
    this.#letIn(principal, false, this.#clock.tick());
  }

  /** Counts a response that began by itself and could not be refused. */
  noteResponse(principal: Principal): void {
    const tick = this.#clock.tick();
    for (const count of this.#counts(principal)) {
      count.requests?.take(1, tick);
    }
  }

  /**
   * Counts a request, once no limit refuses it.
   * @param isCall whether a call begins with it, which may be one too many at a time
   */
  #letIn(principal: Principal, isCall: boolean, tick: number): void {
    const count = this.#keys.adjusted(principal.limitKeyId, principal);
    const further = this.#further(principal);
    this.shares.note(count);
    for (const each of further) {
      this.shares.note(each.count);
    }
    if (isCall) {
      checkConcurrency(count, principal, ofKey);
      for (const each of further) {
        checkConcurrency(each.count, each.limits, each.sentences);
      }
    }
    this.#checkRates(principal, count, further, tick);
    enter(count, isCall, tick);
    for (const each of further) {
      enter(each.count, isCall, tick);
    }
  }

  #checkRates(principal: Principal, count: RateCount, further: readonly Further[], tick: number): void {
    checkRates(count, principal, ofKey, tick);
    for (const each of further) {
      checkRates(each.count, each.limits, each.sentences, tick);
    }
    const unpaid = this.#unpaidOf(principal.gatewayUserId);
    if (unpaid?.has(1, tick) === false) {
      throw new AppError("rate_limit_exceeded", {
        message: `This account can make at most ${this.#unpaidPerHour} calls per hour that produce no output or that it cancels before their cost is known.`,
        retryAfterSeconds: unpaid.secondsUntil(1, tick),
      });
    }
  }

  /** The limits of the account itself; for most accounts there are none. */
  #further(principal: Principal): readonly Further[] {
    const { groupLimits, accountLimits, gatewayUserId, groupName } = principal;
    if (groupLimits === null && accountLimits === null) {
      return none;
    }
    const further: Further[] = [];
    if (groupLimits !== null) {
      const count = this.#inGroups.adjusted(nameInGroup(principal), groupLimits);
      further.push({ limits: groupLimits, count, sentences: inGroup(groupName) });
    }
    if (accountLimits !== null) {
      const count = this.#accounts.adjusted(gatewayUserId, accountLimits);
      further.push({ limits: accountLimits, count, sentences: ofAccount });
    }
    return further;
  }

  /** What a call counts in, whatever the limits are by now. */
  #counts(principal: Principal): readonly RateCount[] {
    const { groupLimits, accountLimits, gatewayUserId, limitKeyId } = principal;
    return [
      this.#keys.known(limitKeyId),
      ...(groupLimits === null ? [] : [this.#inGroups.known(nameInGroup(principal))]),
      ...(accountLimits === null ? [] : [this.#accounts.known(gatewayUserId)]),
    ];
  }

  /**
   * The strictest limits per minute of a call's key and account, as responses name them; null without any. They are written
   * over by the next call of this method.
   */
  gauges(principal: Principal): LimitGauges | null {
    const { requestsPerMinute, tokensPerMinute, groupLimits, accountLimits } = principal;
    if (requestsPerMinute === null && tokensPerMinute === null && groupLimits === null && accountLimits === null) {
      return null;
    }
    const tick = this.#clock.tick();
    const count = this.#keys.adjusted(principal.limitKeyId, principal);
    const gauges = this.#gauges;
    gauges.requests = gaugeOf(requestsPerMinute, count, { bucket: count.requests, tick }, this.#requestsGauge);
    gauges.tokens = gaugeOf(tokensPerMinute, count, { bucket: count.tokens, tick }, this.#tokensGauge);
    if (groupLimits !== null || accountLimits !== null) {
      this.#tighten(gauges, principal, tick);
    }
    return gauges;
  }

  /** Names the limits of the account itself where they are stricter. */
  #tighten(gauges: Written<LimitGauges>, principal: Principal, tick: number): void {
    for (const { limits, count } of this.#further(principal)) {
      const { requests, tokens } = count;
      const { requestsPerMinute, tokensPerMinute } = limits;
      const byRequest = gaugeOf(requestsPerMinute, count, { bucket: requests, tick }, emptyGauge());
      const byToken = gaugeOf(tokensPerMinute, count, { bucket: tokens, tick }, emptyGauge());
      gauges.requests = stricter(gauges.requests, byRequest);
      gauges.tokens = stricter(gauges.tokens, byToken);
    }
  }

  /** A provider may have done more work for a call than is charged: it was abandoned, or produced no output. */
  noteUnpaid(principal: Principal): void {
    const { gatewayUserId: id } = principal;
    const bucket = this.#unpaidOf(id) ?? RateBucket.adjusted(null, this.#unpaidPerHour, this.shares.evenly, hourMs);
    if (bucket !== null) {
      this.#unpaid.set(id, bucket);
      bucket.take(1, this.#clock.tick());
    }
  }

  /** A running call used this many tokens. */
  use(principal: Principal, tokens: Amount): void {
    const tick = this.#clock.tick();
    for (const count of this.#counts(principal)) {
      count.tokens?.take(Number(tokens), tick);
    }
  }

  /** The call is over and used this many tokens. @param tick if the time was just read */
  end(principal: Principal, tokens: Amount, tick = this.#clock.tick()): void {
    const { groupLimits, accountLimits } = principal;
    leave(this.#keys.known(principal.limitKeyId), tokens, tick);
    if (groupLimits !== null) {
      leave(this.#inGroups.known(nameInGroup(principal)), tokens, tick);
    }
    if (accountLimits !== null) {
      leave(this.#accounts.known(principal.gatewayUserId), tokens, tick);
    }
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
    this.#keys.forgetIdle(tick);
    this.#accounts.forgetIdle(tick);
    this.#inGroups.forgetIdle(tick);
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
    const bucket = RateBucket.adjusted(known, this.#unpaidPerHour, this.shares.evenly, hourMs);
    if (bucket !== null && bucket !== known) {
      this.#unpaid.set(id, bucket);
    }
    return bucket;
  }
}

type Level = { readonly bucket: RateBucket | null; readonly tick: number };

/**
 * What is left here is of the share of this replica; the others have as much of theirs, by and large.
 * @returns the gauge, or null without a limit
 */
function gaugeOf(
  limit: number | null,
  { share }: RateCount,
  { bucket, tick }: Level,
  gauge: Written<Gauge>,
): Gauge | null {
  if (limit === null || bucket === null) {
    return null;
  }
  gauge.limit = limit;
  gauge.left = Math.min(limit, Math.round(bucket.left(tick) / share.rate));
  gauge.fullInMs = bucket.msUntilFull(tick);
  return gauge;
}

/** The limit with less left; of two with as much left, the lower one. */
function stricter(one: Gauge | null, other: Gauge | null): Gauge | null {
  if (one === null || other === null) {
    return one ?? other;
  }
  const isOther = other.left < one.left || (other.left === one.left && other.limit < one.limit);
  return isOther ? other : one;
}

const nameInGroup = ({ gatewayUserId, groupName }: Principal): string => `${gatewayUserId}/${groupName}`;

function enter(count: RateCount, isCall: boolean, tick: number): void {
  count.requests?.take(1, tick);
  if (isCall) {
    count.inFlight += 1;
    count.lastTick = tick;
  }
}

function leave(count: RateCount, tokens: Amount, tick: number): void {
  count.inFlight -= 1;
  count.lastTick = tick;
  count.tokens?.take(Number(tokens), tick);
}

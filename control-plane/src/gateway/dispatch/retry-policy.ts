import type { AttemptFailure } from "../model.ts";

/** A call is tried at no more channels than this, however they respond. */
export const attemptsMax = 3;

/** When a call moves on to the next channel. */
export type RetryRule = {
  /** How long one channel may be silent, as long as there is another one left to try. */
  readonly attemptMs: number;
  /** How long all channels together may be silent. */
  readonly callMs: number;
  /** Whether to retry a request that a provider may have worked on, and may bill. */
  readonly isSentRetried: boolean;
};

/** The progress of a call. */
export type Progress = {
  /** The number of channels tried so far. */
  readonly attempts: number;
  /** The time since the first attempt began. */
  readonly elapsedMs: number;
};

/**
 * Whether another channel may be tried after a failure. The caller asks only before the first byte of a response was
 * sent; after that, nothing is ever retried.
 */
export function mayRetry({ retry }: Pick<AttemptFailure, "retry">, progress: Progress, rule: RetryRule): boolean {
  const isWorthwhile = retry === "free" || (retry === "paid_twice" && rule.isSentRetried);
  return isWorthwhile && hasRoom(progress, rule);
}

/**
 * How long the next attempt may be silent: only a share of the time if another channel could still be tried after it,
 * otherwise all that is left.
 * @param hasNext whether another channel is open
 */
export function attemptMsMax({ attempts, elapsedMs }: Progress, hasNext: boolean, rule: RetryRule): number {
  const goesOn =
    hasNext && rule.isSentRetried && hasRoom({ attempts: attempts + 1, elapsedMs: elapsedMs + rule.attemptMs }, rule);
  return goesOn ? rule.attemptMs : Math.max(rule.attemptMs / 2, rule.callMs - elapsedMs);
}

/** A second attempt at the same channel waits this long, and up to as long again. */
const backoffMs = 250;
/** A timer may be this early. */
const timerMs = 2;
/** A pause is waited for only if it is as short as this. */
const pauseMsMax = 1_500;

/**
 * How long to wait before a channel is tried again that is the only one left: once per call, if the connection failed,
 * broke off before the head, or brought a 5xx. Null if it is not tried again: a client obeys the pause that a provider
 * asks for by itself.
 * @param pauseMs what is left of the channel's pause
 * @param random a number from 0 up to, not including, 1
 */
export function backoffBeforeRepeat(failure: AttemptFailure, pauseMs: number, random: number): number | null {
  const isPassing = passingResults.has(failure.result) || (failure.status ?? 0) >= 500;
  const isLasting = failure.isLasting || lastingStatuses.has(failure.status ?? 0);
  const isToldWhen = failure.retryAfterSeconds !== null;
  return isPassing && !isLasting && !isToldWhen && pauseMs <= pauseMsMax
    ? Math.max(pauseMs + timerMs, backoffMs * (1 + random))
    : null;
}

const passingResults: ReadonlySet<string> = new Set(["unreachable", "reset_before_head"]);
/** The provider does not know the request, has already waited for too long, or is ourselves. */
const lastingStatuses: ReadonlySet<number> = new Set([501, 504, 505, 508]);

/** Another attempt must be worthwhile: it needs at least half of the time of a whole attempt. */
function hasRoom({ attempts, elapsedMs }: Progress, { attemptMs, callMs }: RetryRule): boolean {
  return attempts < attemptsMax && elapsedMs + attemptMs / 2 <= callMs;
}

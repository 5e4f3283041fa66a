import type { AttemptFailure } from "../model.ts";

/** A call is tried at this many channels at most, whatever they answer. */
export const attemptsMax = 3;
/** After this long no new attempt begins: the client has waited enough. */
const retryMsMax = 10_000;

/**
 * Whether another channel may be tried. Never once a byte of an answer went out (the caller asks only before that), and
 * only when the failed attempt can't have produced an answer that somebody pays for.
 */
export function mayRetry(failure: AttemptFailure, attempts: number, elapsedMs: number): boolean {
  return failure.isRetryable && attempts < attemptsMax && elapsedMs < retryMsMax;
}

import { backoffMs } from "../../platform/backoff.ts";

const retryBackoff = { minMs: 30_000, maxMs: 3_600_000, chance: 0.2 };
const retryAfterMsMax = 24 * 3_600_000;

/**
 * How long to wait after a failed attempt, in milliseconds: 30 s, doubled with each attempt, at most an hour, minus a
 * random part of up to a fifth, so that emails that failed together are not retried together. A server that asks for
 * more time gets it, up to a day.
 * @param attempts the number of attempts so far, at least 1
 */
export function retryDelayMs(attempts: number, retryAfterMs: number | null, random: () => number): number {
  const asked = Math.min(retryAfterMsMax, retryAfterMs ?? 0);
  return Math.max(asked, backoffMs(retryBackoff, attempts, random));
}

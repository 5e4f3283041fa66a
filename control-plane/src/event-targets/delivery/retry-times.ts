const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** The waits after each failed attempt; together about a day. */
const waitsMs = [5 * secondMs, 5 * minuteMs, 30 * minuteMs, 2 * hourMs, 5 * hourMs, 8 * hourMs, 9 * hourMs] as const;

const chance = 0.1;
const askedMsMax = 24 * hourMs;

/**
 * How long to wait after a failed attempt, in milliseconds; null after the last one. A server that asks for more time
 * gets it, up to a day.
 * @param attempts the number of attempts so far, at least 1
 */
export function waitAfterMs(attempts: number, askedMs: number | null, random: () => number): number | null {
  const wait = waitsMs[attempts - 1];
  return wait === undefined
    ? null
    : Math.max(Math.round(wait * (1 - chance * random())), Math.min(askedMs ?? 0, askedMsMax));
}

const pauseMsMax = 10 * minuteMs;
const doublingsMax = 10;

/**
 * How long a target gets nothing at all after failures in a row, so that one that fails slowly uses little of the time
 * that others need.
 * @param failures in a row, at least 1
 */
export function pauseAfterMs(failures: number, askedMs: number | null): number {
  const own = Math.min(pauseMsMax, 2 * secondMs * 2 ** Math.min(failures - 1, doublingsMax));
  return Math.max(own, Math.min(askedMs ?? 0, askedMsMax));
}

/** A target that has only failed for so long is switched off. */
export const failingMsMax = 3 * 24 * hourMs;

/** Time as a parameter: rules take a clock, so that tests can set it. */
export interface Clock {
  /** Milliseconds since 1970, for stored and displayed times. */
  now(): number;
  /** Monotonic milliseconds, for durations and deadlines. */
  tick(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  // A call reads it a dozen times, and `performance.now` takes twice as long.
  tick: () => Bun.nanoseconds() / 1e6,
};

export const dayMs = 86_400_000;

let dayOfLast = "";
let dayEndsAt = 0;
let dayStartsAt = 0;

/** The UTC day of a moment as YYYY-MM-DD. Caches the last day, because nearly every call asks for the same one. */
export function utcDay(epochMs: number): string {
  if (!(epochMs >= dayStartsAt && epochMs < dayEndsAt)) {
    dayOfLast = new Date(epochMs).toISOString().slice(0, 10);
    dayStartsAt = Math.floor(epochMs / dayMs) * dayMs;
    dayEndsAt = dayStartsAt + dayMs;
  }
  return dayOfLast;
}

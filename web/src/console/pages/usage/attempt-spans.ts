type Attempt = { readonly started_at_ms: number; readonly duration_ms: number };

/** The position of an attempt in the time of its call, in percent. */
export type AttemptSpan = { readonly start: number; readonly width: number };

const percent = 100;

/**
 * The attempts over the time of their call, which lasts at least as long as the last of them. Starts count from its
 * start.
 */
export function spansOf(attempts: readonly Attempt[], durationMs: number): AttemptSpan[] {
  const whole = Math.max(1, durationMs, ...attempts.map((each) => each.started_at_ms + each.duration_ms));
  return attempts.map((each) => ({
    start: (each.started_at_ms / whole) * percent,
    width: (each.duration_ms / whole) * percent,
  }));
}

/** Decimal texts with as many places as the longest of them, so that their points align. */
export function toEqualPlaces(decimals: readonly string[]): string[] {
  const placesOf = (text: string): number => text.split(".")[1]?.length ?? 0;
  const places = Math.max(0, ...decimals.map(placesOf));
  return decimals.map((text) => {
    const missing = places - placesOf(text);
    return missing === 0 ? text : `${text}${text.includes(".") ? "" : "."}${"0".repeat(missing)}`;
  });
}

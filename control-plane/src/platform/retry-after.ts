/** The wait that a `Retry-After` header asks for, in milliseconds: seconds, or a date. Null when it is neither. */
export function parseRetryAfter(text: string, nowMs: number): number | null {
  const trimmed = text.trim();
  if (/^\d{1,9}$/.test(trimmed)) {
    return Number(trimmed) * 1_000;
  }
  // Dates begin with the day of the week; the language's own parser also accepts other text.
  const at = /^[A-Za-z]{3}/.test(trimmed) ? Date.parse(trimmed) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}

/** Returns null for an empty field. */
export function orNull(text: string): string | null {
  const trimmed = text.trim();
  return trimmed === "" ? null : trimmed;
}

/** Returns undefined for an empty field, so that it is omitted. */
export function orAbsent(text: string): string | undefined {
  return orNull(text) ?? undefined;
}

/** The integer in a field, null when it is empty; invalid input is sent as it is, and the backend reports it. */
export function wholeOrNull(text: string): number | string | null {
  const trimmed = text.trim();
  return trimmed === "" ? null : /^-?\d{1,15}$/.test(trimmed) ? Number(trimmed) : trimmed;
}

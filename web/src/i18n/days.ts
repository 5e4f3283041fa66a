/** Days in the backend's format, YYYY-MM-DD; computed without Temporal, which not every browser has. */
export const daySeconds = 86_400;
export const dayMs: number = daySeconds * 1_000;

/** The UTC day of a moment. */
export function utcDay(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10);
}

/** Of the zone that was asked for last: creating one takes a millisecond, and a page asks about its zone again and again. */
let dayFormat: { readonly zone: string; readonly format: Intl.DateTimeFormat } | null = null;

/** The day of a moment in a time zone; in UTC for an unknown zone, which the backend reports. */
export function dayIn(zone: string, epochMs: number): string {
  try {
    if (dayFormat?.zone !== zone) {
      dayFormat = { zone, format: new Intl.DateTimeFormat("en-CA", { timeZone: zone, dateStyle: "short" }) };
    }
    return dayFormat.format.format(epochMs);
  } catch {
    return utcDay(epochMs);
  }
}

export function addDays(day: string, days: number): string {
  return utcDay(Date.parse(`${day}T00:00:00Z`) + days * dayMs);
}

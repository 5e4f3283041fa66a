/** Calendar days, as YYYY-MM-DD or as dates. The day of a call is computed in clock.ts, because every call needs it. */

/** The current day in a time zone. */
export function todayIn(zone: string, nowMs: number): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(zone).toPlainDate();
}

/** The first moment of a day, whatever clocks do at midnight. */
export function startOfDay(day: Temporal.PlainDate, zone: string): Date {
  return new Date(day.toZonedDateTime(zone).epochMilliseconds);
}

/** The day this many days later. */
export function addDays(day: string, days: number): string {
  return Temporal.PlainDate.from(day).add({ days }).toString();
}

/** The number of days from the first to the last, both included; 0 or less when they are in the wrong order. */
export function countDays(fromDay: string, toDay: string): number {
  return Temporal.PlainDate.from(fromDay).until(toDay).days + 1;
}

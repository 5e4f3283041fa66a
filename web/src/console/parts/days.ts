import { formatsOf } from "../../i18n/format.ts";
import { consoleLocale } from "../locales.ts";

/** The zone of this browser, by its name in the database of zones. */
export const browserZone: string = new Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

/** A day as a chart has it: its beginning in UTC, because a day of a zone is a name and not a moment. */
export function secondsOfDay(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / 1_000;
}

const utcFormats = formatsOf(consoleLocale, "UTC");

/** Days, written. */
export const dayFormats = {
  ofSeconds: (seconds: number): string => utcFormats.date(new Date(seconds * 1_000)),
} as const;

import { formatsOf } from "../../i18n/format.ts";
import { consoleLocale } from "../locales.ts";

let zone = "";

/** The browser's time zone, by its IANA name; only read where it is needed: the first use of dates takes its time. */
export function browserZone(): string {
  zone ||= new Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
  return zone;
}

/** A day as a chart needs it: its beginning in UTC, because a day in a time zone is a name and not a moment. */
export function secondsOfDay(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / 1_000;
}

const utcFormats = formatsOf(consoleLocale, "UTC");

/** Formatted days. */
export const dayFormats = {
  ofSeconds: (seconds: number): string => utcFormats.date(new Date(seconds * 1_000)),
} as const;

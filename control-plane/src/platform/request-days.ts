import { dayMs, utcDay } from "./clock.ts";

/**
 * An id can contain times that our calendar can't represent. No call began at such a time, so they all map to one day.
 */
const latestMs = Date.parse("9000-01-01T00:00:00Z");

/**
 * The UTC days under which a call can be filed, earliest first. The first 48 bits of its request id are the
 * milliseconds since 1970 at which it began; the day may come from another clock, so its neighbours are included.
 */
export function daysOfRequest(requestId: string): readonly [string, string, string] {
  const startedMs = Math.min(Number.parseInt(requestId.replaceAll("-", "").slice(0, 12), 16), latestMs);
  return [utcDay(startedMs - dayMs), utcDay(startedMs), utcDay(startedMs + dayMs)];
}

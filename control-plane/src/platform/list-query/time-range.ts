import { startOfDay, todayIn } from "../days.ts";
import { AppError } from "../errors.ts";
import type { TimeOf, TimeRange } from "./model.ts";

type Asked = { readonly from_day?: string; readonly to_day?: string; readonly zone: string };

/**
 * The moments at which days of a time zone begin and end. A day that begins an hour late, because clocks were put
 * forward at midnight, begins at its first moment.
 * @throws AppError `invalid_parameter` for days in the wrong order, or too many
 */
export function readRange(
  time: TimeOf,
  asked: Asked,
  { nowMs, isOpen }: { readonly nowMs: number; readonly isOpen: boolean },
): TimeRange {
  const { zone } = asked;
  const today = todayIn(zone, nowMs);
  const last = asked.to_day === undefined ? null : Temporal.PlainDate.from(asked.to_day);
  const { daysDefault, daysMax } = time;
  const first =
    asked.from_day === undefined
      ? daysDefault === undefined || isOpen
        ? null
        : (last ?? today).subtract({ days: daysDefault - 1 })
      : Temporal.PlainDate.from(asked.from_day);
  if (first !== null && last !== null && Temporal.PlainDate.compare(first, last) > 0) {
    throw new AppError("invalid_parameter", { fields: { from_day: "This is after the last day." } });
  }
  if (daysMax !== undefined && first !== null && first.until(last ?? today).days >= daysMax) {
    throw new AppError("invalid_parameter", { fields: { from_day: `Choose at most ${daysMax} days.` } });
  }
  return {
    fromDay: first?.toString() ?? null,
    toDay: last?.toString() ?? null,
    zone,
    from: first === null ? null : startOfDay(first, zone),
    to: last === null ? null : startOfDay(last.add({ days: 1 }), zone),
  };
}

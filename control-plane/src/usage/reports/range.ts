import { type ReportRangeInput, reportDaysMax } from "@sluice/contracts/reports";
import { startOfDay, todayIn } from "../../platform/days.ts";
import { AppError } from "../../platform/errors.ts";

const daysShown = 30;
const quarterMs = 900_000;
const hourMs = 3_600_000;
const hourlyDaysMax = 7;
const hourlyDaysDefault = 2;

/** The moments at which the span begins and ends; the second is exclusive. */
export type Span = { readonly from: Date; readonly to: Date };

/** Days in a time zone and the moments at which they begin. */
export type ReportRange = Span & {
  readonly fromDay: string;
  readonly toDay: string;
  readonly zone: string;
  /** The days of the range, the first included. */
  readonly days: readonly { readonly day: string; readonly startsAt: Date }[];
  /** The span of the same length before this range; only as much of it as has passed of this one. */
  readonly previous: Span;
};

/**
 * The requested range. Days begin with their first moment, whatever clocks do at midnight.
 * @throws AppError `invalid_parameter` for days in the wrong order, or too many
 */
export function readReportRange(asked: ReportRangeInput, nowMs: number): ReportRange {
  const { zone } = asked;
  const today = todayIn(zone, nowMs);
  const first = asked.from_day === undefined ? null : Temporal.PlainDate.from(asked.from_day);
  const last = asked.to_day === undefined ? laterOf(first, today) : Temporal.PlainDate.from(asked.to_day);
  const begin = first ?? last.subtract({ days: daysShown - 1 });
  const count = begin.until(last).days + 1;
  if (count < 1 || count > reportDaysMax) {
    throw new AppError("invalid_parameter", { fields: { from_day: `Choose 1 to ${reportDaysMax} days.` } });
  }
  const days = Array.from({ length: count }, (_, index) => {
    const day = begin.add({ days: index });
    return { day: day.toString(), startsAt: startOfDay(day, zone) };
  });
  const from = startOfDay(begin, zone);
  const to = startOfDay(last.add({ days: 1 }), zone);
  const previousFrom = startOfDay(begin.subtract({ days: count }), zone);
  // The elapsed time is truncated to a quarter hour, the resolution of the usage sums.
  const passedMs = Math.floor((nowMs - from.getTime()) / quarterMs) * quarterMs;
  const previousTo = new Date(Math.min(from.getTime(), previousFrom.getTime() + Math.max(0, passedMs)));
  const isOver = nowMs >= to.getTime();
  return {
    fromDay: begin.toString(),
    toDay: last.toString(),
    zone,
    from,
    to,
    days,
    previous: { from: previousFrom, to: isOver ? from : previousTo },
  };
}

/** The same number of days right before a range. */
export function rangeBefore({ fromDay, days, zone }: ReportRange, nowMs: number): ReportRange {
  const first = Temporal.PlainDate.from(fromDay);
  const day = (ago: number): string => first.subtract({ days: ago }).toString();
  return readReportRange({ from_day: day(days.length), to_day: day(1), zone }, nowMs);
}

function laterOf(first: Temporal.PlainDate | null, today: Temporal.PlainDate): Temporal.PlainDate {
  return first !== null && Temporal.PlainDate.compare(first, today) > 0 ? first : today;
}

export type Bucket = "hour" | "day";

/** The bars of a range: when each begins, and the day that it belongs to. */
export type Bars = {
  readonly bucket: Bucket;
  readonly starts: readonly { readonly day: string; readonly startsAt: Date }[];
};

/** @throws AppError `invalid_parameter` for hourly bars of more than a week */
export function barsOf({ days, to }: ReportRange, asked?: Bucket): Bars {
  const bucket = asked ?? (days.length <= hourlyDaysDefault ? "hour" : "day");
  if (bucket === "day") {
    return { bucket, starts: days };
  }
  if (days.length > hourlyDaysMax) {
    throw new AppError("invalid_parameter", {
      fields: { bucket: `Hours can be shown for at most ${hourlyDaysMax} days.` },
    });
  }
  const starts = days.flatMap(({ day, startsAt }, index) => {
    // A day has 23 hours, or 25, when clocks are changed.
    const endMs = (days[index + 1]?.startsAt ?? to).getTime();
    const hours = Math.ceil((endMs - startsAt.getTime()) / hourMs);
    return Array.from({ length: hours }, (_, hour) => ({
      day,
      startsAt: new Date(startsAt.getTime() + hour * hourMs),
    }));
  });
  return { bucket, starts };
}

/** The resolutions of the sums and their lengths: whole days, two hours and quarter hours of UTC. */
export const grainMs = { day: 24 * hourMs, hours: 2 * hourMs, quarter: quarterMs } as const;

export type Grain = keyof typeof grainMs;

/** A part of a span, and the resolution it is summed by. */
export type Piece = Span & { readonly grain: Grain };

/**
 * The span in few sums: each grain where it fits, and the finer ones at its ends. They do not overlap.
 * @param grains the coarsest first; the last one takes what is left
 */
export function piecesOf({ from, to }: Span, grains: readonly Grain[] = ["day", "hours", "quarter"]): Piece[] {
  const [grain, ...finer] = grains;
  if (grain === undefined || from >= to) {
    return [];
  }
  if (finer.length === 0) {
    return [{ grain, from, to }];
  }
  const lengthMs = grainMs[grain];
  const first = new Date(Math.ceil(from.getTime() / lengthMs) * lengthMs);
  const last = new Date(Math.floor(to.getTime() / lengthMs) * lengthMs);
  if (first >= last) {
    return piecesOf({ from, to }, finer);
  }
  return [
    ...piecesOf({ from, to: first }, finer),
    { grain, from: first, to: last },
    ...piecesOf({ from: last, to }, finer),
  ];
}

/** The quarter hours that begin within a span: sums have no finer resolution, and historic zones had odd minutes. */
export function wholeQuartersOf({ from, to }: Span): Span {
  const ceil = (at: Date): Date => new Date(Math.ceil(at.getTime() / quarterMs) * quarterMs);
  return { from: ceil(from), to: ceil(to) };
}

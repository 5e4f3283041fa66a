import { addDays } from "../i18n/days.ts";
import type { Series } from "./model.ts";

type Days = { readonly from_day: string; readonly to_day: string };

/** Sums by day of what a range is divided by; days without calls are left out. */
export type Course<Day extends { readonly day: string }> = Days & {
  readonly parts: readonly {
    readonly id: string | null;
    readonly name: string | null;
    readonly days: readonly Day[];
  }[];
  readonly others: readonly Day[] | null;
  readonly previous: (Days & { readonly days: readonly Day[] }) | null;
};

export type CourseNames = {
  readonly nameOf: (part: { readonly id: string | null; readonly name: string | null }) => string;
  readonly others: string;
  /** Null if the period before is not shown. */
  readonly previous: string | null;
};

/** More than a range can have. */
const daysMax = 1_000;

/** Every day from the first to the last one. */
export function daysBetween(fromDay: string, toDay: string): readonly string[] {
  const days: string[] = [];
  for (let day = fromDay; day <= toDay && days.length < daysMax; day = addDays(day, 1)) {
    days.push(day);
  }
  return days;
}

/** The series of a chart: each part, the others, and the period before. */
export function courseSeries<Day extends { readonly day: string }>(
  course: Course<Day>,
  read: (day: Day) => number,
  names: CourseNames,
): readonly Series[] {
  const valuesOf = (own: readonly Day[], { from_day, to_day }: Days): number[] => {
    const byDay = new Map(own.map((day) => [day.day, read(day)]));
    return daysBetween(from_day, to_day).map((day) => byDay.get(day) ?? 0);
  };
  return [
    ...course.parts.map((part) => ({
      name: names.nameOf(part),
      id: part.id ?? "none",
      values: valuesOf(part.days, course),
    })),
    ...(course.others === null ? [] : [{ name: names.others, values: valuesOf(course.others, course), isOther: true }]),
    ...(names.previous === null || course.previous === null
      ? []
      : [{ name: names.previous, values: valuesOf(course.previous.days, course.previous), isPrevious: true }]),
  ];
}

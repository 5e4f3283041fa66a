import {
  type UsageCourse,
  type UsageCourseDay,
  type usageCourseBy,
  usageCoursePartsMax,
} from "@sluice/contracts/usage";
import { addDays, countDays } from "../../platform/days.ts";
import type { LabelDay } from "./labels-store.ts";
import type { UsageFilter, UsagePart } from "./model.ts";

export type CourseBy = (typeof usageCourseBy)[number];

/** The sum of a day over the calls of one part. */
type PartDay = { readonly id: string | null; readonly name: string | null; readonly sums: UsageCourseDay };

/** The filter for the same number of days right before. */
export function daysBefore(filter: UsageFilter): UsageFilter {
  const count = countDays(filter.fromDay, filter.toDay);
  return { ...filter, fromDay: addDays(filter.fromDay, -count), toDay: addDays(filter.fromDay, -1) };
}

const summed = ["calls", "completed_calls", "failed_calls", "input_tokens", "output_tokens", "settled_quota"] as const;

function dayOf(day: string, parts: readonly Omit<UsageCourseDay, "day">[]): UsageCourseDay {
  const total = Object.fromEntries(
    summed.map((name) => [name, parts.reduce((sum, part) => sum + part[name], 0n)]),
  ) as Omit<UsageCourseDay, "day">;
  return { day, ...total };
}

/** The sums of each day with calls, in the order of the days. */
export function sumDays(days: readonly UsageCourseDay[]): UsageCourseDay[] {
  return [...Map.groupBy(days, ({ day }) => day)]
    .map(([day, parts]) => dayOf(day, parts))
    .sort((one, other) => (one.day < other.day ? -1 : 1));
}

/** The days of the parts that a course is divided by. */
export function partDays(parts: readonly UsagePart[], by: Exclude<CourseBy, "end_user" | "tag">): PartDay[] {
  return parts.flatMap((part): PartDay[] => {
    if (part.kind === "model" && by === "model") {
      return [{ id: part.model, name: part.model, sums: dayOf(part.day, [part]) }];
    }
    if (part.kind !== "key_day" || by === "model") {
      return [];
    }
    const of = {
      key: [part.key_id, part.key_name],
      member: [part.member_id, part.member_email],
      project: [part.project_id, part.project_name],
    } as const;
    const [id, name] = of[by];
    return [{ id: id?.toString() ?? null, name: name === "" ? null : name, sums: dayOf(part.day, [part]) }];
  });
}

type Courses = Pick<UsageCourse, "parts" | "others">;

/** The most expensive parts by day, and the sum of the others. */
export function divideCourse(days: readonly PartDay[]): Courses {
  const whole = (of: readonly PartDay[]): UsageCourseDay =>
    dayOf(
      "",
      of.map(({ sums }) => sums),
    );
  const ranked = [...Map.groupBy(days, ({ id }) => id)]
    .map(([id, of]) => ({ id, name: of[0]?.name ?? null, of, whole: whole(of) }))
    .sort(
      (one, other) =>
        Number(other.whole.settled_quota - one.whole.settled_quota) || Number(other.whole.calls - one.whole.calls),
    );
  const rest = ranked.slice(usageCoursePartsMax).flatMap(({ of }) => of.map(({ sums }) => sums));
  return {
    parts: ranked
      .slice(0, usageCoursePartsMax)
      .map(({ id, name, of }) => ({ id, name, days: sumDays(of.map(({ sums }) => sums)) })),
    others: rest.length === 0 ? null : sumDays(rest),
  };
}

/** The same of end users or tags, which come ranked. */
export function courseOfLabels(days: readonly LabelDay[]): Courses {
  const rest = days.flatMap(({ label, ...sums }) => (label === null ? [sums] : []));
  const named = days.flatMap(({ label, ...sums }) => (label === null ? [] : [{ label, sums }]));
  return {
    parts: [...Map.groupBy(named, ({ label }) => label)].map(([label, of]) => ({
      id: label,
      name: label,
      days: sumDays(of.map(({ sums }) => sums)),
    })),
    others: rest.length === 0 ? null : sumDays(rest),
  };
}

import { daySeconds } from "../i18n/days.ts";
import type { Series } from "./model.ts";

const wholeSteps: readonly number[] = Array.from({ length: 15 }, (_, power) =>
  [1, 2, 5].map((each) => each * 10 ** power),
).flat();

/** How many seconds one bar covers; a chart of one bar covers a day. */
export function bucketOf(times: readonly number[]): number {
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? time));
  return gaps.length === 0 ? daySeconds : Math.min(...gaps);
}

/**
 * Where the axis of bars begins and ends, so that the first and the last bar are fully visible, even if there is only
 * one.
 */
export function spanOfBars(times: readonly number[]): [number, number] {
  const half = bucketOf(times) / 2;
  return [(times[0] ?? 0) - half, (times.at(-1) ?? 0) + half];
}

/** The times labelled on the axis: at most this many, evenly spaced, including the last one. */
export function namedTimes(times: readonly number[], countMax: number): number[] {
  const step = Math.max(1, Math.ceil(times.length / Math.max(countMax, 1)));
  return times.filter((_, index) => (times.length - 1 - index) % step === 0);
}

/** The first and the last bar that a range touches, or null if it touches none. */
export function barsWithin(times: readonly number[], from: number, to: number): readonly [number, number] | null {
  const half = bucketOf(times) / 2;
  const touched = times.filter((time) => time + half > from && time - half < to);
  const [first] = touched;
  return first === undefined ? null : [first, touched.at(-1) ?? first];
}

/** Axis steps if every value is an integer, such as a number of calls; undefined if some are not. */
export function stepsOf(series: readonly Series[]): number[] | undefined {
  const isWhole = series.every(({ values }) => values.every((value) => value === null || Number.isInteger(value)));
  return isWhole ? [...wholeSteps] : undefined;
}

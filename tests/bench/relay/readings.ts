/** What is read from the measurements of a run, and ratios between two arms within the same round. */
import type { Measurement } from "./measure.ts";
import type { Scenario } from "./scenarios.ts";

export type Results = {
  readonly startedAt: string;
  readonly jsonLoad: "wrk" | "bun";
  readonly rounds: number;
  /** Title of an arm and why it could not run. */
  readonly skipped: Record<string, string>;
  readonly arms: readonly { readonly name: string; readonly title: string }[];
  readonly scenarios: ScenarioResult[];
};

export type ScenarioResult = { readonly scenario: Scenario; readonly rounds: readonly Record<string, Measurement>[] };
export type Reading = (measurement: Measurement) => number | null;

export const callRate: Reading = ({ load }) => load.requestsPerSecond;

/** CPU per 1,000 calls in ms, which is that of one call in us. */
export const cpuOfCall: Reading = ({ armCpuMs, load }) =>
  armCpuMs === null ? null : (armCpuMs * 1000) / load.answered;

/** CPU per relayed chunk in us. */
export const cpuOfChunk: Reading = ({ armCpuMs, load }) =>
  armCpuMs === null || load.stream === null ? null : (armCpuMs * 1000) / load.stream.chunks;

export const firstByteMs: Reading = ({ load }) => load.latencyMs.p50;

export const peakMb: Reading = ({ peakMemoryMb }) => peakMemoryMb;

export type Pair = { readonly arm: string; readonly other: string };

/** What `combine` makes of both arms, for each round that has both. */
export function pairsOf(
  result: ScenarioResult,
  reading: Reading,
  { arm, other }: Pair,
  combine: (mine: number, theirs: number) => number,
): number[] {
  return result.rounds.flatMap((round) => {
    const [mine, theirs] = [round[arm], round[other]].map((each) => (each ? reading(each) : null));
    return mine == null || theirs == null ? [] : combine(mine, theirs);
  });
}

export const ratio = (mine: number, theirs: number): number => mine / theirs;
export const difference = (mine: number, theirs: number): number => mine - theirs;

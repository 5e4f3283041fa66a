/** CPU of a call and of a chunk as multiples of nginx's, kept in the repository, so that a dearer one is noticed. */
import { cpus } from "node:os";
import { join } from "node:path";
import { median } from "./load/samples.ts";
import { cpuOfCall, cpuOfChunk, pairsOf, type Results, ratio } from "./readings.ts";

export const keptFile = join(import.meta.dir, "kept-ratios.json");
export const nothingKept = `no ratios are kept in ${keptFile}: run with --keep first`;
/** A larger one is a regression. */
const WORSE_BY = 1.05;
/** How likely it is that the interval contains the true middle. */
const CONFIDENCE = 0.95;
/** Exit codes besides 0. */
const REGRESSED = 1;
const UNDECIDED = 3;

/** The middle of the rounds, and the interval that contains the true middle with a probability of 95 %. */
export type KeptRatio = {
  readonly median: number;
  readonly low: number;
  readonly high: number;
  readonly rounds: number;
};
export type KeptRatios = {
  readonly takenAt: string;
  readonly processor: string;
  /** By arm and scenario. */
  readonly cpuOverNginx: Readonly<Record<string, KeptRatio>>;
};

/** The ratios of all arms beside nginx; lower is better. */
export function ratiosOf(results: Results): Record<string, KeptRatio> {
  const found: Record<string, KeptRatio> = {};
  for (const result of results.scenarios.filter(({ scenario }) => scenario.conversion === null)) {
    const reading = result.scenario.kind === "json" ? cpuOfCall : cpuOfChunk;
    for (const { name } of results.arms.filter((arm) => arm.name !== "nginx" && arm.name !== "direct")) {
      const pairs = pairsOf(result, reading, { arm: name, other: "nginx" }, ratio);
      if (pairs.length > 0) {
        found[`${name} ${result.scenario.name}`] = {
          median: median(pairs),
          ...intervalOf(pairs),
          rounds: pairs.length,
        };
      }
    }
  }
  return found;
}

/**
 * The interval of the median that rests on nothing but the order of the rounds: between its two ends lies the true middle,
 * unless more rounds than chance allows were on one side of it. With fewer than six rounds it has no end.
 */
export function intervalOf(samples: readonly number[]): { low: number; high: number } {
  const sorted = [...samples].sort((left, right) => left - right);
  const count = sorted.length;
  // The chance of a fair coin to show at most `place` heads.
  let chance = 0.5 ** count;
  let place = -1;
  for (let heads = 0, sum = chance; 2 * sum <= 1 - CONFIDENCE; heads++) {
    place = heads;
    chance = (chance * (count - heads)) / (heads + 1);
    sum += chance;
  }
  return { low: sorted[place] ?? 0, high: sorted[count - 1 - place] ?? Number.POSITIVE_INFINITY };
}

export type Verdict = "worse" | "undecided" | "not worse";

/** Worse or not only if the whole interval says so, because a machine that others use too gives a wide one. */
export function judge(kept: Pick<KeptRatio, "median">, now: KeptRatio): Verdict {
  const limit = kept.median * WORSE_BY;
  if (now.low > limit) {
    return "worse";
  }
  return now.high <= limit || now.median <= kept.median ? "not worse" : "undecided";
}

/** Compares a run with what was kept. `code` is 1 when a ratio is worse, 3 when the rounds can't tell. */
export function compare(kept: KeptRatios, results: Results): { lines: string[]; code: number } {
  const now = ratiosOf(results);
  const names = Object.keys(kept.cpuOverNginx).filter((name) => now[name] !== undefined);
  if (names.length === 0) {
    return { lines: ["None of the kept ratios was measured."], code: UNDECIDED };
  }
  const lines = [`CPU beside that of nginx, kept on ${kept.takenAt} (${kept.processor}):`];
  const verdicts = new Set<Verdict>();
  for (const name of names) {
    const [before, after] = [kept.cpuOverNginx[name] as KeptRatio, now[name] as KeptRatio];
    const verdict = judge(before, after);
    verdicts.add(verdict);
    const range = `${after.low.toFixed(2)} - ${after.high.toFixed(2)}, ${after.rounds} rounds`;
    lines.push(`${name}: ${before.median.toFixed(2)} kept, ${after.median.toFixed(2)} now (${range}): ${verdict}`);
  }
  if (verdicts.has("worse")) {
    return { lines: [...lines, "More than 5 % worse."], code: REGRESSED };
  }
  return verdicts.has("undecided")
    ? {
        lines: [...lines, "Too much noise to tell: use more rounds, or a machine that does nothing else."],
        code: UNDECIDED,
      }
    : { lines, code: 0 };
}

export async function compareRatios(results: Results): Promise<{ lines: string[]; code: number }> {
  return compare(await Bun.file(keptFile).json(), results);
}

/** Replaces what was kept, and returns the file. */
export async function keepRatios(results: Results): Promise<string> {
  const kept: KeptRatios = {
    takenAt: results.startedAt,
    processor: cpus()[0]?.model ?? "unknown processor",
    cpuOverNginx: ratiosOf(results),
  };
  await Bun.write(keptFile, `${JSON.stringify(kept, null, 2)}\n`);
  return keptFile;
}

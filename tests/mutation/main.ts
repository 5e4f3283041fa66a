/**
 * `bun run mutate`: changes the code of money, rights and relay in one place after another and reports the changes that
 * no test notices. It works on a copy of the tree. Words choose mutants by the beginning of their id, `--part=2/4`
 * takes a quarter, `--list` only names them. It ends with the score, and with 1 below the goal.
 */

import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { formatDuration } from "@sluice/deploy/start/progress";
import { killAllGroups } from "../runner/process-group.ts";
import { startTestCluster } from "../support/postgres/test-cluster.ts";
import type { Mutant } from "./mutant.ts";
import { mutants } from "./table.ts";
import { copyTree, type TreeCopy } from "./tree-copy.ts";

const scoreGoal = 0.95;
const flagPattern = /^(?:-h|--help|--list|--part=\d+\/\d+)$/;

const usageText = `Usage: bun run mutate [beginning of an id]... [--part=2/4] [--list]

  bun run mutate               judges all mutants
  bun run mutate relay         judges the mutants whose id begins with "relay"
  bun run mutate --part=2/4    judges the second quarter
  bun run mutate --list        names the mutants
`;

type Verdict = { readonly mutant: Mutant; readonly killedBy: string | null };

function chooseMutants(words: readonly string[]): Mutant[] {
  const names = words.filter((word) => !word.startsWith("--"));
  const chosen = mutants.filter(({ id }) => names.length === 0 || names.some((name) => id.startsWith(name)));
  const [, part = "1", parts = "1"] =
    /^--part=(\d+)\/(\d+)$/.exec(words.find((word) => word.startsWith("--part=")) ?? "") ?? [];
  return chosen.filter((_, index) => index % Number(parts) === Number(part) - 1);
}

/** The tests pass without a change, or nothing that follows is meaningful. */
async function proveBaseline(copy: TreeCopy, chosen: readonly Mutant[], postgresUrl: string): Promise<void> {
  for (const file of new Set(chosen.flatMap(({ tests }) => tests))) {
    const startedAt = performance.now();
    if (!(await copy.passes(file, postgresUrl))) {
      throw new Error(`tests/${file} fails without any change`);
    }
    print(`passes    ${file}, ${formatDuration(performance.now() - startedAt)}`);
  }
}

async function judge(copy: TreeCopy, mutant: Mutant, postgresUrl: string): Promise<Verdict> {
  await copy.apply(mutant);
  try {
    // A changed migration needs a server whose template was made with it.
    const url = mutant.file.endsWith(".sql") ? "" : postgresUrl;
    for (const file of mutant.tests) {
      if (!(await copy.passes(file, url))) {
        return { mutant, killedBy: file };
      }
    }
    return { mutant, killedBy: null };
  } finally {
    await copy.restore(mutant.file);
  }
}

async function judgeAll(
  copies: readonly TreeCopy[],
  chosen: readonly Mutant[],
  postgresUrl: string,
): Promise<Verdict[]> {
  const queue = [...chosen];
  const verdicts: Verdict[] = [];
  const work = async (copy: TreeCopy): Promise<void> => {
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
      const startedAt = performance.now();
      const verdict = await judge(copy, mutant, postgresUrl);
      verdicts.push(verdict);
      const outcome = verdict.killedBy === null ? "SURVIVED" : "killed  ";
      print(`${outcome}  ${mutant.id}: ${mutant.rule}, ${formatDuration(performance.now() - startedAt)}`);
    }
  };
  await Promise.all(copies.map(work));
  return verdicts;
}

/** @returns whether the goal is reached */
function report(verdicts: readonly Verdict[], equivalent: readonly Mutant[]): boolean {
  const survivors = verdicts.filter(({ killedBy }) => killedBy === null);
  for (const { mutant } of survivors) {
    print(`survived  ${mutant.id} (${mutant.file}): ${mutant.rule}`);
  }
  for (const { id, equivalent: reason } of equivalent) {
    print(`equal     ${id}: ${reason}`);
  }
  const killed = verdicts.length - survivors.length;
  const score = verdicts.length === 0 ? 0 : killed / verdicts.length;
  const percent = (score * 100).toFixed(1);
  print(
    `${killed} of ${verdicts.length} noticed, ${equivalent.length} equivalent: ${percent} %, the goal is ${scoreGoal * 100} %`,
  );
  return score >= scoreGoal;
}

async function run(words: readonly string[]): Promise<number> {
  const unknown = words.find((word) => word.startsWith("-") && !flagPattern.test(word));
  if (unknown !== undefined) {
    process.stderr.write(`Unknown flag: ${unknown}\n\n${usageText}`);
    return 2;
  }
  if (words.includes("--help") || words.includes("-h")) {
    print(usageText.trimEnd());
    return 0;
  }
  const all = chooseMutants(words);
  if (words.includes("--list")) {
    for (const { id, file, rule } of all) {
      print(`${id} (${file}): ${rule}`);
    }
    print(`${all.length} mutants`);
    return 0;
  }
  const equivalent = all.filter((mutant) => mutant.equivalent !== undefined);
  const chosen = all.filter((mutant) => mutant.equivalent === undefined);
  const folder = await mkdtemp(join(tmpdir(), "sluice-mutants-"));
  const cluster = await startTestCluster();
  const end = async (): Promise<void> => {
    killAllGroups();
    await cluster.destroy();
    await rm(folder, { recursive: true, force: true });
  };
  process.once("SIGINT", () => void end().finally(() => process.exit(130)));
  try {
    const workers = Array.from({ length: availableParallelism() }, (_, index) => join(folder, String(index)));
    const copies = await Promise.all(workers.map((place) => copyTree(place)));
    const [first] = copies;
    if (first !== undefined) {
      await proveBaseline(first, chosen, cluster.url);
    }
    return report(await judgeAll(copies, chosen, cluster.url), equivalent) ? 0 : 1;
  } finally {
    await end();
  }
}

process.exit(await run(process.argv.slice(2)));

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

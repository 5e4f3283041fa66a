import { readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root, testEnvironment } from "./environment.ts";
import { readJunitTotals, readSkipReasons, type SkippedTests, type TestCounts } from "./junit.ts";
import type { TestKind } from "./plan.ts";
import { type GroupResult, runInGroup } from "./process-group.ts";

/** One thing to run: a static check or a file of tests. */
export type Job = {
  readonly name: string;
  run(): Promise<JobResult>;
};

export type JobResult = TestCounts & {
  /** Shown only when something failed. */
  readonly output: string;
  readonly skips: readonly SkippedTests[];
};

const staticCheckMsMax = 120_000;

/** Lint, unused code, and the types of every workspace. */
export async function listStaticChecks(): Promise<Job[]> {
  const tool = (name: string): string => join(root, "node_modules/.bin", name);
  const workspaces = await listTypedWorkspaces();
  return [
    staticCheck("lint", [tool("biome"), "check", "."]),
    staticCheck("unused code", [tool("knip"), "--no-progress"]),
    ...(await listShellChecks()),
    ...workspaces.map((folder) => staticCheck(`types of ${folder}`, [tool("tsc"), "-p", folder])),
  ];
}

/** A file of tests in a separate process; it counts as one failure when the process does not end in order. */
export function testFile(file: string, kind: TestKind, env: Readonly<Record<string, string>>): Job {
  return {
    name: file.replace(/^tests\//, ""),
    run: async () => {
      const report = join(tmpdir(), `sluice-junit-${process.pid}-${file.replaceAll("/", "-")}.xml`);
      const command = [
        "test",
        "--only-failures",
        "--reporter=junit",
        `--reporter-outfile=${report}`,
        `--timeout=${kind.testTimeoutMs}`,
      ];
      const result = await runInGroup([process.execPath, ...command, `./${file}`], {
        cwd: root,
        env: testEnvironment(env),
        timeoutMs: kind.fileTimeoutMs,
      });
      const xml = await readFile(report, "utf8").catch(() => "");
      await rm(report, { force: true });
      return { ...judgeTestFile(result, readJunitTotals(xml), kind), skips: readSkipReasons(xml) };
    },
  };
}

/** The result of running a test file. A process that did not end in order adds one failure. */
export function judgeTestFile(
  result: GroupResult,
  totals: TestCounts | null,
  kind: TestKind,
): Omit<JobResult, "skips"> {
  const counts = totals ?? { passed: 0, failed: 0, skipped: 0 };
  const faults: string[] = [];
  if (result.isTimedOut) {
    faults.push(`The file was stopped after ${kind.fileTimeoutMs / 1_000} s.`);
  } else if (result.leftovers.length > 0) {
    faults.push(`It left processes behind: ${result.leftovers.join(" | ")}`);
  } else if (totals === null || totals.passed + totals.failed + totals.skipped === 0) {
    faults.push(`It ran no test to its end (exit code ${result.exitCode}).`);
  } else if (result.exitCode !== 0 && totals.failed === 0) {
    faults.push(`Every test passed, but the process ended with exit code ${result.exitCode}.`);
  }
  return {
    passed: counts.passed,
    failed: counts.failed + faults.length,
    skipped: counts.skipped,
    output: [result.output.trimEnd(), ...faults].join("\n"),
  };
}

/** shellcheck comes from the distribution and not from npm, so a machine without it leaves this out, and says so. */
async function listShellChecks(): Promise<Job[]> {
  const program = Bun.which("shellcheck");
  const scripts = await Array.fromAsync(new Bun.Glob("deploy/**/*.sh").scan({ cwd: root }));
  return program === null
    ? [skippedCheck("shell scripts", "shellcheck is not installed")]
    : [commandCheck("shell scripts", [program, ".ci/run", ...scripts])];
}

/** A check by a program that Bun runs. */
function staticCheck(name: string, command: string[]): Job {
  return commandCheck(name, [process.execPath, ...command]);
}

function commandCheck(name: string, command: string[]): Job {
  return {
    name,
    run: async () => {
      const result = await runInGroup(command, {
        cwd: root,
        env: testEnvironment({}),
        timeoutMs: staticCheckMsMax,
      });
      const isPassed = result.exitCode === 0 && !result.isTimedOut;
      const output = result.output.trimEnd();
      return { passed: isPassed ? 1 : 0, failed: isPassed ? 0 : 1, skipped: 0, output, skips: [] };
    },
  };
}

function skippedCheck(name: string, reason: string): Job {
  const { TEST_REQUIRE_ALL } = process.env;
  const counts =
    TEST_REQUIRE_ALL === "1"
      ? { passed: 0, failed: 1, skipped: 0, output: `TEST_REQUIRE_ALL=1, but this can't run: ${reason}.`, skips: [] }
      : { passed: 0, failed: 0, skipped: 1, output: "", skips: [{ reason, count: 1 }] };
  return { name, run: () => Promise.resolve(counts) };
}

async function listTypedWorkspaces(): Promise<string[]> {
  const { workspaces }: { workspaces: string[] } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const folders: string[] = [];
  for (const pattern of workspaces) {
    const parent = pattern.replace(/\/\*$/, "");
    const names = pattern.endsWith("/*") ? (await readdir(join(root, parent))).sort() : [""];
    folders.push(...names.map((name) => join(parent, name)));
  }
  const typed = await Promise.all(folders.map((folder) => Bun.file(join(root, folder, "tsconfig.json")).exists()));
  return folders.filter((_, index) => typed[index]);
}

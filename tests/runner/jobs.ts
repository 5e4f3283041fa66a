import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root, testEnvironment } from "./environment.ts";
import { readReport, readSkipReasons, type SkippedTests, type TestCounts, type TestReport } from "./junit.ts";
import type { TestKind } from "./plan.ts";
import { type GroupResult, runInGroup } from "./process-group.ts";
import { checkTypes, listTypePrograms, type TypeProgram } from "./types.ts";

/** One thing to run: a static check or a file of tests. */
export type Job = {
  readonly name: string;
  /** How much of one processor it takes, at most 1: what runs at once adds up to the processors there are. */
  readonly load: number;
  run(): Promise<JobResult>;
};

export type JobResult = TestCounts & {
  /** Shown only when something failed. */
  readonly output: string;
  readonly skips: readonly SkippedTests[];
  /** Processor time, without that of Postgres. */
  readonly cpuMs: number;
};

const staticCheckMsMax = 120_000;

/**
 * The types of every workspace, unused code, scripts and lint. Lint takes every processor that is free, and the others one each, so
 * that none idles at the end if lint is last.
 */
export async function listStaticChecks(): Promise<Job[]> {
  const tool = (name: string): string => join(root, "node_modules/.bin", name);
  const programs = await listTypePrograms();
  return [
    ...programs.map((program) =>
      checkJob(nameOfTypes(program), () =>
        checkTypes(program, { tree: root, compiler: tool("tsc"), timeoutMs: staticCheckMsMax }),
      ),
    ),
    staticCheck("unused code", [tool("knip"), "--no-progress"]),
    ...(await listShellChecks()),
    staticCheck("lint", [tool("biome"), "check", "."]),
  ];
}

/** Files of tests in a separate process; it counts as one failure when the process does not end in order. */
export function testProcess(files: readonly string[], kind: TestKind, env: Readonly<Record<string, string>>): Job {
  const isWithoutFront = kind.withoutFront !== undefined;
  return {
    name: isWithoutFront ? `${nameOf(files)} without the front` : nameOf(files),
    load: 1 / kind.jobsPerProcessor,
    run: async () => {
      const first = files[0]?.replaceAll("/", "-");
      const report = join(
        tmpdir(),
        `sluice-junit-${process.pid}-${first}${isWithoutFront ? "-without-front" : ""}.xml`,
      );
      const command = [
        "test",
        "--only-failures",
        "--reporter=junit",
        `--reporter-outfile=${report}`,
        `--timeout=${kind.testTimeoutMs}`,
      ];
      const result = await runInGroup([process.execPath, ...command, ...files.map((file) => `./${file}`)], {
        cwd: root,
        env: testEnvironment(isWithoutFront ? { ...env, TEST_CHAT_FRONT: "off" } : env),
        timeoutMs: kind.processTimeoutMs,
      });
      const xml = await readFile(report, "utf8").catch(() => "");
      await rm(report, { force: true });
      const judged = judgeTestProcess(result, readReport(xml), { files, kind });
      return { ...judged, skips: readSkipReasons(xml), cpuMs: result.cpuMs };
    },
  };
}

/** The path of a file within the tests, and for more the first and the last one. */
function nameOf(files: readonly string[]): string {
  const [first = "", ...others] = files.map((file) => file.replace(/^tests\//, ""));
  const last = others.at(-1);
  return last === undefined ? first : `${first} to ${last} (${files.length} files)`;
}

/** The result of running files of tests. A process that did not end in order adds one failure. */
export function judgeTestProcess(
  result: GroupResult,
  report: TestReport | null,
  { files, kind }: { readonly files: readonly string[]; readonly kind: TestKind },
): Omit<JobResult, "skips" | "cpuMs"> {
  const counts = report ?? { passed: 0, failed: 0, skipped: 0 };
  const silent = files.filter((file) => !report?.files.has(file));
  const faults: string[] = [];
  if (result.isTimedOut) {
    faults.push(`It was stopped after ${kind.processTimeoutMs / 1_000} s.`);
  } else if (result.leftovers.length > 0) {
    faults.push(`It left processes behind: ${result.leftovers.join(" | ")}`);
  } else if (silent.length > 0) {
    faults.push(`No test ran to its end (exit code ${result.exitCode}): ${silent.join(", ")}`);
  } else if (result.exitCode !== 0 && counts.failed === 0) {
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

/** The folders of packages are many, so that they are named together. */
function nameOfTypes({ workspaces }: TypeProgram): string {
  return `types of ${[...new Set(workspaces.map((folder) => folder.split("/")[0]))].join(", ")}`;
}

/** A check by a program that Bun runs. */
function staticCheck(name: string, command: string[]): Job {
  return commandCheck(name, [process.execPath, ...command]);
}

function commandCheck(name: string, command: string[]): Job {
  const options = { cwd: root, env: testEnvironment({}), timeoutMs: staticCheckMsMax };
  return checkJob(name, () => runInGroup(command, options));
}

function checkJob(name: string, check: () => Promise<GroupResult>): Job {
  return {
    name,
    load: 1,
    run: async () => {
      const result = await check();
      const isPassed = result.exitCode === 0 && !result.isTimedOut;
      const output = result.output.trimEnd();
      return { passed: isPassed ? 1 : 0, failed: isPassed ? 0 : 1, skipped: 0, output, skips: [], cpuMs: result.cpuMs };
    },
  };
}

function skippedCheck(name: string, reason: string): Job {
  const { TEST_REQUIRE_ALL } = process.env;
  const counts =
    TEST_REQUIRE_ALL === "1"
      ? {
          passed: 0,
          failed: 1,
          skipped: 0,
          output: `TEST_REQUIRE_ALL=1, but this can't run: ${reason}.`,
          skips: [],
          cpuMs: 0,
        }
      : { passed: 0, failed: 0, skipped: 1, output: "", skips: [{ reason, count: 1, files: [name] }], cpuMs: 0 };
  return { name, load: 1, run: () => Promise.resolve(counts) };
}

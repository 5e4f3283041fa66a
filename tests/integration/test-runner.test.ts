import { describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { readReport, readSkipReasons } from "../runner/junit.ts";
import { runInGroup } from "../runner/process-group.ts";
import { parentOfRuns, runPrefix } from "../runner/run-folder.ts";
import { findProcesses, repositoryRoot, startProgram } from "../support/service/start-process.ts";
import { patienceMs } from "../support/values/patience.ts";

const { PATH } = process.env;
const options = { cwd: "/", env: { PATH }, timeoutMs: 20_000, settleMs: 300 };

test("a process that outlives its test file is found, named and killed", async () => {
  const result = await runInGroup(["sh", "-c", "sleep 987 >/dev/null 2>&1 & echo $!"], options);
  expect(result).toMatchObject({ exitCode: 0, isTimedOut: false, leftovers: ["sleep 987"] });
  const again = await runInGroup(
    ["sh", "-c", `kill -0 ${result.output.trim()} && grep -c '(sleep) [^Z]' /proc/${result.output.trim()}/stat`],
    options,
  );
  expect(again.output.trim()).not.toBe("1");
});

test("a process that ends a while after its test file is not left behind", async () => {
  const script = "sleep 1.5 >/dev/null 2>&1 & echo begun";
  const result = await runInGroup(["sh", "-c", script], { ...options, settleMs: patienceMs });
  expect(result).toMatchObject({ exitCode: 0, output: "begun\n", leftovers: [] });
});

test("a process that has left the group of its test file is found, named and killed, too", async () => {
  const script = "setsid sleep 986 & until grep -q '^sleep' /proc/$!/cmdline; do :; done";
  const result = await runInGroup(["sh", "-c", script], options);
  expect(result).toMatchObject({ exitCode: 0, isTimedOut: false, leftovers: ["sleep 986"] });
  expect(findProcesses("sleep 986")).toEqual([]);
});

test("what a test starts with its own environment is found, too", async () => {
  const program = `
    const support = await import(${JSON.stringify(join(repositoryRoot, "tests/support/service/start-process.ts"))});
    support.startProgram({ command: ["setsid", "sleep", "985"], env: {} });
    while (!support.findProcesses("985").some((line) => / sleep 985$/.test(line) && !line.includes("setsid"))) {}
    process.exit(0);`;
  const result = await runInGroup([process.execPath, "-e", program], options);
  expect(result).toMatchObject({ exitCode: 0, leftovers: ["sleep 985"] });
});

test("a test file that hangs is stopped with all its children", async () => {
  const startedAt = performance.now();
  const result = await runInGroup(["sh", "-c", "sleep 987 & sleep 987"], { ...options, timeoutMs: 200 });
  expect(result.isTimedOut).toBe(true);
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});

test("a run in which no test matches fails and says so", async () => {
  const run = startProgram({
    command: [process.execPath, join(repositoryRoot, "tests/run.ts"), "unit", "nothing-is-called-like-this"],
    env: {},
  });
  expect(await run.exited).toBe(1);
  expect(run.output().trimEnd().split("\n").slice(-2)).toEqual(["No test ran.", "0 passed, 0 failed"]);
});

test("a run ends with its counts in the last line", async () => {
  const run = startProgram({
    command: [process.execPath, join(repositoryRoot, "tests/run.ts"), "unit", "deploy/start/settings"],
    env: {},
  });
  expect(await run.exited).toBe(0);
  expect(run.output().trimEnd().split("\n").at(-1)).toMatch(/^\d+ passed, 0 failed$/);
});

test("a run leaves nothing in the temporary folders, not even of a run that was killed", async () => {
  const killed = startProgram({ command: ["true"], env: {} });
  await killed.exited;
  const parent = parentOfRuns();
  const old = join(parent, `${runPrefix(killed.pid)}old`);
  const recent = join(parent, `${runPrefix(killed.pid)}recent`);
  const twoHoursAgo = Date.now() / 1_000 - 7_200;
  try {
    await mkdir(old);
    await utimes(old, twoHoursAgo, twoHoursAgo);
    await mkdir(recent);
    const run = startProgram({
      command: [process.execPath, join(repositoryRoot, "tests/run.ts"), "unit", "deploy/start/settings"],
      env: { TMPDIR: tmpdir() },
    });
    expect(await run.exited).toBe(0);
    const left = await readdir(parent);
    expect(left.filter((name) => name.startsWith(runPrefix(run.pid)))).toEqual([]);
    expect(left.filter((name) => name.startsWith(runPrefix(killed.pid)))).toEqual([basename(recent)]);
  } finally {
    await rm(old, { recursive: true, force: true });
    await rm(recent, { recursive: true, force: true });
  }
});

test("an interrupted run says so, starts nothing more and leaves no server", async () => {
  const run = startProgram({
    command: [process.execPath, join(repositoryRoot, "tests/run.ts"), "integration", "start-checks", "test-database"],
    env: {},
  });
  await run.waitFor("Postgres for the tests");
  run.signal("SIGINT");
  expect(await run.exited).toBe(130);
  const lines = run.output().trimEnd().split("\n");
  expect(lines.at(-1)).toBe("stopped by SIGINT");
  expect(lines.filter((line) => line.startsWith("FAIL"))).toEqual([]);
  expect(lines.filter((line) => /^ok .*(start-checks|test-database)/.test(line))).toEqual([]);
});

describe("a test that can't run on this machine", () => {
  const obstacles = join(repositoryRoot, "tests/support/service/obstacles.ts");
  const probe = `import { expect } from "bun:test";
import { describeUnless, testUnless, unlessInstalled } from ${JSON.stringify(obstacles)};
testUnless(unlessInstalled("sh", "no-such-program"), "needs it", () => expect(1).toBe(2));
describeUnless(unlessInstalled("no-such-program"), "all of these", () => testUnless(null, "too", () => expect(1).toBe(2)));
testUnless(unlessInstalled("sh"), "has it", () => expect(1).toBe(1));
`;
  const runProbe = async (env: Record<string, string>) => {
    const folder = await mkdtemp(join(tmpdir(), "sluice-probe-"));
    try {
      await writeFile(join(folder, "probe.test.ts"), probe);
      const command = [process.execPath, "test", "--reporter=junit", "--reporter-outfile=report.xml"];
      const run = startProgram({ command, cwd: folder, env });
      const exitCode = await run.exited;
      const xml = await readFile(join(folder, "report.xml"), "utf8");
      return { exitCode, totals: readReport(xml), reasons: readSkipReasons(xml), output: run.output() };
    } finally {
      await rm(folder, { recursive: true });
    }
  };

  test("is skipped, with the reason", async () => {
    expect(await runProbe({})).toMatchObject({
      exitCode: 0,
      totals: { passed: 1, failed: 0, skipped: 2, files: new Set(["probe.test.ts"]) },
      reasons: [{ reason: "no-such-program is not installed", count: 2, files: ["probe.test.ts"] }],
    });
  });

  test("fails if everything is requested", async () => {
    const { exitCode, totals, output } = await runProbe({ TEST_REQUIRE_ALL: "1" });
    expect([exitCode, totals]).toMatchObject([1, { passed: 1, failed: 2, skipped: 0 }]);
    expect(output).toContain("TEST_REQUIRE_ALL=1, but this can't run: no-such-program is not installed.");
  });
});

import { expect, test } from "bun:test";
import { join } from "node:path";
import { runInGroup } from "../runner/process-group.ts";
import { repositoryRoot, startProgram } from "../support/start-process.ts";

const { PATH } = process.env;
const options = { cwd: "/", env: { PATH }, timeoutMs: 20_000 };

test("a process that outlives its test file is found, named and killed", async () => {
  const result = await runInGroup(["sh", "-c", "sleep 987 >/dev/null 2>&1 & echo $!"], options);
  expect(result).toMatchObject({ exitCode: 0, isTimedOut: false, leftovers: ["sleep 987"] });
  const again = await runInGroup(
    ["sh", "-c", `kill -0 ${result.output.trim()} && grep -c '(sleep) [^Z]' /proc/${result.output.trim()}/stat`],
    options,
  );
  expect(again.output.trim()).not.toBe("1");
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

/**
 * Runs checks and tests: `bun tests/run.ts check`, `test`, `test:full`, kinds (`unit`, `integration`, ...) and parts of
 * file paths (`integration start`). The last line is `N passed, N failed`, with `, N skipped` when there are any.
 */
import { availableParallelism } from "node:os";
import { ensureInstalled } from "../deploy/start/install.ts";
import { formatDuration } from "../deploy/start/progress.ts";
import { StartError } from "../deploy/start/start-error.ts";
import { root } from "./runner/environment.ts";
import { type Job, type JobResult, listStaticChecks, testFile } from "./runner/jobs.ts";
import { listTestFiles, makePlan, type Plan } from "./runner/plan.ts";
import { killAllGroups } from "./runner/process-group.ts";

// Until the packages are installed nothing but these relative paths can be imported.

const totals = { passed: 0, failed: 0, skipped: 0 };

async function main(): Promise<void> {
  const { TEST_FULL } = process.env;
  const plan = makePlan(process.argv.slice(2), TEST_FULL === "1");
  await ensureInstalled(root);
  const staticChecks = plan.hasStaticChecks ? await listStaticChecks() : [];
  await runInPool([...staticChecks, ...(await listJobs(plan, false, {}))]);
  await runWithDatabase(plan);
}

async function runWithDatabase(plan: Plan): Promise<void> {
  // Listed first with no server, because a run that needs none should not start one.
  if ((await listJobs(plan, true, {})).length === 0) {
    return;
  }
  const startedAt = performance.now();
  const { startTestCluster } = await import("./support/test-cluster.ts");
  const cluster = await startTestCluster();
  console.log(`ok    Postgres for the tests, ${formatDuration(performance.now() - startedAt)}`);
  stopServer = () => cluster.stopImmediate().then(() => cluster.destroy());
  try {
    await runInPool(await listJobs(plan, true, { TEST_POSTGRES_URL: cluster.url }));
  } finally {
    await cluster.destroy();
  }
}

let stopServer: () => Promise<void> = () => Promise.resolve();

async function listJobs(plan: Plan, needsDatabase: boolean, env: Readonly<Record<string, string>>): Promise<Job[]> {
  const full = plan.isFull ? { TEST_FULL: "1" } : {};
  const jobs: Job[] = [];
  for (const kind of plan.kinds.filter((candidate) => candidate.needsDatabase === needsDatabase)) {
    const files = await listTestFiles(kind, plan.filters);
    jobs.push(...files.map((file) => testFile(file, kind, { ...env, ...full })));
  }
  return jobs;
}

/** As many at once as there are processors; each takes the next job of the list when it is done with one. */
async function runInPool(jobs: readonly Job[]): Promise<void> {
  const queue = [...jobs];
  const workers = Array.from({ length: availableParallelism() }, async () => {
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
      const startedAt = performance.now();
      const result = await job.run();
      printResult(job.name, result, performance.now() - startedAt);
    }
  });
  await Promise.all(workers);
}

function printResult(name: string, result: JobResult, durationMs: number): void {
  totals.passed += result.passed;
  totals.failed += result.failed;
  totals.skipped += result.skipped;
  const skipped = result.skipped > 0 ? `, ${result.skipped} skipped` : "";
  const counts = `${result.passed} passed${skipped}`;
  if (result.failed === 0) {
    console.log(`ok    ${name}: ${counts}, ${formatDuration(durationMs)}`);
    return;
  }
  console.log(`FAIL  ${name}: ${result.failed} failed, ${counts}, ${formatDuration(durationMs)}`);
  console.log(result.output.replace(/^/gm, "      "));
}

function stopOnSignal(signal: NodeJS.Signals): void {
  process.once(signal, () => {
    killAllGroups();
    void stopServer().finally(() => {
      console.log(`stopped by ${signal}`);
      process.exit(130);
    });
  });
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  stopOnSignal(signal);
}
const startedAt = performance.now();
try {
  await main();
} catch (error) {
  totals.failed += 1;
  console.log(`FAIL  ${error instanceof StartError ? error.message : Bun.inspect(error)}`);
}
const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : "";
console.log(`done in ${formatDuration(performance.now() - startedAt)}`);
if (totals.passed + totals.failed === 0) {
  console.log("No test ran.");
}
console.log(`${totals.passed} passed, ${totals.failed} failed${skipped}`);
process.exit(totals.failed === 0 && totals.passed > 0 ? 0 : 1);

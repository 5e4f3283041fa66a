import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { formatDuration } from "@sluice/deploy/start/progress";
import { StartError } from "@sluice/deploy/start/start-error";
import { clusterVariable, startTestCluster } from "../support/postgres/test-cluster.ts";
import { briefProcesses } from "./brief-processes.ts";
import { bundleControlPlane, programVariable } from "./bundle-control-plane.ts";
import { JobPlaces } from "./job-places.ts";
import { type Job, type JobResult, listStaticChecks, testProcess } from "./jobs.ts";
import { daysAheadInTests, lighterSettings, lighterVariable } from "./lighter-program.ts";
import { listTestFiles, makePlan, type Plan, readFlags, shareProcesses } from "./plan.ts";
import { killAllGroups } from "./process-group.ts";
import { ProcessorUse } from "./processor-use.ts";
import { openRunFolder } from "./run-folder.ts";

const processors = availableParallelism();
/** With fewer files, a bundle takes longer to make than it saves. */
const bundledFilesMin = 6;
const lookEveryMs = 3_000;
const totals = { passed: 0, failed: 0, skipped: 0 };
/** How many tests were skipped and in which files or checks, by the reason. */
const skips = new Map<string, { count: number; readonly names: Set<string> }>();

async function runPlan(plan: Plan): Promise<void> {
  const staticChecks = plan.hasStaticChecks ? await listStaticChecks() : [];
  try {
    // Some tests mostly wait: first, they do so beside the others. The checks keep every processor busy until Postgres has started.
    await beginJobs([...(await listJobs(plan, false, {})), ...staticChecks]);
    await runWithDatabase(plan);
  } finally {
    await Promise.all(running);
  }
}

async function runWithDatabase(plan: Plan): Promise<void> {
  // Listed first with no server, because a run that needs none should not start one.
  const kinds = plan.kinds.filter(({ needsDatabase }) => needsDatabase);
  const { length: count } = (await Promise.all(kinds.map((kind) => listTestFiles(kind, plan.filters)))).flat();
  if (stopping !== null || count === 0) {
    return;
  }
  const startedAt = performance.now();
  const isBundled = count >= bundledFilesMin;
  const isLighter = isBundled && !plan.isFull;
  const copyTo = join(tmpdir(), "cluster");
  const starting = startTestCluster(
    isLighter ? { daysAhead: daysAheadInTests, settings: lighterSettings, copyTo } : {},
  );
  stopServer = async () => {
    const cluster = await starting;
    await cluster.stopImmediate();
    await cluster.destroy();
  };
  const program = isBundled
    ? { [programVariable]: await bundleControlPlane(join(tmpdir(), "control-plane"), isLighter) }
    : {};
  const cluster = await starting;
  print(`ok    Postgres for the tests, ${formatDuration(performance.now() - startedAt)}`);
  try {
    const copied = isLighter ? { [clusterVariable]: copyTo } : {};
    await beginJobs(await listJobs(plan, true, { TEST_POSTGRES_URL: cluster.url, ...copied, ...program }));
  } finally {
    await Promise.all(running);
    await cluster.destroy();
  }
}

let stopServer: () => Promise<void> = () => Promise.resolve();
/** Resolves when an interrupted run has ended what it started; null while nobody interrupts it. */
let stopping: Promise<void> | null = null;

/** What an ordinary run leaves to chance is the same each time, so that only a change makes it fail; a full run explores. */
const ordinarySeed = "20261121";

async function listJobs(plan: Plan, needsDatabase: boolean, env: Readonly<Record<string, string>>): Promise<Job[]> {
  const counts = plan.isFull ? { TEST_FULL: "1" } : { TEST_SEED: process.env["TEST_SEED"] ?? ordinarySeed };
  const speed = needsDatabase && !plan.isFull ? { ...briefProcesses, [lighterVariable]: "1" } : {};
  const jobs: Job[] = [];
  for (const kind of plan.kinds.filter((candidate) => candidate.needsDatabase === needsDatabase)) {
    const files = await listTestFiles(kind, plan.filters);
    for (const shared of shareProcesses(files, kind, processors)) {
      jobs.push(testProcess(shared, kind, { ...env, ...counts, ...speed }));
    }
  }
  return jobs;
}

/** What has begun and not ended. */
const running = new Set<Promise<void>>();
const places = new JobPlaces(processors);
const use = new ProcessorUse();

/**
 * In order, as many at the same time as there are processors for: each waits until its load has room beside those that run. Returns when
 * the last one has begun.
 */
async function beginJobs(jobs: readonly Job[]): Promise<void> {
  for (const job of jobs) {
    while (!places.hasRoomFor(job.load)) {
      await Promise.race([...running, lookSoon()]);
    }
    if (stopping !== null) {
      break;
    }
    places.take(job.load);
    const ended = runJob(job).finally(() => running.delete(ended));
    running.add(ended);
  }
}

let looking: Promise<void> | null = null;

/** Resolves when the next look at the processors is over. */
function lookSoon(): Promise<void> {
  looking ??= Bun.sleep(lookEveryMs).then(() => {
    looking = null;
    places.look();
  });
  return looking;
}

async function runJob(job: Job): Promise<void> {
  const startedAt = performance.now();
  const result = await job.run();
  places.giveBack(job.load);
  use.note(kindOf(job));
  if (stopping === null) {
    printResult(job.name, result, performance.now() - startedAt);
  }
}

/** The folder of its tests; the static checks have none. */
function kindOf({ name }: Job): string {
  return /^\w+(?=\/)/.exec(name)?.[0] ?? "static checks";
}

function printResult(name: string, result: JobResult, durationMs: number): void {
  totals.passed += result.passed;
  totals.failed += result.failed;
  totals.skipped += result.skipped;
  for (const { reason, count, files } of result.skips) {
    const known = skips.get(reason) ?? { count: 0, names: new Set() };
    known.count += count;
    for (const file of files) {
      known.names.add(file.replace(/^tests\//, ""));
    }
    skips.set(reason, known);
  }
  const skipped = result.skipped > 0 ? `, ${result.skipped} skipped` : "";
  const counts = `${result.passed} passed${skipped}`;
  const times = `${formatDuration(durationMs)} (processor ${formatDuration(result.cpuMs)})`;
  if (result.failed === 0) {
    print(`ok    ${name}: ${counts}, ${times}`);
    return;
  }
  print(`FAIL  ${name}: ${result.failed} failed, ${counts}, ${times}`);
  print(result.output.replace(/^/gm, "      "));
}

function stopOnSignal(signal: NodeJS.Signals): void {
  process.once(signal, () => {
    killAllGroups();
    stopping = stopServer().finally(() => {
      print(`stopped by ${signal}`);
      process.exit(130);
    });
  });
}

/** Returns the exit code: not zero when something failed, and when no test ran at all. */
async function runTests(words: readonly string[]): Promise<number> {
  const notice = readFlags(words);
  if (notice !== null) {
    const stream = notice.exitCode === 0 ? process.stdout : process.stderr;
    stream.write(notice.text);
    return notice.exitCode;
  }
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    stopOnSignal(signal);
  }
  const { TEST_FULL } = process.env;
  const startedAt = performance.now();
  openRunFolder();
  try {
    await runPlan(makePlan(words, TEST_FULL === "1"));
  } catch (error) {
    totals.failed += 1;
    print(`FAIL  ${error instanceof StartError ? error.message : Bun.inspect(error)}`);
  }
  await stopping;
  print(`done in ${formatDuration(performance.now() - startedAt)}, the processors busy for ${use.describe()}`);
  if (totals.passed + totals.failed === 0) {
    print("No test ran.");
  }
  for (const [reason, { count, names }] of skips) {
    print(`skipped ${count}: ${reason} (${[...names].join(", ")})`);
  }
  const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : "";
  print(`${totals.passed} passed, ${totals.failed} failed${skipped}`);
  return totals.failed === 0 && totals.passed > 0 ? 0 : 1;
}

process.exit(await runTests(process.argv.slice(2)));

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

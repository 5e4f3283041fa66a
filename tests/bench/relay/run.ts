/** `bun run bench relay`: all arms, all scenarios, in interleaved rounds, with the responses verified first. */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Arm, RunningArm, Site } from "./arm.ts";
import { directArm } from "./arms/direct.ts";
import { nginxArm } from "./arms/nginx.ts";
import { nodeArm } from "./arms/node.ts";
import { newApiArm, oneApiArm } from "./arms/one-api.ts";
import { portkeyArm } from "./arms/portkey.ts";
import { beforeArm, frontArm, sluiceArm } from "./arms/sluice.ts";
import { socketsArm } from "./arms/sockets.ts";
import { moveToLoadCore, reasonAgainstMachine } from "./cores.ts";
import { compareRatios, keepRatios, keptFile, nothingKept } from "./kept-ratios.ts";
import { FakeProvider } from "./load/provider.ts";
import { type Measurement, measure } from "./measure.ts";
import { type Options, readOptions, usage } from "./options.ts";
import type { Results } from "./readings.ts";
import { renderReport } from "./report.ts";
import type { Scenario } from "./scenarios.ts";
import { verifyAnswers, verifyConversion, verifyRewritten } from "./verify.ts";

const allArms: readonly Arm[] = [
  directArm,
  nginxArm,
  socketsArm,
  portkeyArm,
  oneApiArm,
  newApiArm,
  sluiceArm,
  beforeArm,
  frontArm,
  nodeArm,
];
const QUICK_SECONDS = 2;
const WARM_SECONDS = 5;
const unpaced = { connections: 64, paceMicroseconds: 0 };
const resultFolder = join(import.meta.dir, "../../../.data/bench");

/** Runs the bench and returns the exit code. */
export async function runRelayBench(args: string[]): Promise<number> {
  let options: Options | "help";
  try {
    options = readOptions(args);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${usage}`);
    return 2;
  }
  if (options === "help") {
    console.log(usage);
    return 0;
  }
  const reason = options.ratios === "check" && !existsSync(keptFile) ? nothingKept : reasonAgainstMachine();
  if (reason !== null) {
    console.error(reason);
    return 1;
  }
  moveToLoadCore();
  const interruption = Promise.withResolvers<never>();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => interruption.reject(new Error(`ended by ${signal}`)));
  }
  return await runOnThisMachine(options, interruption.promise);
}

async function runOnThisMachine(options: Options, interruption: Promise<never>): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"));
  const provider = new FakeProvider();
  try {
    const profileFolder = options.isProfiled ? join(resultFolder, "profile") : null;
    const { against, binaries } = options;
    const site: Site = { providerPort: provider.port, folder, profileFolder, against, binaries };
    const results = await measureAll({ options, provider, site, interruption });
    const file = await writeResults(results);
    console.log(`\n${renderReport(results)}\nEvery number of every round: ${file}`);
    return options.ratios === null ? 0 : await useRatios(options.ratios, results);
  } catch (error) {
    console.error(`\nThe run is void: ${error instanceof Error ? error.message : error}`);
    return 1;
  } finally {
    provider.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function useRatios(use: "check" | "keep", results: Results): Promise<number> {
  if (use === "keep") {
    console.log(`Kept in ${await keepRatios(results)}`);
    return 0;
  }
  const { lines, code } = await compareRatios(results);
  console.log(lines.join("\n"));
  return code;
}

type Bench = {
  readonly options: Options;
  readonly provider: FakeProvider;
  readonly site: Site;
  /** Rejects when the run has to end early. */
  readonly interruption: Promise<never>;
};

async function measureAll(bench: Bench): Promise<Results> {
  const { options, site } = bench;
  const skipped: Record<string, string> = {};
  const arms: Arm[] = [];
  for (const arm of allArms.filter((each) => options.arms.includes(each.name))) {
    say(`preparing ${arm.title}`);
    const reason = await arm.prepare(site);
    if (reason === null) {
      arms.push(arm);
    } else {
      say(`skipping ${arm.title}: ${reason}`);
      skipped[arm.title] = reason;
    }
  }
  const results: Results = {
    startedAt: new Date().toISOString(),
    jsonLoad: options.jsonLoad,
    rounds: options.rounds,
    skipped,
    arms: arms.map(({ name, title }) => ({ name, title })),
    scenarios: [],
  };
  for (const kind of ["json", "stream"] as const) {
    const chosen = options.scenarios.filter((each) => each.kind === kind);
    if (chosen.length > 0) {
      results.scenarios.push(...(await measureKind(bench, arms, chosen)));
    }
  }
  return results;
}

/** All scenarios of one kind with arms started for them, so that the memory of one kind is not charged to the other. */
async function measureKind(bench: Bench, arms: readonly Arm[], chosen: readonly Scenario[]) {
  const results = chosen.map((scenario) => ({ scenario, rounds: [] as Record<string, Measurement>[] }));
  const running = new Map<Arm, RunningArm>();
  const work = async () => {
    for (const arm of arms) {
      const started = await named(arm, () => arm.start(bench.site));
      running.set(arm, started);
      const { call } = started;
      if (call === undefined) {
        await named(arm, () => verifyAnswers(started, bench.provider.answers));
      } else {
        await named(arm, () => verifyRewritten(started, call));
      }
      say(`${arm.title}: started, answers verified ${call === undefined ? "byte for byte" : "by text and usage"}`);
      for (const { conversion } of chosen) {
        if (arm.converts && conversion !== null) {
          await named(arm, () => verifyConversion(started, conversion));
        }
      }
    }
    await warmUp(bench, running, chosen[0]);
    for (let round = 0; round < bench.options.rounds; round++) {
      // Begun at another place in each round, so that none always comes first after the start.
      const first = Math.floor((results.length * round) / bench.options.rounds);
      for (const { scenario, rounds } of [...results.slice(first), ...results.slice(0, first)]) {
        rounds.push(await measureRound(bench, running, { scenario, round }));
      }
    }
  };
  const outcome = await Promise.allSettled([Promise.race([work(), bench.interruption])]);
  const ends = await Promise.allSettled([...running].map(([arm, started]) => named(arm, () => started.stop())));
  for (const each of [...outcome, ...ends]) {
    if (each.status === "rejected") {
      throw each.reason;
    }
  }
  return results;
}

/** Loads each arm until it has made so many calls, so that the compiler is done with what is measured. */
async function warmUp(bench: Bench, running: ReadonlyMap<Arm, RunningArm>, scenario?: Scenario): Promise<void> {
  const { options, provider, site } = bench;
  const { warmCalls, warmStreams, jsonLoad } = options;
  if (scenario === undefined) {
    return;
  }
  const isStream = scenario.kind === "stream";
  const callsMin = isStream ? warmStreams : warmCalls;
  for (const [arm, started] of running) {
    const load = async (loaded: Scenario) =>
      (await named(arm, () => measure(started, { site, provider, scenario: loaded, seconds: WARM_SECONDS, jsonLoad })))
        .provided;
    let calls = 0;
    while (started.pid !== null && calls < callsMin) {
      // Without pauses between their chunks, as many streams as it takes are made soon.
      calls += await load(isStream ? { ...scenario, ...unpaced } : scenario);
      say(`${arm.title}: ${calls} ${isStream ? "streams" : "calls"} to warm up`);
    }
    if (isStream && calls > 0) {
      await load(scenario);
    }
  }
}

/** One measurement of every arm; every second round is in reverse order, so that no arm always comes first. */
async function measureRound(
  bench: Bench,
  running: ReadonlyMap<Arm, RunningArm>,
  turn: { readonly scenario: Scenario; readonly round: number },
): Promise<Record<string, Measurement>> {
  const { scenario, round } = turn;
  const { options, provider, site } = bench;
  const order = round % 2 === 0 ? [...running] : [...running].reverse();
  const seconds = options.seconds ?? (options.isQuick ? QUICK_SECONDS : scenario.seconds);
  const measurements: Record<string, Measurement> = {};
  for (const [arm, started] of order.filter(([{ converts }]) => converts || scenario.conversion === null)) {
    const jsonLoad = options.jsonLoad;
    const measured = await named(arm, () => measure(started, { site, provider, scenario, seconds, jsonLoad }));
    measurements[arm.name] = measured;
    say(`${scenario.name} ${round + 1}/${options.rounds} ${arm.title}: ${summary(measured)}`);
  }
  return measurements;
}

function summary({ load, foreignBusy }: Measurement): string {
  const rate = load.stream === null ? load.requestsPerSecond : load.stream.chunksPerSecond;
  const unit = load.stream === null ? "requests/s" : "chunks/s";
  const { p50, p99 } = load.latencyMs;
  const noise =
    foreignBusy > 0.03 ? `, disturbed: ${Math.round(foreignBusy * 100)} % of the machine was used by others` : "";
  return `${Math.round(rate)} ${unit}, p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms${noise}`;
}

async function named<Result>(arm: Arm, action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    throw new Error(`${arm.title}: ${error instanceof Error ? error.message : error}`);
  }
}

async function writeResults(results: Results): Promise<string> {
  mkdirSync(resultFolder, { recursive: true });
  const file = join(resultFolder, `relay-${results.startedAt.replaceAll(/[:.]/g, "-")}.json`);
  await Bun.write(file, `${JSON.stringify(results, null, 2)}\n`);
  return file;
}

function say(text: string): void {
  console.log(`[${(performance.now() / 1000).toFixed(1).padStart(6)} s] ${text}`);
}

import type { BookEntry, RunningArm, Site } from "./arm.ts";
import { ARM_CORE, LOAD_CORE } from "./cores.ts";
import { callOf, chatCall, dialectPaths } from "./load/call.ts";
import { runClient } from "./load/client.ts";
import type { LoadPlan, LoadResult } from "./load/plan.ts";
import type { FakeProvider } from "./load/provider.ts";
import { runWrk } from "./load/wrk.ts";
import {
  cpuMsOfMachine,
  cpuMsOfTree,
  cpuOfThreads,
  peakMemoryMbOfTree,
  resetPeakMemoryOfTree,
  type ThreadCpu,
} from "./process-cost.ts";
import type { Scenario } from "./scenarios.ts";

/** Longer than any gateway needs to start a call that it has already read. */
const QUIET_MS = 250;

export type Measurement = {
  readonly load: LoadResult;
  /** CPU of the arm from the first call until its books were closed; null when there is no arm. */
  readonly armCpuMs: number | null;
  /** The same of each thread of the arm that still runs, by name. */
  readonly threadCpu: Record<string, ThreadCpu>;
  readonly companionCpuMs: Record<string, number>;
  /** Share of its core that each side used while the load ran, 0 to 1. */
  readonly armBusy: number | null;
  readonly loadBusy: number;
  /** Share of the whole machine that processes used which do not belong to the bench. */
  readonly foreignBusy: number;
  readonly peakMemoryMb: number | null;
  readonly providerConnections: number;
  readonly provided: number;
  readonly streamsOpenMax: number;
  readonly books: BookEntry | null;
};

export type MeasureOptions = {
  readonly site: Site;
  readonly provider: FakeProvider;
  readonly scenario: Scenario;
  readonly seconds: number;
  readonly jsonLoad: "wrk" | "bun";
};

/** Runs one load on one arm and records its whole cost. @throws Error when any call failed */
export async function measure(arm: RunningArm, options: MeasureOptions): Promise<Measurement> {
  const { provider, scenario } = options;
  provider.setPace(scenario.paceMicroseconds);
  if (arm.pid !== null) {
    resetPeakMemoryOfTree(arm.pid);
  }
  await arm.books?.open();
  const before = readCosts(arm, provider);
  const load = await putLoad(arm, options);
  const loaded = readCosts(arm, provider);
  await quietProvider(provider);
  const usesWrk = scenario.kind === "json" && options.jsonLoad === "wrk";
  const provided = callsProvided(provider) - before.provided;
  const cutMax = usesWrk ? 2 * scenario.connections : 0;
  if (provided < load.answered || provided > load.answered + cutMax) {
    throw new Error(`${load.answered} answers came back, but ${provided} calls reached the provider`);
  }
  const calls = { answered: load.answered, provided, cutMax };
  await arm.books?.drain(calls);
  const settled = readCosts(arm, provider);
  const books = (await arm.books?.close(calls)) ?? null;
  const wallMs = loaded.wallMs - before.wallMs;
  const isDirect = arm.pid === null;
  return {
    load,
    armCpuMs: isDirect ? null : settled.armMs - before.armMs,
    threadCpu: threadCpuBetween(before.threads, settled.threads),
    companionCpuMs: Object.fromEntries(
      arm.companions.map(({ name }) => [name, (settled.companionMs[name] ?? 0) - (before.companionMs[name] ?? 0)]),
    ),
    armBusy: isDirect ? null : (loaded.armMs - before.armMs) / wallMs,
    loadBusy: (loaded.benchMs - loaded.armMs - (before.benchMs - before.armMs)) / wallMs,
    foreignBusy: Math.max(0, loaded.machineMs - loaded.benchMs - (before.machineMs - before.benchMs)) / (2 * wallMs),
    peakMemoryMb: arm.pid === null ? null : peakMemoryMbOfTree(arm.pid),
    providerConnections: loaded.connections - before.connections,
    provided,
    streamsOpenMax: provider.counters.streamsOpenMax,
    books,
  };
}

function putLoad(arm: RunningArm, options: MeasureOptions): Promise<LoadResult> {
  const { scenario, jsonLoad, site } = options;
  const call = scenario.conversion === null ? (arm.call ?? chatCall) : callOf(scenario.conversion);
  const plan: LoadPlan = {
    port: arm.port,
    path: scenario.conversion === null ? arm.path : dialectPaths[call.dialect],
    call,
    headers: arm.headers,
    isStream: scenario.kind === "stream",
    connections: scenario.connections,
    warmupMs: scenario.warmupSeconds * 1000,
    durationMs: options.seconds * 1000,
    staggerMs: (scenario.paceMicroseconds * 50) / 1000,
  };
  if (scenario.kind === "stream" || jsonLoad === "bun") {
    return runClient(plan);
  }
  // Without a gateway its core is free, and the provider is not slowed down by the load.
  return runWrk(plan, { folder: site.folder, core: arm.pid === null ? ARM_CORE : LOAD_CORE });
}

function readCosts(arm: RunningArm, provider: FakeProvider) {
  const { counters } = provider;
  const readerPid = arm.books?.readerPid ?? null;
  const readerMs = readerPid === null ? 0 : cpuMsOfTree(readerPid);
  return {
    wallMs: Bun.nanoseconds() / 1e6,
    armMs: arm.pid === null ? 0 : cpuMsOfTree(arm.pid),
    threads: arm.pid === null ? {} : cpuOfThreads(arm.pid),
    benchMs: cpuMsOfTree(process.pid),
    machineMs: cpuMsOfMachine(),
    companionMs: Object.fromEntries(arm.companions.map(({ name, pid }) => [name, cpuMsOfTree(pid) - readerMs])),
    connections: counters.connections,
    provided: callsProvided(provider),
  };
}

function threadCpuBetween(before: Record<string, ThreadCpu>, after: Record<string, ThreadCpu>) {
  const used = Object.entries(after).map(([name, { userMs, systemMs }]): [string, ThreadCpu] => {
    const { userMs: userBefore = 0, systemMs: systemBefore = 0 } = before[name] ?? {};
    return [name, { userMs: userMs - userBefore, systemMs: systemMs - systemBefore }];
  });
  return Object.fromEntries(used);
}

function callsProvided({ counters }: FakeProvider): number {
  return counters.jsonAnswers + counters.streams;
}

/** Waits until calls left behind by wrk have passed the gateway, so that they do not count for the next load. */
async function quietProvider(provider: FakeProvider): Promise<void> {
  let last = -1;
  while (callsProvided(provider) !== last || provider.counters.streamsOpen > 0) {
    last = callsProvided(provider);
    await Bun.sleep(QUIET_MS);
  }
}

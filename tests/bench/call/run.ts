/** `bun run bench call`: what a call or a chunk costs inside the process, without sockets and database, beside other versions. */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { runtimeEnvironment } from "@sluice/deploy/start/runtime-environment";
import type { Cost, News, Order } from "./own-process.ts";

const usage = `usage: bun run bench call [options]
  --against <folder>  a checkout of another version, with its packages installed; several are possible
  --stream            each call is a stream of 50 chunks; the cost is that of a chunk
  --calls <n>         calls of each round (default 10000, 1000 streams)
  --rounds <n>        (default 12)
  --warm <n>          calls before the first round (default 100000, 6000 streams)
  --callers <n>       calls at the same time (default 24, 200 streams)
  --profile           CPU profile of this version into .data/bench/profile; it slows the run down`;

const root = join(import.meta.dir, "../../..");
const ownProcess = "tests/bench/call/own-process.ts";
const profileFolder = join(root, ".data/bench/profile");
const profileOptions = ["--cpu-prof", "--cpu-prof-md", "--cpu-prof-interval", "500", "--cpu-prof-dir", profileFolder];
const warmStep = 10_000;
const usualCalls = { calls: "10000", warm: "100000", callers: "24" };
const usualStreams = { calls: "1000", warm: "6000", callers: "200" };

type Version = { readonly folder: string; ask(order: Order): Promise<Cost>; end(): Promise<void> };

export async function runCallBench(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      against: { type: "string", multiple: true, default: [] },
      stream: { type: "boolean", default: false },
      calls: { type: "string" },
      rounds: { type: "string", default: "12" },
      warm: { type: "string" },
      callers: { type: "string" },
      profile: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help || process.platform !== "linux") {
    console.log(values.help ? usage : "this reads /proc: it needs Linux");
    return values.help ? 0 : 1;
  }
  const usual = values.stream ? usualStreams : usualCalls;
  const { calls = usual.calls, warm = usual.warm, callers = usual.callers } = values;
  const versions: Version[] = [];
  try {
    for (const folder of [root, ...values.against.map((each) => resolve(each))]) {
      const options = values.profile && folder === root ? profileOptions : [];
      versions.push(
        await start(folder, [...options, join(folder, ownProcess), callers, values.stream ? "stream" : "whole"]),
      );
    }
    const settings = { calls: Number(calls), rounds: Number(values.rounds), warm: Number(warm) };
    console.log(report(versions, await measure(versions, settings), values.stream ? "chunk" : "call"));
    return 0;
  } finally {
    for (const version of versions) {
      await version.end();
    }
  }
}

/**
 * Each version runs the process of its own checkout.
 * @param args of the runtime
 */
async function start(folder: string, args: readonly string[]): Promise<Version> {
  const waiting: ((news: News) => void)[] = [];
  const next = () => new Promise<News>((resolveNext) => waiting.push(resolveNext));
  const ready = next();
  const child = Bun.spawn([process.execPath, ...args], {
    cwd: folder,
    env: { ...process.env, ...runtimeEnvironment(process.env) },
    stdio: ["ignore", "inherit", "inherit"],
    ipc: (news: News) => waiting.shift()?.(news),
  });
  const ended = child.exited.then((code): never => {
    throw new Error(`the process of ${folder} ended with ${code}`);
  });
  ended.catch(() => undefined);
  await Promise.race([ready, ended]);
  console.log(`${folder}: process ${child.pid}`);
  return {
    folder,
    ask: async (order) => {
      const done = next();
      child.send(order);
      const news = await Promise.race([done, ended]);
      if (news.kind !== "done") {
        throw new Error(`${folder} was to make calls, and says "${news.kind}"`);
      }
      return news.cost;
    },
    end: async () => {
      child.kill("SIGTERM");
      await child.exited;
    },
  };
}

type Settings = { readonly calls: number; readonly rounds: number; readonly warm: number };

/** The costs of all versions, round by round. */
async function measure(versions: readonly Version[], { calls, rounds, warm }: Settings): Promise<Cost[][]> {
  for (let done = 0; done < warm; done += warmStep) {
    await Promise.all(versions.map((version) => version.ask({ calls: Math.min(warmStep, warm - done) })));
  }
  const costs: Cost[][] = [];
  for (let round = 0; round < rounds; round += 1) {
    const measured: Cost[] = [];
    const order = [...versions.entries()];
    for (const [index, version] of round % 2 === 0 ? order : order.reverse()) {
      measured[index] = await version.ask({ calls });
    }
    costs.push(measured);
    const texts = measured.map(({ thread, process: all }) => `${thread.toFixed(2)} us (${all.toFixed(2)})`);
    console.log(`round ${round + 1}: ${texts.join(", ")}`);
  }
  return costs;
}

function report(versions: readonly Version[], rounds: readonly Cost[][], part: "call" | "chunk"): string {
  const lines = versions.map(({ folder }, index) => {
    const of = (whose: keyof Cost) => rounds.map((round) => round[index]?.[whose] ?? 0);
    const beside = (whose: keyof Cost) => {
      const own = rounds.map((round) => round[0]?.[whose] ?? 0);
      const ratios = of(whose).map((cost, round) => (own[round] ?? 0) / cost);
      const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => quantile(ratios, share).toFixed(2));
      return `${middle} (${low} - ${high})`;
    };
    const middle = (whose: keyof Cost) => quantile(of(whose), 0.5).toFixed(2);
    const cells = [middle("thread"), middle("process"), beside("thread"), beside("process")];
    return `| ${[folder, ...cells].join(" | ")} |`;
  });
  return [
    `\nus of CPU a ${part}, medians of the rounds, and the first version as a share of each, with quartiles\n`,
    "| version | thread that serves | all threads | share, thread | share, all |",
    "| --- | ---: | ---: | ---: | ---: |",
    ...lines,
  ].join("\n");
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Database, Transaction } from "@sluice/control-plane/platform/db.ts";
import { SettlementScene, waitUntilSettleable } from "../support/usage/settlement-scene.ts";
import { patienceMs } from "../support/values/patience.ts";

const isFull = process.env["TEST_FULL"] === "1";
const rounds = isFull ? 100 : 3;
const checkEvery = isFull ? 10 : 3;
const rowsOfRound = 60;
const rowsMax = 25;
const runnerFile = join(import.meta.dir, "../support/usage/settlement-runner.ts");
const multipliers = ["0.0000", "0.5000", "1.0000", "1.1000", "2.7500"];

/** The point at which each step is blocked by a lock that the test holds. */
const places: readonly [string, (tx: Transaction) => Promise<unknown>][] = [
  ["while it reads the log", (tx) => tx.sql`lock table usage_log in access exclusive mode`],
  ["while it writes its rows", (tx) => tx.sql`lock table usage_settlement in share row exclusive mode`],
  ["while it lists its calls", (tx) => tx.sql`lock table settled_calls in share row exclusive mode`],
  ["while it waits for a budget", (tx) => tx.sql`select 1 from budget where gateway_user_id is not null for update`],
  ["while it writes what it grants", (tx) => tx.sql`lock table quota_grant in share row exclusive mode`],
  ["while it waits for an account of the ledger", (tx) => tx.sql`select 1 from ledger_account for update`],
  ["while it writes into the ledger", (tx) => tx.sql`lock table ledger_entry in share row exclusive mode`],
];

type Runner = AsyncDisposable & {
  /** Resolves with the next output line that begins with this. */
  line(start: string): Promise<void>;
  signal(name: "SIGKILL" | "SIGSTOP"): void;
};

async function startRunner(databaseUrl: string): Promise<Runner> {
  const child = Bun.spawn([process.execPath, runnerFile, JSON.stringify({ databaseUrl, rowsMax })], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  let text = "";
  let wake = Promise.withResolvers<void>();
  void (async () => {
    const decoder = new TextDecoder();
    for await (const part of child.stdout) {
      text += decoder.decode(part, { stream: true });
      wake.resolve();
    }
  })();
  const line = async (start: string): Promise<void> => {
    while (!text.split("\n").some((each) => each.startsWith(start))) {
      await wake.promise;
      wake = Promise.withResolvers();
    }
    text = "";
  };
  await line("ready");
  return {
    line,
    signal: (name) => child.kill(name),
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

/** The server process that runs a step and waits for a lock. */
async function blockedBackend(db: Database): Promise<number> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const [row] = await db.sql<{ pid: number }>`
      select pid from pg_stat_activity
      where datname = current_database() and application_name = 'settlement-runner' and wait_event_type = 'Lock'`;
    if (row !== undefined) {
      return row.pid;
    }
    if (performance.now() > deadline) {
      throw new Error("no step came to the lock");
    }
    await Bun.sleep(2);
  }
}

/** What happens to the step. Each time the server continues afterwards. */
const ways: readonly ((runners: readonly Runner[], pid: number, db: Database) => Promise<void>)[] = [
  async (runners) => signalAll(runners, "SIGKILL"),
  async (_runners, pid, db) => {
    await db.sql`select pg_terminate_backend(${pid}::integer)`;
  },
  async (runners) => signalAll(runners, "SIGSTOP"),
];

function signalAll(runners: readonly Runner[], name: "SIGKILL" | "SIGSTOP"): void {
  for (const runner of runners) {
    runner.signal(name);
  }
}

const commitRows = (scene: SettlementScene): Promise<void> =>
  scene.commit(
    ...Array.from({ length: rowsOfRound }, (_, index) =>
      scene.row(index, BigInt(index * 7), multipliers[index % multipliers.length] ?? ""),
    ),
  );

describe.each(places)("a step of the settlement, %s", (_place, block) => {
  test(`killed, cut off or stopped there beside a second runner, leaves every row settled once, ${rounds} times`, async () => {
    await using scene = await SettlementScene.create(4);
    for (let round = 1; round <= rounds; round += 1) {
      await commitRows(scene);
      await waitUntilSettleable(scene.db);
      await using stack = new AsyncDisposableStack();
      await scene.owner.withTransaction(async (tx) => {
        await block(tx);
        const runners = [await startRunner(scene.database.url), await startRunner(scene.database.url)];
        for (const runner of runners) {
          stack.use(runner);
        }
        await ways[round % ways.length]?.(runners, await blockedBackend(scene.owner), scene.owner);
      });
      if (round % checkEvery === 0) {
        await settleEverything(scene);
        expect(await scene.faults()).toEqual([]);
      }
    }
  });
});

test(`runners that are killed as soon as a step is committed leave every row settled once, ${rounds} times`, async () => {
  await using scene = await SettlementScene.create(4);
  for (let round = 1; round <= rounds; round += 1) {
    await using one = await startRunner(scene.database.url);
    await using other = await startRunner(scene.database.url);
    await commitRows(scene);
    await Promise.race([one.line("more"), other.line("more")]);
    signalAll([one, other], "SIGKILL");
    if (round % checkEvery === 0) {
      await settleEverything(scene);
      expect(await scene.faults()).toEqual([]);
    }
  }
});

/** Runs until all is settled: a step of a killed runner may still be at its end on the server. */
async function settleEverything(scene: SettlementScene): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while ((await scene.countSettled()) < scene.expected.size && performance.now() < deadline) {
    await scene.run();
  }
}

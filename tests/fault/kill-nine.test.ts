import { afterEach, describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { findFreePort } from "@sluice/deploy/start/port";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { waitForIdleReturn } from "../support/calls/budget-watch.ts";
import { chat, type SeenCall } from "../support/calls/chat-call.ts";
import { readMetrics } from "../support/service/metrics.ts";
import { type SluiceProcess, SluiceRig, type TestUser } from "../support/service/sluice.ts";
import { testRandom } from "../support/values/test-seed.ts";

const { TEST_FULL } = process.env;
const isFull = TEST_FULL === "1";
const callsMin = isFull ? 1_000 : 60;
const killsMin = isFull ? 40 : 4;
const callers = 6;
const granted = 1_000_000_000n;

/** The upstream is slow, so that a kill hits calls in each of their stages. */
const pace = { delayHeadMs: 10, chunkDelayMs: 4, chunks: 6 };

let open: { provider: SandboxProvider; rig: SluiceRig } | null = null;

afterEach(async () => {
  await open?.rig.close();
  await open?.provider.stop();
  open = null;
});

type StartProcess = (env: Record<string, string>) => Promise<SluiceProcess>;

/** A process that is killed and restarted at the same address and with the same data, for as long as needed. */
class Mortal {
  readonly #start: StartProcess;
  readonly #env: Record<string, string>;
  current: SluiceProcess;

  private constructor(start: StartProcess, env: Record<string, string>, current: SluiceProcess) {
    this.#start = start;
    this.#env = env;
    this.current = current;
  }

  static async born(rig: SluiceRig, env: Record<string, string>): Promise<Mortal> {
    const start = (full: Record<string, string>) => rig.startProcess(full);
    const first = { ...env, PORT: String(await findFreePort()) };
    const current = await start(first);
    return new Mortal(start, { ...first, DATA_DIR: current.dataDirectory }, current);
  }

  async dieAndRise(): Promise<void> {
    await this.current.kill();
    this.current = await this.#start(this.#env);
  }
}

/** Callers that call in sequence until they are stopped; each call is a new one, never a retry. */
function startCallers(url: () => string, user: TestUser, random: () => number) {
  const seen: SeenCall[] = [];
  let isStopped = false;
  const caller = async (): Promise<void> => {
    while (!isStopped) {
      const call = await chat(
        { url: url(), apiKey: user.apiKey },
        { model: "gpt-4o-mini", stream: random() < 0.5, max_tokens: 200 },
      );
      seen.push(call);
      if (call.status === null) {
        // Nobody is listening at the moment.
        await Bun.sleep(20);
      }
    }
  };
  const running = Array.from({ length: callers }, caller);
  return {
    seen,
    whole: () => seen.filter(({ isWhole }) => isWhole),
    stop: async () => {
      isStopped = true;
      await Promise.all(running);
    },
  };
}

async function killAtRandom(mortals: readonly Mortal[], load: ReturnType<typeof startCallers>): Promise<number> {
  const random = testRandom();
  for (let kills = 0; ; kills += 1) {
    const isEnough = kills >= killsMin && load.whole().length >= callsMin;
    if (isEnough) {
      return kills;
    }
    await Bun.sleep(50 + random() * 450);
    if (kills < killsMin * 2) {
      await mortals[Math.floor(random() * mortals.length)]?.dieAndRise();
    }
  }
}

async function expectExactBooks(rig: SluiceRig, user: TestUser, load: ReturnType<typeof startCallers>): Promise<void> {
  const state = await waitForIdleReturn(rig.db, user.budgetId);
  const rows = await rig.db.sql<{ id: string; outcome: string; quota: bigint }>`
    select request_id::text as id, outcome, quota from usage_log`;
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  const rowOf = new Map(rows.map((row) => [row.id, row]));
  const unpaid = load.whole().filter(({ requestId }) => {
    const row = rowOf.get(requestId ?? "");
    return row === undefined || row.outcome !== "completed" || row.quota <= 0n;
  });
  expect(unpaid).toEqual([]);
  const spent = rows.reduce((sum, { quota }) => sum + quota, 0n);
  expect(spent + state.remaining).toBe(granted);
  expect(state.used).toBe(spent);
  const [leases] = await rig.db.sql<{ rows: bigint }>`select count(*) as rows from budget_lease where amount <> 0`;
  expect(leases?.rows).toBe(0n);
  expect(await rig.checkMoney()).toEqual([]);
}

async function expectEmptySpool({ url, dataDirectory }: SluiceProcess): Promise<void> {
  const metrics = await readMetrics(url);
  expect(metrics.get("sluice_spool_entries")).toBe(0);
  expect(metrics.get("sluice_spool_quarantined")).toBe(0);
  // One process at a time never needs a second slot.
  expect(await readdir(join(dataDirectory, "spool"))).toEqual(["0"]);
}

describe("calls through a control plane that is killed again and again", () => {
  test("are each charged once if the client got them whole, and never twice", async () => {
    const provider = startSandboxProvider({ keepsRecords: false });
    const rig = await SluiceRig.create(provider.url);
    open = { provider, rig };
    provider.script(pace, { times: "always" });
    const user = await rig.addUser(granted);
    const mortal = await Mortal.born(rig, {});
    const load = startCallers(() => mortal.current.url, user, testRandom(1));
    const kills = await killAtRandom([mortal], load);
    await load.stop();
    expect(kills).toBeGreaterThanOrEqual(killsMin);
    expect(load.seen.some(({ isWhole }) => !isWhole)).toBe(true);
    await expectExactBooks(rig, user, load);
    await expectEmptySpool(mortal.current);
  }, 300_000);

  test("through a relay and a gateway that die separately are charged just as exactly", async () => {
    const provider = startSandboxProvider({ keepsRecords: false });
    const rig = await SluiceRig.create(provider.url);
    open = { provider, rig };
    provider.script(pace, { times: "always" });
    const user = await rig.addUser(granted);
    const gateway = await Mortal.born(rig, { ROLES: "gateway,jobs" });
    const relay = await Mortal.born(rig, { ROLES: "relay,backend", UPSTREAM_GATEWAY_URL: gateway.current.url });
    const load = startCallers(() => relay.current.url, user, testRandom(2));
    await killAtRandom([gateway, relay], load);
    await load.stop();
    await expectExactBooks(rig, user, load);
    await expectEmptySpool(gateway.current);
    await expectEmptySpool(relay.current);
  }, 300_000);
});

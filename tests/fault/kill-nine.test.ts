import { afterEach, describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { waitForIdleReturn } from "../support/calls/budget-watch.ts";
import { allRoutes, type CallRoute, serveThrough } from "../support/calls/call-routes.ts";
import { chat, type SeenCall } from "../support/calls/chat-call.ts";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { readMetrics } from "../support/service/metrics.ts";
import { MortalProcess } from "../support/service/mortal-process.ts";
import { type SluiceProcess, SluiceRig, type TestUser } from "../support/service/sluice.ts";
import { testRandom } from "../support/values/test-seed.ts";

const { TEST_FULL } = process.env;
const isFull = TEST_FULL === "1";
const callsMin = isFull ? 1_000 : 40;
const killsMin = isFull ? 40 : 3;
const callers = 6;
const granted = 1_000_000_000n;

const modelOf = ({ surface, channel }: CallRoute) => `${surface}-${channel}`;

/** The upstream is slow, so that a kill hits calls in each of their stages. */
const pace = { delayHeadMs: 10, chunkDelayMs: 4, chunks: 6 };

let open: { provider: SandboxProvider; rig: SluiceRig } | null = null;

afterEach(async () => {
  await open?.rig.close();
  await open?.provider.stop();
  open = null;
});

/** A provider, and a model for each route from a client to it. */
async function openWorld(): Promise<{ readonly rig: SluiceRig; readonly user: TestUser }> {
  const provider = startSandboxProvider({ keepsRecords: false });
  const rig = await SluiceRig.create(provider.url);
  open = { provider, rig };
  for (const route of allRoutes) {
    await rig.addModel(modelOf(route));
    await serveThrough(rig, modelOf(route), route.channel, provider.url);
  }
  provider.script(pace, { times: "always" });
  return { rig, user: await rig.addUser(granted) };
}

/** Callers that call in sequence until they are stopped, by every route; each call is a new one, never a retry. */
function startCallers(url: () => string, user: TestUser, random: () => number) {
  const seen: (SeenCall & { readonly route: CallRoute })[] = [];
  let isStopped = false;
  let calls = 0;
  const caller = async (): Promise<void> => {
    while (!isStopped) {
      const route = allRoutes[calls % allRoutes.length] as CallRoute;
      calls += 1;
      const target = { url: url(), apiKey: user.apiKey, surface: route.surface };
      const call = await chat(target, { model: modelOf(route), stream: random() < 0.5 });
      seen.push({ ...call, route });
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

async function killAtRandom(mortals: readonly MortalProcess[], load: ReturnType<typeof startCallers>): Promise<number> {
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
  type Row = { id: string; outcome: string; quota: bigint; input: bigint; output: bigint };
  const rows = await rig.db.sql<Row>`
    select request_id::text as id, outcome, quota, input_tokens as input, output_tokens as output from usage_log`;
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  const rowOf = new Map(rows.map((row) => [row.id, row]));
  const unpaid = load.whole().filter(({ requestId }) => {
    const row = rowOf.get(requestId ?? "");
    return row === undefined || row.outcome !== "completed" || row.quota <= 0n;
  });
  expect(unpaid).toEqual([]);
  expect(new Set(load.whole().map(({ route }) => route.name)).size).toBe(allRoutes.length);
  const mispriced = rows.filter(({ quota, input, output }) => quota !== (input * 75n + output * 300n + 999n) / 1_000n);
  expect(mispriced).toEqual([]);
  const spent = rows.reduce((sum, { quota }) => sum + quota, 0n);
  expect(spent + state.remaining).toBe(granted);
  expect(state.used).toBe(spent);
  const [leases] = await rig.db.sql<{ rows: bigint }>`select count(*) as rows from budget_lease where amount <> 0`;
  expect(leases?.rows).toBe(0n);
  expect(await rig.checkMoney()).toEqual([]);
}

/** A relay holds no leases, so that its last rows may still wait for their commit when all leases are back. */
async function expectEmptySpool({ url, dataDirectory }: SluiceProcess): Promise<void> {
  await waitUntil(async () => (await readMetrics(url)).get("sluice_spool_entries") === 0);
  expect((await readMetrics(url)).get("sluice_spool_quarantined")).toBe(0);
  // One process at a time never needs a second slot.
  expect(await readdir(join(dataDirectory, "spool"))).toEqual(["0"]);
}

describe("calls through a control plane that is killed again and again", () => {
  test("are each charged once if the client got them whole, and never twice", async () => {
    const { rig, user } = await openWorld();
    const mortal = await MortalProcess.born(rig, {});
    const load = startCallers(() => mortal.current.url, user, testRandom(1));
    const kills = await killAtRandom([mortal], load);
    await load.stop();
    expect(kills).toBeGreaterThanOrEqual(killsMin);
    expect(load.seen.some(({ isWhole }) => !isWhole)).toBe(true);
    await expectExactBooks(rig, user, load);
    await expectEmptySpool(mortal.current);
  });

  test("through a relay and a gateway that die separately are charged just as exactly", async () => {
    const { rig, user } = await openWorld();
    const gateway = await MortalProcess.born(rig, { ROLES: "gateway,jobs" });
    const relay = await MortalProcess.born(rig, { ROLES: "relay,backend", UPSTREAM_GATEWAY_URL: gateway.current.url });
    const load = startCallers(() => relay.current.url, user, testRandom(2));
    await killAtRandom([gateway, relay], load);
    await load.stop();
    await expectExactBooks(rig, user, load);
    await expectEmptySpool(gateway.current);
    await expectEmptySpool(relay.current);
  });
});

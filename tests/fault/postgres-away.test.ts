import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { EmbeddedPostgres } from "@sluice/deploy/start/embedded-postgres";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { waitForIdleReturn } from "../support/calls/budget-watch.ts";
import { chat, type SeenCall } from "../support/calls/chat-call.ts";
import { startPostgresProxy } from "../support/postgres/postgres-proxy.ts";
import { startTestCluster } from "../support/postgres/test-cluster.ts";
import { createDatabaseOn } from "../support/postgres/test-database.ts";
import { readMetrics } from "../support/service/metrics.ts";
import { type SluiceProcess, SluiceRig, type TestUser } from "../support/service/sluice.ts";
import { patienceMs, promptMs } from "../support/values/patience.ts";
import { testRandom } from "../support/values/test-seed.ts";

const random = testRandom();
const { TEST_FULL } = process.env;
const isFull = TEST_FULL === "1";
const outageMs = isFull ? 30_000 : 4_000;
const longOutageMs = isFull ? 30_000 : 10_000;
const backendKills = isFull ? 100 : 10;
const commitBreaks = isFull ? 100 : 10;
/** What every second call stays below: less than a call would wait for a database. A busy machine makes some slower. */
const usualMsMax = 500;
const callers = 4;
/** Between two calls of a caller. Each takes processor time, and what a budget is lent follows from how much is used. */
const pauseMs = isFull ? 10 : 40;
/** How many calls show what their users need: with fewer, what is leased for them does not last. An idle machine makes them in three seconds. */
const paceCalls = 200;
/** Longer than anything in the control plane waits for the result of a statement. */
const silenceMs = 8_000;
const readinessMsMax = 60_000;

let cluster: EmbeddedPostgres;
let provider: SandboxProvider;
let rig: SluiceRig;
let sluice: SluiceProcess;
let admin: Bun.SQL;

beforeAll(async () => {
  cluster = await startTestCluster();
  provider = startSandboxProvider({ keepsRecords: false });
  const database = await createDatabaseOn(cluster.url);
  rig = await SluiceRig.create(provider.url, database);
  sluice = await rig.startProcess();
  admin = new Bun.SQL(cluster.url, { max: 1 });
});

afterAll(async () => {
  await admin.close({ timeout: 0 });
  await rig.close();
  await provider.stop();
  await cluster.destroy();
});

type Load = {
  readonly seen: SeenCall[];
  /** Resolves when its users have shown what they need. */
  paced(): Promise<void>;
  stop(): Promise<void>;
};

/** Callers that call in sequence, every second call a stream, until they are stopped. */
function startLoad(users: readonly TestUser[], at: SluiceProcess = sluice): Load {
  const seen: SeenCall[] = [];
  const paced = Promise.withResolvers<void>();
  let isStopped = false;
  const caller = async (index: number): Promise<void> => {
    for (let call = 0; !isStopped; call += 1) {
      const { apiKey } = users[(index + call) % users.length] as TestUser;
      seen.push(await chat({ url: at.url, apiKey }, { model: "gpt-4o-mini", stream: call % 2 === 0 }));
      if (seen.length === paceCalls) {
        paced.resolve();
      }
      await Bun.sleep(pauseMs);
    }
  };
  const running = Array.from({ length: callers }, (_, index) => caller(index));
  return {
    seen,
    paced: () => paced.promise,
    stop: async () => {
      isStopped = true;
      await Promise.all(running);
    },
  };
}

async function readiness(of: SluiceProcess = sluice): Promise<number> {
  return (await fetch(`${of.url}/readyz`)).status;
}

async function waitForReadiness(status: number, of: SluiceProcess = sluice): Promise<void> {
  const deadline = performance.now() + readinessMsMax;
  while ((await readiness(of)) !== status) {
    if (performance.now() > deadline) {
      throw new Error(`/readyz was not ${status} in ${readinessMsMax} ms`);
    }
    await Bun.sleep(50);
  }
}

const unknownKey = (): string => `sk-${"0".repeat(40)}${crypto.randomUUID().replaceAll("-", "").slice(0, 8)}`;
const callWith = (apiKey: string) => chat({ url: sluice.url, apiKey }, { model: "gpt-4o-mini" });

function slowest(calls: readonly SeenCall[], share: number): number {
  const durations = calls.map(({ durationMs }) => durationMs).sort((left, right) => left - right);
  return durations[Math.min(durations.length - 1, Math.floor(durations.length * share))] ?? 0;
}

/** Every call that a client got completely has its row, no row is duplicated, and the books are correct. */
async function expectExactBooks(
  calls: readonly SeenCall[],
  users: readonly TestUser[],
  at: SluiceProcess = sluice,
): Promise<void> {
  await Promise.all(users.map(({ budgetId }) => waitForIdleReturn(rig.db, budgetId)));
  const ids = users.map(({ gatewayUserId }) => gatewayUserId);
  const rows = await rig.db.query<{ id: string; quota: bigint }>(
    `select request_id::text as id, quota from usage_log where gateway_user_id in (${ids.join(",")})`,
    [],
  );
  const known = new Set(rows.filter(({ quota }) => quota > 0n).map(({ id }) => id));
  expect(known.size).toBe(rows.length);
  expect(calls.filter(({ isWhole, requestId }) => isWhole && !known.has(requestId ?? ""))).toEqual([]);
  expect(rows.length).toBe(calls.filter(({ isWhole }) => isWhole).length);
  const metrics = await readMetrics(at.url);
  expect(metrics.get("sluice_spool_entries")).toBe(0);
  expect(metrics.get("sluice_spool_quarantined")).toBe(0);
  expect(metrics.get("sluice_lease_quota")).toBe(0);
  expect(metrics.get("sluice_pending_quota")).toBe(0);
  expect(await rig.checkMoney()).toEqual([]);
}

/** The lines of a log whose event matches. */
function eventsOf(log: string, pattern: RegExp): string[] {
  return log.split("\n").filter((line) => pattern.test(/"event":"([^"]+)"/.exec(line)?.[1] ?? ""));
}

describe("while Postgres is killed and down", () => {
  test("calls with known keys and leased quota continue, others are asked to retry, and no row is lost", async () => {
    const users = await Promise.all(Array.from({ length: callers }, () => rig.addUser()));
    const revoked = await rig.addUser();
    expect((await callWith(revoked.apiKey)).isWhole).toBe(true);
    await rig.db.sql`update api_key set status = 'revoked' where gateway_user_id = ${revoked.gatewayUserId}::bigint`;
    const load = startLoad(users);
    await load.paced();
    expect((await callWith(revoked.apiKey)).status).toBe(401);
    const before = load.seen.length;

    await cluster.stopImmediate();
    const away = performance.now();
    await waitForReadiness(503);
    const others: SeenCall[] = [];
    while (performance.now() - away < outageMs) {
      others.push(await callWith(unknownKey()));
      const refused = await callWith(revoked.apiKey);
      expect([401, 503]).toContain(refused.status ?? 0);
      await Bun.sleep(200);
    }
    const duringOutage = load.seen.slice(before);
    await cluster.restart();
    await waitForReadiness(200);
    await Bun.sleep(1_000);
    await load.stop();

    expect(load.seen.filter(({ isWhole }) => !isWhole)).toEqual([]);
    expect(duringOutage.length).toBeGreaterThan(outageMs / 400);
    expect(slowest(duringOutage, 0.5)).toBeLessThan(usualMsMax);
    expect(slowest(load.seen, 1)).toBeLessThan(promptMs);
    for (const { status, code, retryAfter } of others) {
      expect({ status, code }).toEqual({ status: 503, code: "temporarily_unavailable" });
      expect(Number(retryAfter)).toBeGreaterThan(0);
    }
    expect(slowest(others, 1)).toBeLessThan(promptMs);
    expect((await callWith(unknownKey())).status).toBe(401);
    expect((await callWith(revoked.apiKey)).status).toBe(401);
    await expectExactBooks(load.seen, users);
  });
});

describe("while Postgres is down for longer than the first slice of a budget lasts", () => {
  test("users with plenty of quota continue, those who call all the time and those who pause", async () => {
    const model = "flat-while-away";
    await rig.addFlatPriceModel(model, BigInt(100 * pauseMs));
    const keeper = await rig.startProcess({ LEASE_KEPT_MS: "60000" });
    const busy = await rig.addUser(1_000_000_000n);
    const pausing = await rig.addUser(1_000_000_000n);
    const call = ({ apiKey }: TestUser) => chat({ url: keeper.url, apiKey }, { model });
    const seen: SeenCall[] = [await call(pausing)];
    const callFor = async (ms: number): Promise<void> => {
      for (const end = performance.now() + ms; performance.now() < end; ) {
        seen.push(...(await Promise.all(Array.from({ length: 4 }, () => call(busy)))));
        await Bun.sleep(2 * pauseMs);
      }
    };
    await callFor(2_000);
    // Its first use changes a key, which is then looked up again.
    seen.push(await call(pausing));
    await callFor(4_000);
    await cluster.stopImmediate();
    await callFor(longOutageMs);
    seen.push(await call(pausing));
    await cluster.restart();
    await waitForReadiness(200, keeper);
    expect(seen.filter(({ isWhole }) => !isWhole).map(({ status, code }) => [status, code])).toEqual([]);
    expect(await keeper.stop()).toBe(0);
    await waitForReadiness(200);
    await expectExactBooks(seen, [busy, pausing]);
  });
});

describe("a commit whose connection breaks", () => {
  test.each(["statement", "answer"] as const)("with its %s lost is neither lost nor done twice", async (lost) => {
    await using proxy = await startPostgresProxy(rig.database.url);
    const behindProxy = await rig.startProcess({ DATABASE_URL: proxy.url });
    const users = await Promise.all(Array.from({ length: callers }, () => rig.addUser()));
    const load = startLoad(users, behindProxy);
    for (let breaks = 0; breaks < commitBreaks; breaks += 1) {
      const [before] = await rig.db.sql<{ rows: bigint }>`select count(*) as rows from usage_log`;
      await proxy.loseNextCommit(lost);
      // The rows of the broken commit, or those of the attempt after it.
      await rig.waitForUsageRows(Number(before?.rows ?? 0n) + 1);
    }
    await load.stop();
    expect(load.seen.filter(({ isWhole }) => !isWhole)).toEqual([]);
    await expectExactBooks(load.seen, users, behindProxy);
    await behindProxy.logged("CommitUnknownError");
    await behindProxy.stop();
  });
});

/** Waits until keys are looked up again: the first connections after a silence may still be dead. */
async function waitForUnknownKeysRefused(url: string): Promise<void> {
  for (const deadline = Date.now() + patienceMs; ; ) {
    const { status } = await chat({ url, apiKey: unknownKey() }, { model: "gpt-4o-mini" });
    if (status === 401 || Date.now() > deadline) {
      expect(status).toBe(401);
      return;
    }
  }
}

describe("while the network to Postgres is silent", () => {
  test("known keys are served, others get an error in time, and what arrives late when it heals does no harm", async () => {
    await using proxy = await startPostgresProxy(rig.database.url);
    const behindProxy = await rig.startProcess({ DATABASE_URL: proxy.url });
    const users = await Promise.all(Array.from({ length: callers }, () => rig.addUser()));
    const idle = await Promise.all(Array.from({ length: 20 }, () => rig.addUser(1_000_000n)));
    const call = ({ apiKey }: TestUser) => chat({ url: behindProxy.url, apiKey }, { model: "gpt-4o-mini" });
    await Promise.all(idle.map(call));
    const load = startLoad(users, behindProxy);
    await load.paced();
    // The leases of idle replicas are being returned when the silence begins.
    await Bun.sleep(3_400);
    proxy.stall();
    const before = load.seen.length;
    const stalledAt = performance.now();
    const others: SeenCall[] = [];
    while (performance.now() - stalledAt < silenceMs) {
      others.push(await chat({ url: behindProxy.url, apiKey: unknownKey() }, { model: "gpt-4o-mini" }));
      await Bun.sleep(200);
    }
    const duringSilence = load.seen.slice(before);
    proxy.resume();
    await waitForReadiness(200, behindProxy);
    await waitForUnknownKeysRefused(behindProxy.url);
    const again = await Promise.all(idle.map(call));
    await Bun.sleep(500);
    await load.stop();

    expect([...load.seen, ...again].filter(({ isWhole }) => !isWhole)).toEqual([]);
    expect(slowest(duringSilence, 0.5)).toBeLessThan(usualMsMax);
    expect(slowest(load.seen, 1)).toBeLessThan(promptMs);
    expect(others.filter(({ status, code }) => status !== 503 || code !== "temporarily_unavailable")).toEqual([]);
    expect(slowest(others, 1)).toBeLessThan(promptMs);
    await expectExactBooks([...load.seen], users, behindProxy);
    expect(await behindProxy.stop()).toBe(0);
    await Promise.all(idle.map(({ budgetId }) => waitForIdleReturn(rig.db, budgetId)));
    expect(await rig.checkMoney()).toEqual([]);
  });
});

describe("backends that are killed inside transactions", () => {
  test("hang nobody, end nothing, and neither lose nor double a row", async () => {
    const users = await Promise.all(Array.from({ length: callers }, () => rig.addUser()));
    // A user without earlier calls has no cached key or lease when the first statements are hit.
    const first = await Promise.all(users.map(({ apiKey }) => callWith(apiKey)));
    const load = startLoad(users);
    let kills = 0;
    let statementMs = 0;
    while (kills < backendKills) {
      // What is tried again is lost a few times at most, however long a busy machine takes for a transaction.
      await Bun.sleep(random() * Math.max(20, statementMs * 10));
      const startedAt = performance.now();
      const rows: { done: boolean }[] = await admin`
        select pg_terminate_backend(pid) as done from pg_stat_activity
        where application_name in ('sluice', 'sluice books') and xact_start is not null order by random() limit 1`;
      statementMs = performance.now() - startedAt;
      kills += rows.filter(({ done }) => done).length;
    }
    await Bun.sleep(500);
    await load.stop();
    expect(eventsOf(sluice.log(), /^(program\.(un|dr|st)|spool\.(?!commit_failed))/)).toEqual([]);
    expect([...first, ...load.seen].filter(({ isWhole }) => !isWhole)).toEqual([]);
    expect(slowest(load.seen, 1)).toBeLessThan(promptMs);
    expect(await readiness()).toBe(200);
    await expectExactBooks([...first, ...load.seen], users);
  });
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { readBudget, waitForIdleReturn } from "../support/calls/budget-watch.ts";
import { chat, type SeenCall } from "../support/calls/chat-call.ts";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { startPostgresProxy } from "../support/postgres/postgres-proxy.ts";
import { type SluiceProcess, SluiceRig, type TestUser } from "../support/service/sluice.ts";
import { repositoryRoot, startProgram } from "../support/service/start-process.ts";

const price = 1_000n;
const covered = 40;
const running = 10;
const termMs = 2_000;
const command = join(repositoryRoot, "control-plane/src/commands/replicas.ts");
const timeoutMs = 300_000;

let provider: SandboxProvider;
let rig: SluiceRig;

beforeAll(async () => {
  provider = startSandboxProvider();
  rig = await SluiceRig.create(provider.url);
  await rig.addFlatPriceModel("flat", price);
});

afterAll(async () => {
  await rig.close();
  await provider.stop();
});

const start = (env: Record<string, string> = {}): Promise<SluiceProcess> =>
  rig.startProcess({ LEASE_TERM_MS: String(termMs), ...env });

const callAtOnce = (at: SluiceProcess, user: TestUser, count: number): Promise<SeenCall[]> =>
  Promise.all(
    Array.from({ length: count }, () =>
      chat({ url: at.url, apiKey: user.apiKey, timeoutMs: 60_000 }, { model: "flat" }),
    ),
  );

const countWhole = (calls: readonly SeenCall[]): number => calls.filter(({ isWhole }) => isWhole).length;

/** Calls until one is refused because the quota is used up. */
async function useUp(at: SluiceProcess, user: TestUser): Promise<number> {
  let whole = 0;
  for (;;) {
    const calls = await callAtOnce(at, user, 20);
    whole += countWhole(calls);
    if (calls.every(({ code }) => code === "insufficient_quota")) {
      return whole;
    }
  }
}

/** Waits until the term of a silent replica is over, and lets eleven minutes pass. */
async function letTimePass(user: TestUser): Promise<void> {
  const id = await replicaIdOf(user);
  await waitUntil(async () => {
    const [row] = await rig.db.sql<{ over: boolean }>`
      select now() > term_is_over_at(seen_at, term_ends_at) as over from replica where id = ${id}`;
    return row?.over === true;
  });
  await rig.db.sql`
    update replica set seen_at = seen_at - interval '11 minutes', term_ends_at = term_ends_at - interval '11 minutes'
    where id = ${id}`;
}

async function replicaIdOf(user: TestUser): Promise<string> {
  const [row] = await rig.db.sql<{ id: string }>`
    select replica_id as id from budget_lease where budget_id = ${user.budgetId}::bigint and amount > 0`;
  return row?.id ?? "";
}

async function release(...words: string[]): Promise<{ exitCode: number; output: string }> {
  const env = { DATABASE_URL: rig.database.url, NODE_ENV: "test" };
  const program = startProgram({ command: [process.execPath, command], words: ["release", ...words], env });
  return { exitCode: await program.exited, output: program.output() };
}

/** A process with calls in flight that is paused until its term is long over. */
async function pauseInFlight(user: TestUser, paused: SluiceProcess): Promise<{ calls: Promise<SeenCall[]> }> {
  provider.reset();
  provider.script({ silence: { afterBytes: 0 } }, { times: running });
  const calls = callAtOnce(paused, user, running);
  await provider.waitForRequest(running - 1);
  process.kill(paused.pid, "SIGSTOP");
  await letTimePass(user);
  return { calls };
}

function goOn(paused: SluiceProcess): void {
  for (const request of provider.requests) {
    request.release();
  }
  process.kill(paused.pid, "SIGCONT");
}

test(
  "quota held by a paused process is lent to nobody else, and pays for its calls when it continues",
  async () => {
    const user = await rig.addUser(BigInt(covered) * price);
    const [paused, other] = await Promise.all([start(), start()]);
    const { calls } = await pauseInFlight(user, paused);
    const elsewhere = await useUp(other, user);
    goOn(paused);
    expect(countWhole(await calls)).toBe(running);
    await waitForIdleReturn(rig.db, user.budgetId);
    const rest = await useUp(other, user);
    expect(running + elsewhere + rest).toBe(covered);
    expect(await waitForIdleReturn(rig.db, user.budgetId)).toMatchObject({ remaining: 0n });
    expect(await rig.checkMoney()).toEqual([]);
    await Promise.all([paused.stop(), other.stop()]);
  },
  timeoutMs,
);

test(
  "calls that a process served while it was cut off are paid out of its lease, even if it was killed and comes back late",
  async () => {
    await using proxy = await startPostgresProxy(rig.database.url);
    provider.reset();
    const user = await rig.addUser(BigInt(covered) * price);
    // Otherwise its first use is recorded, and the key has to be looked up again while the database is unreachable.
    await rig.db.sql`update api_key set first_used_at = now() where gateway_user_id = ${user.gatewayUserId}::bigint`;
    const cut = { DATABASE_URL: proxy.url, LEASE_TERM_MS: String(3 * termMs) };
    const [cutOff, other] = await Promise.all([start(cut), start()]);
    expect(countWhole(await callAtOnce(cutOff, user, 1))).toBe(1);
    await rig.waitForUsedQuota(user.budgetId, price);
    // A lease that was idle for three seconds goes back, and a busy machine may have taken as long for that.
    expect(countWhole(await callAtOnce(cutOff, user, 1))).toBe(1);
    proxy.stall();
    const alone = countWhole(await callAtOnce(cutOff, user, 5));
    expect(alone).toBe(5);
    await cutOff.kill();
    await letTimePass(user);
    const elsewhere = await useUp(other, user);
    proxy.resume();
    const next = await start({ DATA_DIR: cutOff.dataDirectory });
    expect(await readBudget(rig.db, user.budgetId)).toMatchObject({ leased: 0n });
    const rest = await useUp(next, user);
    expect(2 + alone + elsewhere + rest).toBe(covered);
    expect(await waitForIdleReturn(rig.db, user.budgetId)).toMatchObject({ remaining: 0n });
    expect(await rig.checkMoney()).toEqual([]);
    await Promise.all([next.stop(), other.stop()]);
  },
  timeoutMs,
);

test(
  "an operator gives back a lost host's leases at once; a host that is alive after all admits nothing on them",
  async () => {
    const user = await rig.addUser(BigInt(covered) * price);
    const [paused, other] = await Promise.all([start(), start()]);
    const { calls } = await pauseInFlight(user, paused);
    const elsewhere = await useUp(other, user);
    const lost = await replicaIdOf(user);
    const [{ leased = 0n } = {}] = await rig.db.sql<{ leased: bigint }>`
      select amount as leased from budget_lease where replica_id = ${lost}`;

    const asked = await release(lost);
    expect([asked.exitCode, asked.output]).toEqual([1, expect.stringContaining("nothing was changed")]);
    const done = await release(lost, "--reason", "the host burned down", "--yes");
    expect([done.exitCode, done.output]).toEqual([
      0,
      expect.stringContaining(`${leased} quota of 1 budgets was given`),
    ]);
    const rest = await useUp(other, user);
    expect(BigInt(elsewhere + rest) * price).toBe(user.granted);

    goOn(paused);
    expect(countWhole(await calls)).toBe(running);
    expect(await useUp(paused, user)).toBe(0);
    await rig.waitForUsedQuota(user.budgetId, user.granted + BigInt(running) * price);
    const state = await waitForIdleReturn(rig.db, user.budgetId);
    expect(state).toMatchObject({ remaining: -BigInt(running) * price });
    expect(await rig.checkMoney()).toEqual([]);
    const entries = await rig.db.sql<{ action: string; reason: string | null }>`
      select action, reason from audit_log where subject_id = ${lost} order by id`;
    expect([...entries]).toEqual([
      { action: "replica.give_up", reason: "the host burned down" },
      { action: "replica.write_off", reason: null },
    ]);
    await Promise.all([paused.stop(), other.stop()]);
  },
  timeoutMs,
);

test(
  "a live process keeps its leases, whatever an operator says about its host",
  async () => {
    provider.reset();
    provider.script({ silence: { afterBytes: 0 } }, { times: 1 });
    // Only of plenty, nothing that is idle is given back while the command runs, however long that takes.
    const user = await rig.addUser();
    // It has time to say that it is alive on a busy machine, too.
    const living = await start({ LEASE_KEPT_MS: "60000", LEASE_TERM_MS: String(5 * termMs) });
    const call = callAtOnce(living, user, 1);
    await provider.waitForRequest(0);
    const { leased } = await readBudget(rig.db, user.budgetId);
    const { exitCode, output } = await release(await replicaIdOf(user), "--reason", "a mistake", "--yes");
    expect([exitCode, output]).toEqual([1, expect.stringContaining("is alive again")]);
    expect((await readBudget(rig.db, user.budgetId)).leased).toBe(leased);
    provider.requests[0]?.release();
    expect(countWhole(await call)).toBe(1);
    await living.stop();
  },
  timeoutMs,
);

import { afterAll, beforeAll, expect, test } from "bun:test";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { loginAdmin } from "../support/accounts/logins.ts";
import { readBudget, waitForIdleReturn, watchBudget } from "../support/calls/budget-watch.ts";
import { chat } from "../support/calls/chat-call.ts";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { readMetrics } from "../support/service/metrics.ts";
import { testUnless, unlessFull } from "../support/service/obstacles.ts";
import { type SluiceProcess, SluiceRig, type TestUser } from "../support/service/sluice.ts";
import { waitUntilSettleable } from "../support/usage/settlement-scene.ts";

const price = 7n;
const isFull = process.env["TEST_FULL"] === "1";
const waves = isFull ? 20 : 3;
const callsOfWave = 8;

/** What a call of 7 quota is settled as, and what the user was granted. */
const kinds = [
  { multiplier: "0.0001", settled: 1n, granted: 30n },
  { multiplier: "0.5000", settled: 4n, granted: 50n },
  { multiplier: "1.0000", settled: 7n, granted: 87n },
  { multiplier: "1.1000", settled: 8n, granted: 99n },
  { multiplier: "2.7500", settled: 20n, granted: 245n },
] as const;

type Kind = (typeof kinds)[number] & { readonly user: TestUser };

let provider: SandboxProvider;
let rig: SluiceRig;
let sluice: SluiceProcess;
const users: Kind[] = [];

beforeAll(async () => {
  provider = startSandboxProvider();
  rig = await SluiceRig.create(provider.url);
  await rig.addFlatPriceModel("flat", price);
  for (const kind of kinds) {
    const user = await rig.addUser(kind.granted);
    await rig.db.sql`
      update gateway_user set rate_multiplier = ${kind.multiplier}::numeric where id = ${user.gatewayUserId}::bigint`;
    users.push({ ...kind, user });
  }
  sluice = await rig.startProcess();
});

afterAll(async () => {
  await rig.close();
  await provider.stop();
});

/** Runs the settlement through its endpoint, again and again, until it is stopped. */
async function settleWithoutPause() {
  const { cookie } = await loginAdmin(rig);
  let isStopped = false;
  let rowsSettled = 0;
  const settle = async (): Promise<void> => {
    const answer = await fetch(`${sluice.url}/backend/admin/usage-settle/`, {
      method: "POST",
      headers: { cookie, origin: sluice.url, "content-type": "application/json" },
      body: "{}",
    });
    expect(answer.status).toBe(200);
    rowsSettled += ((await answer.json()) as { settlement: { rows_settled: number } }).settlement.rows_settled;
  };
  const settling = (async () => {
    while (!isStopped) {
      await settle();
    }
  })();
  return {
    settle,
    stop: async () => {
      isStopped = true;
      await settling;
    },
    rows: () => rowsSettled,
  };
}

test("live calls and a concurrent settlement leave every user with exactly what was paid for, and none below zero", async () => {
  const settlement = await settleWithoutPause();
  const watches = users.map(({ user }) => watchBudget(rig.db, user.budgetId));
  const whole = new Map(users.map((kind) => [kind, 0]));
  for (let wave = 0; wave < waves; wave += 1) {
    await Promise.all(
      users.flatMap((kind) =>
        Array.from({ length: callsOfWave }, async () => {
          const ask = () => chat({ url: sluice.url, apiKey: kind.user.apiKey }, { model: "flat" });
          let call = await ask();
          // A busy database is waited for only so long.
          while (call.status === 503) {
            call = await ask();
          }
          expect([200, 429]).toContain(call.status ?? 0);
          whole.set(kind, (whole.get(kind) ?? 0) + (call.isWhole ? 1 : 0));
        }),
      ),
    );
  }
  // Calls that were refused have their rows as well.
  await rig.waitForUsageRows(kinds.length * waves * callsOfWave);
  for (const [{ user }, calls] of whole) {
    await rig.waitForUsedQuota(user.budgetId, BigInt(calls) * price);
    await waitForIdleReturn(rig.db, user.budgetId);
  }
  await settlement.stop();
  await waitUntilSettleable(rig.db);
  // The job of every minute may be settling some of them at this moment.
  await waitUntil(async () => {
    await settlement.settle();
    const settled = (await readMetrics(sluice.url)).get("sluice_settlement_rows_total");
    return settled === (await rig.db.sql`select 1 from usage_log`).length;
  });
  for (const watch of watches) {
    const { samples, leastRemaining, violations } = await watch.stop();
    expect(samples).toBeGreaterThan(0);
    expect(leastRemaining).toBeGreaterThanOrEqual(0n);
    expect(violations).toEqual([]);
  }
  for (const [{ user, settled, granted, multiplier }, calls] of whole) {
    const { remaining, reserved } = await readBudget(rig.db, user.budgetId);
    expect({ multiplier, remaining, reserved }).toEqual({
      multiplier,
      remaining: granted - BigInt(calls) * settled,
      reserved: 0n,
    });
    const [account] = await rig.db.sql<{ balance: bigint }>`
      select balance from ledger_account where gateway_user_id = ${user.gatewayUserId}::bigint`;
    expect(account?.balance).toBe(remaining);
    if (settled >= price) {
      // Of what a multiplier of one or more may cost, nothing ever comes back: exactly twelve calls are paid for.
      expect(calls).toBe(12);
    } else {
      expect(calls).toBeGreaterThan(0);
    }
  }
  const [rows] = await rig.db.sql<{ rows: number }>`select count(*)::integer as rows from usage_log`;
  // The job of every minute may settle some of them first; the metric counts its rows as well.
  expect(settlement.rows()).toBeLessThanOrEqual(rows?.rows ?? 0);
  const metrics = await readMetrics(sluice.url);
  expect(metrics.get("sluice_settlement_lag_seconds")).toBe(0);
  expect(metrics.get("sluice_settlement_rows_total")).toBe(rows?.rows ?? 0);
  expect(await rig.checkMoney()).toEqual([]);
});

testUnless(unlessFull, "the job of every minute settles without being asked", async () => {
  const user = await rig.addUser(1_000n);
  await rig.db.sql`update gateway_user set rate_multiplier = 2.75 where id = ${user.gatewayUserId}::bigint`;
  expect((await chat({ url: sluice.url, apiKey: user.apiKey }, { model: "flat" })).status).toBe(200);
  await rig.waitForUsedQuota(user.budgetId, price);
  const settled = async () => {
    const rows = await rig.db.sql`select 1 from usage_settlement where gateway_user_id = ${user.gatewayUserId}::bigint`;
    return rows.length === 1;
  };
  const deadline = performance.now() + 75_000;
  while (!(await settled()) && performance.now() < deadline) {
    await Bun.sleep(200);
  }
  expect(await settled()).toBe(true);
  expect((await readBudget(rig.db, user.budgetId)).reserved).toBe(0n);
  expect(await rig.checkMoney()).toEqual([]);
});

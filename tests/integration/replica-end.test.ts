import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { readBudget, waitForIdleReturn } from "../support/calls/budget-watch.ts";
import { chat, type SeenCall } from "../support/calls/chat-call.ts";
import { blockCommits } from "../support/postgres/blocked-commits.ts";
import { arrangements, type SluiceProcess, SluiceRig, type TestUser } from "../support/service/sluice.ts";
import { waitForSettledRows } from "../support/usage/settled-rows.ts";
import { readSpoolOf } from "../support/usage/spool-contents.ts";
import { patienceMs } from "../support/values/patience.ts";

const price = 1_000n;

let provider: SandboxProvider;
let rig: SluiceRig;

beforeAll(async () => {
  provider = startSandboxProvider();
  rig = await SluiceRig.create(provider.url);
  await rig.addFlatPriceModel("flat", price);
});

afterAll(async () => {
  expect(await rig.checkMoney()).toEqual([]);
  await rig.close();
  await provider.stop();
});

const call = (at: SluiceProcess, user: TestUser, body: Record<string, unknown> = {}): Promise<SeenCall> =>
  chat({ url: at.url, apiKey: user.apiKey }, { model: "flat", ...body });

const countWhole = (calls: readonly SeenCall[]): number => calls.filter(({ isWhole }) => isWhole).length;

const callAtOnce = (at: SluiceProcess, user: TestUser, count: number): Promise<SeenCall[]> =>
  Promise.all(Array.from({ length: count }, () => call(at, user)));

async function leaseRows(): Promise<bigint> {
  const [row] = await rig.db.sql<{ total: bigint }>`select coalesce(sum(amount), 0)::int8 as total from budget_lease`;
  return row?.total ?? 0n;
}

describe("a process that is asked to stop", () => {
  test.each(arrangements)(
    "finishes running calls, gives every lease back and leaves an empty spool, %s",
    async (arrangement) => {
      provider.reset();
      provider.script({ delayHeadMs: 200, chunkDelayMs: 20 }, { times: "always" });
      const user = await rig.addUser();
      const parts = await rig.startParts(arrangement);
      const running = Array.from({ length: 20 }, (_, index) =>
        call(parts.entry, user, { stream: index % 2 === 0, model: "gpt-4o-mini" }),
      );
      await provider.waitForRequest(19);
      const ended = await Promise.all(parts.all.map((one) => one.stop()));
      expect(countWhole(await Promise.all(running))).toBe(20);
      expect(ended).toEqual(parts.all.map(() => 0));
      // Nothing is waited for: all of it was done before the process ended.
      const state = await readBudget(rig.db, user.budgetId);
      const rows = await waitForSettledRows(rig.db, user.gatewayUserId, 20);
      expect(rows.reduce((sum, { quota }) => sum + quota, 0n)).toBe(state.used);
      expect(state.leased).toBe(0n);
      expect(await leaseRows()).toBe(0n);
      for (const { dataDirectory } of parts.all) {
        expect(readSpoolOf(dataDirectory)).toEqual({ waiting: 0, aside: 0 });
      }
    },
  );

  test("cuts a stream that outlasts the drain, and charges what it had delivered", async () => {
    provider.reset();
    provider.script({ chunks: 200, silence: { afterChunks: 100 } });
    const user = await rig.addUser();
    const sluice = await rig.startProcess({ DRAIN_TIMEOUT_MS: "300" });
    const running = call(sluice, user, { stream: true, model: "gpt-4o-mini" });
    await provider.waitForHeld(0);
    expect(await sluice.stop()).toBe(0);
    expect((await running).isWhole).toBe(false);
    const rows = await waitForSettledRows(rig.db, user.gatewayUserId, 1);
    expect(rows).toMatchObject([{ outcome: "aborted", usageSource: "estimated" }]);
    expect(rows[0]?.outputTokens).toBeGreaterThan(0n);
    expect(await readBudget(rig.db, user.budgetId)).toMatchObject({ used: rows[0]?.quota, leased: 0n });
    expect(await leaseRows()).toBe(0n);
  });
});

describe("rows that wait when their process is killed", () => {
  test("are committed by its next start, which can spend all that is left and not more", async () => {
    provider.reset();
    const user = await rig.addUser(10n * price);
    const first = await rig.startProcess();
    const blocked = await blockCommits(rig.db);
    expect(countWhole(await callAtOnce(first, user, 5))).toBe(5);
    await first.kill();
    await blocked.release();
    const next = await rig.startProcess({ DATA_DIR: first.dataDirectory });
    expect(await readBudget(rig.db, user.budgetId)).toMatchObject({ used: 5n * price, leased: 0n });
    expect(countWhole(await callAtOnce(next, user, 20))).toBe(5);
    expect(await waitForIdleReturn(rig.db, user.budgetId)).toMatchObject({ used: 10n * price, remaining: 0n });
    await next.stop();
  });

  test("are committed by a neighbour on the same disk when nobody takes its place", async () => {
    provider.reset();
    const user = await rig.addUser(10n * price);
    const neighbour = await rig.startProcess();
    const dead = await rig.startProcess({ DATA_DIR: neighbour.dataDirectory });
    expect((await readdir(join(neighbour.dataDirectory, "spool"))).sort()).toEqual(["0", "1"]);
    const blocked = await blockCommits(rig.db);
    expect(countWhole(await callAtOnce(dead, user, 5))).toBe(5);
    await dead.kill();
    await blocked.release();
    // The neighbour checks every twenty seconds.
    expect(await waitForIdleReturn(rig.db, user.budgetId)).toMatchObject({ used: 5n * price });
    expect(countWhole(await callAtOnce(neighbour, user, 20))).toBe(5);
    expect(await waitForIdleReturn(rig.db, user.budgetId)).toMatchObject({ used: 10n * price, remaining: 0n });
    expect(await neighbour.stop()).toBe(0);
    expect(readSpoolOf(neighbour.dataDirectory)).toEqual({ waiting: 0, aside: 0 });
  });
});

/** Every usage row of a user that costs something breaks a rule of the database until this is disposed of. */
async function refuseRowsOf({ gatewayUserId }: TestUser): Promise<AsyncDisposable> {
  const name = `refuse_${gatewayUserId}`;
  await rig.db.query(
    `create function ${name}() returns trigger language plpgsql as
       'begin raise exception ''refused'' using errcode = ''check_violation''; end'`,
    [],
  );
  await rig.db.query(
    `create trigger ${name} before insert on usage_log for each row when (new.gateway_user_id = ${gatewayUserId} and new.quota > 0)
     execute function ${name}()`,
    [],
  );
  return { [Symbol.asyncDispose]: async () => void (await rig.db.query(`drop function ${name} cascade`, [])) };
}

/** Waits until the leases of a replica were given back; a neighbour checks every twenty seconds. */
async function newEra(replicaId: string, era: string): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (let now = era; now === era; await Bun.sleep(50)) {
    expect(performance.now()).toBeLessThan(deadline);
    const [row] = await rig.db.sql<{ era: string }>`select era from replica where id = ${replicaId}`;
    now = row?.era ?? "";
  }
}

describe("rows that the database refuses", () => {
  test("keep their cost lent to nobody, however often their process restarts, until they are written", async () => {
    provider.reset();
    const user = await rig.addUser(10n * price);
    const first = await rig.startProcess();
    let last = first;
    {
      await using _refusing = await refuseRowsOf(user);
      expect(countWhole(await callAtOnce(first, user, 5))).toBe(5);
      await first.kill();
      const second = await rig.startProcess({ DATA_DIR: first.dataDirectory });
      expect(await readBudget(rig.db, user.budgetId)).toMatchObject({ used: 0n, leased: 5n * price });
      expect(countWhole(await callAtOnce(second, user, 20))).toBe(5);
      expect(await second.stop()).toBe(0);
      expect(readSpoolOf(first.dataDirectory)).toEqual({ waiting: 0, aside: 10 });
      last = await rig.startProcess({ DATA_DIR: first.dataDirectory });
      expect(await readBudget(rig.db, user.budgetId)).toMatchObject({ used: 0n, leased: 10n * price });
      expect(countWhole(await callAtOnce(last, user, 3))).toBe(0);
      await last.kill();
    }
    last = await rig.startProcess({ DATA_DIR: first.dataDirectory });
    expect(await readBudget(rig.db, user.budgetId)).toMatchObject({ used: 10n * price, remaining: 0n, leased: 0n });
    expect(await last.stop()).toBe(0);
    expect(await rig.checkMoney()).toEqual([]);
  });

  test("keep their cost lent even when a neighbour looks after them", async () => {
    provider.reset();
    const user = await rig.addUser(10n * price);
    const neighbour = await rig.startProcess();
    const dead = await rig.startProcess({ DATA_DIR: neighbour.dataDirectory });
    {
      await using _refusing = await refuseRowsOf(user);
      expect(countWhole(await callAtOnce(dead, user, 5))).toBe(5);
      const [lease] = await rig.db.sql<{ replicaId: string; era: string }>`
        select r.id as "replicaId", r.era from replica r join budget_lease l on l.replica_id = r.id
        where l.budget_id = ${user.budgetId}::bigint`;
      await dead.kill();
      await newEra(lease?.replicaId ?? "", lease?.era ?? "");
      expect(await readBudget(rig.db, user.budgetId)).toMatchObject({ used: 0n, leased: 5n * price });
      expect(countWhole(await callAtOnce(neighbour, user, 20))).toBe(5);
    }
    expect(await neighbour.stop()).toBe(0);
    const slots = [0, 1].map(() => rig.startProcess({ DATA_DIR: neighbour.dataDirectory }));
    for (const each of await Promise.all(slots)) {
      expect(await each.stop()).toBe(0);
    }
    expect(await readBudget(rig.db, user.budgetId)).toMatchObject({ used: 10n * price, remaining: 0n, leased: 0n });
    expect(await rig.checkMoney()).toEqual([]);
  });
});

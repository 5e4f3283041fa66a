/** Money while calls continue with another model: the cap is exact, and a killed process settles each call at most once. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { findFreePort } from "@sluice/deploy/start/port";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { waitForIdleReturn, watchBudget } from "../support/calls/budget-watch.ts";
import { chat, type SeenCall } from "../support/calls/chat-call.ts";
import { addFallbacks, allowFallbacks } from "../support/calls/fallback-rules.ts";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { type SluiceProcess, SluiceRig, type TestUser } from "../support/service/sluice.ts";
import { testRandom } from "../support/values/test-seed.ts";

const { TEST_FULL } = process.env;
const kills = TEST_FULL === "1" ? 20 : 3;
const cheap = { model: "cheap", price: 100n };
const dear = { model: "dear", price: 1_000n };
const covered = 10;
const callCount = 120;

describe("calls that continue with a dearer model", () => {
  let provider: SandboxProvider;
  let rig: SluiceRig;
  let replicas: SluiceProcess[];

  beforeAll(async () => {
    provider = startSandboxProvider();
    rig = await SluiceRig.create(provider.url);
    for (const { model, price } of [cheap, dear]) {
      await rig.addFlatPriceModel(model, price);
    }
    // The cheap model has a channel of its own, which only ever fails.
    await rig.db.sql`delete from ability where model = ${cheap.model}`;
    await rig.addChannel("broken", `${provider.url}/v1`, [cheap.model]);
    await addFallbacks(rig.db, cheap.model, [dear.model]);
    replicas = await Promise.all([rig.startProcess(), rig.startProcess()]);
  });
  afterAll(async () => {
    expect(await rig.checkMoney()).toEqual([]);
    await rig.close();
    await provider.stop();
  });

  const breakCheap = (): void => {
    provider.reset();
    provider.script({ status: 500 }, { match: { credential: "upstream-broken" }, times: "always" });
  };
  const addUser = async (quota: bigint): Promise<TestUser> => {
    const user = await rig.addUser(quota);
    await allowFallbacks(rig.db, user.gatewayUserId);
    return user;
  };
  const callAll = (user: TestUser, body: object): Promise<SeenCall[]> =>
    Promise.all(
      Array.from({ length: callCount }, (_, index) =>
        chat(
          { url: replicas[index % replicas.length]?.url ?? "", apiKey: user.apiKey },
          { model: cheap.model, ...body },
        ),
      ),
    );

  test.each([false, true])("never spend more than the balance, all at once (stream %p)", async (stream) => {
    breakCheap();
    const user = await addUser(BigInt(covered) * dear.price);
    const watch = watchBudget(rig.db, user.budgetId);
    const calls = await callAll(user, { stream });
    const served = calls.filter(({ isWhole }) => isWhole).length;
    // Calls that hold the price of the cheap model for a moment can leave less than a dear one needs.
    expect(served).toBeGreaterThan(0);
    expect(served).toBeLessThanOrEqual(covered);
    const state = await waitForIdleReturn(rig.db, user.budgetId);
    expect(state.used).toBe(BigInt(served) * dear.price);
    expect(state.remaining).toBe(BigInt(covered - served) * dear.price);
    const { violations } = await watch.stop();
    expect(violations).toEqual([]);
    const rows = await rig.db.sql<{ model: string; asked: string | null; quota: bigint; held: bigint }>`
      select model, asked_model as asked, quota, quota_held as held from usage_log
      where gateway_user_id = ${user.gatewayUserId}::bigint and quota > 0`;
    expect([...rows]).toEqual(
      rows.map(() => ({ model: dear.model, asked: cheap.model, quota: dear.price, held: dear.price })),
    );
  });

  test("are charged in full until the limit of their key is used up, one after another", async () => {
    breakCheap();
    const user = await addUser(1_000_000n);
    await rig.db.sql`
      insert into budget (api_key_id, granted)
      select id, 0 from api_key where gateway_user_id = ${user.gatewayUserId}::bigint`;
    const [limit] = await rig.db.sql<{ id: bigint }>`
      select b.id from budget b join api_key k on k.id = b.api_key_id
      where k.gateway_user_id = ${user.gatewayUserId}::bigint`;
    await rig.db.sql`
      insert into quota_grant (budget_id, amount, change_type, reference)
      values (${limit?.id ?? 0n}::bigint, ${3n * dear.price}::bigint, 'test', 'limit of fallbacks')`;
    await rig.db.sql`update budget set granted = ${3n * dear.price}::bigint where id = ${limit?.id ?? 0n}::bigint`;
    const statuses: (number | null)[] = [];
    for (let turn = 0; turn < 5; turn += 1) {
      const { status } = await chat({ url: replicas[0]?.url ?? "", apiKey: user.apiKey }, { model: cheap.model });
      statuses.push(status);
    }
    expect(statuses.slice(0, 3)).toEqual([200, 200, 200]);
    expect(statuses.slice(3).every((status) => status !== 200)).toBe(true);
  });
});

describe("a process that is killed while calls continue with another model", () => {
  test("settles each call once, or releases what it held", async () => {
    const provider = startSandboxProvider({ keepsRecords: false });
    const rig = await SluiceRig.create(provider.url);
    try {
      await rig.addFlatPriceModel(cheap.model, cheap.price);
      await rig.addFlatPriceModel(dear.model, dear.price);
      await rig.db.sql`delete from ability where model = ${cheap.model}`;
      await rig.addChannel("broken", `${provider.url}/v1`, [cheap.model]);
      await addFallbacks(rig.db, cheap.model, [dear.model]);
      provider.script({ status: 429, delayHeadMs: 10 }, { match: { credential: "upstream-broken" }, times: "always" });
      provider.script({ delayHeadMs: 20, chunkDelayMs: 4 }, { times: "always" });
      const granted = 10_000_000n;
      const user = await rig.addUser(granted);
      await allowFallbacks(rig.db, user.gatewayUserId);
      const env = { PORT: String(await findFreePort()) };
      let current = await rig.startProcess(env);
      const random = testRandom();
      const seen: SeenCall[] = [];
      let isStopped = false;
      const caller = async (): Promise<void> => {
        while (!isStopped) {
          const call = await chat(
            { url: current.url, apiKey: user.apiKey },
            { model: cheap.model, stream: random() < 0.5 },
          );
          seen.push(call);
          if (call.status === null) {
            await Bun.sleep(20);
          }
        }
      };
      const callers = Array.from({ length: 4 }, caller);
      for (let kill = 0; kill < kills; kill += 1) {
        await Bun.sleep(150 + random() * 300);
        await current.kill();
        current = await rig.startProcess({ ...env, DATA_DIR: current.dataDirectory });
      }
      await waitUntil(async () => seen.some(({ isWhole }) => isWhole));
      isStopped = true;
      await Promise.all(callers);
      const state = await waitForIdleReturn(rig.db, user.budgetId);
      const rows = await rig.db.sql<{ id: string; quota: bigint; model: string }>`
        select request_id::text as id, quota, model from usage_log`;
      const spent = rows.reduce((sum, { quota }) => sum + quota, 0n);
      expect(spent + state.remaining).toBe(granted);
      expect(state.used).toBe(spent);
      const paid = new Map(rows.filter(({ quota }) => quota === dear.price).map((row) => [row.id, row.model]));
      const whole = seen.filter(({ isWhole }) => isWhole);
      expect(whole.filter(({ requestId }) => paid.get(requestId ?? "") !== dear.model)).toEqual([]);
      expect(await rig.checkMoney()).toEqual([]);
    } finally {
      await rig.close();
      await provider.stop();
    }
  });
});

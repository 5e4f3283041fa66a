import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { insertPriceVersion } from "@sluice/control-plane/models/model-store.ts";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import fc from "fast-check";
import { readBudget, waitForIdleReturn } from "../support/calls/budget-watch.ts";
import { type SurfaceName, serveThrough } from "../support/calls/call-routes.ts";
import { chat, type SeenCall } from "../support/calls/chat-call.ts";
import { prices } from "../support/calls/priced-usage.ts";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { type SluiceProcess, SluiceRig, type TestUser } from "../support/service/sluice.ts";
import { recomputedCost, type SettledRow, waitForSettledRows } from "../support/usage/settled-rows.ts";

const { TEST_FULL } = process.env;
const isFull = TEST_FULL === "1";
const randomCalls = isFull ? 2_000 : 120;
const randomModels = isFull ? 40 : 8;
const flatPrice = 1_000n;

let provider: SandboxProvider;
let rig: SluiceRig;
let sluice: SluiceProcess;

beforeAll(async () => {
  provider = startSandboxProvider();
  rig = await SluiceRig.create(provider.url);
  await rig.addFlatPriceModel("flat", flatPrice);
  const price = {
    input_usd_per_m: "1",
    output_usd_per_m: "10",
    cache_read_usd_per_m: "0.1",
    cache_write_usd_per_m: "2",
  };
  await rig.addTokenPriceModel("lines", { ...price, reasoning_usd_per_m: "4" });
  const long = {
    ...{ above_tokens: 999, input_usd_per_m: "3", output_usd_per_m: "20", cache_read_usd_per_m: null },
    ...{ cache_write_usd_per_m: null, reasoning_usd_per_m: null, cache_write_1h_usd_per_m: null },
  };
  await rig.addTokenPriceModel("tiers", { ...price, long_prompt: long });
  await rig.addTokenPriceModel("changing", { input_usd_per_m: "1", output_usd_per_m: "1" });
  await rig.addTokenPriceModel("thinks", price);
  await serveThrough(rig, "thinks", "chat", provider.url);
  await rig.db.sql`
    update channel set upstream = jsonb_set(upstream, '{flags,thoughts_in_total}', 'true') where name = 'channel-thinks'`;
  await rig.db.sql`
    insert into messages_model (name, display_name, upstream_model, flags, released_at)
    values ('lines', 'Lines', 'lines', '{}', now())`;
  // Without the job that settles charges: it would give back, in the middle of a test, what multipliers are worth.
  sluice = await rig.startProcess({ ROLES: "relay,gateway,backend" });
});

afterAll(async () => {
  expect(await rig.checkMoney()).toEqual([]);
  await rig.close();
  await provider.stop();
});

const call = (user: TestUser, body: Record<string, unknown>): Promise<SeenCall> =>
  chat({ url: sluice.url, apiKey: user.apiKey }, body);

async function userWithMultiplier(quota: bigint, multiplier: string): Promise<TestUser> {
  const user = await rig.addUser(quota);
  await rig.db.sql`
    update gateway_user set rate_multiplier = ${multiplier}::numeric where id = ${user.gatewayUserId}::bigint`;
  return user;
}

async function settleOne(user: TestUser, body: Record<string, unknown>): Promise<SettledRow> {
  expect(await call(user, body)).toMatchObject({ isWhole: true });
  const [row] = await waitForSettledRows(rig.db, user.gatewayUserId, 1);
  return row as SettledRow;
}

test.each<[SurfaceName, boolean]>([
  ["chat", false],
  ["chat", true],
  ["messages", true],
  ["responses", false],
])("thoughts that a provider counts only in the total are output (%s, stream %p)", async (surface, stream) => {
  provider.reset();
  provider.script({ usageShape: "google", tokens: { prompt: 1_000, completion: 800, reasoning: 700 } });
  const user = await rig.addUser();
  const target = { url: sluice.url, apiKey: user.apiKey, surface };
  expect((await chat(target, { model: "thinks", stream })).isWhole).toBe(true);
  const [row] = await waitForSettledRows(rig.db, user.gatewayUserId, 1);
  expect(row).toMatchObject({
    usageSource: "provider",
    inputTokens: 1_000n,
    outputTokens: 800n,
    reasoningTokens: 700n,
  });
  // One and ten millionths of a USD a token; 500,000 quota are a USD.
  expect(row?.quota).toBe((1_000n + 800n * 10n) / 2n);
});

describe("a multiplier of the user", () => {
  test("above 1 is held with the call and reserved until it is settled, so that quota for ten calls covers ten", async () => {
    provider.reset();
    const user = await userWithMultiplier(11_999n, "1.1000");
    const calls = await Promise.all(Array.from({ length: 20 }, () => call(user, { model: "flat" })));
    expect(calls.filter(({ isWhole }) => isWhole)).toHaveLength(10);
    expect(calls.filter(({ code }) => code === "insufficient_quota")).toHaveLength(10);
    expect(await waitForIdleReturn(rig.db, user.budgetId)).toMatchObject({
      used: 10_000n,
      reserved: 1_000n,
      remaining: 999n,
    });
    const rows = await waitForSettledRows(rig.db, user.gatewayUserId, 20);
    const charged = rows.filter(({ quota }) => quota > 0n);
    expect(charged.map(({ quota, quotaHeld, rateMultiplier }) => [quota, quotaHeld, rateMultiplier])).toEqual(
      Array.from({ length: 10 }, () => [flatPrice, 1_100n, "1.1000"]),
    );
  });

  test("below 1 holds and charges the base cost: the rest comes back when it is settled", async () => {
    provider.reset();
    const user = await userWithMultiplier(10_500n, "0.5000");
    const calls = await Promise.all(Array.from({ length: 20 }, () => call(user, { model: "flat" })));
    expect(calls.filter(({ isWhole }) => isWhole)).toHaveLength(10);
    const state = await waitForIdleReturn(rig.db, user.budgetId);
    expect(state).toMatchObject({ used: 10_000n, reserved: 0n, remaining: 500n });
  });
});

describe("unexpected usage", () => {
  test.each([false, true])(
    "above the bound is charged exactly and visible in the row, as a stream %p",
    async (stream) => {
      provider.reset();
      provider.script({ usage: { prompt_tokens: 5, completion_tokens: 5_000 } });
      const user = await rig.addUser(2_000n);
      const row = await settleOne(user, { model: "lines", max_tokens: 100, stream });
      // 5 x 1 and 5,000 x 10 millionths of a USD, at half a quota each.
      expect(row.quota).toBe(25_003n);
      expect(row.quota).toBeGreaterThan(row.quotaHeld);
      await rig.waitForUsedQuota(user.budgetId, 25_003n);
      expect(await call(user, { model: "lines", max_tokens: 1 })).toMatchObject({ code: "insufficient_quota" });
      expect(await waitForIdleReturn(rig.db, user.budgetId)).toMatchObject({ remaining: 2_000n - 25_003n });
    },
  );

  test.each([false, true])(
    "is counted here when the provider sends none, and marked so, as a stream %p",
    async (stream) => {
      provider.reset();
      provider.script({ omitUsage: true, text: "x".repeat(400) });
      const row = await settleOne(await rig.addUser(), { model: "lines", stream });
      expect(row).toMatchObject({ usageSource: "estimated", outcome: "completed" });
      expect(row.outputTokens).toBe(80n);
      expect(row.inputTokens).toBeGreaterThan(0n);
      expect(row.quota).toBe(recomputedCost(row));
      expect(row.quota).toBeLessThanOrEqual(row.quotaHeld);
    },
  );

  test.each([
    ["chat", "/v1/chat/completions", {}, false],
    ["chat", "/v1/chat/completions", {}, true],
    ["responses", "/v1/responses", { input: "hello" }, false],
    ["responses", "/v1/responses", { input: "hello" }, true],
    ["messages", "/msgcompat/v1/messages", { max_tokens: 4_000 }, false],
    ["messages", "/msgcompat/v1/messages", { max_tokens: 4_000 }, true],
  ])(
    "without output beside a text is not accepted but counted here, and marked: %s %s %p, as a stream %p",
    async (...told) => {
      const [, path, fields, stream] = told;
      provider.reset();
      const usage =
        path === "/v1/responses" ? { input_tokens: 7, output_tokens: 0 } : { prompt_tokens: 7, completion_tokens: 0 };
      provider.script({ usage, text: "x".repeat(400) });
      const user = await rig.addUser();
      const answer = await fetch(`${sluice.url}${path}`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${user.apiKey}`,
          "content-type": "application/json",
          "anthropic-version": "2023-06-01",
        },
        body: JSON.stringify({ model: "lines", messages: [{ role: "user", content: "hello" }], ...fields, stream }),
      });
      expect([answer.status, (await answer.text()).includes("xxxx")]).toEqual([200, true]);
      const [row] = await waitForSettledRows(rig.db, user.gatewayUserId, 1);
      expect(row).toMatchObject({ usageSource: "estimated", outcome: "completed", inputTokens: 7n, outputTokens: 80n });
      expect(row?.quota).toBe(recomputedCost(row as SettledRow));
      await sluice.logged(`"event":"usage.implausible","requestId":"${row?.requestId}"`);
    },
  );

  test("of nothing is accepted if nothing was delivered, and then costs only the price of a request", async () => {
    provider.reset();
    provider.script({ usage: { prompt_tokens: 0, completion_tokens: 0 }, text: "" });
    expect((await settleOne(await rig.addUser(), { model: "lines" })).quota).toBe(0n);
  });
});

test.each([false, true])(
  "cached and reasoning tokens cost what their own lines say, as a stream %p",
  async (stream) => {
    provider.reset();
    provider.script({
      usage: {
        prompt_tokens: 1_000,
        completion_tokens: 100,
        prompt_tokens_details: { cached_tokens: 600, cache_write_tokens: 300 },
        completion_tokens_details: { reasoning_tokens: 60 },
      },
    });
    const row = await settleOne(await rig.addUser(), { model: "lines", stream });
    expect(row).toMatchObject({
      inputTokens: 1_000n,
      cacheReadTokens: 600n,
      cacheWriteTokens: 300n,
      outputTokens: 100n,
      reasoningTokens: 60n,
      usageSource: "provider",
    });
    // 100 x 1 + 600 x 0.1 + 300 x 2 + 40 x 10 + 60 x 4 millionths of a USD, at half a quota each.
    expect(row.quota).toBe(700n);
  },
);

test("what the provider says a call has cost it is kept beside what is charged", async () => {
  provider.reset();
  const usage = { prompt_tokens: 10, completion_tokens: 20, cost: 0.00013512 };
  const user = await rig.addUser();
  for (const stream of [false, true]) {
    provider.script({ usage });
    expect(await call(user, { model: "lines", stream })).toMatchObject({ isWhole: true });
  }
  await waitForSettledRows(rig.db, user.gatewayUserId, 2);
  const rows = await rig.db.sql`
    select provider_cost_usd::float8 as cost, quota from usage_log where gateway_user_id = ${user.gatewayUserId}::bigint`;
  expect([...rows]).toEqual([1, 2].map(() => ({ cost: 0.00013512, quota: 105n })));
});

test.each([
  // 399 x 1 + 600 x 0.1 + 100 x 10 millionths of a USD, at half a quota each.
  [999, 730n],
  // 1,000 x 3 + 100 x 20.
  [1_000, 2_500n],
])("a prompt of %i tokens has the prices for its length, for the whole call", async (tokens, quota) => {
  provider.reset();
  const prompt_tokens_details = { cached_tokens: 600 };
  provider.script({ usage: { prompt_tokens: tokens, completion_tokens: 100, prompt_tokens_details } });
  const row = await settleOne(await rig.addUser(), { model: "tiers" });
  expect(row.quota).toBe(quota);
  expect(row.quota).toBe(recomputedCost(row));
});

test("a price that changes while calls run applies to calls that begin after it, and each row names its own", async () => {
  provider.reset();
  const usage = { prompt_tokens: 0, completion_tokens: 1_000 };
  provider.script({ usage, silence: { afterBytes: 0 } }, { times: 5 });
  const user = await rig.addUser();
  const early = Array.from({ length: 5 }, () => call(user, { model: "changing" }));
  const held = await Promise.all(early.map((_, index) => provider.waitForHeld(index)));
  await rig.db.withTransaction((tx) =>
    insertPriceVersion(tx, { model: "changing", input_usd_per_m: "1", output_usd_per_m: "3" }),
  );
  provider.script({ usage }, { times: "always" });
  const isNew = async (): Promise<boolean> => {
    expect(await call(user, { model: "changing" })).toMatchObject({ isWhole: true });
    const rows = await waitForSettledRows(rig.db, user.gatewayUserId, 1);
    return rows.some(({ priceVersion }) => priceVersion === 2);
  };
  while (!(await isNew())) {
    await Bun.sleep(50);
  }
  for (const record of held) {
    record.release();
  }
  expect((await Promise.all(early)).filter(({ isWhole }) => isWhole)).toHaveLength(5);
  const count = provider.requests.length;
  const rows = await waitForSettledRows(rig.db, user.gatewayUserId, count);
  const ids = new Set((await Promise.all(early)).map(({ requestId }) => requestId));
  for (const row of rows) {
    expect(row.priceVersion).toBe(ids.has(row.requestId) ? 1 : row.priceVersion);
    expect(row.quota).toBe(row.priceVersion === 1 ? 500n : 1_500n);
    expect(row.quota).toBe(recomputedCost(row));
  }
});

describe("the cost in a row", () => {
  const tokens = fc.oneof(fc.nat(3), fc.nat(100_000), fc.nat(2_000_000_000));
  const usages = fc.record({
    prompt_tokens: tokens,
    completion_tokens: tokens,
    prompt_tokens_details: fc.record({ cached_tokens: tokens, cache_write_tokens: tokens }, { requiredKeys: [] }),
    completion_tokens_details: fc.record({ reasoning_tokens: tokens }, { requiredKeys: [] }),
  });

  test("is what its units cost by its price version, for any usage and any price", async () => {
    provider.reset();
    const texts = fc.sample(prices, randomModels);
    await Promise.all(texts.map((price, index) => rig.addTokenPriceModel(`random-${index}`, price)));
    const user = await rig.addUser(2n ** 62n);
    provider.script(fc.sample(usages, randomCalls).map((usage) => ({ usage })));
    await waitForModels(
      user,
      texts.map((_, index) => `random-${index}`),
    );
    const rest = Array.from({ length: randomCalls }, (_, index) => index);
    const callers = Array.from({ length: 8 }, async () => {
      for (let index = rest.shift(); index !== undefined; index = rest.shift()) {
        const body = { model: `random-${index % randomModels}`, stream: index % 2 === 0, max_tokens: 1 + (index % 7) };
        expect(await call(user, body)).toMatchObject({ isWhole: true });
      }
    });
    await Promise.all(callers);
    const rows = await waitForSettledRows(rig.db, user.gatewayUserId, randomCalls);
    expect(rows.filter((row) => row.quota !== recomputedCost(row))).toEqual([]);
    expect(rows.some(({ quota, quotaHeld }) => quota > quotaHeld)).toBe(true);
    const spent = rows.reduce((sum, { quota }) => sum + quota, 0n);
    await rig.waitForUsedQuota(user.budgetId, spent);
    expect((await readBudget(rig.db, user.budgetId)).used).toBe(spent);
  });
});

/** Models that were just added can be called once they are listed. */
async function waitForModels(user: TestUser, names: readonly string[]): Promise<void> {
  await waitUntil(async () => {
    const answer = await fetch(`${sluice.url}/v1/models`, { headers: { authorization: `Bearer ${user.apiKey}` } });
    const listed = new Set(((await answer.json()) as { data: { id: string }[] }).data.map(({ id }) => id));
    return names.every((name) => listed.has(name));
  });
}

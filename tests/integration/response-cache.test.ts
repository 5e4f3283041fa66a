import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import OpenAI from "openai";
import { consoleClient } from "../support/accounts/console-client.ts";
import { loginAdmin } from "../support/accounts/logins.ts";
import { callCached, optIn, setCache } from "../support/calls/cache-scene.ts";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { arrangements, type SluiceProcess, SluiceRig, type TestUser } from "../support/service/sluice.ts";
import { recomputedCost, waitForSettledRows } from "../support/usage/settled-rows.ts";

const ask = (content: string, more: object = {}) => ({
  model: "priced",
  messages: [{ role: "user", content }],
  ...more,
});

describe.each(arrangements)("the response cache, %s", (arrangement) => {
  let provider: SandboxProvider;
  let rig: SluiceRig;
  let sluice: SluiceProcess;

  beforeAll(async () => {
    provider = startSandboxProvider();
    rig = await SluiceRig.create(provider.url);
    await rig.addTokenPriceModel("priced", { input_usd_per_m: "3.3", output_usd_per_m: "15.7", request_usd: "0.0001" });
    await rig.db.sql`
      insert into messages_model (name, display_name, upstream_model, flags, released_at)
      values ('priced', 'Priced', 'priced', '{}', now())`;
    await setCache(rig.db, { responses: true, price_basis_points: 1_234 });
    sluice = await rig.start(arrangement);
  });

  beforeEach(() => provider.reset());

  afterAll(async () => {
    expect(await rig.checkMoney()).toEqual([]);
    await rig.close();
    await provider.stop();
  });

  async function enter(quota?: bigint): Promise<TestUser> {
    const user = await rig.addUser(quota);
    await optIn(rig.db, user);
    return user;
  }

  const target = (user: TestUser) => ({ url: sluice.url, apiKey: user.apiKey });

  test.each([false, true])("repeats a response byte for byte without its provider, streamed: %p", async (stream) => {
    const user = await enter();
    const body = ask("Repeat this", { stream });
    const first = await callCached(target(user), body);
    const second = await callCached(target(user), body);
    expect([first.status, first.cache, first.age]).toEqual([200, "miss", null]);
    expect(second).toMatchObject({ status: 200, cache: "hit", bytes: first.bytes, type: first.type });
    expect(Number(second.age)).toBeLessThan(10);
    expect(second.requestId).not.toBe(first.requestId);
    expect(provider.requests).toHaveLength(1);
  });

  test("says nothing of the limits of the call that a response was kept for", async () => {
    const user = await enter();
    const limitTo = (requests: number | null) =>
      rig.db.sql`
        update api_key set requests_per_minute = ${requests} where gateway_user_id = ${user.gatewayUserId}::bigint`;
    await limitTo(1_000);
    const kept = await callCached(target(user), ask("Limits"));
    expect(kept).toMatchObject({ cache: "miss", limit: "1000" });
    await limitTo(null);
    await waitUntil(async () => (await callCached(target(user), ask("Limits"))).limit === null);
    expect(provider.requests).toHaveLength(1);
  });

  test("charges a hit exactly the share of the price that is set, and says so in the row", async () => {
    const user = await enter();
    provider.script({ usage: { prompt_tokens: 777, completion_tokens: 333 } });
    await callCached(target(user), ask("Count this", { max_tokens: 400 }));
    const hit = await callCached(target(user), ask("Count this", { max_tokens: 400 }));
    const rows = await waitForSettledRows(rig.db, user.gatewayUserId, 2);
    const [paid, cached] = rows;
    expect(paid?.quota).toBe(recomputedCost(rows[0] as never));
    // 777 x 3.3 and 333 x 15.7 millionths of a USD, and 0.0001 USD: 7,892.2 millionths, half a quota each; 12.34 % of it.
    expect(paid?.quota).toBe(3_947n);
    expect(cached).toMatchObject({ requestId: hit.requestId, quota: 487n, inputTokens: 777n, outputTokens: 333n });
    const marks = await rig.db.sql`
      select cache_basis_points, channel_id, usage_attempts(attempts) as attempts, provider_cost_usd from usage_log
      where request_id = ${hit.requestId}::uuid`;
    expect([...marks]).toEqual([
      { cache_basis_points: 1_234, channel_id: null, attempts: [], provider_cost_usd: null },
    ]);
    await rig.waitForUsedQuota(user.budgetId, 3_947n + 487n);
  });

  test("gives no key a response of a model that it may not use any more", async () => {
    const user = await enter();
    await callCached(target(user), ask("Take this away"));
    expect((await callCached(target(user), ask("Take this away"))).cache).toBe("hit");
    const allow = (models: string) => rig.db.sql`
      update api_key set allowed_models = ${models}::text[] where gateway_user_id = ${user.gatewayUserId}::bigint`;
    await allow("{other}");
    await waitUntil(async () => (await callCached(target(user), ask("Take this away"))).status === 404);
    expect((await callCached(target(user), ask("Take this away"))).cache).toBeNull();
    await allow("{priced}");
    await waitUntil(async () => (await callCached(target(user), ask("Take this away"))).cache === "hit");
  });

  test("gives no response that is longer than the model may write now", async () => {
    const user = await enter();
    provider.script({ usage: { prompt_tokens: 7, completion_tokens: 900 } });
    await callCached(target(user), ask("Write a lot"));
    expect((await callCached(target(user), ask("Write a lot"))).cache).toBe("hit");
    const most = (tokens: number) => rig.db.sql`
      update model set output_tokens_max = ${tokens}::int where name = 'priced'`;
    await most(899);
    await waitUntil(async () => (await callCached(target(user), ask("Write a lot"))).cache === "miss");
    await most(16_384);
  });

  test("is not asked by a key that has not opted in, and no longer by one that has opted out", async () => {
    const user = await rig.addUser();
    const plain = await callCached(target(user), ask("Without"));
    expect([plain.cache, (await callCached(target(user), ask("Without"))).cache]).toEqual([null, null]);
    expect(provider.requests).toHaveLength(2);
    await optIn(rig.db, user);
    await waitUntil(async () => (await callCached(target(user), ask("Without"))).cache === "hit");
    await optIn(rig.db, user, false);
    await waitUntil(async () => (await callCached(target(user), ask("Without"))).cache === null);
  });

  test("never answers a user with what another one was answered", async () => {
    const [one, other] = [await enter(), await enter()];
    await callCached(target(one), ask("Mine"));
    expect((await callCached(target(other), ask("Mine"))).cache).toBe("miss");
    expect((await callCached(target(one), ask("Mine"))).cache).toBe("hit");
    expect(provider.requests).toHaveLength(2);
  });

  test("answers users of one group alike once the operator says so, and no longer when that is taken back", async () => {
    const [one, other] = [await enter(), await enter()];
    let question = 0;
    const isShared = async () => {
      question += 1;
      await callCached(target(one), ask(`Ours ${question}`));
      return (await callCached(target(other), ask(`Ours ${question}`))).cache === "hit";
    };
    expect(await isShared()).toBe(false);
    await setCache(rig.db, { shared_across_users: true });
    await waitUntil(isShared);
    await setCache(rig.db, { shared_across_users: false });
    await waitUntil(async () => !(await isShared()));
  });

  test("takes another body, another path and another beta for another request", async () => {
    const user = await enter();
    await callCached(target(user), ask("Alike"));
    for (const body of [ask("Alike "), ask("Alike", { stream: true }), ask("Alike", { temperature: 0 })]) {
      expect((await callCached(target(user), body)).cache).toBe("miss");
    }
    const beta = { headers: { "openai-beta": "assistants=v2" } };
    expect((await callCached(target(user), ask("Alike"), beta)).cache).toBe("miss");
    const responses = { path: "/v1/responses" };
    const input = { model: "priced", input: "Alike" };
    expect((await callCached(target(user), input, responses)).cache).toBe("miss");
    expect((await callCached(target(user), input, responses)).cache).toBe("hit");
  });

  test("obeys a call that wants neither, or a new response, or a young one", async () => {
    const user = await enter();
    const send = (headers: Record<string, string> = {}) => callCached(target(user), ask("Wishes"), { headers });
    expect((await send({ "x-sluice-cache": "off" })).cache).toBeNull();
    expect((await send({ "cache-control": "no-store" })).cache).toBeNull();
    expect((await send()).cache).toBe("miss");
    expect((await send({ "x-sluice-cache": "refresh" })).cache).toBe("miss");
    expect((await send({ "cache-control": "no-cache" })).cache).toBe("miss");
    expect((await send({ "cache-control": "max-age=3600" })).cache).toBe("hit");
    expect(provider.requests).toHaveLength(5);
    const wrong = await send({ "x-sluice-cache": "of" });
    expect([wrong.status, JSON.parse(wrong.bytes).error.param]).toEqual([400, "x-sluice-cache"]);
    expect((await send({ "x-sluice-cache-ttl": "soon" })).status).toBe(400);
  });

  test("forgets a response when its time is over", async () => {
    const user = await enter();
    const headers = { "x-sluice-cache-ttl": "1" };
    await callCached(target(user), ask("Short"), { headers });
    expect((await callCached(target(user), ask("Short"))).cache).toBe("hit");
    await waitUntil(async () => (await callCached(target(user), ask("Short"), { headers })).cache === "miss");
  });

  test("keeps no error, no cut stream and nothing that a provider has not counted", async () => {
    const user = await enter();
    provider.script({ status: 400 });
    expect((await callCached(target(user), ask("Broken"))).status).toBe(400);
    expect((await callCached(target(user), ask("Broken"))).cache).toBe("miss");
    provider.script({ omitUsage: true });
    await callCached(target(user), ask("Uncounted"));
    expect((await callCached(target(user), ask("Uncounted"))).cache).toBe("miss");
    provider.script({ cut: { afterChunks: 2, with: "rst" } });
    await callCached(target(user), ask("Cut", { stream: true })).catch(() => undefined);
    expect((await callCached(target(user), ask("Cut", { stream: true }))).cache).toBe("miss");
  });

  test("counts a hit towards the requests per minute, and refuses it without balance", async () => {
    const user = await enter();
    await callCached(target(user), ask("Limited"));
    await rig.db.sql`
      update api_key set requests_per_minute = 2 where gateway_user_id = ${user.gatewayUserId}::bigint`;
    await waitUntil(async () => (await callCached(target(user), ask("Limited"))).status === 429);
    const poor = await enter(1n);
    expect((await callCached(target(poor), ask("Limited"))).status).toBe(429);
  });

  test("is empty everywhere once an admin has cleared it", async () => {
    const user = await enter();
    await callCached(target(user), ask("Old"));
    expect((await callCached(target(user), ask("Old"))).cache).toBe("hit");
    const { cookie } = await loginAdmin(rig);
    const cleared = await consoleClient(sluice.url, cookie).post("/backend/admin/response-cache/clear/", {});
    expect(cleared.body).toMatchObject({ ok: true, generation: 1 });
    await waitUntil(async () => (await callCached(target(user), ask("Old"))).cache === "miss");
  });

  test("streams a hit to the OpenAI client as it streamed the first response", async () => {
    const user = await enter();
    const client = new OpenAI({ apiKey: user.apiKey, baseURL: `${sluice.url}/v1`, maxRetries: 0 });
    const read = async () => {
      const stream = await client.chat.completions.create({
        model: "priced",
        messages: [{ role: "user", content: "Stream it" }],
        stream: true,
        stream_options: { include_usage: true },
      });
      const chunks: unknown[] = [];
      for await (const chunk of stream) {
        chunks.push(chunk);
      }
      return chunks;
    };
    const [first, second] = [await read(), await read()];
    expect(second).toEqual(first);
    expect(first.length).toBeGreaterThan(2);
    expect(provider.requests).toHaveLength(1);
  });

  test("serves converted calls of Messages clients too, with what they want of it", async () => {
    const user = await enter();
    const body = { model: "priced", max_tokens: 20, messages: [{ role: "user", content: "Convert me" }] };
    const send = (stream: boolean, headers: Record<string, string> = {}) =>
      callCached(target(user), { ...body, stream }, { path: "/msgcompat/v1/messages", headers });
    for (const stream of [false, true]) {
      const [first, second] = [await send(stream), await send(stream)];
      expect([first.status, first.cache, second.cache]).toEqual([200, "miss", "hit"]);
      expect(Number(second.age)).toBeLessThan(10);
      const withoutIds = ({ bytes }: typeof first) => bytes.replaceAll(/"id":"[^"]+"/g, "");
      expect(withoutIds(second)).toBe(withoutIds(first));
    }
    expect((await send(false, { "x-sluice-cache": "off" })).cache).toBeNull();
    expect(provider.requests).toHaveLength(3);
  });

  test("repeats embeddings, messages and responses of the Responses API too", async () => {
    const user = await enter();
    const calls: [path: string, body: object][] = [
      ["/v1/embeddings", { model: "priced", input: "vector" }],
      ["/v1/messages", { model: "priced", max_tokens: 20, messages: [{ role: "user", content: "Hi" }] }],
      ["/v1/messages", { model: "priced", max_tokens: 20, stream: true, messages: [{ role: "user", content: "Hi" }] }],
      ["/v1/responses", { model: "priced", input: "Hi", stream: true }],
    ];
    for (const [path, body] of calls) {
      const first = await callCached(target(user), body, { path });
      const second = await callCached(target(user), body, { path });
      expect([path, first.status, first.cache, second.cache]).toEqual([path, 200, "miss", "hit"]);
      expect(second.bytes).toBe(first.bytes);
    }
  });
});

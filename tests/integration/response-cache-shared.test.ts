import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { DatabaseAnswers } from "@sluice/control-plane/gateway/response-cache/shared/database-answers.ts";
import { removeOldAnswers } from "@sluice/control-plane/gateway/response-cache/shared/shared-answers-store.ts";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { consoleClient } from "../support/accounts/console-client.ts";
import { loginAdmin } from "../support/accounts/logins.ts";
import { callCached, optIn, setCache } from "../support/calls/cache-scene.ts";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { type SluiceProcess, SluiceRig, type TestUser } from "../support/service/sluice.ts";
import { promptMs } from "../support/values/patience.ts";
import { type RedisServer, startRedisServer } from "../support/wire/redis-server.ts";

const secretText = "what nobody else may read";
const ask = (content: string, more: object = {}) => ({
  model: "gpt-4o-mini",
  messages: [{ role: "user", content }],
  ...more,
});

let provider: SandboxProvider;
let rig: SluiceRig;

beforeAll(async () => {
  provider = startSandboxProvider();
  rig = await SluiceRig.create(provider.url);
  await setCache(rig.db, { responses: true });
});

beforeEach(() => provider.reset());

afterAll(async () => {
  expect(await rig.checkMoney()).toEqual([]);
  await rig.close();
  await provider.stop();
});

async function enter(): Promise<TestUser> {
  const user = await rig.addUser();
  await optIn(rig.db, user);
  return user;
}

const targets = (replicas: readonly SluiceProcess[], { apiKey }: TestUser) =>
  replicas.map(({ url }) => ({ url, apiKey })) as [{ url: string; apiKey: string }, { url: string; apiKey: string }];

describe("replicas that share responses in a server of the Redis protocol", () => {
  let redis: RedisServer;
  let replicas: readonly SluiceProcess[];

  beforeAll(async () => {
    redis = await startRedisServer();
    const env = { RESPONSE_CACHE_STORE: "redis", RESPONSE_CACHE_URL: redis.url };
    replicas = await Promise.all([rig.startProcess(env), rig.startProcess(env)]);
  });

  afterAll(() => redis.stop());

  test.each([false, true])("answer with what the other has stored, encrypted there, streamed: %p", async (stream) => {
    const [one, other] = targets(replicas, await enter());
    provider.script({ text: secretText });
    const before = redis.values.size;
    const first = await callCached(one, ask("Share", { stream }));
    await waitUntil(async () => redis.values.size === before + 1);
    const second = await callCached(other, ask("Share", { stream }));
    expect(second).toMatchObject({ cache: "hit", bytes: first.bytes, type: first.type });
    expect(first.bytes).toContain("nobody");
    expect(provider.requests).toHaveLength(1);
    for (const [key, value] of redis.values) {
      expect(key).toMatch(/^sluice:response:[0-9a-f]{64}$/);
      expect(value.includes("nobody")).toBe(false);
    }
  });

  test("serve calls as usual while it hangs or is gone, and use it again once it is back", async () => {
    const user = await enter();
    const [one, other] = targets(replicas, user);
    await callCached(one, ask("Before"));
    redis.hang(true);
    const startedAt = performance.now();
    expect(await callCached(one, ask("Hanging"))).toMatchObject({ status: 200, cache: "miss" });
    expect(performance.now() - startedAt).toBeLessThan(promptMs);
    await waitUntil(async () => replicas[0]?.log().includes("response_cache.store_failed") === true);
    const { port } = redis;
    await redis.stop();
    expect(await callCached(one, ask("Gone"))).toMatchObject({ status: 200, cache: "miss" });
    expect(await callCached(one, ask("Gone"))).toMatchObject({ status: 200, cache: "hit" });
    redis = await startRedisServer(port);
    let call = 0;
    await waitUntil(async () => {
      call += 1;
      await callCached(one, ask(`Back ${call}`));
      return redis.values.size > 0;
    });
    const metrics = await (await fetch(`${one.url}/metrics`)).text();
    expect(metrics).toMatch(/sluice_response_cache_store_failures_total\{reason="timeout"\} [1-9]/);
    expect(metrics).toMatch(/sluice_response_cache_lookups_total\{result="hit"\} [1-9]/);
    expect((await callCached(other, ask("Before"))).status).toBe(200);
  });
});

describe("replicas that share responses in the database", () => {
  let replicas: readonly SluiceProcess[];
  const stored = async () => [
    ...(await rig.db.sql<{ digest: string; sealed: Uint8Array }>`select digest, sealed from cached_response`),
  ];

  beforeAll(async () => {
    const env = { RESPONSE_CACHE_STORE: "postgres" };
    replicas = await Promise.all([rig.startProcess(env), rig.startProcess(env)]);
  });

  test("answer with what the other has stored, encrypted there", async () => {
    const [one, other] = targets(replicas, await enter());
    provider.script({ text: secretText });
    const first = await callCached(one, ask("Share in a table", { stream: true }));
    await waitUntil(async () => (await stored()).length === 1);
    expect(await callCached(other, ask("Share in a table", { stream: true }))).toMatchObject({
      cache: "hit",
      bytes: first.bytes,
    });
    expect(provider.requests).toHaveLength(1);
    expect((await stored()).some(({ sealed }) => Buffer.from(sealed).includes("nobody"))).toBe(false);
  });

  test("keep it bounded: what has expired goes, and the oldest beyond the limit", async () => {
    await rig.db.sql`delete from cached_response`;
    for (const [digest, age, left] of [
      ["old", 30, 60],
      ["new", 10, 60],
      ["over", 20, -1],
    ] as const) {
      await rig.db.sql`
        insert into cached_response (digest, sealed, created_at, expires_at)
        values (${digest}, decode(repeat('00', 600), 'hex'), now() - make_interval(secs => ${age}::double precision),
          now() + make_interval(secs => ${left}::double precision))`;
    }
    await removeOldAnswers(rig.db, 1_200);
    expect((await stored()).map(({ digest }) => digest).sort()).toEqual(["new", "old"]);
    await removeOldAnswers(rig.db, 1_199);
    expect((await stored()).map(({ digest }) => digest)).toEqual(["new"]);
  });

  test("keep it bounded while they write, however much that is", async () => {
    await rig.db.sql`delete from cached_response`;
    const store = new DatabaseAnswers(rig.db, 16_000);
    const written = Array.from({ length: 120 }, (_, index) => `bounded-${index}`);
    for (const digest of written) {
      await store.keep(digest, Buffer.alloc(500), 60_000);
    }
    await Promise.all(written.map((digest) => store.keep(`${digest}-again`, Buffer.alloc(500), 60_000)));
    const rows = await stored();
    const bytes = rows.reduce((sum, { sealed }) => sum + sealed.byteLength, 0);
    expect(bytes).toBeGreaterThan(8_000);
    // All of the last writes may have begun before one of them cleaned up.
    expect(bytes).toBeLessThanOrEqual(16_000 + 120 * 500);
    await store.keep("last", Buffer.alloc(500), 60_000);
    await store.keep("very last", Buffer.alloc(500), 60_000);
    await store.keep("the very last", Buffer.alloc(500), 60_000);
    expect((await stored()).reduce((sum, { sealed }) => sum + sealed.byteLength, 0)).toBeLessThanOrEqual(17_500);
    await rig.db.sql`delete from cached_response`;
  });

  test("forget everything when an admin turns the cache off, also once it is on again", async () => {
    const [one] = targets(replicas, await enter());
    await callCached(one, ask("Before it was off"));
    await waitUntil(async () => (await stored()).length > 0);
    const admin = consoleClient(one.url, (await loginAdmin(rig)).cookie);
    const turn = async (value: boolean) => {
      const { body } = await admin.get("/backend/admin/settings/list/");
      const settings = body["settings"] as { readonly name: string; readonly version: number }[];
      const version = settings.find(({ name }) => name === "cache.responses")?.version;
      const saved = await admin.post("/backend/admin/settings/save/", { name: "cache.responses", value, version });
      expect(saved.status).toBe(200);
    };
    await turn(false);
    expect((await stored()).length).toBe(0);
    await waitUntil(async () => (await callCached(one, ask("While it is off"))).cache === null);
    await turn(true);
    let call = 0;
    await waitUntil(async () => {
      call += 1;
      return (await callCached(one, ask(`Since it is on ${call}`))).cache === "miss";
    });
    expect((await callCached(one, ask("Before it was off"))).cache).toBe("miss");
  });
});

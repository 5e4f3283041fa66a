import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type ConsoleClient, codeOf, consoleClient } from "../support/accounts/console-client.ts";
import { loginAdmin } from "../support/accounts/logins.ts";
import { type KeyScene, type KeyUser, makeKey, startKeyScene } from "../support/calls/key-scene.ts";
import { waitUntil } from "../support/calls/relay-scene.ts";

let scene: KeyScene;
let admin: ConsoleClient;
let user: KeyUser;
let as: ConsoleClient;
let userId: number;

const reason = "the customer asked for it";
const free = { requests_per_minute: null, tokens_per_minute: null, concurrency_max: null };

beforeAll(async () => {
  scene = await startKeyScene();
  admin = consoleClient(scene.replicas[0]?.url ?? "", (await loginAdmin(scene.rig, { isSuper: false })).cookie);
}, 40_000);

beforeEach(async () => {
  ({ user, as } = await scene.enter());
  const [row] = await scene.rig.db.sql<{ id: number }>`
    select id::integer as id from user_profile where gateway_user_id = ${user.gatewayUserId}::bigint`;
  userId = row?.id ?? 0;
});

afterAll(async () => {
  await scene?.expectMoneyRight();
  await scene?.close();
});

async function limit(fields: object): Promise<void> {
  const answer = await admin.post("/backend/admin/limit/save/", { ...free, reason, ...fields });
  expect(answer).toMatchObject({ status: 200, body: { ok: true } });
}

const explain = async (query: Record<string, string>) =>
  (await admin.get("/backend/admin/limit/explain/", query)).body["applied"];

/** Both replicas have heard of a limit: each has its half of it. */
async function untilRefused(apiKey: string): Promise<string | null> {
  let code: string | null = null;
  await waitUntil(async () => {
    const calls = await Promise.all([scene.call(apiKey, 0), scene.call(apiKey, 1)]);
    code = calls[0]?.code ?? null;
    return calls.every(({ status }) => status === 429);
  });
  return code;
}

describe("the limit of an account", () => {
  test("stops all its keys on every replica within seconds, and nobody else's", async () => {
    const { secret } = await makeKey(as);
    const stranger = await scene.enter();
    await limit({ scope: "user", user_id: userId, requests_per_minute: 2 });
    expect(await untilRefused(user.apiKey)).toBe("rate_limit_exceeded");
    expect(await untilRefused(secret)).toBe("rate_limit_exceeded");
    expect((await scene.call(stranger.user.apiKey)).status).toBe(200);
    const refused = await fetch(`${scene.replicas[0]?.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "flat", messages: [{ role: "user", content: "Hi" }] }),
    });
    expect(refused.status).toBe(429);
    const seconds = Number(refused.headers.get("retry-after"));
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(await refused.text()).toContain("Your account is limited to 2 requests per minute.");
    await limit({ scope: "user", user_id: userId });
    await waitUntil(async () => (await scene.call(secret)).status === 200);
  });

  test("is what its group allows each account, in place of the default", async () => {
    const group = `g${crypto.randomUUID().slice(0, 8)}`;
    await scene.rig.db.sql`insert into user_group (name) values (${group})`;
    await scene.rig.db.sql`
      insert into ability (group_name, model, channel_id)
      select ${group}, model, channel_id from ability where group_name = 'default' and model = 'flat'`;
    await scene.rig.db.sql`
      update gateway_user set group_name = ${group} where id = ${user.gatewayUserId}::bigint`;
    try {
      await limit({ scope: "default", requests_per_minute: 2, concurrency_max: 50 });
      expect(await untilRefused(user.apiKey)).toBe("rate_limit_exceeded");
      await limit({ scope: "group", group_name: group, requests_per_minute: 100_000 });
      await waitUntil(async () => (await scene.call(user.apiKey)).status === 200);
      expect(await explain({ user_id: String(userId) })).toEqual({
        requests_per_minute: { value: 100_000, source: "group" },
        tokens_per_minute: null,
        concurrency_max: { value: 50, source: "default" },
      });
    } finally {
      await limit({ scope: "default" });
    }
  });

  test("is explained for a key with where each value is set", async () => {
    const { key } = await makeKey(as, { requests_per_minute: 7 });
    await limit({ scope: "user", user_id: userId, requests_per_minute: 9, tokens_per_minute: 1_000 });
    const answer = await admin.get("/backend/admin/limit/explain/", { key_id: String(key.key_id) });
    expect(answer.body).toMatchObject({
      ...{ user_id: userId, key_id: key.key_id, group: "default" },
      by_source: { default: null, group: null, user: { requests_per_minute: 9 }, key: { requests_per_minute: 7 } },
      applied: {
        requests_per_minute: { value: 7, source: "key" },
        tokens_per_minute: { value: 1_000, source: "user" },
        concurrency_max: null,
      },
    });
  });
});

describe("the headers of a response", () => {
  const answerOf = (path: string, apiKey: string) =>
    fetch(`${scene.replicas[0]?.url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "flat", max_tokens: 5, messages: [{ role: "user", content: "Hi" }] }),
    });
  const limitsIn = ({ headers }: Response) =>
    Object.fromEntries([...headers].filter(([name]) => name.includes("ratelimit")));

  test("name no limit of the provider to anyone, and ours where there is one", async () => {
    for (const path of ["/v1/chat/completions", "/v1/messages"]) {
      const answer = await answerOf(path, user.apiKey);
      expect([answer.status, limitsIn(answer)]).toEqual([200, {}]);
    }
    await limit({ scope: "user", user_id: userId, requests_per_minute: 4, tokens_per_minute: 100_000 });
    await waitUntil(async () => Object.keys(limitsIn(await answerOf("/v1/chat/completions", user.apiKey))).length > 0);
    const chat = await answerOf("/v1/chat/completions", user.apiKey);
    expect([chat.status, limitsIn(chat)]).toEqual([
      200,
      {
        "x-ratelimit-limit-requests": "4",
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": expect.stringMatching(/^(59(\.\d+)?s|1m0s)$/),
        "x-ratelimit-limit-tokens": "100000",
        "x-ratelimit-remaining-tokens": expect.stringMatching(/^(99\d{3}|100000)$/),
        "x-ratelimit-reset-tokens": expect.stringMatching(/^(\d+ms|0s|\d(\.\d+)?s)$/),
      },
    ]);
    const refused = await answerOf("/v1/messages", user.apiKey);
    expect([refused.status, limitsIn(refused)]).toEqual([
      429,
      expect.objectContaining({
        "anthropic-ratelimit-requests-limit": "4",
        "anthropic-ratelimit-requests-remaining": "0",
        "anthropic-ratelimit-requests-reset": expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      }),
    ]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    await limit({ scope: "user", user_id: userId });
  });
});

describe("a change of limits", () => {
  test("is recorded with what was before, what is after, and why", async () => {
    await limit({ scope: "user", user_id: userId, concurrency_max: 4 });
    await limit({ scope: "user", user_id: userId });
    const rows = await scene.rig.db.sql<{ before: object | null; after: object; reason: string }>`
      select before, after, reason from audit_log
      where action = 'limit.save' and subject_kind = 'user' and subject_id = ${String(userId)} order by id`;
    expect([...rows]).toEqual([
      { before: null, after: { ...free, concurrency_max: 4 }, reason },
      { before: { ...free, concurrency_max: 4 }, after: free, reason },
    ]);
  });

  test("is refused for users and groups that do not exist, and for values that would stop everything", async () => {
    const save = async (fields: object) =>
      codeOf(await admin.post("/backend/admin/limit/save/", { ...free, reason, ...fields }));
    expect(await save({ scope: "user", user_id: 999_999_999 })).toEqual([404, "not_found"]);
    expect(await save({ scope: "group", group_name: "no-such-group" })).toEqual([404, "not_found"]);
    expect(await save({ scope: "user", user_id: userId, requests_per_minute: 0 })).toEqual([400, "invalid_value"]);
    expect(await save({ scope: "default", user_id: userId })).toEqual([400, "unknown_field"]);
    expect(await save({ scope: "default", reason: " " })).toEqual([400, "invalid_value"]);
    const unknown = await admin.get("/backend/admin/limit/explain/", { key_id: "999999999" });
    expect(codeOf(unknown)).toEqual([404, "not_found"]);
  });
});

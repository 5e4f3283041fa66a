import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type ConsoleClient, codeOf, consoleClient } from "../support/accounts/console-client.ts";
import { loginAdmin } from "../support/accounts/logins.ts";
import { type KeyScene, type KeyUser, makeKey, price, startKeyScene } from "../support/calls/key-scene.ts";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { untilDayLasts } from "../support/values/day-that-lasts.ts";

let scene: KeyScene;
let admin: ConsoleClient;
let user: KeyUser;
let as: ConsoleClient;
let userId: number;

const reason = "the customer asked for it";
const free = {
  ...{ requests_per_minute: null, tokens_per_minute: null, concurrency_max: null },
  ...{ spend_per_day: null, spend_per_month: null },
};

beforeAll(async () => {
  scene = await startKeyScene();
  admin = consoleClient(scene.replicas[0]?.url ?? "", (await loginAdmin(scene.rig, { isSuper: false })).cookie);
});

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
        ...{ spend_per_day: null, spend_per_month: null },
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

describe("a limit of what an account spends", () => {
  const millions = 1_000_000_000;

  test("refuses what could exceed it, says which, in the form of each API, and shows it to its owner", async () => {
    await untilDayLasts();
    await limit({ scope: "user", user_id: userId, spend_per_day: 2 * price, spend_per_month: millions });
    expect((await scene.call(user.apiKey)).status).toBe(200);
    expect((await scene.call(user.apiKey, 1)).status).toBe(200);
    await waitUntil(async () => {
      const [row] = await scene.rig.db.sql<{ spent: bigint }>`
        select spent::bigint as spent from account_spend where gateway_user_id = ${user.gatewayUserId}::bigint`;
      return row?.spent === BigInt(2 * price);
    });
    const answers = await Promise.all(
      ["/v1/chat/completions", "/v1/messages"].map((path) =>
        fetch(`${scene.replicas[0]?.url}${path}`, {
          method: "POST",
          headers: { authorization: `Bearer ${user.apiKey}`, "content-type": "application/json" },
          body: JSON.stringify({ model: "flat", max_tokens: 5, messages: [{ role: "user", content: "Hi" }] }),
        }),
      ),
    );
    const midnight = `${new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)}T00:00:00Z`;
    const said = `Your account can spend 0.004000 USD per day and has spent 0.004000: this call could exceed that. It resets at ${midnight}.`;
    expect(
      answers.map(({ status, headers }) => [status, headers.get("x-should-retry"), headers.get("retry-after")]),
    ).toEqual([429, 429].map((status) => [status, "false", null]));
    expect(await answers[0]?.json()).toMatchObject({
      error: { type: "insufficient_quota", code: "spend_limit_reached", message: said },
    });
    expect(await answers[1]?.json()).toMatchObject({ error: { type: "rate_limit_error", message: said } });
    expect((await as.get("/backend/billing/balance/")).body["spend_limits"]).toEqual([
      { period: "daily", limit_quota: 2 * price, spent_quota: 2 * price, resets_at: midnight.replace("Z", ".000Z") },
      { period: "monthly", limit_quota: millions, spent_quota: 2 * price, resets_at: expect.any(String) },
    ]);
    const { body } = await admin.get("/backend/admin/limit/explain/", { user_id: String(userId) });
    expect(body).toMatchObject({
      spend_group: "default",
      applied: {
        spend_per_day: { value: 2 * price, source: "user" },
        spend_per_month: { value: millions, source: "user" },
      },
      used: { spend_per_day: 2 * price, spend_per_month: 2 * price },
    });
    const { used } = body as { used: { requests_per_minute: number; tokens_per_minute: number } };
    // Two calls that were answered, and as far as they are in the log those that were refused.
    expect(used.requests_per_minute).toBeWithin(2, 5);
    expect(used.tokens_per_minute).toBeGreaterThan(0);
  });

  test("holds for what replicas have leased before it was set", async () => {
    for (let calls = 0; calls < 6; calls += 1) {
      expect((await scene.call(user.apiKey, calls % 2)).status).toBe(200);
    }
    await limit({ scope: "user", user_id: userId, spend_per_month: 8 * price });
    let through = 0;
    await waitUntil(async () => {
      const { status, code } = await scene.call(user.apiKey, through % 2);
      through += status === 200 ? 1 : 0;
      return code === "spend_limit_reached";
    });
    expect(through).toBeLessThanOrEqual(2);
    await limit({ scope: "user", user_id: userId, spend_per_month: 9 * price });
    await waitUntil(async () => (await scene.call(user.apiKey)).status === 200);
    await limit({ scope: "user", user_id: userId });
    await waitUntil(async () => (await scene.call(user.apiKey)).status === 200);
  });

  test("is by the calendar, and a group's own replaces the default for accounts whose calls have it", async () => {
    const { rig } = scene;
    const other = `g${crypto.randomUUID().slice(0, 8)}`;
    await rig.db.sql`insert into user_group (name) values (${other})`;
    const shown = async () =>
      (
        (await as.get("/backend/billing/balance/")).body["spend_limits"] as {
          limit_quota: number;
          spent_quota: number;
        }[]
      ).map(({ limit_quota, spent_quota }) => [limit_quota, spent_quota]);
    try {
      await limit({ scope: "default", spend_per_day: 5 * price });
      await limit({ scope: "group", group_name: other, spend_per_day: 50 * price });
      expect(await shown()).toEqual([[5 * price, 0]]);
      await rig.db.sql`update gateway_user set group_name = ${other} where id = ${user.gatewayUserId}::bigint`;
      expect(await shown()).toEqual([[50 * price, 0]]);
      await rig.db.sql`
        insert into account_spend values (${user.gatewayUserId}::bigint, (now() at time zone 'UTC')::date - 1, 1),
          (${user.gatewayUserId}::bigint, (now() at time zone 'UTC')::date, 7)`;
      expect(await shown()).toEqual([[50 * price, 7]]);
    } finally {
      await rig.db.sql`delete from account_spend where gateway_user_id = ${user.gatewayUserId}::bigint`;
      await limit({ scope: "default" });
      await limit({ scope: "group", group_name: other });
    }
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
        // How many processes share the limit is learnt from time to time.
        "x-ratelimit-remaining-requests": expect.stringMatching(/^[0-3]$/),
        "x-ratelimit-reset-requests": expect.stringMatching(/^([1-5]?\d(\.\d+)?s|1m0s)$/),
        "x-ratelimit-limit-tokens": "100000",
        "x-ratelimit-remaining-tokens": expect.stringMatching(/^(99\d{3}|100000)$/),
        "x-ratelimit-reset-tokens": expect.stringMatching(/^(\d+ms|0s|\d(\.\d+)?s)$/),
      },
    ]);
    await waitUntil(async () => (await answerOf("/v1/chat/completions", user.apiKey)).status === 429);
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

describe("the limits of a plan", () => {
  const planCode = `p-${crypto.randomUUID().slice(0, 8)}`;
  const beginMonth = async () => {
    await scene.rig.db.sql`
      insert into subscription (user_id, plan_code, period_start, period_end, quota_granted)
      select ${userId}, ${planCode}, s, s + interval '1 month', 0 from (values (now() - interval '10 days')) v (s)`;
  };

  test("replace the default while its month runs, on every replica, and end with it", async () => {
    await scene.rig.db.sql`
      insert into plan (plan_code, name, kind, price_usd, quota, features)
      values (${planCode}, 'Limited', 'monthly', 1, 1, '[]')`;
    try {
      await limit({ scope: "default", requests_per_minute: 2, spend_per_day: 500 * price });
      const own = { requests_per_minute: 100_000, spend_per_day: 5_000 * price };
      await limit({ scope: "plan", plan_code: planCode, ...own });
      expect(await untilRefused(user.apiKey)).toBe("rate_limit_exceeded");
      await beginMonth();
      await waitUntil(async () => (await scene.call(user.apiKey)).status === 200);
      const { body } = await admin.get("/backend/admin/limit/explain/", { user_id: String(userId) });
      expect(body).toMatchObject({
        plans: [planCode],
        by_source: { plan: { requests_per_minute: 100_000 } },
        applied: {
          requests_per_minute: { value: 100_000, source: "plan" },
          spend_per_day: { value: 5_000 * price, source: "plan" },
        },
      });
      expect((await as.get("/backend/billing/balance/")).body["spend_limits"]).toMatchObject([
        { limit_quota: 5_000 * price },
      ]);
      // A month that ends by itself announces nothing: what a replica keeps of a key ends with it. A month back and a month
      // forward is today only if the last month has this day; four years, which are always as long, lead back to today.
      await scene.rig.db.sql`
        update subscription set months = 48, period_start = s, period_end = s + interval '48 months'
        from (values (now() + interval '2 seconds' - interval '48 months')) v (s) where user_id = ${userId}`;
      expect(await untilRefused(user.apiKey)).toBe("rate_limit_exceeded");
      expect(await explain({ user_id: String(userId) })).toMatchObject({
        requests_per_minute: { value: 2, source: "default" },
      });
    } finally {
      await limit({ scope: "default" });
      await limit({ scope: "plan", plan_code: planCode });
    }
  });

  test("are recorded as a change of the plan, and only plans that exist have any", async () => {
    const rows = await scene.rig.db.sql<{ after: object }>`
      select after from audit_log where action = 'limit.save' and subject_kind = 'plan' and subject_id = ${planCode}`;
    expect(rows).toHaveLength(2);
    const unknown = await admin.post("/backend/admin/limit/save/", {
      ...{ ...free, reason, scope: "plan", plan_code: "no-such-plan" },
    });
    expect(codeOf(unknown)).toEqual([404, "not_found"]);
    expect(codeOf(await admin.get("/backend/admin/limit/explain/", { plan_code: "no-such-plan" }))).toEqual([
      404,
      "not_found",
    ]);
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

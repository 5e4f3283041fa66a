import { afterAll, beforeAll, expect, test } from "bun:test";
import { accountPaths, accountReadsPerMinute } from "@sluice/contracts/account-paths";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import { rollUsageUp } from "@sluice/control-plane/usage/rollup/roll-up.ts";
import { UsageSettlement } from "@sluice/control-plane/usage/settlement/usage-settlement.ts";
import { Registry } from "prom-client";
import { consoleClient } from "../support/accounts/console-client.ts";
import { loginUser } from "../support/accounts/logins.ts";
import { type RelayScene, startRelayScene, waitUntil } from "../support/calls/relay-scene.ts";
import { waitUntilSettleable } from "../support/usage/settlement-scene.ts";
import { untilDayLasts } from "../support/values/day-that-lasts.ts";

const quotaPerCall = 617n;
const origin = "https://tools.example";
let scene: RelayScene;

beforeAll(async () => {
  scene = await startRelayScene("one-process", {
    env: { CORS_ORIGINS: origin, ROLES: "relay,gateway,backend" },
    prepare: (rig) => rig.addFlatPriceModel("flat", quotaPerCall),
  });
});

afterAll(() => scene.close());

async function read(path: string, apiKey: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`${scene.sluice.url}${path}`, {
    headers: { authorization: `Bearer ${apiKey}`, ...headers },
  });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Record<string, unknown> };
}

const figures = async (path: string, apiKey: string): Promise<Record<string, unknown>> => {
  const { status, body } = await read(path, apiKey);
  expect([path, status]).toEqual([path, 200]);
  return body;
};

async function call(apiKey: string): Promise<void> {
  const answer = await fetch(`${scene.sluice.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "flat", messages: [{ role: "user", content: "hello" }], max_tokens: 5 }),
  });
  expect(answer.status).toBe(200);
  await answer.arrayBuffer();
}

const committed = (gatewayUserId: bigint, calls: number) =>
  waitUntil(async () => {
    const [row] = await scene.rig.db.sql<{ count: bigint }>`
      select count(*) from usage_log where gateway_user_id = ${gatewayUserId}::bigint and outcome = 'completed'
        and quota > 0`;
    return row?.count === BigInt(calls);
  });

async function settle(): Promise<void> {
  const { db } = scene.rig;
  await waitUntilSettleable(db);
  const log = createLog("error", () => undefined);
  await new UsageSettlement({ db, clock: systemClock, log, registry: new Registry() }).run();
  await rollUsageUp(db, systemClock);
}

test("limit minus usage is the balance to the last unit, before and after a multiplier is settled", async () => {
  await untilDayLasts();
  const user = await scene.rig.addUser(6_172_839n);
  await scene.rig.db.sql`update gateway_user set rate_multiplier = 1.5 where id = ${user.gatewayUserId}::bigint`;
  const amounts = async () => {
    const { hard_limit_usd: limit } = await figures("/v1/dashboard/billing/subscription", user.apiKey);
    const { total_usage: cents } = await figures("/v1/dashboard/billing/usage", user.apiKey);
    const { limit_usd, used_usd, remaining_usd } = await figures("/v1/usage", user.apiKey);
    expect([Number(limit_usd), Math.round(Number(used_usd) * 1e8)]).toEqual([
      limit as number,
      Math.round((cents as number) * 1e6),
    ]);
    return [limit_usd, used_usd, remaining_usd];
  };
  expect(await amounts()).toEqual(["12.345678", "0.000000", "12.345678"]);
  await call(user.apiKey);
  await call(user.apiKey);
  await committed(user.gatewayUserId, 2);
  // Twice ceil(617 * 1.5) = 926 quota.
  const spent = ["12.345678", "0.003704", "12.341974"];
  expect(await amounts()).toEqual(spent);
  await settle();
  expect(await amounts()).toEqual(spent);
  expect(await figures("/v1/credits", user.apiKey)).toEqual({
    data: { total_credits: 12.345678, total_usage: 0.003704 },
  });
  expect(await figures("/v1/dashboard/billing/credit_grants", user.apiKey)).toEqual({
    object: "credit_summary",
    total_granted: 12.345678,
    total_used: 0.003704,
    total_available: 12.341974,
  });
  const { data } = (await figures("/v1/key", user.apiKey)) as { data: Record<string, unknown> };
  expect(data).toMatchObject({ limit: null, usage: 0.003704, usage_daily: 0.003704, usage_monthly: 0.003704 });
  const { days, scope } = (await figures("/v1/usage", user.apiKey)) as { days: object[]; scope: string };
  expect([scope, days]).toEqual([
    "account",
    [expect.objectContaining({ day: new Date().toISOString().slice(0, 10), calls: 2, cost_usd: "0.003704" })],
  ]);
});

test("a key with a limit of its own sees that limit and nothing of the account", async () => {
  const { cookie } = await loginUser(scene.rig);
  const client = consoleClient(scene.sluice.url, cookie);
  const { body } = await client.post("/backend/keys/create/", {
    name: "small",
    quota_limit: 5_000,
    reset_period: "daily",
  });
  const secret = body["secret"] as string;
  const usage = await figures("/v1/usage", secret);
  expect(usage).toMatchObject({ scope: "api_key", limit_usd: "0.010000", remaining_usd: "0.010000" });
  expect(usage["resets_at"]).toEndWith("T00:00:00.000Z");
  expect(usage["days"]).toBeUndefined();
  expect(await figures("/v1/credits", secret)).toEqual({ data: { total_credits: 0.01, total_usage: 0 } });
  const { data } = (await figures("/api/v1/auth/key", secret)) as { data: Record<string, unknown> };
  expect(data).toMatchObject({ label: "small", limit: 0.01, limit_remaining: 0.01, usage: 0 });
  expect("usage_daily" in data).toBeFalse();
});

test("new-api's address of a key shows quota, limits and models, and its status says what a unit is worth", async () => {
  const user = await scene.rig.addUser(1_000_000n);
  const unlimited = { unlimited_quota: true, model_limits_enabled: false, model_limits: {}, expires_at: 0 };
  expect(await figures("/api/usage/token/", user.apiKey)).toMatchObject({
    code: true,
    data: { object: "token_usage", total_granted: 1_000_000, total_used: 0, total_available: 1_000_000, ...unlimited },
  });
  const { cookie } = await loginUser(scene.rig);
  const expiresAt = Math.floor(Date.now() / 1_000) + 86_400;
  const { body } = await consoleClient(scene.sluice.url, cookie).post("/backend/keys/create/", {
    name: "narrow",
    quota_limit: 5_000,
    allowed_models: ["flat"],
    expires_at: new Date(expiresAt * 1_000).toISOString(),
  });
  expect(await figures("/api/usage/token", body["secret"] as string)).toMatchObject({
    data: {
      name: "narrow",
      total_available: 5_000,
      unlimited_quota: false,
      model_limits_enabled: true,
      model_limits: { flat: true },
      expires_at: expiresAt,
    },
  });
  for (const path of ["/api/status", "/api/status/"]) {
    const response = await fetch(`${scene.sluice.url}${path}`);
    expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
    expect(await response.json()).toMatchObject({
      success: true,
      data: { system_name: "Sluice", quota_per_unit: 500_000, display_in_currency: true, turnstile_check: false },
    });
  }
});

test("every address responds to a key without balance, to no wrong key, and to pages of allowed origins", async () => {
  const { apiKey } = await scene.rig.addUser(1n);
  for (const path of Object.keys(accountPaths)) {
    const right = await read(path, apiKey, { origin });
    expect([path, right.status, right.headers.get("access-control-allow-origin")]).toEqual([path, 200, origin]);
    expect(right.headers.get("cache-control")).toBe("no-store");
    const wrong = await read(path, `sk-${"x".repeat(48)}`);
    expect([path, wrong.status, (wrong.body["error"] as { code: string }).code]).toEqual([
      path,
      401,
      "invalid_api_key",
    ]);
    const written = await fetch(`${scene.sluice.url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}` },
    });
    expect([path, written.status]).toEqual([path, 405]);
  }
});

test.each([
  "start_date=2026-02-30",
  "end_date=today",
  "start_date=2026-01-02&end_date=2026-01-01",
  "start_date=2020-01-01",
])("%s is refused as days of a usage", async (query) => {
  const { apiKey } = await scene.rig.addUser();
  const { status, body } = await read(`/v1/usage?${query}`, apiKey);
  expect([status, (body["error"] as { code: string }).code]).toEqual([400, "invalid_parameter"]);
});

test("an account may ask only so often in a minute", async () => {
  const { apiKey } = await scene.rig.addUser();
  const startedAt = performance.now();
  const answers = await Promise.all(
    Array.from({ length: 2 * accountReadsPerMinute }, () => read("/v1/credits", apiKey)),
  );
  const refilled = Math.floor(((performance.now() - startedAt) * accountReadsPerMinute) / 60_000);
  const refused = answers.filter(({ status }) => status === 429);
  // The database of a busy machine may fail to answer some of those.
  const through = answers.length - refused.length;
  expect(through).toBeWithin(accountReadsPerMinute, accountReadsPerMinute + refilled + 1);
  expect(answers.some(({ status }) => status === 200)).toBeTrue();
  expect(refused.every(({ headers }) => Number(headers.get("retry-after")) > 0)).toBeTrue();
});

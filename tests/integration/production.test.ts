import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { openaiUpstream } from "@sluice/contracts/upstreams";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { loginAdmin } from "../support/accounts/logins.ts";
import { createTestDatabase } from "../support/postgres/test-database.ts";
import { masterKeyBytes, type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";

const seedFile = join(import.meta.dir, "../../control-plane/src/commands/seed.ts");

type Seeded = { ok: boolean; userEmail: string | null; apiKey?: string | null; hasAdmin: boolean; isServed: boolean };

async function seed(databaseUrl: string, env: Record<string, string>): Promise<Seeded> {
  const child = Bun.spawn([process.execPath, seedFile], {
    env: {
      PATH: process.env["PATH"] ?? "",
      NODE_ENV: "production",
      DATABASE_URL: databaseUrl,
      MASTER_KEY: masterKeyBytes.toString("base64"),
      ...env,
    },
    stdout: "pipe",
    stderr: "ignore",
  });
  return JSON.parse(await new Response(child.stdout).text()) as Seeded;
}

let provider: SandboxProvider;
let neighbour: SandboxProvider;
let rig: SluiceRig;

beforeAll(async () => {
  provider = await startSandboxProvider({ port: 0 });
  neighbour = await startSandboxProvider({ port: 0 });
  rig = await SluiceRig.create(provider.url);
});

afterAll(async () => {
  await rig.close();
  await provider.stop();
  await neighbour.stop();
});

describe("the first start in production", () => {
  test("creates no user, no key and no quota, and without a provider no channel", async () => {
    await using database = await createTestDatabase();
    const made = await seed(database.url, {});
    expect(made).toEqual({ ok: true, userEmail: null, hasAdmin: false, isServed: false });
    const sql = new Bun.SQL(database.url, { max: 1 });
    const [counts] = await sql`
      select (select count(*)::int from user_profile) as users, (select count(*)::int from api_key) as keys,
        (select count(*)::int from budget) as budgets, (select count(*)::int from channel) as channels,
        (select count(*)::int from model) as models, (select count(*)::int from plan) > 0 as has_plans`;
    await sql.close();
    expect(counts).toEqual({ users: 0, keys: 0, budgets: 0, channels: 0, models: 1, has_plans: true });
  });

  test("creates the channel of a provider whose key is given", async () => {
    await using database = await createTestDatabase();
    const made = await seed(database.url, { PROVIDER_API_KEY: "sk-provider" });
    expect(made).toEqual({ ok: true, userEmail: null, hasAdmin: false, isServed: true });
  });

  test("removes every model from the channel that led to the sandbox of an earlier start, and from no other", async () => {
    await using database = await createTestDatabase();
    const SANDBOX_URL = "http://127.0.0.1:41595";
    expect(await seed(database.url, { NODE_ENV: "test", SANDBOX_URL })).toMatchObject({ isServed: true });
    expect(await seed(database.url, {})).toMatchObject({ isServed: false });
    expect(await seed(database.url, { PROVIDER_API_KEY: "sk-provider" })).toMatchObject({ isServed: true });
    expect(await seed(database.url, {})).toMatchObject({ isServed: true });
  });
});

describe("a service in production", () => {
  const start = (env: Record<string, string>) => rig.startProcess({ NODE_ENV: "production", ...env });
  const saveChannel = async ({ url }: SluiceProcess, address: string) => {
    const { cookie } = await loginAdmin(rig);
    const answer = await fetch(`${url}/backend/admin/channel/save/`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: url, cookie },
      body: JSON.stringify({ name: `channel ${crypto.randomUUID()}`, upstream: openaiUpstream(address) }),
    });
    await answer.text();
    return answer.status;
  };
  const call = async ({ url }: SluiceProcess) => {
    const { apiKey } = await rig.addUser();
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "Hello" }] }),
    });
    await answer.text();
    return answer.status;
  };

  test("allows channels to the configured sandbox, and to nothing else on this machine", async () => {
    const sluice = await start({ SANDBOX_URL: provider.url });
    expect(await call(sluice)).toBe(200);
    expect(await saveChannel(sluice, `${provider.url}/v1`)).toBe(200);
    const { port } = new URL(provider.url);
    for (const elsewhere of [
      `${neighbour.url}/v1`,
      `http://127.0.0.2:${port}/v1`,
      `http://[::1]:${port}/v1`,
      "http://10.0.0.1/v1",
      "http://192.168.1.1/v1",
      "http://[::127.0.0.1]:3960/v1",
    ]) {
      expect([elsewhere, await saveChannel(sluice, elsewhere)]).toEqual([elsewhere, 400]);
    }
  });

  test("makes browsers come back only over TLS if its public URL says so, on every response", async () => {
    const paths = [
      "/healthz",
      "/v1/models",
      "/v1/realtime?model=a",
      "/msgcompat/v1/models",
      "/msgcompat/none",
      "/none",
    ];
    const more = ["/backend/billing/plans/", "/backend/auth/me/", "/metrics", "/openapi.json", "/admin/"];
    const told = async ({ url }: SluiceProcess, header: string) =>
      await Promise.all(
        [...paths, ...more].map(async (path) => {
          const answer = await fetch(`${url}${path}`, { redirect: "manual" });
          await answer.arrayBuffer();
          return [path, answer.headers.get(header)];
        }),
      );
    const all = (value: string | null) => [...paths, ...more].map((path) => [path, value]);
    const name = "strict-transport-security";
    const encrypted = await start({ PUBLIC_BASE_URL: "https://sluice.example" });
    expect(await told(encrypted, name)).toEqual(all("max-age=31536000"));
    expect(await told(encrypted, "x-content-type-options")).toEqual(all("nosniff"));
    expect(await told(await start({ PUBLIC_BASE_URL: "http://sluice.example" }), name)).toEqual(all(null));
    const trial = await start({ PUBLIC_BASE_URL: "https://sluice.example", NODE_ENV: "development" });
    expect(await told(trial, name)).toEqual(all(null));
  });

  test("without a sandbox calls nothing on this machine", async () => {
    const sluice = await start({});
    const before = provider.requests.length;
    expect(await call(sluice)).toBeGreaterThanOrEqual(500);
    expect(await saveChannel(sluice, `${provider.url}/v1`)).toBe(400);
    expect(provider.requests.length).toBe(before);
  });
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openChannelCredential } from "@sluice/control-plane/gateway/channels/credentials.ts";
import type { ImportReport } from "@sluice/control-plane/moving/service.ts";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { createLiteLlm, liteKeys, move, storeLiteSaltKey } from "../../support/moving/peers.ts";
import { masterKeyBytes, type SluiceProcess, SluiceRig } from "../../support/service/sluice.ts";

let folder: string;
let rig: SluiceRig;
let service: SluiceProcess;
let lite: Awaited<ReturnType<typeof createLiteLlm>>;
let report: ImportReport;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-litellm-"));
  rig = await SluiceRig.create("http://127.0.0.1:9");
  await rig.db.sql`delete from ability`;
  lite = await createLiteLlm();
  report = await move(rig.db, "litellm", { from: lite.url, saltKeyFile: await storeLiteSaltKey(folder) });
  service = await rig.start("one-process");
});
afterAll(async () => {
  await rig.close();
  await lite[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function listModels(key: string): Promise<{ readonly status: number; readonly models: readonly string[] }> {
  const response = await fetch(`${service.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
  const body = (await response.json()) as { data?: { id: string }[] };
  return { status: response.status, models: (body.data ?? []).map(({ id }) => id).toSorted() };
}

async function logIn(account: string, password: string): Promise<number> {
  const response = await fetch(`${service.url}/backend/auth/login/`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: account, password }),
  });
  await response.arrayBuffer();
  return response.status;
}

const saying = (table: string, id: string, words: string): boolean =>
  report.findings.some((finding) => finding.table === table && finding.id === id && finding.text.includes(words));

describe("keys of LiteLLM", () => {
  test("keep working, those of 22 characters and those in their grace period too", async () => {
    for (const key of [
      liteKeys.alice,
      liteKeys.aliceBefore,
      liteKeys.aliceLimited,
      liteKeys.researchBob,
      liteKeys.orphan,
    ]) {
      expect([key, (await listModels(key)).status]).toEqual([key, 200]);
    }
  });

  test("that were refused there are refused", async () => {
    for (const key of [liteKeys.blocked, liteKeys.expired, liteKeys.blockedTeam, liteKeys.deleted, liteKeys.login]) {
      expect([key, [401, 403].includes((await listModels(key)).status)]).toEqual([key, true]);
    }
  });

  test("call the models that both their list and that of their team or user allow", async () => {
    expect((await listModels(liteKeys.alice)).models).toEqual(["claude", "gpt-4o", "gpt-4o-mini"]);
    expect((await listModels(liteKeys.aliceLimited)).models).toEqual(["gpt-4o"]);
    expect((await listModels(liteKeys.researchBob)).models).toEqual(["claude", "gpt-4o", "gpt-4o-mini"]);
    expect((await listModels(liteKeys.researchService)).models).toEqual(["gpt-4o-mini"]);
    expect((await listModels(liteKeys.noModels)).models).toEqual([]);
  });

  test("keep their budgets with the periods, limits and budgets that they share", async () => {
    const rows = await rig.db.sql<{ name: string; granted: bigint | null; period: string | null; limits: string }>`
      select k.name, b.granted, b.period,
        concat_ws(' ', k.requests_per_minute, k.tokens_per_minute, k.concurrency_max) as limits
      from api_key k left join budget b on b.api_key_id = k.id
      where k.name in ('alice-limited', 'bob-monthly', 'services-only', 'hourly', 'alice-own') order by k.name`;
    expect(rows.map(({ name, granted, period, limits }) => [name, granted, period, limits])).toEqual([
      ["alice-limited", 750_000n, "none", ""],
      ["alice-own", null, null, ""],
      ["bob-monthly", 1_500_000n, "monthly", "10 20000 2"],
      ["hourly", 125_000n, "none", ""],
      ["services-only", 1_050_000n, "none", "60 100000"],
    ]);
    const [old] = await rig.db.sql<{ same: boolean; ends: Date }>`
      select o.limit_key_id = k.id as same, o.expires_at as ends from api_key o join api_key k on k.name = 'alice-own'
      where o.name = 'alice-own (before its rotation)'`;
    const peer = openDatabase({ url: lite.url, poolMax: 1, applicationName: "test" });
    const [there] = await peer.sql<{ ends: Date }>`
      select revoke_at at time zone 'UTC' as ends from "LiteLLM_DeprecatedVerificationToken"`;
    await peer.close(500);
    expect(old).toEqual({ same: true, ends: there?.ends as Date });
  });
});

describe("users and teams of LiteLLM", () => {
  test("have what was left of their budgets to the unit, and those without a budget nothing", async () => {
    const rows = await rig.db.sql<{ name: string; granted: bigint }>`
      select coalesce(o.name, p.display_name, p.email) as name, b.granted from budget b
      left join organisation o on o.gateway_user_id = b.gateway_user_id
      left join user_profile p on p.gateway_user_id = b.gateway_user_id
      where b.gateway_user_id is not null and (o.id is not null or p.email like '%litellm%' or p.email like '%@example.com')
      order by 1`;
    expect(Object.fromEntries(rows.map(({ name, granted }) => [name, granted]))).toMatchObject({
      "Alice Zhang 张": 3_749_999n,
      "bob@example.com": 0n,
      Dave: 0n,
      "Research 研究": 43_827_161n,
      Services: 25_000_000n,
      Blocked: 0n,
      "Keys without a user": 625_000n,
    });
    const sum = rows.reduce((all, { granted }) => all + granted, 0n);
    expect(report.movedQuota).toBe(sum);
    expect(await rig.checkMoney()).toEqual([]);
  });

  test("log in with their passwords, which are then stored as ours", async () => {
    expect(await logIn("alice@example.com", "Alice-Pw-2026!")).toBe(200);
    expect(await logIn("bob@example.com", "Bob-Pw-2026!")).toBe(200);
    expect(await logIn("bob@example.com", "Alice-Pw-2026!")).toBe(401);
    const rows = await rig.db.sql<{ hash: string }>`
      select left(password_hash, 9) as hash from user_profile where email in ('alice@example.com', 'bob@example.com')`;
    expect(rows.map(({ hash }) => hash)).toEqual(["$argon2id", "$argon2id"]);
  });

  test("keep their roles, members' budgets, projects and limits", async () => {
    const members = await rig.db.sql<{ name: string; email: string; role: string; budget: bigint | null }>`
      select o.name, p.email, m.role, b.granted as budget from organisation_member m
      join organisation o on o.id = m.organisation_id join user_profile p on p.id = m.user_id
      left join budget b on b.member_id = m.id order by 1, 2`;
    const nobody = "litellm-keys-without-a-user@imported.invalid";
    expect(members.map(({ name, email, role, budget }) => [name, email, role, budget])).toEqual([
      ["Blocked", "litellm-carol@imported.invalid", "owner", null],
      ["Blocked", nobody, "member", null],
      ["Research 研究", "alice@example.com", "owner", null],
      ["Research 研究", "bob@example.com", "member", 2_500_000n],
      ["Research 研究", nobody, "member", null],
      ["Services", nobody, "owner", null],
    ]);
    const [project] = await rig.db.sql<{ name: string; budget: bigint; key: string }>`
      select j.name, b.granted as budget, k.name as key from organisation_project j
      join budget b on b.project_id = j.id join api_key k on k.project_id = j.id`;
    expect(project).toEqual({ name: "Vision", budget: 10_000_000n, key: "research-bob" });
    const [limit] = await rig.db.sql<{ requests: number; month: bigint }>`
      select l.requests_per_minute as requests, l.spend_per_month as month from account_limit l
      join user_profile p on p.gateway_user_id = l.gateway_user_id where p.email = 'alice@example.com'`;
    expect(limit).toEqual({ requests: 100, month: 5_000_000n });
  });

  test("that can't be moved as they are, are reported one by one", () => {
    expect(saying("UserTable", "bob@example.com", "no budget")).toBe(true);
    expect(saying("UserTable", "8f1c0a52-alice", "starts over every 30d")).toBe(true);
    expect(saying("UserTable", "erin", "sso_user_id")).toBe(true);
    expect(saying("users", "carol", "another account has it")).toBe(true);
    expect(saying("TeamTable", "team-blocked", 'member "nobody-knows" is not a user')).toBe(true);
    expect(saying("TeamTable", "team-services", "Nobody administers it")).toBe(true);
    expect(report.findings.some(({ text }) => text.includes("starts over after 1h"))).toBe(true);
    expect(report.findings.some(({ text }) => text.includes("Not moved: aliases"))).toBe(true);
    expect(report.findings.some(({ text }) => text.includes("has no user there"))).toBe(true);
    expect(report.leftOut.get("DeletedVerificationToken")).toBe(1);
  });
});

describe("models of LiteLLM", () => {
  test("are decrypted in each of its forms, with exact prices", async () => {
    const prices = await rig.db.sql<{ model: string; prices: string }>`
      select model, concat_ws(' ', trim_scale(input_usd_per_m), trim_scale(output_usd_per_m),
        coalesce(trim_scale(cache_read_usd_per_m)::text, '-'), coalesce(trim_scale(cache_write_usd_per_m)::text, '-')) as prices
      from model_price where model in ('gpt-4o', 'gpt-4o-mini', 'claude', 'paused') and version =
        (select max(version) from model_price n where n.model = model_price.model) order by model`;
    expect(prices.map(({ model, prices: all }) => `${model} ${all}`)).toEqual([
      "claude 3 15 0.3 3.75",
      "gpt-4o 2.5 10 1.25 -",
      "gpt-4o-mini 0.15 0.6 - -",
      "paused 2 8 - -",
    ]);
    const channels = await rig.db.sql<{ id: bigint; sealed: Uint8Array; preset: string; status: string }>`
      select id, credential_sealed as sealed, upstream ->> 'preset' as preset, status from channel
      where name <> 'first' order by id`;
    const opened = channels.map(({ id, sealed, preset, status }) => [
      preset,
      status,
      openChannelCredential(new MasterKey(masterKeyBytes), id as Parameters<typeof openChannelCredential>[1], sealed),
    ]);
    expect(opened).toContainEqual(["openai", "enabled", "sk-fixture-litellm-openai"]);
    expect(opened).toContainEqual(["azure-openai", "enabled", "0123456789abcdef"]);
    expect(opened).toContainEqual(["anthropic", "enabled", "sk-ant-fixture-litellm"]);
    expect(opened).toContainEqual(["openai", "disabled", "sk-fixture-litellm-openai"]);
  });

  test("are called by their names there, in the same order", async () => {
    const rows = await rig.db.sql<{ preset: string; upstream: string | null; priority: number }>`
      select c.upstream ->> 'preset' as preset, a.upstream_model as upstream, a.priority from ability a
      join channel c on c.id = a.channel_id where a.model = 'gpt-4o' order by a.priority`;
    expect(rows.map(({ preset, upstream, priority }) => [preset, upstream, priority])).toEqual([
      ["openai", null, 0],
      ["azure-openai", "gpt-4o-eu", 1],
    ]);
  });

  test("without a price, with a pattern for a name, or of another provider are reported", () => {
    expect(saying("models", "unpriced", "--options")).toBe(true);
    expect(saying("ProxyModelTable", "m-5", "every model like openai/*")).toBe(true);
    expect(saying("channels", "m-7", "predibase")).toBe(true);
    expect(saying("models", "gpt-4o", "another price on deployment m-3")).toBe(true);
    expect(saying("models", "claude", "cache_creation_input_token_cost_above_1hr")).toBe(true);
  });
});

describe("the history of calls in LiteLLM", () => {
  test("is here by user, day and model, with the same sums, and charges nothing", async () => {
    const rows = await rig.db.sql<Record<string, unknown>>`
      select i.source_id as name, u.day::text as day, u.model, u.calls::int as calls, u.input_tokens::int as input,
        u.output_tokens::int as output, u.quota::int as quota
      from imported_usage u join import_item i on i.gateway_user_id = u.gateway_user_id and i.kind = 'user'
      order by 1, 2, 3`;
    const alice = { name: "8f1c0a52-alice", model: "gpt-4o" };
    const bob = { name: "bob@example.com", model: "claude-sonnet-4-5" };
    expect([...rows]).toEqual([
      { ...alice, day: "2026-10-30", calls: 3, input: 1000, output: 200, quota: 2_250 },
      { ...alice, day: "2026-10-31", calls: 2, input: 2000, output: 100, quota: 3_000 },
      { ...bob, day: "2026-10-31", calls: 1, input: 500, output: 500, quota: 4_500 },
    ]);
    expect(report.usage?.here).toEqual(report.usage?.there);
    expect(report.usage?.there).toMatchObject({ calls: 6n, quota: 9_750n });
    expect(await rig.checkMoney()).toEqual([]);
  });
});

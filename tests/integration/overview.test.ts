import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { openaiUpstream } from "@sluice/contracts/upstreams";
import { recordPayments } from "@sluice/control-plane/admin/campaigns/service.ts";
import { settlePaid } from "@sluice/control-plane/payments/settle/settle-paid.ts";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import { reportEndpoints } from "@sluice/control-plane/usage/reports/routes.ts";
import { rollUsageUp } from "@sluice/control-plane/usage/rollup/roll-up.ts";
import { UsageSettlement } from "@sluice/control-plane/usage/settlement/usage-settlement.ts";
import { Registry } from "prom-client";
import { BillingScene, type Buyer, noticeOf } from "../support/payments/billing-scene.ts";
import { type EndpointServer, serveEndpoints } from "../support/service/endpoint-server.ts";
import { repositoryRoot, startProgram } from "../support/service/start-process.ts";
import { waitUntilSettleable } from "../support/usage/settlement-scene.ts";

const provider = openaiUpstream("https://provider.example/v1");

let scene: BillingScene;
let http: EndpointServer;
let buyer: Buyer;

beforeAll(async () => {
  scene = await BillingScene.create();
  http = serveEndpoints(reportEndpoints({ db: scene.db, clock: systemClock }));
  buyer = await scene.addBuyer();
});

afterAll(async () => {
  await http.stop();
  await scene[Symbol.asyncDispose]();
});

type Row = Record<string, unknown>;

async function get(path: string, query: Record<string, string> = {}): Promise<Row> {
  const answer = await fetch(`${http.url}/backend/admin/${path}/?${new URLSearchParams(query)}`, {
    headers: { "x-test-admin": "plain" },
  });
  return { status: answer.status, ...((await answer.json()) as Row) };
}

async function figures(query: Record<string, string> = {}): Promise<Map<string, Row>> {
  const { figures: all } = await get("overview", query);
  return new Map((all as Row[]).map((figure) => [String(figure["key"]), figure]));
}

/** Everything that was called so far is in the sums. */
async function sumUp(): Promise<void> {
  await waitUntilSettleable(scene.db);
  const log = createLog("error", () => {});
  await new UsageSettlement({ db: scene.db, clock: systemClock, log, registry: new Registry() }).run();
  await rollUsageUp(scene.db, systemClock);
}

/** Sums that a test writes itself are announced like those of the job. */
async function tellOfChanges(): Promise<void> {
  await scene.db.sql`
    with checkpoint as (
      update usage_rollup_checkpoint set version = version + 1 where source = 'usage_settlement' returning version
    )
    insert into usage_change select '2000-01-01'::timestamptz, version from checkpoint
    on conflict (starts_at) do update set version = excluded.version`;
}

async function pay(order: Awaited<ReturnType<BillingScene["placeFor"]>>): Promise<void> {
  expect(await settlePaid(scene.deps, noticeOf(order))).toBe("settled");
}

describe("the dashboard", () => {
  test("has eight figures, each with its range, its zone and its definition", async () => {
    const { status, ok, stats } = await get("dashboard", { zone: "Asia/Tokyo" });
    expect([status, ok]).toEqual([200, true]);
    expect((stats as Row[]).map(({ key }) => key)).toEqual([
      "revenue_usd",
      "requests",
      "tokens",
      "quota",
      "active_users",
      "new_users",
      "success_rate",
      "pending_leads",
    ]);
    for (const figure of stats as Row[]) {
      expect(figure["definition"]).not.toBe("");
      expect(figure["key"] === "pending_leads" || (figure["range"] as Row)["zone"] === "Asia/Tokyo").toBe(true);
    }
  });

  test.each([
    ["an invalid zone", { zone: "Mars/Olympus" }],
    ["an offset for a zone", { zone: "+05:30" }],
    ["days the wrong way round", { from_day: "2026-02-02", to_day: "2026-02-01" }],
    ["more than 400 days", { from_day: "2024-01-01", to_day: "2026-01-01" }],
    ["an invalid day", { from_day: "2026-02-30" }],
    ["hours of a month", { from_day: "2026-01-01", to_day: "2026-01-31", bucket: "hour" }],
    ["an unknown parameter", { sort: "password" }],
  ])("refuses %s, and so does the overview", async (_, query) => {
    expect(await get("overview", query as Record<string, string>)).toMatchObject({
      status: 400,
      ok: false,
      error: { code: "invalid_parameter" },
    });
  });
});

describe("the overview", () => {
  test("counts what was called, paid and registered since the last request", async () => {
    await sumUp();
    const before = await figures();
    const newcomer = await scene.addBuyer();
    await scene.use(buyer, 1_000n);
    await scene.use(newcomer, 0n);
    await sumUp();
    await pay(await scene.placeFor(buyer, "credit", "walletpay"));
    await pay(await scene.placeFor(buyer, "credit", "mock"));
    const after = await figures();
    const grown = (key: string): number => Number(after.get(key)?.["value"]) - Number(before.get(key)?.["value"] ?? 0);
    expect({
      requests: grown("requests"),
      tokens: grown("tokens"),
      quota: grown("quota"),
      revenue: grown("revenue_usd"),
      mock: grown("mock_usd"),
      users: grown("new_users"),
    }).toEqual({ requests: 2, tokens: 3_080, quota: 1_000, revenue: 10, mock: 10, users: 1 });
    expect(after.get("active_users")?.["value"]).toBe(2);
    expect(after.get("success_rate")?.["value"]).toBe("1.0000");
    const { recent_payments: payments, by_model: models } = await get("overview");
    expect((payments as Row[]).map(({ gateway }) => gateway)).toEqual(["mock", "walletpay"]);
    expect(models).toMatchObject([{ key: "gpt-4o-mini", calls: 2, success_rate: "1.0000" }]);
  });

  test("distinguishes returning users, and shows the increase over the days before", async () => {
    await scene.db.sql`
      insert into usage_rollup select slice, starts_at - interval '31 days', gateway_user_id, model, channel_id, error_code,
        calls * 2, completed, aborted, completed, refused, input_tokens, output_tokens, 0, 0, 0, 0, 0, quota, settled_quota,
        first_at - interval '31 days', last_at - interval '31 days'
      from usage_rollup where gateway_user_id in (0, ${buyer.gatewayUserId}::bigint)`;
    await scene.db.sql`
      update usage_user set first_at = first_at - interval '31 days' where gateway_user_id = ${buyer.gatewayUserId}::bigint`;
    await tellOfChanges();
    const found = await figures();
    expect(found.get("repeat_users")).toMatchObject({ value: 1, previous: 0 });
    expect(found.get("active_users")).toMatchObject({ value: 2, previous: 1, change: "1.0000" });
    expect(found.get("requests")).toMatchObject({ value: 2, previous: 4, change: "-0.5000" });
    expect(found.get("success_rate")).toMatchObject({ value: "1.0000", previous: "0.5000", change: "1.0000" });
    await scene.db.sql`delete from usage_rollup where starts_at < now() - interval '20 days'`;
    await scene.db.sql`
      update usage_user set first_at = last_at where gateway_user_id = ${buyer.gatewayUserId}::bigint`;
    await tellOfChanges();
  });

  test("groups failures by cause, with the provider they went through", async () => {
    await scene.db.sql`insert into channel (name, upstream) values ('weak', ${JSON.stringify(provider)}::text::jsonb)`;
    await scene.db.sql`
      insert into usage_rollup select slice, date_bin(step, now(), '2000-01-01 00:00:00+00'), 0, '', id, code, calls, 0, 0,
        calls, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, now(), now()
      from channel, (values ('upstream_timeout', 3), ('upstream_error', 5)) cause (code, calls),
        (values ('error', interval '15 minutes'), ('error_hours', '2 hours'), ('error_day', '1 day')) sum (slice, step)
      where name = 'weak'`;
    const { errors } = await get("overview");
    expect(errors).toMatchObject([
      { code: "upstream_error", calls: 5, provider: "weak" },
      { code: "upstream_timeout", calls: 3, provider: "weak" },
    ]);
    await scene.db.sql`delete from usage_rollup where slice like 'error%'`;
  });

  test("distinguishes expired keys from working ones", async () => {
    await scene.db.sql`
      insert into api_key (gateway_user_id, key_hash, key_prefix, key_last_four, name, expires_at)
      select ${buyer.gatewayUserId}::bigint, sha256(name::bytea), 'sk-test', 'last', name, expires_at
      from (values ('works', null), ('will', now() + interval '1 day'), ('has', now() - interval '1 day')) k (name, expires_at)`;
    expect((await get("overview"))["keys"]).toEqual({ active: 2, expired: 1 });
    await scene.db.sql`delete from api_key where key_last_four = 'last'`;
  });

  test("shows each exit node with the result of its last check", async () => {
    await scene.db.sql`
      insert into exit_node (node_code, name, host, ip, relay_key_secret, health_ok, health_latency_ms, health_checked_at)
      values ('n1', 'First node', 'one.example.org', '192.0.2.1', 'exit_node.n1', true, 42, now()),
        ('n2', 'Second node', 'two.example.org', '192.0.2.2', 'exit_node.n2', false, null, now())`;
    const { nodes } = await get("overview");
    expect(nodes).toMatchObject([
      { node_code: "n1", health_ok: true, latency_ms: 42, calls: 0 },
      { node_code: "n2", health_ok: false, latency_ms: null, calls: 0 },
    ]);
    expect((await figures()).get("healthy_nodes")).toMatchObject({ value: 1, range: null });
  });
});

describe("a payment", () => {
  test("is counted for the campaign that brought its visitor, once, and only with its settlement", async () => {
    await scene.db.sql`
      insert into campaign_event (kind, campaign, utm_source, utm_medium, visitor_id)
      values ('page_view', 'winter', 'mail', 'letter', 'visitor-of-winter')`;
    const { order } = await scene.place({ userId: buyer.userId, visitorId: "visitor-of-winter" });
    const dies = settlePaid(scene.deps, noticeOf(order), {
      fault: (point) => (point === "before_commit" ? Promise.reject(new Error("died")) : Promise.resolve()),
    });
    expect(dies).rejects.toThrow("died");
    await dies.catch(() => undefined);
    const events = async () =>
      await scene.db.sql`select campaign from campaign_event where order_id = ${order.id}::bigint`;
    await recordPayments(scene.db);
    expect(await events()).toHaveLength(0);
    const results = await Promise.all([1, 2, 3].map(() => settlePaid(scene.deps, noticeOf(order))));
    expect(results.toSorted()).toEqual(["duplicate", "duplicate", "settled"]);
    await Promise.all([recordPayments(scene.db), recordPayments(scene.db)]);
    expect([...(await events())]).toEqual([{ campaign: "winter" }]);
    const { rows } = await get("report/campaign");
    expect(rows).toContainEqual({
      campaign: "winter",
      utm_source: "mail",
      utm_medium: "letter",
      page_views: 1,
      visitors: 1,
      cta_clicks: 0,
      payments: 1,
      revenue_usd: "10.00",
    });
    expect(await scene.checkMoney()).toEqual([]);
  });
});

describe("the reconciliation", () => {
  test("finds nothing wrong in correct books, and finds everything that was broken", async () => {
    expect(await get("report/reconciliation")).toMatchObject({ mismatches: [], mismatch_count: 0 });
    const order = await scene.placeFor(buyer);
    await pay(order);
    const kinds = async (): Promise<string[]> =>
      ((await get("report/reconciliation"))["mismatches"] as Row[]).map(({ kind }) => String(kind)).sort();
    const spoilt = async (statement: string): Promise<string[]> => {
      await scene.db.query(`update sales_order set ${statement} where id = $1::bigint`, [order.id]);
      const found = await kinds();
      await scene.db.sql`
        update sales_order set status = 'settled', amount_usd = 10, quota = 5000000, review_reason = null
        where id = ${order.id}::bigint`;
      return found;
    };
    expect(await spoilt("amount_usd = 11")).toEqual(["amounts_differ"]);
    expect(await spoilt("quota = 6000000")).toEqual(["credit_differs"]);
    expect(await spoilt("status = 'pending'")).toEqual(["payment_without_order"]);
    expect(await spoilt("review_reason = 'a dispute'")).toEqual(["order_in_review"]);
    expect(await kinds()).toEqual([]);
  });
});

describe("the margin", () => {
  test("is what was charged less what the provider charges, and says what it does not know", async () => {
    const [channel] = await scene.db.sql<{ id: bigint }>`
      insert into channel (name, upstream) values ('=priced()', ${JSON.stringify(provider)}::text::jsonb) returning id`;
    await scene.db.sql`
      insert into model (name, display_name, owned_by, context_tokens_max, output_tokens_max)
      values ('gpt-4o-mini', 'Mini', 'test', 1000, 1000)`;
    const day = "2026-03-03";
    await scene.db.sql`
      insert into usage_rollup values ('route_day', ${`${day}T00:00:00Z`}::timestamptz, 0, 'gpt-4o-mini', ${channel?.id ?? 0n}::bigint, '',
        10, 9, 1, 0, 0, 3000000, 2000000, 1000000, 0, 500000, 0, 0, 900000, 1000000, now(), now(), 0, 0, 0.5, 4, 300000)`;
    const of = { from_day: day, to_day: day, by: "provider" };
    const cost = {
      channel_id: String(channel?.id),
      model: "gpt-4o-mini",
      valid_from: "2026-03-01",
      input_usd_per_m: "0.10",
      output_usd_per_m: "0.40",
      cache_read_usd_per_m: "0.05",
      request_usd: "0.001",
    };
    expect(await get("report/margin", of)).toMatchObject({
      total: { charged_usd: "2.00000000", cost_usd: "0.00000000", margin_usd: "0.00000000", calls_without_cost: 10 },
    });
    const saved = await fetch(`${http.url}/backend/admin/channel-cost/save/`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-test-admin": "plain" },
      body: JSON.stringify(cost),
    });
    expect(saved.status).toBe(200);
    // 2 M plain input, 1 M out of the cache, 2 M output with its reasoning, 10 delivered calls.
    expect(await get("report/margin", of)).toMatchObject({
      rows: [{ key: cost.channel_id, name: "=priced()", cost_usd: "1.06000000", margin_usd: "0.94000000" }],
      total: { charged_usd: "2.00000000", calls_without_cost: 0 },
    });
    const csv = await fetch(
      `${http.url}/backend/admin/report/margin/?${new URLSearchParams({ ...of, format: "csv" })}`,
      {
        headers: { "x-test-admin": "plain" },
      },
    );
    expect(csv.headers.get("content-disposition")).toBe(
      'attachment; filename="margin-by-provider-2026-03-03-2026-03-03.csv"',
    );
    expect((await csv.text()).split("\r\n")).toEqual([
      "key,name,calls,charged_usd,cost_usd,margin_usd,calls_without_cost,charged_without_cost_usd," +
        "calls_with_reported_cost,reported_cost_usd,charged_beyond_reported_usd,zone",
      `${cost.channel_id},'=priced(),10,2.00000000,1.06000000,0.94000000,0,0.00000000,4,0.50000000,0.10000000,UTC`,
      "",
    ]);
    // Two calls that no provider served, such as responses from the cache, cost nothing, and that is known.
    await scene.db.sql`
      insert into usage_rollup values ('route_day', ${`${day}T00:00:00Z`}::timestamptz, 0, 'gpt-4o-mini', 0, '',
        2, 2, 0, 0, 0, 3000, 2000, 0, 0, 0, 0, 0, 100000, 500000, now(), now())`;
    expect(await get("report/margin", of)).toMatchObject({
      total: { charged_usd: "3.00000000", cost_usd: "1.06000000", margin_usd: "1.94000000", calls_without_cost: 0 },
    });
    const audited = await scene.db.sql`select 1 from audit_log where action = 'channel_cost.save'`;
    expect(audited).toHaveLength(1);
    await scene.db.sql`delete from usage_rollup where starts_at < '2026-04-01'`;
  });
});

describe("bun run usage:rebuild", () => {
  const command = [process.execPath, join(repositoryRoot, "deploy/start/rebuild-usage.ts")];
  const run = async (...words: string[]): Promise<{ exitCode: number; output: string }> => {
    const program = startProgram({ command: [...command, ...words], env: { DATABASE_URL: scene.url } });
    return { exitCode: await program.exited, output: program.output() };
  };

  test("finds the days whose sums are wrong, and recomputes them", async () => {
    await sumUp();
    expect(await run("--check")).toMatchObject({ exitCode: 0, output: expect.stringContaining("agrees with the log") });
    const sums = async () => [
      ...(await scene.db.sql`select * from usage_rollup order by slice, starts_at, gateway_user_id, model`),
    ];
    const right = await sums();
    await scene.db.sql`update usage_rollup set calls = calls + 1 where slice = 'total'`;
    await scene.db.sql`delete from usage_rollup where slice = 'user'`;
    const checked = await run("--check");
    expect(checked.exitCode).toBe(1);
    expect(checked.output).toContain("sums differ");
    expect(await run()).toMatchObject({ exitCode: 0, output: expect.stringContaining("recomputed") });
    expect(await sums()).toEqual(right);
  });
});

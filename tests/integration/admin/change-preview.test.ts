import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type PreviewedOperation, previewedOperations } from "@sluice/contracts/previewed-operations";
import { type ConsoleClient, codeOf, consoleClient } from "../../support/accounts/console-client.ts";
import { loginAdmin, loginUser } from "../../support/accounts/logins.ts";
import { PreviewScene, previewedRequests } from "../../support/admin/previewed-requests.ts";
import { SluiceRig } from "../../support/service/sluice.ts";

let rig: SluiceRig;
let url: string;
let boss: ConsoleClient;
let scene: PreviewScene;
const reason = "asked for by the owner";

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  ({ url } = await rig.startProcess());
  boss = consoleClient(url, (await loginAdmin(rig)).cookie);
  scene = new PreviewScene(rig, url, boss);
  await rig.db.sql`
    insert into exit_node (node_code, name, host, ip, relay_key_secret)
    values ('tokyo-1', 'Tokyo', 'tokyo.example.org', '203.0.113.7', 'exit_node.tokyo-1.relay_key')`;
});

afterAll(() => rig.close());

/** Some operations want a key, so that a repetition has no second effect. */
const key = () => ({ "idempotency-key": crypto.randomUUID() });

const preview = (operation: PreviewedOperation, input: object, as = boss) =>
  as.post("/backend/admin/change/preview/", { operation, input }, key());

type Consequence = { readonly kind: string; readonly count: number; readonly names: readonly string[] };

const countsIn = (body: Record<string, unknown>): Record<string, number> =>
  Object.fromEntries((body["consequences"] as Consequence[]).map(({ kind, count }) => [kind, count]));

/** Tables that a running service writes by itself. */
const ownTables = /^(replica|lease|job|usage_|settlement_|payload_day|session$)/;
/** The other rows of tables with rows of the exit node, which is tested all the time. */
const rowsBesideNode: Readonly<Record<string, string>> = {
  exit_node: "where t::text not like '%tokyo-1%'",
  channel: "where t::text not like '%tokyo-1%'",
  ability: "where not t.is_exit_node",
};

/** What is in every other table. */
async function everything(): Promise<Record<string, string>> {
  const tables = await rig.db.sql<{ name: string }>`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition order by 1`;
  const texts = tables
    .filter(({ name }) => !ownTables.test(name))
    .map(({ name }) => {
      const where = rowsBesideNode[name] ?? "";
      return `select '${name}' as name, md5(string_agg(t::text, '|' order by t::text)) as digest from ${name} t ${where}`;
    });
  const rows = await rig.db.query<{ name: string; digest: string | null }>(texts.join(" union all "), []);
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest ?? ""]));
}

describe("what would happen", () => {
  test.each(previewedOperations)("is known without happening: %s", async (operation) => {
    const input = await previewedRequests(scene)[operation]();
    const before = await everything();
    const { status, body } = await preview(operation, input);
    expect({ status, body }).toMatchObject({ status: 200, body: { problem: null, changes: true, waits: false } });
    expect(await everything()).toEqual(before);
    const done = await boss.post(operation, input, key());
    expect({ status: done.status, body: done.body }).toMatchObject({ status: 200 });
    expect(await everything()).not.toEqual(before);
  });

  test("is known of every operation that is said to have a preview", () => {
    expect(Object.keys(previewedRequests(scene)).sort()).toEqual([...previewedOperations].sort());
  });
});

describe("who is affected", () => {
  test("is counted over the last days: calls of a model, their callers and what they paid", async () => {
    await addUse("m-new", { calls: 7, quota: 1_500_000, daysAgo: 1 });
    await addUse("m-new", { calls: 5, quota: 500_000, daysAgo: 3 });
    await addUse("m-new", { calls: 1_000, quota: 9, daysAgo: 9 });
    await addUse("another", { calls: 3, quota: 9, daysAgo: 1 });
    const { body } = await preview("/backend/admin/model/save/", await changed({ input_usd_per_m: "1.5" }));
    expect(countsIn(body)).toEqual({ calls: 12, callers: 2, calling_keys: 2, charged_quota: 2_000_000 });
  });

  test("of a new thing is nobody", async () => {
    const { body } = await preview("/backend/admin/plan/save/", {
      ...{ plan_code: "fresh", name: "Fresh", kind: "monthly", price_usd: "20.00", quota: "10000000" },
    });
    expect(body).toMatchObject({ changes: true, consequences: [] });
  });

  test("are holders of a group, and of a plan those who bought it", async () => {
    await rig.db.sql`update gateway_user set group_name = 'pro' where id = ${BigInt(await scene.accountOf())}::bigint`;
    const group = { name: "pro", multiplier: "0.9", visibility: "assigned", rank: 5, reason };
    const ofGroup = await preview("/backend/admin/group/save/", { ...group, updated_at: await updatedAt("pro") });
    expect(countsIn(ofGroup.body)).toEqual({ accounts: 1 });
    await rig.db.sql`
      insert into sales_order (order_no, plan_code, plan_name, plan_kind, quota, amount_usd, user_id, expires_at)
      values ('O1', 'gold', 'Gold', 'monthly', 10, 20, ${await scene.userOf()}::bigint, now() + interval '1 day')`;
    const gold = { plan_code: "gold", name: "Gold", kind: "monthly", price_usd: "30.00", quota: "10000000" };
    const ofPlan = await preview("/backend/admin/plan/save/", { ...gold, status: "active", version: 1 });
    expect(countsIn(ofPlan.body)).toEqual({ open_orders: 1 });
  });

  test("by a payment gateway that is switched off is what it has under way, and nobody when it is switched on", async () => {
    const owner = await scene.userOf();
    await rig.db.sql`
      insert into sales_order
        (order_no, plan_code, plan_name, plan_kind, quota, amount_usd, user_id, pay_channel, checkout_url, expires_at)
      select 'C' || n, 'gold', 'Gold', 'wallet_balance', 10, 20, ${owner}::bigint, 'cardpay', 'https://pay.example.org/',
        now() + make_interval(hours => n) from generate_series(-1, 2) n`;
    await rig.db.sql`
      insert into auto_top_up (top_up_no, user_id, plan_code, plan_name, price_usd, threshold_quota, month_max_usd, account,
        status, gateway_customer_id, gateway_method_id)
      values ('T1', ${owner}::bigint, 'gold', 'Gold', 20, 1000, 100, 'default', 'on', 'cus_1', 'pm_1')`;
    const saved = async (value: boolean, version: number) =>
      (await preview("/backend/admin/settings/save/", { name: "payments.cardpay", value, version })).body;
    expect(countsIn(await saved(false, 0))).toEqual({ open_checkouts: 2, paused_top_ups: 1 });
    const off = { name: "payments.cardpay", value: false, version: 0 };
    expect((await boss.post("/backend/admin/settings/save/", off)).status).toBe(200);
    expect(await saved(true, 1)).toMatchObject({ changes: true, consequences: [] });
  });

  test("is a group that loses a model, by the names of both", async () => {
    await rig.db.sql`update channel set status = 'enabled' where name = 'c-new'`;
    const channelId = await scene.idOf("channel", "name = 'c-new'");
    const off = { group_name: "default", model: "m-new", channel_id: channelId, is_enabled: false };
    const lost = { kind: "unreachable", count: 1, names: ["m-new (default)"] };
    const { body } = await preview("/backend/admin/ability/save/", off);
    expect(body["consequences"]).toContainEqual(lost);
    const disabled = await preview("/backend/admin/model/save/", await changed({ status: "disabled" }));
    expect(disabled.body["consequences"]).toContainEqual(lost);
    const same = await preview("/backend/admin/ability/save/", { ...off, is_enabled: true, priority: 3 });
    expect(same.body["consequences"]).toEqual([]);
  });
});

describe("what a price would have meant", () => {
  const effectOf = async (operation: PreviewedOperation, input: object): Promise<unknown> =>
    (await preview(operation, input)).body["price_effect"];

  test("of a model: each account's calls of thirty days at the saved prices, with the multiplier that it paid", async () => {
    const made = { name: "m-paid", display_name: "Paid", owned_by: "test" };
    const sizes = { context_tokens_max: 1_000, output_tokens_max: 100 };
    const first = { ...made, ...sizes, input_usd_per_m: "0.5", output_usd_per_m: "2" };
    expect((await boss.post("/backend/admin/model/save/", first, key())).status).toBe(200);
    const second = await changed({ input_usd_per_m: "1" }, "m-paid");
    expect((await boss.post("/backend/admin/model/save/", second, key())).status).toBe(200);
    await rig.db.sql`
      update model_price set valid_from = now() - case version when 1 then interval '60 days' else interval '10 days' end
      where model = 'm-paid'`;
    // Two dollars at half the price, and a dollar of the time when a million tokens cost half of it.
    await addTokens("m-paid", { input: 1_000_000, output: 500_000, charged: 500_000, daysAgo: 2 });
    await addTokens("m-paid", { input: 2_000_000, output: 0, charged: 500_000, daysAgo: 20 });
    await addTokens("m-paid", { input: 9_000_000, output: 0, charged: 9_000_000, daysAgo: 40 });
    const dearer = await effectOf("/backend/admin/model/save/", await changed({ input_usd_per_m: "1.5" }, "m-paid"));
    expect(dearer).toMatchObject({ of: "calls", days: 30, count: 2, is_exact: true });
    expect(dearer).toMatchObject({ charged: 1_000_000, would_charge: 2_125_000 });
    const shifts = (dearer as { accounts: Record<string, unknown>[] }).accounts.map(({ name: _, ...shift }) => shift);
    expect(shifts).toEqual([
      { charged: 500_000, would_charge: 1_500_000 },
      { charged: 500_000, would_charge: 625_000 },
    ]);
    const long = { long_prompt: { above_tokens: 1_000, input_usd_per_m: "3", output_usd_per_m: "2" } };
    const unclear = await effectOf("/backend/admin/model/save/", await changed(long, "m-paid"));
    expect(unclear).toMatchObject({ is_exact: false });
  });

  test("of a model that is paid by the call: all of them, as sums of accounts do not count what they are paid by", async () => {
    const sizes = { context_tokens_max: 1_000, output_tokens_max: 100 };
    const prices = { input_usd_per_m: "0", output_usd_per_m: "0", request_usd: "0.01" };
    const made = { name: "m-call", display_name: "By the call", owned_by: "test", ...sizes, ...prices };
    expect((await boss.post("/backend/admin/model/save/", made, key())).status).toBe(200);
    await rig.db.sql`
      insert into usage_rollup (slice, starts_at, gateway_user_id, model, channel_id, error_code, calls, completed, aborted,
        failed, refused, quota, settled_quota, first_at, last_at, input_tokens, output_tokens, cache_read_tokens,
        cache_write_tokens, cache_write_1h_tokens, reasoning_tokens, images, audio_ms, searches)
      values ('route_hours', now() - interval '1 day', 0, 'm-call', 1, '', 12, 9, 1, 2, 0, 50000, 50000, now(), now(),
        7, 7, 0, 0, 0, 0, 0, 0, 0)`;
    const saved = await changed({ request_usd: "0.013" }, "m-call");
    const expected = { count: 12, charged: 50_000, would_charge: 65_000, accounts: [] };
    expect(await effectOf("/backend/admin/model/save/", saved)).toMatchObject(expected);
  });

  test("of a group: calls of its keys at the saved multiplier", async () => {
    const id = (await scene.keyAsLoaded()).key_id;
    await addTokens("any", { input: 5, output: 5, charged: 800_001, daysAgo: 1, keyId: id });
    await addTokens("any", { input: 5, output: 5, charged: 700_000, daysAgo: 1 });
    const group = { name: "pro", multiplier: "1", visibility: "assigned", rank: 5, reason };
    const effect = await effectOf("/backend/admin/group/save/", { ...group, updated_at: await updatedAt("pro") });
    // A fraction of a quota is charged as a whole one.
    expect(effect).toMatchObject({ count: 1, charged: 800_001, would_charge: 1_000_002, is_exact: true });
    const same = { ...group, multiplier: "0.8", rank: 6, updated_at: await updatedAt("pro") };
    expect(await effectOf("/backend/admin/group/save/", same)).toBeNull();
  });

  test("of a plan: its purchases at the saved price", async () => {
    await rig.db.sql`
      insert into sales_order (order_no, plan_code, plan_name, plan_kind, quota, amount_usd, status, settled_at, expires_at)
      select 'P' || n, 'gold', 'Gold', 'monthly', 10, 20, 'settled', now() - make_interval(days => n * 14), now()
      from generate_series(1, 3) n`;
    const gold = { plan_code: "gold", name: "Gold", kind: "monthly", price_usd: "24.90", quota: "10000000" };
    const effect = await effectOf("/backend/admin/plan/save/", { ...gold, status: "active", version: 1 });
    expect(effect).toMatchObject({ of: "purchases", count: 2, charged: 20_000_000, would_charge: 24_900_000 });
  });
});

describe("a change that can't be made", () => {
  test("says why, at the fields", async () => {
    const { status, body } = await preview("/backend/admin/model/save/", await changed({ input_usd_per_m: "cheap" }));
    expect({ status, body }).toMatchObject({
      ...{ status: 200, body: { changes: false, problem: { fields: { input_usd_per_m: expect.any(String) } } } },
    });
    const gone = await preview("/backend/admin/model/fallbacks/save/", { model: "nowhere", fallback_models: [] });
    expect(gone.body).toMatchObject({ changes: false, problem: { message: "This model does not exist." } });
  });

  test("by this admin is refused as the change itself", async () => {
    const plain = consoleClient(url, (await loginAdmin(rig, { isSuper: false })).cookie);
    const support = consoleClient(url, (await loginAdmin(rig, { isSuper: false, role: "support" })).cookie);
    const model = { name: "m-new", input_usd_per_m: "1.5" };
    expect(codeOf(await preview("/backend/admin/model/save/", model, plain))).toEqual([403, "super_admin_required"]);
    const limits = await previewedRequests(scene)["/backend/admin/limit/save/"]();
    expect((await preview("/backend/admin/limit/save/", limits, plain)).status).toBe(200);
    expect(codeOf(await preview("/backend/admin/limit/save/", limits, support))).toEqual([403, "role_refused"]);
    const multiplier = { user_id: String(await scene.userOf()), rate_multiplier: "0.5" };
    const guarded = await preview("/backend/admin/user/save/", multiplier, plain);
    expect(guarded.body).toMatchObject({
      changes: false,
      problem: { message: expect.stringContaining("super-admin") },
    });
  });

  test("of an operation without a preview is an error", async () => {
    const other = "/backend/admin/manual-adjust/" as PreviewedOperation;
    expect(codeOf(await preview(other, {}))).toEqual([400, "invalid_value"]);
  });
});

test("a login that is too old for the change may look at it", async () => {
  const stale = consoleClient(url, (await loginAdmin(rig, { isFresh: false })).cookie);
  const model = await changed({ input_usd_per_m: "1.5" });
  expect(codeOf(await stale.post("/backend/admin/model/save/", model))).toEqual([403, "step_up_required"]);
  expect((await preview("/backend/admin/model/save/", model, stale)).body).toMatchObject({ changes: true });
});

test("a change that another super-admin has to approve says so, and leaves no request", async () => {
  const rule = { name: "admin.second_person_above_usd", value: 10, version: 0 };
  expect((await boss.post("/backend/admin/settings/save/", rule)).status).toBe(200);
  const cheaper = await changed({ input_usd_per_m: "0.1" });
  const { body } = await preview("/backend/admin/model/save/", cheaper);
  expect(body).toMatchObject({ changes: true, waits: true, problem: null });
  expect(countsIn(body)).toMatchObject({ calls: 12 });
  expect((await boss.get("/backend/admin/approval/list/")).body).toMatchObject({ approvals: [] });
  const dearer = await preview("/backend/admin/model/save/", { ...cheaper, input_usd_per_m: "3" });
  expect(dearer.body).toMatchObject({ changes: true, waits: false });
});

/** A change of a model, as it is loaded. */
async function changed(fields: object, name = "m-new"): Promise<object> {
  const { body } = await boss.get("/backend/admin/model/list/", { name });
  const [row] = body["rows"] as { updated_at: string }[];
  return { name, ...fields, updated_at: row?.updated_at };
}

async function updatedAt(group: string): Promise<string> {
  const { body } = await boss.get("/backend/admin/group/detail/", { name: group });
  return (body["group"] as { updated_at: string }).updated_at;
}

/** Sums of a user's calls, as the settlement leaves them. Each user is a new one. */
async function addUse(
  model: string,
  { calls, quota, daysAgo }: { readonly calls: number; readonly quota: number; readonly daysAgo: number },
): Promise<void> {
  const { gatewayUserId } = await loginUser(rig);
  await rig.db.sql`
    insert into usage_user_sum
      (gateway_user_id, grain, starts_at, api_key_id, model, outcome, calls, quota, settled_quota,
        input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cache_write_1h_tokens, reasoning_tokens)
    select ${gatewayUserId}::bigint, grain, now() - make_interval(days => ${daysAgo}::int), ${gatewayUserId}::bigint,
      ${model}, 'completed', ${calls}::bigint, ${quota}::bigint, ${quota}::bigint, 0, 0, 0, 0, 0, 0
    from (values ('hours'), ('quarter')) t (grain)`;
}

type Tokens = {
  readonly input: number;
  readonly output: number;
  readonly charged: number;
  readonly daysAgo: number;
  /** Whose owner makes the call; without one, a new user does. */
  readonly keyId?: string;
};

/** The same with tokens, of one call. */
async function addTokens(model: string, { input, output, charged, daysAgo, keyId }: Tokens): Promise<void> {
  const owner = keyId === undefined ? String((await loginUser(rig)).gatewayUserId) : await scene.accountOf();
  await rig.db.sql`
    insert into usage_user_sum
      (gateway_user_id, grain, starts_at, api_key_id, model, outcome, calls, quota, settled_quota,
        input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cache_write_1h_tokens, reasoning_tokens)
    values (${owner}::bigint, 'hours', now() - make_interval(days => ${daysAgo}::int), ${keyId ?? owner}::bigint,
      ${model}, 'completed', 1, ${charged}::bigint, ${charged}::bigint, ${input}::bigint, ${output}::bigint, 0, 0, 0, 0)`;
}

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { loginAdmin } from "../../support/accounts/logins.ts";
import { relayKey } from "../../support/exit-nodes/node-agent.ts";
import { type SluiceProcess, SluiceRig, type TestUser } from "../../support/service/sluice.ts";

let rig: SluiceRig;
let service: SluiceProcess;
let provider: Bun.Server<undefined>;
let cookie: string;
let user: TestUser;

beforeAll(async () => {
  const completion = {
    ...{ id: "chatcmpl-1", object: "chat.completion", created: 1, model: "gpt-4o-mini" },
    choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 },
  };
  provider = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => Response.json(completion) });
  rig = await SluiceRig.create(`http://127.0.0.1:${provider.port}`);
  user = await rig.addUser();
  service = await rig.start("one-process");
  cookie = (await loginAdmin(rig)).cookie;
});
afterAll(async () => {
  await rig.close();
  await provider.stop(true);
});

type Body = Record<string, unknown> & { readonly preview?: { effects: { subject: string }[]; is_possible: boolean } };

async function ask(method: string, path: string, body?: object): Promise<{ status: number; body: Body }> {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: { cookie, origin: service.url, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Body };
}

const preview = (kind: string, id: string) =>
  ask("GET", `/backend/admin/archive/preview/?${new URLSearchParams({ kind, id })}`);
const archive = (kind: string, id: string) =>
  ask("POST", "/backend/admin/archive/add/", { kind, id, reason: "no longer used" });
const restore = (kind: string, id: string) =>
  ask("POST", "/backend/admin/archive/restore/", { kind, id, reason: "used again" });

async function call(model: string): Promise<number> {
  const response = await fetch(`${service.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${user.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "Hi" }] }),
  });
  await response.arrayBuffer();
  return response.status;
}

/** Resolves once calls of a model get this status: replicas hear of a change a moment later. */
async function untilCallGets(model: string, status: number): Promise<void> {
  for (let attempt = 0; attempt < 1_000 && (await call(model)) !== status; attempt += 1) {
    await Bun.sleep(50);
  }
  expect(await call(model)).toBe(status);
}

async function listed(path: string, query = ""): Promise<string[]> {
  const { body } = await ask("GET", `${path}?limit=100${query}`);
  return (body["rows"] as { name: string }[]).map(({ name }) => name);
}

describe("a channel", () => {
  test("that is archived serves nothing, loses its credentials and gives its name back; its calls stay in the books", async () => {
    await rig.addModel("archived-1");
    const id = String(await rig.addChannel("old", `http://127.0.0.1:${provider.port}/v1`, ["archived-1"]));
    await untilCallGets("archived-1", 200);
    await rig.waitForUsageRows(1);
    expect((await preview("channel", id)).body.preview).toMatchObject({
      is_possible: true,
      effects: [
        { subject: "abilities", effect: "removed", count: 1 },
        { subject: "credentials", effect: "removed", count: 1 },
      ],
    });
    expect((await archive("channel", id)).body).toMatchObject({ name: `old (archived ${id})`, is_archived: true });
    const [row] = await rig.db.sql<{ sealed: boolean; status: string }>`
      select credential_sealed is null as sealed, status from channel where id = ${BigInt(id)}::bigint`;
    expect(row).toEqual({ sealed: true, status: "disabled" });
    expect(await listed("/backend/admin/channel/list/")).not.toContain(`old (archived ${id})`);
    expect(await listed("/backend/admin/channel/list/", "&is_archived=true")).toEqual([`old (archived ${id})`]);
    await rig.addChannel("old", `http://127.0.0.1:${provider.port}/v1`, ["archived-1"]);
    await untilCallGets("archived-1", 200);
    expect(await rig.checkMoney()).toEqual([]);
  });

  test("can't be changed, enabled or given models while it is archived, and is still disabled once it is restored", async () => {
    await rig.addModel("archived-2");
    const id = await rig.addChannel("tired", `http://127.0.0.1:${provider.port}/v1`, ["archived-2"]);
    expect((await archive("channel", String(id))).status).toBe(200);
    expect((await archive("channel", String(id))).body).toMatchObject({ is_archived: true });
    const enabled = await ask("POST", "/backend/admin/channel/enable/", { channel_ids: [Number(id)] });
    expect(enabled.status).toBe(409);
    const ability = { group_name: "default", model: "archived-2", channel_id: Number(id), reason: "again" };
    expect((await ask("POST", "/backend/admin/ability/save/", ability)).status).toBe(409);
    expect((await restore("channel", String(id))).body).toMatchObject({ is_archived: false });
    const [row] = await rig.db.sql<{ status: string }>`select status from channel where id = ${id}::bigint`;
    expect(row?.status).toBe("disabled");
    expect((await ask("POST", "/backend/admin/channel/enable/", { channel_ids: [Number(id)] })).status).toBe(200);
  });
});

describe("a model", () => {
  test("that is archived is refused to callers and missing from lists, until it is restored and enabled", async () => {
    await rig.addModel("archived-3");
    await rig.addChannel("third", `http://127.0.0.1:${provider.port}/v1`, ["archived-3"]);
    await untilCallGets("archived-3", 200);
    expect((await archive("model", "archived-3")).status).toBe(200);
    await untilCallGets("archived-3", 404);
    expect(await listed("/backend/admin/model/list/")).not.toContain("archived-3");
    expect((await restore("model", "archived-3")).status).toBe(200);
    expect(await listed("/backend/admin/model/list/")).toContain("archived-3");
    expect(await call("archived-3")).toBe(404);
  });

  test("that others need is not archived, and the refusal names them", async () => {
    await rig.addModel("needed");
    await rig.addModel("leaning");
    await rig.db.sql`update model set replacement_model = 'needed', deprecated_at = now() where name = 'leaning'`;
    expect((await preview("model", "needed")).body.preview).toMatchObject({
      is_possible: false,
      effects: [{ subject: "replacements", effect: "blocks", count: 1 }],
    });
    const refused = await archive("model", "needed");
    expect(refused.status).toBe(409);
    expect(JSON.stringify(refused.body)).toContain("replacement");
  });
});

describe("a plan", () => {
  test("that is archived can't be bought or changed, and its open orders can still be paid", async () => {
    await rig.db.sql`
      insert into plan (plan_code, name, kind, price_usd, quota, features)
      values ('old-plan', 'Old plan', 'wallet_balance', 5, 2500000, '[]')`;
    await rig.db.sql`
      insert into sales_order (order_no, plan_code, plan_name, plan_kind, quota, amount_usd, pay_channel, expires_at)
      values ('O1', 'old-plan', 'Old plan', 'wallet_balance', 2500000, 5, 'cardpay', now() + interval '1 hour')`;
    expect((await preview("plan", "old-plan")).body.preview).toMatchObject({
      is_possible: true,
      effects: [{ subject: "open_orders", effect: "goes_on", count: 1 }],
    });
    expect((await archive("plan", "old-plan")).status).toBe(200);
    expect(await listed("/backend/admin/plan/list/")).not.toContain("Old plan");
    const [order] = await rig.db.sql<{ status: string }>`select status from sales_order where order_no = 'O1'`;
    expect(order?.status).toBe("pending");
    const [row] = await rig.db.sql<{ version: number }>`select version from plan where plan_code = 'old-plan'`;
    const changed = {
      ...{ plan_code: "old-plan", name: "Old plan", kind: "wallet_balance", price_usd: "5.00", quota: 2_500_000 },
      ...{ description: "", features: [], sort_order: 0, status: "active", version: row?.version },
    };
    expect((await ask("POST", "/backend/admin/plan/save/", changed)).status).toBe(409);
  });
});

describe("a group", () => {
  const group = { description: "", multiplier: "1.5", visibility: "assigned", rank: 0, is_start: false };
  const save = (name: string, more: object = {}) =>
    ask("POST", "/backend/admin/group/save/", { ...group, name, email_domains: [], reason: "a tier", ...more });

  test("that is archived is in no list, takes nobody and nothing new, and is back as it was once it is restored", async () => {
    await save("old-tier", { visibility: "public", email_domains: ["old.example.org"] });
    await rig.addModel("archived-4");
    const channel = await rig.addChannel("fourth", `http://127.0.0.1:${provider.port}/v1`, ["archived-4"]);
    const ability = { group_name: "old-tier", model: "archived-4", channel_id: Number(channel), reason: "a tier" };
    expect((await ask("POST", "/backend/admin/ability/save/", ability)).status).toBe(200);
    expect((await preview("group", "old-tier")).body.preview).toMatchObject({
      is_possible: true,
      effects: [{ subject: "abilities", effect: "removed", count: 1 }],
    });
    expect((await archive("group", "old-tier")).body).toMatchObject({ name: "old-tier", is_archived: true });
    expect(await listed("/backend/admin/group/list/")).not.toContain("old-tier");
    expect(await listed("/backend/admin/group/list/", "&is_archived=true")).toEqual(["old-tier"]);
    const { body } = await ask("GET", "/backend/admin/group/detail/?name=old-tier");
    const found = body["group"] as Record<string, unknown>;
    expect(found).toMatchObject({ visibility: "assigned", email_domains: [], archived_at: expect.any(String) });
    expect((await ask("POST", "/backend/admin/ability/save/", ability)).status).toBe(409);
    const member = { group_name: "old-tier", users: ["somebody@example.org"], as: "additional", reason: "a tier" };
    const assigned = await ask("POST", "/backend/admin/group/assign/", member);
    expect([assigned.status, JSON.stringify(assigned.body).includes("is archived")]).toEqual([409, true]);
    const limits = { scope: "group", group_name: "old-tier", reason: "a tier", requests_per_minute: 5 };
    const none = { tokens_per_minute: null, concurrency_max: null, spend_per_day: null, spend_per_month: null };
    expect((await ask("POST", "/backend/admin/limit/save/", { ...limits, ...none })).status).toBe(409);
    expect((await save("old-tier", { updated_at: found["updated_at"] })).status).toBe(409);
    expect((await restore("group", "old-tier")).body).toMatchObject({ is_archived: false });
    expect(await listed("/backend/admin/group/list/")).toContain("old-tier");
    expect((await ask("POST", "/backend/admin/ability/save/", ability)).status).toBe(200);
  });

  test("that somebody has, or that is given by what is sold, is not archived, and the refusal names it", async () => {
    await save("used-tier");
    const { gatewayUserId } = user;
    await rig.db.sql`
      insert into user_group_member (gateway_user_id, group_name) values (${gatewayUserId}::bigint, 'used-tier')`;
    await rig.db.sql`
      insert into plan (plan_code, name, kind, price_usd, quota, features, group_name)
      values ('tiered', 'Tiered', 'monthly', 5, 2500000, '[]', 'used-tier')`;
    expect((await preview("group", "used-tier")).body.preview).toMatchObject({
      is_possible: false,
      effects: [
        { subject: "members", effect: "blocks", count: 1 },
        { subject: "group_plans", effect: "blocks", count: 1 },
      ],
    });
    expect((await archive("group", "used-tier")).status).toBe(409);
    const [start] = await rig.db.sql<{ name: string }>`select name from user_group where is_start`;
    for (const name of [start?.name ?? "", "node-test"]) {
      expect([name, (await archive("group", name)).status]).toEqual([name, 409]);
    }
    await rig.db.sql`delete from user_group_member where group_name = 'used-tier'`;
    await rig.db.sql`update plan set archived_at = now(), status = 'hidden' where plan_code = 'tiered'`;
    expect((await archive("group", "used-tier")).status).toBe(200);
  });
});

describe("an exit node", () => {
  const nodes = async (query = ""): Promise<string[]> => {
    const { body } = await ask("GET", `/backend/admin/exit-node/list/${query}`);
    return (body["nodes"] as { node_code: string }[]).map(({ node_code: code }) => code);
  };

  test("that is archived gets no calls, loses its relay key, and can't be changed until it is restored", async () => {
    const node = { node_code: "old-node", name: "Old node", host: "old.example.org", ip: "9.9.9.9" };
    const saved = await ask("POST", "/backend/admin/exit-node/save/", {
      ...node,
      status: "disabled",
      relay_key: relayKey,
    });
    expect([saved.status, saved.body["error"]]).toEqual([200, undefined]);
    await rig.db.sql`
      insert into exit_node_route (route_code, gateway_user_id, provider, model_pattern, exit_node_id, status)
      select 'to-old', ${user.gatewayUserId}::bigint, 'openai', '*', id, 'active' from exit_node where node_code = 'old-node'`;
    expect((await preview("node", "old-node")).body.preview).toMatchObject({ name: "Old node", is_possible: false });
    expect((await archive("node", "old-node")).status).toBe(409);
    await rig.db.sql`update exit_node_route set status = 'disabled' where route_code = 'to-old'`;
    expect((await archive("node", "old-node")).body).toMatchObject({ name: "Old node", is_archived: true });
    const [row] = await rig.db.sql<Record<string, unknown>>`
      select n.status, n.is_serving, (select count(*)::int from secret s where s.name = n.relay_key_secret) as keys,
        (select count(*)::int from exit_provider_account a where a.exit_node_id = n.id and a.status <> 'disabled') as accounts,
        (select count(*)::int from channel c where c.exit_node_code = n.node_code
          and (c.status = 'enabled' or c.credential_sealed is not null)) as channels
      from exit_node n where node_code = 'old-node'`;
    expect(row).toEqual({ status: "disabled", is_serving: false, keys: 0, accounts: 0, channels: 0 });
    expect([await nodes(), await nodes("?is_archived=true")]).toEqual([[], ["old-node"]]);
    const changed = await ask("POST", "/backend/admin/exit-node/save/", { ...node, name: "Changed" });
    expect(changed.status).toBe(409);
    expect((await restore("node", "old-node")).body).toMatchObject({ is_archived: false });
    expect(await nodes()).toEqual(["old-node"]);
    expect((await ask("POST", "/backend/admin/exit-node/save/", { ...node, name: "Again" })).status).toBe(200);
  });
});

test("what does not exist is not found, and each act is in the audit log with its reason", async () => {
  expect((await archive("channel", "999999")).status).toBe(404);
  expect((await archive("channel", "x")).status).toBe(404);
  expect((await preview("plan", "nothing")).status).toBe(404);
  expect((await archive("group", "nothing")).status).toBe(404);
  expect((await archive("node", "nothing")).status).toBe(404);
  const rows = await rig.db.sql<{ action: string }>`
    select distinct action from audit_log where reason = 'no longer used' order by 1`;
  expect(rows.map(({ action }) => action)).toEqual([
    "channel.archive",
    "group.archive",
    "model.archive",
    "node.archive",
    "plan.archive",
  ]);
});

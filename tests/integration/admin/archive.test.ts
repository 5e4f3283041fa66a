import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { loginAdmin } from "../../support/accounts/logins.ts";
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
  for (let attempt = 0; attempt < 100 && (await call(model)) !== status; attempt += 1) {
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

test("what does not exist is not found, and each act is in the audit log with its reason", async () => {
  expect((await archive("channel", "999999")).status).toBe(404);
  expect((await archive("channel", "x")).status).toBe(404);
  expect((await preview("plan", "nothing")).status).toBe(404);
  const rows = await rig.db.sql<{ action: string }>`
    select distinct action from audit_log where reason = 'no longer used' order by 1`;
  expect(rows.map(({ action }) => action)).toEqual(["channel.archive", "model.archive", "plan.archive"]);
});

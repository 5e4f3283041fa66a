import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ConsoleClient, codeOf, consoleClient } from "../support/accounts/console-client.ts";
import { loginAdmin } from "../support/accounts/logins.ts";
import { makeOrganisation } from "../support/accounts/organisation-scene.ts";
import {
  findKey,
  type Key,
  type KeyScene,
  type KeyUser,
  makeKey,
  price,
  saveKey,
  startKeyScene,
} from "../support/calls/key-scene.ts";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { waitForSettledRows } from "../support/usage/settled-rows.ts";

let scene: KeyScene;
let admin: ConsoleClient;

beforeAll(async () => {
  scene = await startKeyScene();
  admin = consoleClient(scene.replicas[0]?.url ?? "", (await loginAdmin(scene.rig)).cookie);
});

afterAll(async () => {
  await scene?.expectMoneyRight();
  await scene?.close();
});

const why = "because the test wants it";

type Shown = Record<string, unknown> & { name: string; updated_at: string };

/** A new group whose users can call the model `flat`. */
async function addGroup(more: object = {}): Promise<Shown> {
  const name = `g${crypto.randomUUID().slice(0, 8)}`;
  const answer = await admin.post("/backend/admin/group/save/", {
    ...{ name, multiplier: "1", visibility: "assigned", reason: why },
    ...more,
  });
  expect(answer).toMatchObject({ status: 200 });
  await scene.rig.db.sql`
    insert into ability (group_name, model, channel_id)
    select ${name}, model, channel_id from ability where group_name = 'default' and model = 'flat'`;
  return answer.body["group"] as Shown;
}

async function changeGroup(group: Shown, more: object): Promise<Shown> {
  const { created_at: _, archived_at: __, ...fields } = group;
  const answer = await admin.post("/backend/admin/group/save/", { ...fields, ...more, reason: why });
  expect(answer).toMatchObject({ status: 200 });
  return answer.body["group"] as Shown;
}

async function emailOf({ gatewayUserId }: KeyUser): Promise<string> {
  const [row] = await scene.rig.db.sql<{ email: string }>`
    select email from user_profile where gateway_user_id = ${gatewayUserId}::bigint`;
  return row?.email ?? "";
}

async function assign(user: KeyUser, group: string, more: object = {}): Promise<void> {
  const answer = await admin.post("/backend/admin/group/assign/", {
    ...{ group_name: group, users: [await emailOf(user)], as: "additional", reason: why },
    ...more,
  });
  expect(answer.body).toMatchObject({ ok: true, changed: 1 });
}

/** The group, multiplier and charge of a user's calls, once they are settled, the oldest first. */
async function charges({ gatewayUserId }: KeyUser, count: number) {
  await waitForSettledRows(scene.rig.db, gatewayUserId, count);
  await waitUntil(async () => {
    await admin.post("/backend/admin/usage-settle/", {});
    const [row] = await scene.rig.db.sql<{ settled: number }>`
      select count(*)::integer as settled from settled_call join usage_log u using (day, request_id)
      where u.gateway_user_id = ${gatewayUserId}::bigint`;
    return (row?.settled ?? 0) >= count;
  });
  const rows = await scene.rig.db.sql<{ group_name: string; rate_multiplier: string; settled_quota: bigint }>`
    select u.group_name, u.rate_multiplier, coalesce(s.settled_quota, u.quota) as settled_quota from usage_log u
    join settled_call s using (day, request_id)
    where u.gateway_user_id = ${gatewayUserId}::bigint and u.outcome = 'completed' order by u.request_id`;
  return [...rows];
}

/** Calls until the group is the expected one: an announced change arrives within a second. */
async function untilCalled(apiKey: string, expected: { status: number; code?: string }): Promise<void> {
  await waitUntil(async () => {
    const calls = await Promise.all([scene.call(apiKey, 0), scene.call(apiKey, 1)]);
    return calls.every(({ status, code }) => status === expected.status && (expected.code ?? code) === code);
  });
}

/** Waits until the replica that a call goes to by default has read which channel serves the key's group. */
async function untilServed(apiKey: string): Promise<void> {
  await waitUntil(async () => {
    const response = await fetch(`${scene.replicas[0]?.url}/v1/models/flat`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    await response.body?.cancel();
    return response.ok;
  });
}

describe("a call", () => {
  test("costs its price times the multiplier of its group and of its user, exactly", async () => {
    const { user, as } = await scene.enter();
    const group = await addGroup({ multiplier: "0.333333" });
    await scene.rig.db.sql`
      update gateway_user set rate_multiplier = 0.9999 where id = ${user.gatewayUserId}::bigint`;
    await assign(user, group.name);
    const { secret } = await makeKey(as, { group: group.name });
    await untilServed(secret);
    expect((await scene.call(secret)).status).toBe(200);
    const [charge] = await charges(user, 1);
    // 1,000 x 0.9999 x 0.333333 = 333.2996667, rounded up.
    expect(charge).toEqual({ group_name: group.name, rate_multiplier: "0.3332996667", settled_quota: 334n });
    const list = await as.get("/backend/usage/list/");
    const [row] = list.body["rows"] as { request_id: string; day: string }[];
    const receipt = await as.get("/backend/usage/receipt/", { request_id: row?.request_id ?? "" });
    expect(receipt.body["receipt"]).toMatchObject({
      ...{ group: group.name, rate_multiplier: "0.3332996667", quota: price, settled_quota: 334, quota_delta: -666 },
    });
  });

  test("of a dearer group holds what it can cost, so that no balance falls below 0", async () => {
    const { user, as } = await scene.enter();
    const group = await addGroup({ multiplier: "2.5" });
    await assign(user, group.name, { as: "account" });
    const { secret } = await makeKey(as);
    await scene.rig.db.sql`
      select grant_quota(id, 2499 - granted, 'test', ${`take:${user.budgetId}`}) from budget
      where id = ${user.budgetId}::bigint`;
    await untilServed(secret);
    expect(await scene.call(secret)).toMatchObject({ status: 429, code: "insufficient_quota" });
  });

  test("in a free group costs nothing once it is settled", async () => {
    const { user, as } = await scene.enter();
    const group = await addGroup({ multiplier: "0" });
    await assign(user, group.name);
    const { secret } = await makeKey(as, { group: group.name });
    await untilServed(secret);
    expect((await scene.call(secret)).status).toBe(200);
    expect(await charges(user, 1)).toMatchObject([{ rate_multiplier: "0.0000", settled_quota: 0n }]);
  });
});

describe("a key", () => {
  test("uses only groups of its user, and neither a group's existence nor its channels are revealed", async () => {
    const { as } = await scene.enter();
    const group = await addGroup();
    for (const name of [group.name, "node-test", "no-such-group"]) {
      const answer = await as.post("/backend/keys/create/", { name: "mine", group: name });
      expect(codeOf(answer)).toEqual([400, "invalid_value"]);
      expect(answer.body["error"]).toMatchObject({ fields: { group: "This account can't use this group." } });
      expect(codeOf(await as.get("/backend/models/list/", { group: name }))).toEqual([400, "invalid_value"]);
    }
    const { key } = await makeKey(as);
    const { key_id, updated_at } = key;
    const moved = await as.post("/backend/keys/save/", { key_id, updated_at, group: group.name });
    expect(codeOf(moved)).toEqual([400, "invalid_value"]);
  });

  test("of a group that its user loses is refused by name, and works again in another group", async () => {
    const { user, as } = await scene.enter();
    const group = await addGroup({ multiplier: "0.5" });
    await assign(user, group.name);
    const made = await makeKey(as, { group: group.name });
    await untilCalled(made.secret, { status: 200 });
    const removed = await admin.post("/backend/admin/group/remove/", {
      ...{ group_name: group.name, users: [await emailOf(user)], reason: why },
    });
    expect(removed.body).toMatchObject({ ok: true, changed: 1 });
    await untilCalled(made.secret, { status: 403, code: "group_unavailable" });
    const refused = await fetch(`${scene.replicas[0]?.url}/v1/models`, {
      headers: { authorization: `Bearer ${made.secret}` },
    });
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining(`'${group.name}'`)]);
    expect(await findKey(as, made.key.key_id)).toMatchObject({ group: group.name, has_group: false });
    const saved = await saveKey(as, made.key as Key, { group: null });
    expect(saved).toMatchObject({ group: "default", own_group: null, has_group: true });
    await untilCalled(made.secret, { status: 200 });
  });

  test("without a group of its own follows the account to the group with the highest rank, and back when that ends", async () => {
    const { user, as } = await scene.enter();
    const equal = await addGroup({ multiplier: "0.9" });
    const higher = await addGroup({ multiplier: "0.5", rank: 5 });
    const { secret, key } = await makeKey(as);
    const named = await makeKey(as, { group: "default" });
    await assign(user, equal.name);
    expect(await findKey(as, key.key_id)).toMatchObject({ group: "default" });
    await assign(user, higher.name);
    await waitUntil(async () => (await findKey(as, key.key_id))["group"] === higher.name);
    expect(await findKey(as, named.key.key_id)).toMatchObject({ group: "default", own_group: "default" });
    await untilCalled(secret, { status: 200 });
    await scene.rig.db.sql`
      update user_group_member set ends_at = clock_timestamp() + interval '2 seconds'
      where gateway_user_id = ${user.gatewayUserId}::bigint and group_name = ${higher.name}`;
    await untilCalled(secret, { status: 200 });
    // Nothing is announced at the end itself.
    await waitUntil(async () => (await findKey(as, key.key_id))["group"] === "default");
    const before = Date.now();
    await Promise.all([scene.call(secret, 0), scene.call(secret, 1)]);
    const groups: string[] = [];
    await waitUntil(async () => {
      const rows = await scene.rig.db.sql<{ group_name: string }>`
        select group_name from usage_log
        where gateway_user_id = ${user.gatewayUserId}::bigint and started_at >= ${new Date(before)}::timestamptz`;
      groups.splice(0, groups.length, ...rows.map(({ group_name }) => group_name));
      return groups.length === 2;
    });
    expect(groups).toEqual(["default", "default"]);
  });

  test("may name a public group, which no other key uses", async () => {
    const { user, as } = await scene.enter();
    const group = await addGroup({ visibility: "public", multiplier: "3", rank: 1_000 });
    const { secret } = await makeKey(as, { group: group.name });
    const other = await makeKey(as);
    expect(other.key).toMatchObject({ group: "default" });
    await untilCalled(secret, { status: 200 });
    await changeGroup(group, { visibility: "assigned" });
    await untilCalled(secret, { status: 403, code: "group_unavailable" });
    await untilCalled(other.secret, { status: 200 });
    expect(user.gatewayUserId).toBeDefined();
  });
});

describe("a group", () => {
  test("that changes its multiplier charges it on every replica within seconds", async () => {
    const { user, as } = await scene.enter();
    const group = await addGroup({ multiplier: "2" });
    await assign(user, group.name);
    const { secret } = await makeKey(as, { group: group.name });
    await untilCalled(secret, { status: 200 });
    await changeGroup(group, { multiplier: "4" });
    await waitUntil(async () => {
      await Promise.all([scene.call(secret, 0), scene.call(secret, 1)]);
      const rows = await scene.rig.db.sql<{ rate_multiplier: string }>`
        select rate_multiplier from usage_log where gateway_user_id = ${user.gatewayUserId}::bigint
        order by request_id desc limit 2`;
      return rows.length === 2 && rows.every(({ rate_multiplier }) => rate_multiplier === "4.0000");
    });
  });

  test("shows its users what they pay in it, and admins its models, users and keys", async () => {
    const { user, as } = await scene.enter();
    await scene.rig.db.sql`
      update gateway_user set rate_multiplier = 2 where id = ${user.gatewayUserId}::bigint`;
    const group = await addGroup({ multiplier: "0.125", description: "Cheap." });
    await assign(user, group.name);
    await makeKey(as, { group: group.name });
    const offered = await as.get("/backend/models/list/", { group: group.name });
    expect(offered.body).toMatchObject({
      group: group.name,
      groups: [
        { name: "default", multiplier: "2", is_chosen: true },
        { name: group.name, description: "Cheap.", multiplier: "0.25", is_chosen: false, ends_at: null },
      ],
      models: [{ name: "flat", request_usd: "0.0005" }],
    });
    const detail = await admin.get("/backend/admin/group/detail/", { name: group.name });
    expect(detail.body).toMatchObject({
      group: { name: group.name, multiplier: "0.125" },
      models: [{ name: "flat", request_usd: "0.00025", channels: [expect.any(String)] }],
    });
    const users = await admin.get("/backend/admin/user/list/", { group_name: group.name });
    expect(users.body["rows"]).toMatchObject([{ email: await emailOf(user), group_name: "default" }]);
    const keys = await admin.get("/backend/admin/key/list/", { group_name: group.name });
    expect(keys.body["rows"]).toMatchObject([{ group_name: group.name, has_group: true }]);
    const listed = await admin.get("/backend/admin/group/list/", { q: group.name });
    expect(listed.body["rows"]).toMatchObject([{ members: 1, keys: 1, models: 1, accounts: 0 }]);
  });

  test("is recorded with a reason when it is saved, given and taken", async () => {
    const { user } = await scene.enter();
    const group = await addGroup();
    await assign(user, group.name);
    await assign(user, group.name, { as: "account" });
    await admin.post("/backend/admin/group/remove/", {
      ...{ group_name: group.name, users: [await emailOf(user)], reason: why },
    });
    const rows = await scene.rig.db.sql<{ action: string; reason: string }>`
      select action, reason from audit_log
      where subject_kind || subject_id in (${`group${group.name}`}, (
        select 'user' || id from user_profile where gateway_user_id = ${user.gatewayUserId}::bigint))
      order by id`;
    expect(rows.map(({ action }) => action)).toEqual([
      ...["group.save", "group.assign", "group.assign", "group.remove"],
    ]);
    expect(new Set(rows.map(({ reason }) => reason))).toEqual(new Set([why]));
  });

  test("takes all named users or none", async () => {
    const { user } = await scene.enter();
    const group = await addGroup();
    const answer = await admin.post("/backend/admin/group/assign/", {
      ...{ group_name: group.name, users: [await emailOf(user), "nobody@example.org"], as: "account", reason: why },
    });
    expect(codeOf(answer)).toEqual([404, "not_found"]);
    const users = await admin.get("/backend/admin/user/list/", { group_name: group.name });
    expect(users.body["rows"]).toEqual([]);
  });

  test("takes organisations, whose keys then cost what it costs, and lets them go", async () => {
    const url = scene.replicas[0]?.url ?? "";
    const organisation = await makeOrganisation(scene.rig, url);
    const organisations = [String(organisation.id)];
    const group = await addGroup({ multiplier: "3", rank: 5 });
    const named = { group_name: group.name, organisations, reason: why };
    const groups = async () =>
      (await admin.get("/backend/admin/organisation/detail/", { organisation_id: String(organisation.id) })).body[
        "groups"
      ];
    const given = await admin.post("/backend/admin/group/assign/", { ...named, as: "additional" });
    expect(given.body).toMatchObject({ ok: true, changed: 1 });
    expect(await groups()).toContainEqual(
      expect.objectContaining({ name: group.name, source: "admin", is_chosen: true }),
    );
    expect((await admin.post("/backend/admin/group/remove/", named)).body).toMatchObject({ ok: true, changed: 1 });
    expect(await groups()).not.toContainEqual(expect.objectContaining({ name: group.name }));
    const rows = await scene.rig.db.sql<{ action: string }>`
      select action from audit_log
      where subject_kind = 'organisation' and subject_id = ${String(organisation.id)} and reason = ${why} order by id`;
    expect(rows.map(({ action }) => action)).toEqual(["group.assign", "group.remove"]);
    const unknown = { ...named, organisations: [...organisations, "999999999"], as: "account" };
    expect(codeOf(await admin.post("/backend/admin/group/assign/", unknown))).toEqual([404, "not_found"]);
    const nobody = { group_name: group.name, as: "account", reason: why };
    expect(codeOf(await admin.post("/backend/admin/group/assign/", nobody))).toEqual([400, "invalid_value"]);
  });

  test("takes new accounts: those of its domains, or all others if it is the one where accounts start", async () => {
    const register = async (email: string): Promise<string | undefined> => {
      const answer = await scene.nobody.post("/backend/auth/register/", { email, password: "correct horse battery" });
      expect(answer.body).toMatchObject({ ok: true });
      const [row] = await scene.rig.db.sql<{ group_name: string }>`
        select g.group_name from user_profile p join gateway_user g on g.id = p.gateway_user_id
        where p.email = ${email.toLowerCase()}`;
      return row?.group_name;
    };
    const domain = `${crypto.randomUUID().slice(0, 8)}.example.org`;
    const partners = await addGroup({ email_domains: [domain] });
    expect(await register(`ada@${domain.toUpperCase()}`)).toBe(partners.name);
    expect(await register(`ada@sub.${domain}`)).toBe("default");
    const other = await admin.post("/backend/admin/group/save/", {
      ...{ name: "late", multiplier: "1", visibility: "assigned", email_domains: [domain], reason: why },
    });
    expect(other).toMatchObject({ status: 400, body: { error: { fields: { email_domains: expect.any(String) } } } });
    const start = await addGroup({ is_start: true });
    expect(await register(`eve@not-${domain}`)).toBe(start.name);
    const { created_at: _, archived_at: __, ...fields } = start;
    const ended = await admin.post("/backend/admin/group/save/", { ...fields, is_start: false, reason: why });
    expect(ended).toMatchObject({ status: 400, body: { error: { fields: { is_start: expect.any(String) } } } });
    const back = await admin.get("/backend/admin/group/detail/", { name: "default" });
    await changeGroup(back.body["group"] as Shown, { is_start: true });
    expect(await register(`eve@also-not-${domain}`)).toBe("default");
  });

  test("that nobody created has no abilities", async () => {
    const [row] = await scene.rig.db.sql<{ id: bigint }>`select min(channel_id) as id from ability`;
    const answer = await admin.post("/backend/admin/ability/save/", {
      ...{ group_name: "no-such-group", model: "flat", channel_id: String(row?.id) },
    });
    expect(codeOf(answer)).toEqual([404, "not_found"]);
  });
});

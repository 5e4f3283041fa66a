import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type BulkActionName, bulkActionNames, bulkActions } from "@sluice/contracts/bulk-action-table";
import { leadPlace } from "@sluice/control-plane/admin/leads/routes.ts";
import { listPlaces } from "@sluice/control-plane/admin/lists/list-places.ts";
import { exitNodeFilePlace } from "@sluice/control-plane/exit-nodes/admin-routes.ts";
import { type ConsoleClient, codeOf, consoleClient } from "../../support/accounts/console-client.ts";
import { ageLogins, loginAdmin, loginUser } from "../../support/accounts/logins.ts";
import { makeOrganisation } from "../../support/accounts/organisation-scene.ts";
import { SluiceRig } from "../../support/service/sluice.ts";

let rig: SluiceRig;
let url: string;
let boss: ConsoleClient;
const reason = "asked for by the owner";

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  ({ url } = await rig.startProcess());
  boss = consoleClient(url, (await loginAdmin(rig)).cookie);
});

afterAll(() => rig.close());

type Outcome = { readonly row: string; readonly name: string; readonly outcome: string; readonly note: string | null };

const preview = (action: BulkActionName, rows: readonly unknown[], as = boss) =>
  as.post("/backend/admin/bulk/preview/", { action, rows: rows.map(String) });
const run = (action: BulkActionName, rows: readonly unknown[], more: object = {}, as = boss) =>
  as.post("/backend/admin/bulk/run/", { action, rows: rows.map(String), reason, ...more });
const outcomes = (body: Record<string, unknown>) =>
  (body["rows"] as readonly Outcome[]).map(({ row, outcome }) => [row, outcome]);

async function addUsers(count: number): Promise<bigint[]> {
  const users = [];
  for (let each = 0; each < count; each += 1) {
    users.push((await loginUser(rig)).userId);
  }
  return users;
}

async function statusesOf(users: readonly bigint[]): Promise<string[]> {
  const rows = await rig.db.sql<{ id: bigint; status: string }>`select id, status from user_profile order by id`;
  return users.map((id) => rows.find((row) => row.id === id)?.status ?? "");
}

async function addModels(count: number): Promise<string[]> {
  const names = Array.from({ length: count }, () => `m-${crypto.randomUUID().slice(0, 8)}`);
  for (const name of names) {
    await rig.db.sql`
      insert into model (name, display_name, owned_by, context_tokens_max, output_tokens_max)
      values (${name}, 'Model', 'test', 1000, 100)`;
  }
  return names;
}

test("each is for a list whose rows can be named, and its operation exists", async () => {
  const sources = [...listPlaces, leadPlace, exitNodeFilePlace].map(({ source }) => source);
  for (const name of bulkActionNames) {
    const source = sources.find(({ contract }) => contract.name === bulkActions[name].list);
    expect([name, source?.contract.rowId]).toEqual([name, expect.any(String)]);
    expect([name, (await preview(name, ["1"])).status]).toEqual([name, 200]);
    const answer = await run(name, ["1"], bulkActions[name].takesGroup ? { group_name: "default" } : {});
    expect([name, answer.status, outcomes(answer.body)]).toEqual([name, 200, [["1", expect.any(String)]]]);
  }
});

describe("a preview", () => {
  test("changes nothing, and says which rows would be left alone and why", async () => {
    const users = await addUsers(3);
    await rig.db.sql`update user_profile set status = 'suspended' where id = ${users[1] ?? 0n}::bigint`;
    const { body } = await preview("users.suspend", [...users, users[0], 999_999_999]);
    const named = expect.stringContaining("@");
    expect(body).toMatchObject({
      rows: [
        { row: String(users[0]), name: named, skipped_because: null },
        { row: String(users[1]), name: named, skipped_because: "It is already suspended." },
        { row: String(users[2]), name: named, skipped_because: null },
        { row: "999999999", name: "999999999", skipped_because: "It does not exist." },
      ],
      ...{ changes: 2, skips: 2 },
    });
    expect(await statusesOf(users)).toEqual(["active", "suspended", "active"]);
  });
});

describe("a run", () => {
  test("does to each row what its operation does, audits each, and skips what is done when it is repeated", async () => {
    const users = await addUsers(3);
    const first = await run("users.suspend", users);
    expect(first.body).toMatchObject({ counts: { done: 3, waiting: 0, skipped: 0, failed: 0 } });
    expect(await statusesOf(users)).toEqual(["suspended", "suspended", "suspended"]);
    const again = await run("users.suspend", users);
    expect(again.body).toMatchObject({ counts: { done: 0, waiting: 0, skipped: 3, failed: 0 } });
    const rows = await rig.db.sql<{ subject_id: string; reason: string }>`
      select subject_id, reason from audit_log where action = 'user.save' and subject_id = any (${`{${users.join(",")}}`}::text[])
      order by id`;
    expect([...rows]).toEqual(users.map((id) => ({ subject_id: String(id), reason })));
    expect((await run("users.activate", users)).body).toMatchObject({ counts: { done: 3 } });
  });

  test("continues after a row that is refused, and says why it was", async () => {
    const [replaced, replacing, free] = await addModels(3);
    await rig.db.sql`update model set replacement_model = ${replaced ?? ""} where name = ${replacing ?? ""}`;
    const { body } = await run("models.archive", [replaced, free]);
    expect(body).toMatchObject({
      rows: [
        { row: replaced, outcome: "failed", note: "Other models name it as their replacement. Change these first." },
        { row: free, outcome: "done", note: null },
      ],
      counts: { done: 1, waiting: 0, skipped: 0, failed: 1 },
    });
  });

  test("puts users and organisations into a group, which has to be named", async () => {
    const group = `g${crypto.randomUUID().slice(0, 8)}`;
    await rig.db.sql`insert into user_group (name) values (${group})`;
    const users = await addUsers(2);
    const { id } = await makeOrganisation(rig, url);
    expect(codeOf(await run("users.group", users))).toEqual([400, "invalid_value"]);
    expect(codeOf(await run("users.suspend", users, { group_name: group }))).toEqual([400, "invalid_value"]);
    expect((await run("users.group", users, { group_name: group })).body).toMatchObject({ counts: { done: 2 } });
    expect((await run("organisations.group", [id], { group_name: group })).body).toMatchObject({ counts: { done: 1 } });
    const [members] = await rig.db.sql<{ members: number }>`
      select count(*)::integer as members from user_group_member where group_name = ${group}`;
    expect(members?.members).toBe(3);
    const lost = await run("users.group", users, { group_name: "no-such-group" });
    expect(lost.body).toMatchObject({ counts: { failed: 2 } });
  });

  test("refuses by row what its operation does not take, such as a reason of several lines for owners", async () => {
    const owner = await loginUser(rig);
    const { body } = await consoleClient(url, owner.cookie).post("/backend/keys/create/", {
      ...{ name: "mine", idempotency_key: crypto.randomUUID() },
    });
    const { key_id: keyId } = body["key"] as { key_id: number };
    const lines = await run("keys.lock", [keyId], { reason: "seen in\na public place" });
    expect(lines.body).toMatchObject({
      rows: [{ outcome: "failed", note: expect.stringContaining("reason: ") }],
      counts: { failed: 1 },
    });
    expect((await run("keys.lock", [keyId])).body).toMatchObject({ counts: { done: 1 } });
    expect((await run("keys.unlock", [keyId])).body).toMatchObject({ counts: { done: 1 } });
    expect((await run("keys.revoke", [keyId])).body).toMatchObject({ counts: { done: 1 } });
    expect((await run("keys.lock", [keyId])).body).toMatchObject({ rows: [{ note: "It is revoked." }] });
  });

  test("takes 100 rows at most, and no action or row that does not exist", async () => {
    const many = Array.from({ length: 101 }, (_, index) => index + 1);
    expect(codeOf(await run("users.suspend", many))).toEqual([400, "invalid_value"]);
    expect(codeOf(await run("users.suspend", []))).toEqual([400, "invalid_value"]);
    expect(codeOf(await run("users.remove" as BulkActionName, [1]))).toEqual([400, "invalid_value"]);
    expect(codeOf(await run("users.suspend", ["one"]))).toEqual([400, "invalid_parameter"]);
    expect(codeOf(await preview("users.suspend", ["one"]))).toEqual([400, "invalid_parameter"]);
    expect(codeOf(await run("users.suspend", [1], { reason: "  " }))).toEqual([400, "invalid_value"]);
    expect((await run("users.suspend", [999_999_999])).body).toMatchObject({ counts: { skipped: 1 } });
  });
});

describe("the right for a run", () => {
  test("is that of the operation: super-admins, a fresh login, the role and its fields", async () => {
    const [model] = await addModels(1);
    const [user] = await addUsers(1);
    const plain = consoleClient(url, (await loginAdmin(rig, { isSuper: false })).cookie);
    expect(codeOf(await run("models.archive", [model], {}, plain))).toEqual([403, "super_admin_required"]);
    expect(codeOf(await preview("models.archive", [model], plain))).toEqual([403, "super_admin_required"]);
    const old = await loginAdmin(rig);
    await ageLogins(rig, old.adminId);
    const aged = consoleClient(url, old.cookie);
    expect((await preview("models.archive", [model], aged)).status).toBe(200);
    expect(codeOf(await run("models.archive", [model], {}, aged))).toEqual([403, "step_up_required"]);
    const support = await loginAdmin(rig, { isSuper: false });
    await rig.db.sql`update shared_admin_credentials set role = 'support' where id = ${support.adminId}::bigint`;
    const supporter = consoleClient(url, support.cookie);
    expect(codeOf(await run("channels.disable", ["1"], {}, supporter))).toEqual([403, "role_refused"]);
    expect((await run("users.suspend", [user], {}, supporter)).body).toMatchObject({ counts: { done: 1 } });
    const [row] = await rig.db.sql<{ archived: number }>`
      select count(archived_at)::integer as archived from model where name = ${model ?? ""}`;
    expect(row?.archived).toBe(0);
  });
});

test("requests of companies are marked together, and keep their notes", async () => {
  const made = await rig.db.sql<{ id: bigint }>`
    insert into enterprise_lead (company, contact, email, volume, message, campaign, note)
    select 'Firm ' || i, 'Anna', 'anna@example.org', 'much', 'Hello', '', 'note ' || i from generate_series(1, 2) i
    returning id`;
  const ids = made.map(({ id }) => id);
  expect(outcomes((await run("leads.contacted", ids)).body).map(([, outcome]) => outcome)).toEqual(["done", "done"]);
  const again = await preview("leads.contacted", ids);
  expect(again.body).toMatchObject({ changes: 0, skips: 2 });
  expect((await run("leads.spam", [ids[0]])).body).toMatchObject({ counts: { done: 1 } });
  const rows = await rig.db.sql`select status, note from enterprise_lead order by id`;
  expect(rows).toEqual([
    { status: "spam", note: "note 1" },
    { status: "contacted", note: "note 2" },
  ]);
});

test("exit nodes are switched off together, and their addresses stay", async () => {
  await rig.db.sql`
    insert into exit_node (node_code, name, host, ip, relay_key_secret, status)
    select 'node' || i, 'Node ' || i, 'node' || i || '.example.org', '93.184.216.' || i,
      'exit_node.node' || i || '.relay_key', 'active' from generate_series(1, 2) i`;
  const answer = await run("exit-nodes.disable", ["node1", "node2"]);
  expect(answer.body).toMatchObject({ counts: { done: 2, failed: 0 } });
  const rows = await rig.db.sql`select host, status from exit_node where node_code like 'node%' order by node_code`;
  expect(rows).toEqual([
    { host: "node1.example.org", status: "disabled" },
    { host: "node2.example.org", status: "disabled" },
  ]);
  const file = await boss.file("/backend/admin/exit-node/export/", { rows: "node2", format: "json" });
  expect(await file.json()).toMatchObject([{ node_code: "node2", status: "disabled" }]);
});

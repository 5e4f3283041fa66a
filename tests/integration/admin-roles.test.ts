import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { adminReads } from "@sluice/contracts/admin-reads";
import { limitedRolesOf } from "@sluice/contracts/admin-role-rights";
import { type LimitedRole, limitedRoles, roleNames } from "@sluice/contracts/admin-roles";
import type { AnyEndpoint } from "@sluice/control-plane/platform/endpoint/model.ts";
import { type ConsoleClient, codeOf, consoleClient } from "../support/accounts/console-client.ts";
import { type AdminLogin, giveToken, loginAdmin, loginUser } from "../support/accounts/logins.ts";
import { declaredEndpoints, nameOf } from "../support/admin/declared-endpoints.ts";
import { rolesWritten } from "../support/admin/role-access.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";

let rig: SluiceRig;
let sluice: SluiceProcess;
let boss: ConsoleClient;
let ofAdmins: readonly AnyEndpoint[];

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  sluice = await rig.startProcess();
  boss = consoleClient(sluice.url, (await loginAdmin(rig)).cookie);
  ofAdmins = (await declaredEndpoints(rig)).filter(({ access }) => access.endsWith("admin"));
});

afterAll(() => rig.close());

async function ask({ method, path }: AnyEndpoint, headers: Record<string, string>) {
  const address = `${sluice.url}${path}`;
  const answer = await fetch(method === "GET" ? `${address}?no_such_field=x` : address, {
    method,
    headers: { "content-type": "application/json", origin: sluice.url, ...headers },
    ...(method === "GET" ? {} : { body: '{"no_such_field":"x"}' }),
  });
  const text = await answer.text();
  return { status: answer.status, code: /"error":\{"code":"([a-z_]+)"/.exec(text)?.[1] ?? "", text };
}

test("the limited roles of every admin endpoint are written down twice, and no row is without its endpoint", () => {
  const named = ofAdmins.flatMap((each) => {
    const roles = limitedRolesOf(each.path);
    return roles.length === 0 ? [] : [[nameOf(each), roles.join(" ")]];
  });
  expect(Object.fromEntries(named)).toEqual(rolesWritten);
  expect([...adminReads.keys()].filter((path) => !ofAdmins.some((each) => each.path === path))).toEqual([]);
});

test("an endpoint without a row is for admins and super-admins only", () => {
  expect(limitedRolesOf("/backend/admin/new/")).toEqual([]);
});

describe.each([...limitedRoles])("the role %s", (role: LimitedRole) => {
  test("is let in by exactly the endpoints of its rows, with a login and with a token for everything", async () => {
    const admin = await loginAdmin(rig, { isSuper: false, role });
    const authorization = `Bearer ${await giveToken(rig, admin, ["everything", "sensitive"])}`;
    const refused = ["role_refused", "super_admin_required", "insufficient_scope", "access_token_refused"];
    const before = await rig.db.sql`select count(*)::int as n from audit_log`;
    for (const each of ofAdmins) {
      const isAllowed = each.access === "admin" && limitedRolesOf(each.path).includes(role);
      const { status, code, text } = await ask(each, { cookie: admin.cookie });
      expect([nameOf(each), !refused.includes(code)]).toEqual([nameOf(each), isAllowed]);
      if (!isAllowed) {
        expect([nameOf(each), status]).toEqual([nameOf(each), 403]);
      }
      if (code === "role_refused") {
        expect(text).toContain(`Your role, ${roleNames[role]}, does not allow this.`);
      }
      const byToken = await ask(each, { authorization });
      if (!isAllowed) {
        expect([nameOf(each), refused.includes(byToken.code)]).toEqual([nameOf(each), true]);
      }
    }
    expect([...(await rig.db.sql`select count(*)::int as n from audit_log`)]).toEqual([...before]);
  });
});

test("support suspends a user, and changes nothing else of the user", async () => {
  const { userId } = await loginUser(rig);
  const support = consoleClient(sluice.url, (await loginAdmin(rig, { isSuper: false, role: "support" })).cookie);
  const save = (fields: object) => support.post("/backend/admin/user/save/", { user_id: String(userId), ...fields });
  expect(codeOf(await save({ display_name: "Anna" }))).toEqual([403, "role_refused"]);
  expect(codeOf(await save({ status: "suspended", user_type: "internal" }))[0]).toBeGreaterThanOrEqual(400);
  expect(codeOf(await save({ rate_multiplier: "0.5" }))).toEqual([403, "super_admin_required"]);
  expect(await save({ status: "suspended", reason: "abuse" })).toMatchObject({
    status: 200,
    body: { user: { status: "suspended", display_name: "Test user" } },
  });
});

async function setRole({ adminId }: AdminLogin, fields: object) {
  const listed = await boss.get("/backend/admin/admin/list/");
  const admins = listed.body["admins"] as { admin_id: number; updated_at: string }[];
  const { updated_at = "" } = admins.find((each) => String(each.admin_id) === String(adminId)) ?? {};
  const body = { admin_id: String(adminId), updated_at, agent: 1, reason: "another job", ...fields };
  return await boss.post("/backend/admin/admin/save/", body);
}

test("a changed role ends sessions and tokens at once, is in the audit log, and stays when only `agent` is sent", async () => {
  const admin = await loginAdmin(rig, { isSuper: false });
  const authorization = `Bearer ${await giveToken(rig, admin, ["everything"])}`;
  const client = consoleClient(sluice.url, admin.cookie);
  expect((await client.get("/backend/admin/channel/list/")).status).toBe(200);
  expect(await setRole(admin, { role: "support" })).toMatchObject({
    status: 200,
    body: { admin: { role: "support" } },
  });
  expect((await client.get("/backend/auth/admin/me/")).status).toBe(401);
  expect((await fetch(`${sluice.url}/backend/auth/admin/me/`, { headers: { authorization } })).status).toBe(401);
  expect(await setRole(admin, {})).toMatchObject({ status: 200, body: { admin: { role: "support" } } });
  expect((await setRole(admin, { agent: 2, role: "support" })).status).toBe(400);
  const rows = await rig.db.sql`
    select before, after, reason from audit_log
    where action = 'admin.save' and subject_id = ${String(admin.adminId)} order by id limit 1`;
  expect([...rows]).toEqual([
    { before: { agent: 1, role: "admin" }, after: { agent: 1, role: "support" }, reason: "another job" },
  ]);
});

test("a role changed in the table applies to the next request of an open session", async () => {
  const admin = await loginAdmin(rig, { isSuper: false });
  const client = consoleClient(sluice.url, admin.cookie);
  await rig.db.sql`update shared_admin_credentials set role = 'billing' where id = ${admin.adminId}::bigint`;
  expect(codeOf(await client.get("/backend/admin/channel/list/"))).toEqual([403, "role_refused"]);
  expect(await client.get("/backend/auth/admin/me/")).toMatchObject({ body: { admin: { role: "billing" } } });
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { AdminOperation } from "@sluice/contracts/admin-rights";
import { openaiUpstream } from "@sluice/contracts/upstreams";
import { createAdmin } from "@sluice/control-plane/accounts/admins/command-admins.ts";
import { type ConsoleClient, codeOf, consoleClient } from "../support/accounts/console-client.ts";
import { ageLogins, loginAdmin, loginUser } from "../support/accounts/logins.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";

let rig: SluiceRig;
let sluice: SluiceProcess;
let plain: ConsoleClient;
let stale: ConsoleClient;
let boss: ConsoleClient;

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  sluice = await rig.startProcess();
  plain = consoleClient(sluice.url, (await loginAdmin(rig, { isSuper: false })).cookie);
  stale = consoleClient(sluice.url, (await loginAdmin(rig, { isFresh: false })).cookie);
  boss = consoleClient(sluice.url, (await loginAdmin(rig)).cookie);
});

afterAll(() => rig.close());

/** What would send the prompts of customers to a server of the admin's own, or make money out of nothing. */
const escapes: readonly (readonly [what: string, path: AdminOperation, body: object])[] = [
  [
    "makes a channel",
    "/backend/admin/channel/save/",
    { name: "own", upstream: openaiUpstream("http://127.0.0.1:9"), credential: "x" },
  ],
  [
    "gives a group a channel",
    "/backend/admin/ability/save/",
    { group_name: "default", model: "m", channel_id: 1, priority: 0, weight: 1_000_000 },
  ],
  [
    "makes a plan",
    "/backend/admin/plan/save/",
    { plan_code: "free", name: "F", kind: "monthly", price_usd: "0.01", quota: 9 },
  ],
  ["changes prices", "/backend/admin/model/save/", { name: "m", input_usd_per_m: "0" }],
  [
    "maps a name to another model",
    "/backend/admin/anthropic/model-map/save/",
    { model_name: "claude-x", upstream_model: "m" },
  ],
  ["writes a template", "/backend/admin/mail/template/save/", {}],
  ["enters an exit node", "/backend/admin/exit-node/save/", {}],
  ["leads users through a node", "/backend/admin/exit-node/route/save/", {}],
  ["enters an account at a provider", "/backend/upstream/auth-profiles/save/", {}],
  ["enters it at the other address", "/backend/admin/upstream/save/", {}],
];

describe.each(escapes)("nobody %s", (_what, path, body) => {
  test("who is an admin but not a super-admin", async () => {
    expect(codeOf(await plain.post(path, body))).toEqual([403, "super_admin_required"]);
  });

  test("whose login is too old", async () => {
    expect(codeOf(await stale.post(path, body))).toEqual([403, "step_up_required"]);
  });
});

test("a plain admin changes a user, but not the price multiplier", async () => {
  const { userId } = await loginUser(rig);
  const save = (fields: object, as: ConsoleClient) =>
    as.post("/backend/admin/user/save/", { user_id: String(userId), ...fields });
  expect(codeOf(await save({ rate_multiplier: "0.0001" }, plain))).toEqual([403, "super_admin_required"]);
  expect(codeOf(await save({ rate_multiplier: "0.0001" }, stale))).toEqual([403, "step_up_required"]);
  expect((await save({ display_name: "Anna" }, plain)).status).toBe(200);
  expect(await save({ rate_multiplier: "0.5" }, boss)).toMatchObject({
    status: 200,
    body: { user: { rate_multiplier: "0.5000", display_name: "Anna" } },
  });
});

test("how long a login is fresh is a setting, which applies at once", async () => {
  const late = await loginAdmin(rig);
  await ageLogins(rig, late.adminId);
  const client = consoleClient(sluice.url, late.cookie);
  const plan = { plan_code: "hourly", name: "P", kind: "wallet_balance", price_usd: "1.00", quota: 500_000 };
  expect(codeOf(await client.post("/backend/admin/plan/save/", plan))).toEqual([403, "step_up_required"]);
  const setting = { name: "admin.fresh_login_minutes", value: 180, version: 0 };
  expect((await boss.post("/backend/admin/settings/save/", setting)).status).toBe(200);
  expect((await client.post("/backend/admin/plan/save/", plan)).status).toBe(200);
});

test("a change of the password, which requires no code, makes no login fresh", async () => {
  const made = { username: "changer", email: null, mobile: null, password: "a long enough password", isSuper: true };
  await rig.db.withTransaction((tx) => createAdmin(tx, made, "test"));
  const logIn = { login: "changer", password: made.password };
  const first = await postForCookie("/backend/auth/admin/login/", logIn, null);
  await rig.db.sql`
    update session set created_at = created_at - interval '5 hours' where admin_id =
      (select id from shared_admin_credentials where username = 'changer')`;
  const passwords = { current_password: made.password, new_password: "another long password" };
  const second = await postForCookie("/backend/auth/admin/password/change/", passwords, first);
  expect(await consoleClient(sluice.url, second).get("/backend/auth/admin/me/")).toMatchObject({
    status: 200,
    body: { admin: { is_fresh: false } },
  });
  const third = await postForCookie(
    "/backend/auth/admin/login/",
    { ...logIn, password: passwords.new_password },
    second,
  );
  expect(await consoleClient(sluice.url, third).get("/backend/auth/admin/me/")).toMatchObject({
    body: { admin: { is_fresh: true } },
  });
});

async function postForCookie(path: string, body: object, cookie: string | null): Promise<string> {
  const headers = { "content-type": "application/json", origin: sluice.url, ...(cookie === null ? {} : { cookie }) };
  const answer = await fetch(`${sluice.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  expect([path, answer.status]).toEqual([path, 200]);
  return (
    answer.headers
      .getSetCookie()
      .find((each) => each.startsWith("SVC_ADMIN_SESSID"))
      ?.split(";")[0] ?? ""
  );
}

test("an admin who has lost the authenticator, and has nobody to ask, can use a command on the server", async () => {
  const last = await loginAdmin(rig);
  await rig.db.sql`
    update shared_admin_credentials set totp_sealed = '\\x00', totp_enabled_at = now() where id = ${last.adminId}::bigint`;
  const run = async (...args: string[]) => {
    const child = Bun.spawn([process.execPath, "control-plane/src/commands/remove-totp.ts", ...args], {
      cwd: join(import.meta.dir, "../.."),
      env: { ...process.env, NODE_ENV: "test", DATABASE_URL: rig.database.url },
      stdio: ["ignore", "pipe", "pipe"],
    });
    return { out: await child.stdout.text(), error: await child.stderr.text(), code: await child.exited };
  };
  expect(await run("--username", last.username)).toMatchObject({ code: 2, error: expect.stringContaining("--reason") });
  const said = ["--username", last.username, "--reason", "the phone was stolen"];
  expect(await run(...said)).toMatchObject({ code: 0, out: expect.stringContaining(last.username) });
  expect(await run(...said)).toMatchObject({ code: 1, error: expect.stringContaining("no admin with this name") });
  expect((await consoleClient(sluice.url, last.cookie).get("/backend/auth/admin/me/")).status).toBe(401);
  const rows = await rig.db.sql`
    select actor_kind, actor_name, reason from audit_log where action = 'totp.remove' and subject_id = ${String(last.adminId)}`;
  expect([...rows]).toEqual([
    { actor_kind: "command", actor_name: "admin:totp-remove", reason: "the phone was stolen" },
  ]);
});

describe("a second factor that is required of admins", () => {
  test("lets those without one do nothing but set one up, and leaves the others alone", async () => {
    const covered = await loginAdmin(rig);
    await rig.db.sql`
      update shared_admin_credentials set totp_enabled_at = now() where id = ${covered.adminId}::bigint`;
    const setting = { name: "admin.second_factor_required", value: true, version: 0 };
    expect((await boss.post("/backend/admin/settings/save/", setting)).status).toBe(200);
    try {
      expect(codeOf(await boss.get("/backend/admin/user/list/"))).toEqual([403, "second_factor_required"]);
      expect(codeOf(await plain.get("/backend/admin/dashboard/"))).toEqual([403, "second_factor_required"]);
      expect(await plain.get("/backend/auth/admin/me/")).toMatchObject({
        status: 200,
        body: { admin: { lacks_second_factor: true } },
      });
      expect((await plain.get("/backend/auth/admin/sessions/")).status).toBe(200);
      // Asked for the password, not refused.
      expect(codeOf(await plain.post("/backend/auth/admin/totp/begin/", { password: "wrong" }))).toEqual([
        401,
        "invalid_credentials",
      ]);
      const working = consoleClient(sluice.url, covered.cookie);
      expect((await working.get("/backend/admin/user/list/")).status).toBe(200);
      expect(await working.get("/backend/auth/admin/me/")).toMatchObject({
        body: { admin: { lacks_second_factor: false } },
      });
    } finally {
      const back = { ...setting, value: null, version: 1 };
      expect((await consoleClient(sluice.url, covered.cookie).post("/backend/admin/settings/save/", back)).status).toBe(
        200,
      );
    }
  });
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import type { UserId } from "@sluice/contracts/ids";
import { liveTokensMax } from "@sluice/contracts/management-tokens";
import { AccountClient } from "../support/accounts/account-client.ts";
import { Authenticator } from "../support/accounts/authenticator.ts";
import { codeOf, consoleClient } from "../support/accounts/console-client.ts";
import { giveToken, loginAdmin, loginUser } from "../support/accounts/logins.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";
import { findInFiles } from "../support/trace/find-in-files.ts";

const password = "correct horse battery";
let rig: SluiceRig;
let sluice: SluiceProcess;
let second: SluiceProcess;

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  sluice = await rig.startProcess({ LOG_LEVEL: "debug" });
  second = await rig.startProcess();
});

afterAll(() => rig.close());

async function ask(token: string, path: string, { body, url = sluice.url }: { body?: object; url?: string } = {}) {
  const answer = await fetch(`${url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

let users = 0;

async function makeUser() {
  const client = new AccountClient(sluice);
  users += 1;
  const email = `owner-${users}@example.org`;
  await client.makeUser(email, password);
  const { cookie } = await client.post("/backend/auth/login/", { email, password });
  return { email, cookie, client, console: consoleClient(sluice.url, cookie) };
}

const wish = { name: "deploy", scopes: ["keys"], expires_in_days: 30 };

test("a user creates a token with the password, sees it once, uses it without a cookie, and revokes it", async () => {
  const { console: page, email } = await makeUser();
  expect(codeOf(await page.post("/backend/tokens/create/", { ...wish, password: "wrong" }))).toEqual([
    401,
    "invalid_credentials",
  ]);
  const { status, body } = await page.post("/backend/tokens/create/", { ...wish, password });
  const { secret, token } = body as { secret: string; token: { token_id: number } };
  expect([status, secret]).toEqual([200, expect.stringMatching(/^sl-mgmt-[A-Za-z0-9]{48}$/)]);
  const made = await ask(secret, "/backend/keys/create/", { body: { name: "made by a program" } });
  expect([made.status, made.body["secret"]]).toEqual([200, expect.stringMatching(/^sk-/)]);
  expect(codeOf(await ask(secret, "/backend/billing/ledger/"))).toEqual([403, "insufficient_scope"]);
  const listed = await page.get("/backend/tokens/list/");
  expect(listed.body["tokens"]).toEqual([
    expect.objectContaining({ name: "deploy", scopes: ["keys"], status: "active", hint: secret.slice(-4) }),
  ]);
  expect(JSON.stringify(listed.body)).not.toContain(secret);
  expect((listed.body["tokens"] as { last_used_at: string | null }[])[0]?.last_used_at).not.toBeNull();
  expect((await page.post("/backend/tokens/revoke/", { token_id: token.token_id })).status).toBe(200);
  for (const { url } of [sluice, second]) {
    expect(codeOf(await ask(secret, "/backend/keys/list/", { url }))).toEqual([401, "invalid_access_token"]);
  }
  const entries = await rig.db.sql<{ action: string; actor_name: string; actor_token: string | null }>`
    select action, actor_name, actor_token from audit_log where actor_name = ${email} and action <> 'user.register'
      and action <> 'user.verify_email' order by id`;
  expect(entries.map(({ action, actor_token }) => [action, actor_token])).toEqual([
    ["access_token.create", null],
    ["api_key.create", `deploy (#${token.token_id})`],
    ["access_token.revoke", null],
  ]);
  const [stored] = await rig.db.sql<{ text: string }>`
    select string_agg(to_jsonb(t)::text, '') || (select string_agg(to_jsonb(a)::text, '') from audit_log a) as text
    from management_token t`;
  expect(stored?.text).not.toContain(secret.slice(8));
  expect(sluice.log()).not.toContain(secret.slice(8));
  expect(await findInFiles(sluice.dataDirectory, [secret.slice(8)])).toEqual(new Set());
});

test("a token ends with its owner's password, on every replica", async () => {
  const { client, cookie, console: page } = await makeUser();
  const { body } = await page.post("/backend/tokens/create/", { ...wish, password });
  const secret = body["secret"] as string;
  expect((await ask(secret, "/backend/keys/list/", { url: second.url })).status).toBe(200);
  const change = { current_password: password, new_password: "another long password" };
  const changed = await client.post("/backend/auth/password/change/", change, {
    cookie,
    headers: { origin: sluice.url },
  });
  expect(changed.status).toBe(200);
  for (const { url } of [sluice, second]) {
    expect(codeOf(await ask(secret, "/backend/keys/list/", { url }))).toEqual([401, "invalid_access_token"]);
  }
});

test("a token ends when its owner sets up an authenticator, and the owner's session continues", async () => {
  const { console: page } = await makeUser();
  const { body } = await page.post("/backend/tokens/create/", { ...wish, password });
  const secret = body["secret"] as string;
  const begun = await page.post("/backend/auth/totp/begin/", { password });
  const code = await new Authenticator(String(begun.body["secret"])).next();
  expect((await page.post("/backend/auth/totp/enable/", { code })).status).toBe(200);
  expect(codeOf(await ask(secret, "/backend/keys/list/"))).toEqual([401, "invalid_access_token"]);
  expect((await page.get("/backend/keys/list/")).status).toBe(200);
});

test("a suspended user's token falls at once, and is not back with the user", async () => {
  const boss = consoleClient(sluice.url, (await loginAdmin(rig)).cookie);
  const user = await loginUser(rig);
  const secret = await giveToken(rig, user, ["usage"]);
  expect((await ask(secret, "/backend/usage/list/", { url: second.url })).status).toBe(200);
  const save = (status: string) =>
    boss.post("/backend/admin/user/save/", { user_id: String(user.userId), status, reason: "test" });
  expect((await save("suspended")).status).toBe(200);
  for (const { url } of [sluice, second]) {
    expect(codeOf(await ask(secret, "/backend/usage/list/", { url }))).toEqual([401, "invalid_access_token"]);
  }
  expect((await save("active")).status).toBe(200);
  expect(codeOf(await ask(secret, "/backend/usage/list/"))).toEqual([401, "invalid_access_token"]);
});

test("an admin's token has the rights that the admin has at that moment, on every replica", async () => {
  const admin = await loginAdmin(rig);
  await loginAdmin(rig);
  const secret = await giveToken(rig, admin, ["everything"]);
  const path = "/backend/admin/approval/list/";
  expect((await ask(secret, path, { url: second.url })).status).toBe(200);
  // As by hand in the database, where nothing announces it.
  await rig.db.sql`update shared_admin_credentials set agent = 1 where id = ${admin.adminId}::bigint`;
  expect(codeOf(await ask(secret, path, { url: second.url }))).toEqual([403, "super_admin_required"]);
  expect((await ask(secret, "/backend/admin/user/list/", { url: second.url })).status).toBe(200);
  await rig.db.sql`update shared_admin_credentials set agent = 0 where id = ${admin.adminId}::bigint`;
  expect(codeOf(await ask(secret, "/backend/admin/user/list/"))).toEqual([401, "invalid_access_token"]);
});

test("an admin who is made less by another loses the tokens", async () => {
  const boss = consoleClient(sluice.url, (await loginAdmin(rig)).cookie);
  const admin = await loginAdmin(rig);
  const secret = await giveToken(rig, admin, ["everything"]);
  const { body } = await boss.get("/backend/admin/admin/list/");
  const listed = body["admins"] as { admin_id: number; updated_at: string }[];
  const lowered = await boss.post("/backend/admin/admin/save/", {
    admin_id: Number(admin.adminId),
    agent: 1,
    updated_at: listed.find(({ admin_id }) => BigInt(admin_id) === admin.adminId)?.updated_at,
    reason: "test",
  });
  expect([lowered.status, lowered.body["error"]]).toEqual([200, undefined]);
  expect(codeOf(await ask(secret, "/backend/admin/user/list/"))).toEqual([401, "invalid_access_token"]);
});

test("an expired token is refused, and so is a flood of wrong ones", async () => {
  const user = await loginUser(rig);
  const secret = await giveToken(rig, user, ["usage"]);
  await rig.db.sql`
    update management_token set created_at = now() - interval '2 days', expires_at = now() - interval '1 second'
    where user_id = ${user.userId}::bigint`;
  expect(codeOf(await ask(secret, "/backend/usage/list/"))).toEqual([401, "invalid_access_token"]);
  expect(codeOf(await ask(`sl-mgmt-${"A".repeat(48)}`, "/backend/usage/list/"))).toEqual([401, "invalid_access_token"]);
});

test("a token is not an API key, and an API key is not a token", async () => {
  const user = await loginUser(rig);
  const secret = await giveToken(rig, user, ["everything"]);
  expect((await ask(secret, "/v1/models")).status).toBe(401);
  const { apiKey } = await rig.addUser();
  expect(codeOf(await ask(apiKey, "/backend/usage/list/"))).toEqual([401, "unauthenticated"]);
});

test("two requests can't both take an account's last place for a token", async () => {
  const { console: page, email } = await makeUser();
  const [owner] = await rig.db.sql<{ id: bigint }>`select id from user_profile where email = ${email}`;
  for (let each = 1; each < liveTokensMax; each += 1) {
    await giveToken(rig, { userId: (owner?.id ?? 0n) as UserId }, ["usage"]);
  }
  const made = await Promise.all(
    Array.from({ length: 4 }, () => page.post("/backend/tokens/create/", { ...wish, password })),
  );
  expect(made.map((each) => each.status).toSorted()).toEqual([200, 409, 409, 409]);
});

test("the scope for what takes a fresh login is for super-admins, and for 90 days", async () => {
  const plain = consoleClient(sluice.url, (await loginAdmin(rig, { isSuper: false })).cookie);
  const boss = consoleClient(sluice.url, (await loginAdmin(rig)).cookie);
  const stale = consoleClient(sluice.url, (await loginAdmin(rig, { isFresh: false })).cookie);
  const create = (client: typeof boss, expires_in_days: number, scopes: string[]) =>
    client.post("/backend/admin/token/create/", { name: "ci", scopes, expires_in_days });
  expect(codeOf(await create(plain, 30, ["upstreams", "sensitive"]))).toEqual([403, "super_admin_required"]);
  expect(codeOf(await create(boss, 91, ["upstreams", "sensitive"]))).toEqual([400, "invalid_value"]);
  expect(codeOf(await create(stale, 30, ["usage"]))).toEqual([403, "step_up_required"]);
  expect((await create(plain, 365, ["usage"])).status).toBe(200);
  const { status, body } = await create(boss, 90, ["upstreams", "sensitive"]);
  expect(status).toBe(200);
  const model = {
    name: "made-by-token",
    context_tokens_max: 1_000,
    output_tokens_max: 100,
    input_usd_per_m: "1",
    output_usd_per_m: "2",
  };
  const saved = await ask(body["secret"] as string, "/backend/admin/model/save/", { body: model });
  expect([saved.status, saved.body["error"]]).toEqual([200, undefined]);
  const [entry] = await rig.db.sql<{ token: string }>`
    select actor_token as token from audit_log where action = 'model.save' and subject_id = 'made-by-token'`;
  expect(entry?.token).toStartWith("ci (#");
});

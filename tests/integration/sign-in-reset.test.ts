import { afterAll, beforeAll, expect, test } from "bun:test";
import { AccountClient } from "../support/accounts/account-client.ts";
import { codeOf, consoleClient } from "../support/accounts/console-client.ts";
import { loginAdmin } from "../support/accounts/logins.ts";
import { clientSecret, ScriptedIssuer } from "../support/accounts/scripted-issuer.ts";
import { SignInBrowser } from "../support/accounts/sign-in-browser.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";

const providers = "/backend/admin/sign-in-provider/";
const password = "correct horse battery";
let rig: SluiceRig;
let sluice: SluiceProcess;
let client: AccountClient;
let issuer: ScriptedIssuer;

beforeAll(async () => {
  [rig, issuer] = await Promise.all([SluiceRig.create("http://127.0.0.1:9"), ScriptedIssuer.start()]);
  sluice = await rig.start("one-process", { ROLES: "relay,gateway,backend" });
  client = new AccountClient(sluice);
  await save(await asAdmin(), {});
});

afterAll(async () => {
  await Promise.all([rig?.close(), issuer?.close()]);
});

async function asAdmin() {
  const { cookie } = await loginAdmin(rig);
  return consoleClient(sluice.url, cookie);
}

const save = (admin: Awaited<ReturnType<typeof asAdmin>>, more: object) =>
  admin.post(`${providers}save/`, {
    ...{ slug: "acme", kind: "oidc", label: "Acme", issuer: issuer.url, client_id: issuer.clientId },
    ...{ client_secret: clientSecret, is_enabled: true, may_register: true, reason: "for a test", ...more },
  });

const signIn = (email: string, browser = new SignInBrowser(sluice.url)) =>
  browser.signIn("acme", issuer, { sub: email, email, email_verified: true });

/** A reset link of somebody whose account is linked with the service. */
async function linkFor(email: string): Promise<string> {
  await signIn(email);
  const token = `token-of-${email}`;
  await rig.db.sql`
    insert into account_token (user_id, purpose, token_hash, expires_at)
    select id, 'password_reset', sha256(${token}::bytea), now() + interval '1 hour' from user_profile where email = ${email}`;
  return token;
}

async function linksOf(email: string): Promise<number> {
  const [row] = await rig.db.sql<{ links: number }>`
    select count(*)::int as links from user_identity i join user_profile p on p.id = i.user_id where p.email = ${email}`;
  return row?.links ?? -1;
}

test("the page of a reset link names the linked sign-ins, and they stay unless their owner ends them", async () => {
  const token = await linkFor("keeps@example.org");
  const page = await client.get(`/reset-password/?token=${token}`);
  expect(page.text).toContain('name="end_sign_ins"');
  expect(page.text).toContain("Acme");
  expect((await client.get("/reset-password/?token=another")).text).not.toContain("end_sign_ins");
  expect((await client.postForm("/reset-password/", { token, password })).status).toBe(303);
  expect(await linksOf("keeps@example.org")).toBe(1);
});

test("a reset removes the linked sign-ins if that is asked for, by the form and by a program", async () => {
  const form = await linkFor("ends@example.org");
  const asked = { token: form, password, end_sign_ins: "yes" };
  expect((await client.postForm("/reset-password/", asked)).status).toBe(303);
  expect(await linksOf("ends@example.org")).toBe(0);
  const token = await linkFor("program@example.org");
  const confirmed = await client.post("/backend/auth/password-reset/confirm/", { token, password, end_sign_ins: true });
  expect([confirmed.status, await linksOf("program@example.org")]).toEqual([200, 0]);
  const [entry] = await rig.db.sql<{ after: { removedSignIns: string[] } }>`
    select after from audit_log where action = 'user.password_reset' order by id desc limit 1`;
  expect(entry?.after.removedSignIns).toEqual([issuer.url]);
});

test("admins see which sign-ins are linked to a user", async () => {
  await signIn("seen@example.org");
  const [user] = await rig.db.sql<{ id: bigint }>`select id from user_profile where email = 'seen@example.org'`;
  const { body } = await (await asAdmin()).get("/backend/admin/user/detail/", { user_id: String(user?.id) });
  expect(body["sign_ins"]).toMatchObject([{ issuer: issuer.url, email: "seen@example.org" }]);
});

test("a path to continue to that is too long for the cookie is dropped, and the sign-in works", async () => {
  const browser = new SignInBrowser(sluice.url);
  const begun = await browser.begin("acme", { next: `/console/${"ä".repeat(1_500)}` });
  const answer = { sub: "long", email: "long@example.org", email_verified: true };
  const back = await browser.back("acme", issuer.signIn(begun, answer));
  expect([back.status, back.headers.get("location")]).toEqual([303, "/console/"]);
});

test("a service is removed once it is switched off, and its links work again with the same issuer", async () => {
  await signIn("stays@example.org");
  const admin = await asAdmin();
  const removal = { slug: "acme", reason: "we moved" };
  expect(codeOf(await admin.post(`${providers}remove/`, removal))).toEqual([409, "conflict"]);
  const listed = (await admin.get(`${providers}list/`)).body["providers"] as { updated_at: string }[];
  await save(admin, { is_enabled: false, client_secret: "", updated_at: listed[0]?.updated_at });
  expect((await admin.post(`${providers}remove/`, removal)).status).toBe(200);
  expect(codeOf(await admin.post(`${providers}remove/`, removal))).toEqual([404, "not_found"]);
  expect((await fetch(`${sluice.url}/login/with/acme/`, { redirect: "manual" })).status).toBe(404);
  expect(await linksOf("stays@example.org")).toBe(1);
  expect((await save(admin, {})).status).toBe(200);
  expect((await signIn("stays@example.org")).status).toBe(303);
});

test("an admin whose rights end while the body arrives does nothing with it", async () => {
  const { cookie, adminId } = await loginAdmin(rig);
  const sent = Promise.withResolvers<void>();
  const rest = Promise.withResolvers<void>();
  const bytes = new TextEncoder().encode(JSON.stringify({ slug: "nobody", reason: "too late" }));
  const body = new ReadableStream<Uint8Array>({
    start: async (into) => {
      into.enqueue(bytes.slice(0, 5));
      sent.resolve();
      await rest.promise;
      into.enqueue(bytes.slice(5));
      into.close();
    },
  });
  const headers = { cookie, origin: new URL(sluice.url).origin, "content-type": "application/json" };
  const answer = fetch(`${sluice.url}${providers}remove/`, { method: "POST", headers, body });
  await sent.promise;
  await rig.db.sql`select pg_sleep(1)`;
  await rig.db.sql`update shared_admin_credentials set agent = 0 where id = ${adminId}::bigint`;
  rest.resolve();
  expect((await answer).status).toBe(401);
});

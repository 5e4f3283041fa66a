import { afterAll, beforeAll, expect, test } from "bun:test";
import { codeOf, consoleClient } from "../support/accounts/console-client.ts";
import { loginAdmin } from "../support/accounts/logins.ts";
import { clientSecret, ScriptedIssuer } from "../support/accounts/scripted-issuer.ts";
import { SignInBrowser } from "../support/accounts/sign-in-browser.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";

const path = "/backend/admin/sign-in-provider/";
let rig: SluiceRig;
let sluice: SluiceProcess;
let issuer: ScriptedIssuer;

beforeAll(async () => {
  [rig, issuer] = await Promise.all([SluiceRig.create("http://127.0.0.1:9"), ScriptedIssuer.start()]);
  sluice = await rig.startProcess();
});

afterAll(async () => {
  await Promise.all([rig?.close(), issuer?.close()]);
});

const wish = (slug: string, more: object = {}): object => ({
  ...{ slug, kind: "oidc", label: "Acme", issuer: issuer.url, client_id: issuer.clientId, client_secret: clientSecret },
  ...{ is_enabled: true, may_register: true, reason: "for a test", ...more },
});

async function asAdmin(more: { isSuper?: boolean; url?: string } = {}) {
  const { cookie } = await loginAdmin(rig, { isSuper: more.isSuper ?? true });
  return consoleClient(more.url ?? sluice.url, cookie);
}

type Entry = { readonly slug: string; readonly updated_at: string; readonly callback_url: string };

test("a service is saved once its issuer has answered, and its secret is never shown", async () => {
  const admin = await asAdmin();
  const saved = await admin.post(`${path}save/`, wish("acme"));
  expect([saved.status, saved.body["provider"]]).toEqual([
    200,
    expect.objectContaining({
      slug: "acme",
      is_enabled: true,
      callback_url: expect.stringContaining("/login/with/acme/callback/"),
    }),
  ]);
  const listed = await admin.get(`${path}list/`);
  expect(JSON.stringify([saved.body, listed.body])).not.toContain(clientSecret);
  const [row] = await rig.db.sql<{ text: string }>`
    select encode(secret_sealed, 'escape') || (select string_agg(after::text, '') from audit_log
      where action = 'sign_in_provider.save') as text from sign_in_provider where slug = 'acme'`;
  expect(row?.text).not.toContain(clientSecret);
  const page = await (await fetch(`${sluice.url}/login/`)).text();
  expect(page).toContain('href="/login/with/acme/"');
});

test("an issuer that does not answer, or calls itself otherwise, is not shown to anyone", async () => {
  const admin = await asAdmin();
  issuer.isDown = true;
  expect(codeOf(await admin.post(`${path}save/`, wish("down")))).toEqual([409, "issuer_unusable"]);
  issuer.isDown = false;
  issuer.metadata = { issuer: "https://login.example.org" };
  expect(codeOf(await admin.post(`${path}test/`, { kind: "oidc", issuer: issuer.url }))).toEqual([
    409,
    "issuer_unusable",
  ]);
  issuer.metadata = { padding: "x".repeat(300_000) };
  expect(codeOf(await admin.post(`${path}test/`, { kind: "oidc", issuer: issuer.url }))).toEqual([
    409,
    "issuer_unusable",
  ]);
  issuer.metadata = {};
  const plain = await admin.post(`${path}test/`, { kind: "oidc", issuer: "http://login.example.org" });
  expect(codeOf(plain)).toEqual([409, "issuer_unusable"]);
  expect(codeOf(await admin.post(`${path}save/`, wish("odd", { issuer: "ftp://login.example.org" })))[0]).toBe(400);
  issuer.isDown = true;
  expect((await admin.post(`${path}save/`, wish("later", { is_enabled: false }))).status).toBe(200);
  issuer.isDown = false;
  expect((await fetch(`${sluice.url}/login/with/later/`, { redirect: "manual" })).status).toBe(404);
});

test("the stored secret goes to no other issuer, and a change that somebody else overtook is refused", async () => {
  const admin = await asAdmin();
  const { body } = await admin.post(`${path}save/`, wish("moved", { is_enabled: false }));
  const { updated_at } = body["provider"] as Entry;
  const elsewhere = wish("moved", {
    issuer: "https://login.example.org",
    client_secret: "",
    is_enabled: false,
    updated_at,
  });
  expect(codeOf(await admin.post(`${path}save/`, elsewhere))).toEqual([400, "secret_required"]);
  const kept = wish("moved", { label: "Renamed", client_secret: "", updated_at });
  expect((await admin.post(`${path}save/`, kept)).status).toBe(200);
  expect(codeOf(await admin.post(`${path}save/`, kept))).toEqual([409, "conflict"]);
  expect(codeOf(await admin.post(`${path}save/`, wish("moved")))).toEqual([409, "conflict"]);
  const back = await new SignInBrowser(sluice.url).signIn("moved", issuer, {
    ...{ sub: "moved-1", email: "moved@example.org", email_verified: true },
  });
  expect(back.status).toBe(303);
});

test("an admin who is not a super-admin neither sees nor changes them", async () => {
  const admin = await asAdmin({ isSuper: false });
  expect((await admin.get(`${path}list/`)).status).toBe(403);
  expect((await admin.post(`${path}save/`, wish("plain"))).status).toBe(403);
});

test("a service that is shown waits for a second person where large amounts do; switching it off does not", async () => {
  const two = await rig.startProcess({ ADMIN_SECOND_PERSON_ABOVE_USD: "100" });
  const admin = await asAdmin({ url: two.url });
  const waiting = await admin.post(`${path}save/`, wish("two"));
  expect([waiting.status, waiting.body["approval"]]).toEqual([200, expect.objectContaining({ status: "pending" })]);
  expect(JSON.stringify(waiting.body)).not.toContain(clientSecret);
  const second = await asAdmin({ url: two.url });
  const { approval_id } = waiting.body["approval"] as { approval_id: number };
  const decision = { approval_id, decision: "approve", reason: "seen it" };
  expect((await second.post("/backend/admin/approval/decide/", decision)).status).toBe(200);
  const { providers } = (await admin.get(`${path}list/`)).body as { providers: Entry[] };
  const entry = providers.find(({ slug }) => slug === "two");
  const off = wish("two", { is_enabled: false, client_secret: "", updated_at: entry?.updated_at });
  expect((await admin.post(`${path}save/`, off)).body["provider"]).toMatchObject({ is_enabled: false });
});

test("where private addresses are closed, an issuer can't lead there", async () => {
  const closed = await rig.startProcess({ UPSTREAM_PRIVATE_ALLOWED: "false" });
  const admin = await asAdmin({ url: closed.url });
  for (const address of [issuer.url, "https://10.0.0.1", "https://169.254.169.254", "https://[::1]:8443"]) {
    const answer = await admin.post(`${path}test/`, { kind: "oidc", issuer: address });
    expect([address, ...codeOf(answer)]).toEqual([address, 409, "issuer_unusable"]);
  }
});

test("a service that has stopped answering leads back to the login page", async () => {
  const admin = await asAdmin();
  const lost = await ScriptedIssuer.start();
  await admin.post(`${path}save/`, wish("lost", { issuer: lost.url }));
  await lost.close();
  const answer = await fetch(`${sluice.url}/login/with/lost/`, { redirect: "manual" });
  expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining("did not respond as expected")]);
});

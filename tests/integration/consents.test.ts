import { afterAll, beforeAll, expect, test } from "bun:test";
import { AccountClient } from "../support/accounts/account-client.ts";
import { codeOf, consoleClient } from "../support/accounts/console-client.ts";
import { giveToken, loginAdmin, loginUser, type UserLogin } from "../support/accounts/logins.ts";
import { clientSecret, ScriptedIssuer } from "../support/accounts/scripted-issuer.ts";
import { SignInBrowser } from "../support/accounts/sign-in-browser.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";

const password = "correct horse battery";
let rig: SluiceRig;
let sluice: SluiceProcess;
let issuer: ScriptedIssuer;
let client: AccountClient;
let admin: ReturnType<typeof consoleClient>;
/** Somebody who was a user before the operator asked for anything. */
let early: UserLogin;

beforeAll(async () => {
  [rig, issuer] = await Promise.all([SluiceRig.create("http://127.0.0.1:9"), ScriptedIssuer.start()]);
  sluice = await rig.start("one-process", { CLIENT_IP_HEADER: "x-forwarded-for", ROLES: "relay,gateway,backend" });
  client = new AccountClient(sluice);
  admin = consoleClient(sluice.url, (await loginAdmin(rig)).cookie);
  early = await loginUser(rig);
});

afterAll(async () => {
  await Promise.all([rig?.close(), issuer?.close()]);
});

type Accepts = readonly { readonly page: string; readonly edition: number }[];
type Asked = {
  readonly page: string;
  readonly edition: number;
  readonly locale: string;
  readonly version: number;
  readonly html: string;
  readonly changes: string;
  readonly before: { readonly edition: number; readonly html: string } | null;
};

const versions = new Map<string, number>();

/** Publishes a version, the next one of its page and language. */
async function publish(place: string, markdown: string, more: object = {}) {
  const [page = "", locale = ""] = place.split("/");
  const version = versions.get(place) ?? 0;
  const body = { page, locale, markdown, effective_on: "2026-12-01", version, ...more };
  const answer = await admin.post("/backend/admin/branding/legal/save/", body);
  if (answer.status === 200) {
    versions.set(place, version + 1);
  }
  return answer;
}

async function needed(): Promise<Accepts> {
  const { body } = await client.get("/backend/auth/register/rules/");
  return body["accepts"] as Accepts;
}

/** Resolves once the service asks for exactly these editions, such as `terms 2`. */
async function untilAsked(...editions: readonly string[]): Promise<void> {
  for (let attempt = 0; attempt < 2_000; attempt += 1) {
    const asked = (await needed()).map(({ page, edition }) => `${page} ${edition}`);
    if (asked.join() === editions.join()) {
      return;
    }
    await Bun.sleep(10);
  }
  throw new Error(`it never asked for ${editions.join()}`);
}

const consoleOf = ({ cookie }: { readonly cookie: string }) => consoleClient(sluice.url, cookie);

async function askedOf({ cookie }: { readonly cookie: string }): Promise<readonly Asked[]> {
  const { body } = await client.get("/backend/auth/consents/", { cookie });
  return body["asked"] as readonly Asked[];
}

const shownOf = ({ page, edition, locale, version }: Asked) => ({ page, edition, locale, version });

async function acceptAll(user: { readonly cookie: string }, more: object = {}, ip = "203.0.113.7") {
  const accepts = (await askedOf(user)).map(shownOf);
  return await client.post("/backend/auth/consents/accept/", { accepts, ...more }, { cookie: user.cookie, ip });
}

type Row = { page: string; edition: number; locale: string; version: number; way: string; ip: string | null };

async function rowsOf(userId: bigint): Promise<Row[]> {
  const rows = await rig.db.sql<Row>`
    select page, edition, locale, version, way, ip from legal_consent where user_id = ${userId}::bigint order by id`;
  return rows.map((row) => ({ ...row }));
}

async function opened(cookie: string, path = "/console/"): Promise<string | null> {
  return (await client.get(path, { cookie })).headers.get("location");
}

async function idOf(email: string): Promise<bigint> {
  const [row] = await rig.db.sql<{ id: bigint }>`select id from user_profile where email = ${email}`;
  return row?.id ?? 0n;
}

test("nobody is asked before the operator publishes a version that needs consent", async () => {
  expect((await publish("terms/en", "The first terms")).status).toBe(200);
  expect((await publish("terms/en", "The first terms of {brand}, spelled right")).status).toBe(200);
  await untilAsked();
  expect(await askedOf(early)).toEqual([]);
  expect((await consoleOf(early).get("/backend/usage/summary/")).status).not.toBe(403);
  expect(await opened(early.cookie)).toBeNull();
  await client.makeUser("before@example.org", password);
  expect(await rowsOf(await idOf("before@example.org"))).toEqual([]);
});

test("the preview counts the users who will be asked, and none for a correction", async () => {
  const preview = async (asks_consent: boolean) => {
    const input = { page: "terms", locale: "en", markdown: "Other terms", effective_on: "2026-12-01", version: 2 };
    const { body } = await admin.post("/backend/admin/change/preview/", {
      operation: "/backend/admin/branding/legal/save/",
      input: { ...input, asks_consent, changes: "" },
    });
    return (body["consequences"] as { kind: string; count: number }[]).filter(({ kind }) => kind === "asked_users");
  };
  const [active] = await rig.db.sql<{ count: number }>`
    select count(*)::int as count from user_profile where status = 'active'`;
  expect(await preview(true)).toEqual([{ kind: "asked_users", count: active?.count ?? 0, names: [] }] as never);
  expect(await preview(false)).toEqual([]);
  // So does the first text that a page has.
  const first = { page: "privacy", locale: "en", markdown: "What we keep", effective_on: "2026-12-01", version: 0 };
  const { body } = await admin.post("/backend/admin/change/preview/", {
    operation: "/backend/admin/branding/legal/save/",
    input: { ...first, asks_consent: true, changes: "" },
  });
  expect(body["consequences"]).toEqual([{ kind: "asked_users", count: active?.count ?? 0, names: [] }]);
  // A preview publishes nothing.
  expect(await needed()).toEqual([]);
});

test("a login opens nothing but the question, while API keys and access tokens keep working", async () => {
  const made = await consoleOf(early).post("/backend/keys/create/", { name: "a program" });
  const { secret } = made.body as unknown as { secret: string };
  const token = await giveToken(rig, early, ["keys"]);
  expect((await publish("terms/en", "Terms to accept", { asks_consent: true })).status).toBe(200);
  await untilAsked("terms 1");
  expect(codeOf(await consoleOf(early).get("/backend/keys/list/"))).toEqual([403, "consent_required"]);
  expect(codeOf(await consoleOf(early).post("/backend/keys/create/", { name: "b" }))).toEqual([
    403,
    "consent_required",
  ]);
  expect(await opened(early.cookie, "/console/keys/?open=1")).toBe(
    `/console/consent/?next=${encodeURIComponent("/console/keys/?open=1")}`,
  );
  // The page that asks is not sent elsewhere; without a build there is none.
  expect(await opened(early.cookie, "/console/consent/?next=/console/keys/")).toBeNull();
  const models = await fetch(`${sluice.url}/v1/models`, { headers: { authorization: `Bearer ${secret}` } });
  expect(models.status).toBe(200);
  await models.text();
  const program = await fetch(`${sluice.url}/backend/keys/list/`, { headers: { authorization: `Bearer ${token}` } });
  expect(program.status).toBe(200);
  await program.text();
  const asProgram = await fetch(`${sluice.url}/backend/auth/consents/`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(asProgram.status).toBe(403);
  await asProgram.text();
});

test("a user who declines can log out, take the data along and close the account", async () => {
  const user = await loginUser(rig);
  for (const path of ["/backend/auth/me/", "/backend/auth/closing/"]) {
    expect([path, (await consoleOf(user).get(path)).status]).toEqual([path, 200]);
  }
  const data = await client.post("/backend/auth/data-export/", {}, { cookie: user.cookie });
  expect(data.status).toBe(200);
  const begun = await consoleOf(user).post("/backend/auth/closing/begin/", { agreed_balance: "0" });
  expect(begun.status).toBe(200);
  expect((await consoleOf(user).post("/backend/auth/closing/undo/", {})).status).toBe(200);
  expect((await consoleOf(user).post("/backend/auth/logout/", {})).status).toBe(200);
  expect(await client.me(user.cookie)).toBe(401);
});

test("what was accepted is kept with page, edition, text, language, address and way, once however often it is sent", async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => acceptAll(early)));
  // A late one finds nothing to accept.
  expect(answers.every(({ status }) => status === 200 || status === 400)).toBe(true);
  expect(await rowsOf(early.userId)).toEqual([
    { page: "terms", edition: 1, locale: "en", version: 3, way: "login", ip: "203.0.113.7" },
  ]);
  expect((await consoleOf(early).get("/backend/keys/list/")).status).toBe(200);
  expect(await opened(early.cookie)).toBeNull();
  expect(await opened(early.cookie, "/console/consent/?next=/console/keys/")).toBe("/console/keys/");
  expect(await opened(early.cookie, "/console/consent/?next=//evil.example/")).toBe("/console/");
  const entries = await rig.db.sql<{ ip: string | null; after: object }>`
    select ip, after from audit_log where action = 'legal_text.accept' and subject_id = ${early.userId.toString()}`;
  // The address is with the acceptance alone, where it can be forgotten.
  expect(entries.map((entry) => ({ ...entry }))).toEqual([
    { ip: null, after: { page: "terms", edition: 1, locale: "en", version: 3, way: "login" } },
  ]);
});

test("a registration is refused without the current editions, and records what it accepts in its language", async () => {
  const register = (address: string, more: object) =>
    client.post("/backend/auth/register/", { email: address, password, locale: "de", ...more }, { ip: "198.51.100.9" });
  const email = "new@example.org";
  const editions: readonly Accepts[] = [[], [{ page: "privacy", edition: 1 }], [{ page: "terms", edition: 2 }]];
  for (const accepts of editions) {
    const refused = await register(email, { accepts });
    expect([refused.status, refused.body.error?.code]).toEqual([403, "consent_required"]);
  }
  expect((await register(email, {})).status).toBe(403);
  expect(await idOf(email)).toBe(0n);
  expect((await register(email, { accepts: [{ page: "terms", edition: 1 }] })).status).toBe(202);
  expect(await rowsOf(await idOf(email))).toEqual([
    { page: "terms", edition: 1, locale: "en", version: 3, way: "registration", ip: "198.51.100.9" },
  ]);
  // Who registers an address that somebody has accepts nothing for them.
  expect((await register(early.email, { accepts: [{ page: "terms", edition: 1 }] })).status).toBe(202);
  expect(await rowsOf(early.userId)).toHaveLength(1);
});

test("the form has a box with links, and says what to do when it is not ticked", async () => {
  const page = await client.get("/register/?lang=de");
  expect(page.text).toContain('name="accepts" value="terms.1" required');
  expect(page.text).toContain('<a href="/de/legal/terms/" target="_blank" rel="noopener">Nutzungsbedingungen</a>');
  const fields = { email: "form@example.org", password, lang: "de" };
  const refused = await client.postForm("/register/", fields, { ip: "198.51.100.10" });
  expect([refused.status, refused.text.includes("Setzen Sie unten das Häkchen")]).toEqual([403, true]);
  for (const accepts of ["terms.2", "terms.01", "terms.1x", "terms.-1", "terms", "on"]) {
    const odd = await client.postForm("/register/", { ...fields, accepts }, { ip: "198.51.100.11" });
    expect([accepts, odd.status]).toEqual([accepts, 403]);
  }
  const made = await client.postForm("/register/", { ...fields, accepts: "terms.1" }, { ip: "198.51.100.12" });
  expect(made.status).toBe(200);
  expect((await rowsOf(await idOf(fields.email)))[0]?.way).toBe("registration");
});

test("a next edition says what is different and shows what was accepted before; a correction asks nobody", async () => {
  const silent = await publish("terms/en", "Terms to accept, better", { asks_consent: true });
  expect(codeOf(silent)).toEqual([400, "invalid_value"]);
  const changes = "Refunds take 14 days. <b>Not</b> 30.";
  expect((await publish("terms/en", "Better terms of {brand}", { asks_consent: true, changes })).status).toBe(200);
  await untilAsked("terms 2");
  expect(await askedOf(early)).toMatchObject([
    {
      ...{ page: "terms", edition: 2, locale: "en", version: 4, changes, html: "<p>Better terms of Sluice</p>\n" },
      before: { edition: 1, html: "<p>Terms to accept</p>\n" },
    },
  ]);
  // What was shown a moment ago is not what has to be accepted now.
  const old = { page: "terms", edition: 1, locale: "en", version: 3 };
  for (const wrong of [old, { ...old, edition: 2 }, { ...old, edition: 2, version: 4, locale: "ja" }]) {
    const refused = await consoleOf(early).post("/backend/auth/consents/accept/", { accepts: [wrong] });
    expect(codeOf(refused)).toEqual([409, "version_conflict"]);
  }
  expect((await acceptAll(early)).status).toBe(200);
  expect((await publish("terms/en", "Better terms, spelled right", { changes })).status).toBe(200);
  expect((await publish("terms/de", "Bessere Bedingungen")).status).toBe(200);
  await untilAsked("terms 2");
  expect(await askedOf(early)).toEqual([]);
  expect((await consoleOf(early).get("/backend/keys/list/")).status).toBe(200);
});

test("a text is accepted in the language it is read in, and one that is not translated yet in another", async () => {
  const user = await loginUser(rig);
  await rig.db.sql`update user_profile set locale = 'de' where id = ${user.userId}::bigint`;
  const german = async () => (await askedOf(user))[0];
  // The process hears of the translation a moment later.
  for (let attempt = 0; (await german())?.locale !== "de"; attempt += 1) {
    expect(attempt).toBeLessThan(2_000);
    await Bun.sleep(10);
  }
  const body = { accepts: [shownOf((await german()) as Asked)] };
  expect((await consoleOf(user).post("/backend/auth/consents/accept/", body)).status).toBe(200);
  expect(await rowsOf(user.userId)).toMatchObject([{ edition: 2, locale: "de", version: 1 }]);
  const changes = "Nothing but the name";
  expect((await publish("terms/en", "Third terms", { asks_consent: true, changes })).status).toBe(200);
  await untilAsked("terms 3");
  expect(await german()).toMatchObject({ edition: 3, locale: "en", before: { edition: 2, html: expect.anything() } });
});

test("a person who comes by another service is asked on arrival, and so is one with an invitation", async () => {
  await admin.post("/backend/admin/sign-in-provider/save/", {
    ...{ slug: "acme", kind: "oidc", label: "Acme", issuer: issuer.url, client_id: "sluice-test" },
    ...{ client_secret: clientSecret, is_enabled: true, may_register: true, reason: "set up for a test" },
  });
  const browser = new SignInBrowser(sluice.url);
  const answer = { sub: "new-1", email: "ada@example.org", email_verified: true };
  expect((await browser.signIn("acme", issuer, answer)).headers.get("location")).toBe("/console/");
  expect(await opened(browser.cookies)).toBe("/console/consent/?next=%2Fconsole%2F");
  expect((await acceptAll({ cookie: browser.cookies })).status).toBe(200);
  expect(await rowsOf(await idOf(answer.email))).toMatchObject([{ edition: 3, way: "sign_in" }]);
  const invited = await loginUser(rig);
  const read = await consoleOf(invited).post("/backend/organisations/invitation/read/", { token: "x".repeat(43) });
  expect(codeOf(read)).toEqual([403, "consent_required"]);
  expect((await acceptAll(invited, { next: "/console/invitation/?token=abc" })).status).toBe(200);
  expect(await rowsOf(invited.userId)).toMatchObject([{ edition: 3, way: "invitation" }]);
});

test("two pages are asked for together, and either can be accepted alone", async () => {
  expect(codeOf(await publish("imprint/en", "We", { asks_consent: true }))).toEqual([400, "invalid_value"]);
  expect(codeOf(await publish("privacy/en", " ", { asks_consent: true }))).toEqual([400, "invalid_value"]);
  expect((await publish("privacy/en", "What we keep", { asks_consent: true })).status).toBe(200);
  await untilAsked("terms 3", "privacy 1");
  const asked = await askedOf(early);
  expect(asked.map(({ page, edition }) => [page, edition])).toEqual([
    ["terms", 3],
    ["privacy", 1],
  ]);
  const [terms, privacy] = asked.map(shownOf);
  const accept = (accepts: readonly unknown[]) => consoleOf(early).post("/backend/auth/consents/accept/", { accepts });
  expect((await accept([])).status).toBe(400);
  expect((await accept([terms, terms])).status).toBe(400);
  expect((await accept([privacy])).status).toBe(200);
  expect((await askedOf(early)).map(({ page }) => page)).toEqual(["terms"]);
  expect(codeOf(await consoleOf(early).get("/backend/keys/list/"))).toEqual([403, "consent_required"]);
  expect((await accept([terms])).status).toBe(200);
  expect((await consoleOf(early).get("/backend/keys/list/")).status).toBe(200);
});

test("admins see who accepted what, and how many have yet to", async () => {
  const { body } = await admin.get("/backend/admin/consent/list/", { user_id: early.userId.toString() });
  expect(body["rows"]).toMatchObject([
    { page: "terms", edition: 3 },
    { page: "privacy", edition: 1, email: early.email, way: "login", locale: "en" },
    { page: "terms", edition: 2 },
    { page: "terms", edition: 1, ip: "203.0.113.7" },
  ]);
  const third = await admin.get("/backend/admin/consent/list/", { page: "terms", edition: "3" });
  expect((third.body["rows"] as unknown[]).length).toBe(3);
  const legal = await admin.get("/backend/admin/branding/legal/", { page: "terms", locale: "en" });
  const [waiting] = await rig.db.sql<{ count: number }>`
    select count(*)::int as count from user_profile u where status = 'active' and not exists (
      select 1 from legal_consent c where c.user_id = u.id and c.page = 'terms' and c.edition = 3)`;
  expect(legal.body).toMatchObject({ edition: 3, waiting: waiting?.count, changes: "Nothing but the name" });
  expect((legal.body["editions"] as { edition: number; accepted: number }[])[0]).toEqual({ edition: 3, accepted: 3 });
  const file = await admin.file("/backend/admin/consent/export/");
  expect([file.status, (await file.text()).includes(early.email)]).toEqual([200, true]);
  const published = await rig.db.sql<{ after: { edition: number } }>`
    select after from audit_log where action = 'legal_text.save' and subject_id = 'terms/en' order by id desc limit 1`;
  expect(published[0]?.after).toMatchObject({ edition: 3, changes: "Nothing but the name" });
});

const refusalOf = (work: PromiseLike<unknown>): Promise<string> =>
  Promise.resolve(work).then(
    () => "",
    (error: unknown) => String(error),
  );

test("what was accepted can't be changed or removed; only the address can be cleared", async () => {
  const { sql } = rig.db;
  expect(await refusalOf(sql`update legal_consent set edition = 9`)).toContain("append-only");
  expect(await refusalOf(sql`update legal_consent set ip = '192.0.2.1'`)).toContain("append-only");
  expect(await refusalOf(sql`update legal_consent set ip = null, way = 'invitation'`)).toContain("append-only");
  expect(await refusalOf(sql`delete from legal_consent`)).toContain("append-only");
  const export_ = await client.post("/backend/auth/data-export/", {}, { cookie: early.cookie });
  expect(JSON.parse(export_.text)["consents"]).toHaveLength(4);
});

test("nobody is asked for a page that is elsewhere, or was withdrawn", async () => {
  const setting = { name: "brand.terms_url", value: "https://acme.example/terms", version: 0 };
  expect((await admin.post("/backend/admin/settings/save/", setting)).status).toBe(200);
  await untilAsked("privacy 1");
  expect((await publish("privacy/en", "")).status).toBe(200);
  await untilAsked();
  const user = await loginUser(rig);
  expect((await consoleOf(user).get("/backend/keys/list/")).status).toBe(200);
  expect((await publish("privacy/en", "What we keep, again")).status).toBe(200);
  await untilAsked("privacy 1");
  expect(await askedOf(early)).toEqual([]);
});

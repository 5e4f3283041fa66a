import { afterAll, beforeAll, expect, test } from "bun:test";
import { passkeysMax } from "@sluice/contracts/passkeys";
import { type AccountAnswer, AccountClient } from "../support/accounts/account-client.ts";
import { giveToken } from "../support/accounts/logins.ts";
import { SignInBrowser } from "../support/accounts/sign-in-browser.ts";
import { SoftAuthenticator, type Twist } from "../support/accounts/soft-authenticator.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";

const path = "/backend/auth/passkeys/";
const password = "correct horse battery";
const origin = "https://sluice.example.org";
let rig: SluiceRig;
let sluice: SluiceProcess;
let client: AccountClient;

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  sluice = await rig.start("one-process", { ROLES: "relay,gateway,backend", PUBLIC_BASE_URL: origin });
  client = new AccountClient(sluice);
});

afterAll(() => rig?.close());

type Answer = { readonly status: number; readonly body: AccountAnswer["body"] };
/** A browser that keeps cookies, with what it is answered. */
class Browser {
  readonly #browser: SignInBrowser;
  constructor(cookie = "") {
    this.#browser = new SignInBrowser(sluice.url, cookie);
  }
  get cookies(): string {
    return this.#browser.cookies;
  }
  async post(to: string, body: object): Promise<Answer> {
    const answer = await this.#browser.postJson(`${path}${to}`, body);
    return { status: answer.status, body: (await answer.json()) as AccountAnswer["body"] };
  }
  async options<Options>(to: string, body: object = {}): Promise<Options> {
    const answer = await this.post(to, body);
    if (answer.status !== 200) {
      throw new Error(JSON.stringify(answer.body));
    }
    return answer.body["options"] as Options;
  }
}

type Creation = Parameters<SoftAuthenticator["create"]>[0];
type Request = Parameters<SoftAuthenticator["get"]>[0];

const codeOf = ({ status, body }: Answer): unknown[] => [status, body.error?.code ?? null];

async function newUser(): Promise<{ email: string; browser: Browser }> {
  const email = `user-${crypto.randomUUID().slice(0, 8)}@example.org`;
  await client.makeUser(email, password);
  const { cookie } = await client.logIn(email, password);
  return { email, browser: new Browser(cookie) };
}

async function addPasskey(browser: Browser, authenticator: SoftAuthenticator, twist: Twist = {}): Promise<Answer> {
  const options = await browser.options<Creation>("begin/", { password });
  return await browser.post("add/", { name: "Laptop", credential: authenticator.create(options, twist) });
}

/** A user with a passkey. */
async function withPasskey(kind = {}): Promise<{ email: string; browser: Browser; authenticator: SoftAuthenticator }> {
  const { email, browser } = await newUser();
  const authenticator = new SoftAuthenticator(origin, kind);
  expect(codeOf(await addPasskey(browser, authenticator))).toEqual([200, null]);
  return { email, browser, authenticator };
}

async function logIn(authenticator: SoftAuthenticator, twist: Twist = {}, browser = new Browser()): Promise<Answer> {
  const options = await browser.options<Request>("login/begin/");
  return await browser.post("login/", { credential: authenticator.get(options, twist), next: "/console/keys/" });
}

async function mailsTo(email: string): Promise<string[]> {
  const rows = await rig.db.sql<{ template: string }>`
    select template from mail_log where to_address = ${email} and template like 'passkey%' order by id`;
  return rows.map(({ template }) => template);
}

test("a passkey logs in without a name, a password or the code of the authenticator, and the session says so", async () => {
  const { email, authenticator } = await withPasskey();
  await rig.db.sql`update user_profile set totp_enabled_at = now(), totp_sealed = '\\x00' where email = ${email}`;
  const browser = new Browser();
  const answer = await logIn(authenticator, {}, browser);
  expect(codeOf(answer)).toEqual([200, null]);
  expect(answer.body).toMatchObject({ user: { email }, next: "/console/keys/" });
  const sessions = await client.get("/backend/auth/sessions/", { cookie: browser.cookies });
  const [current] = sessions.body["sessions"] as { method: string; is_current: boolean }[];
  expect(current).toMatchObject({ method: "passkey", is_current: true });
  const [row] = await rig.db.sql<{ used: boolean; transports: string[] }>`
    select last_used_at is not null as used, transports from passkey k join user_profile p on p.id = k.user_id
    where p.email = ${email}`;
  expect(row).toEqual({ used: true, transports: ["internal"] });
  expect(await mailsTo(email)).toEqual(["passkey_added"]);
});

test("a passkey is added only by the owner, in the browser and session that asked for it, and once", async () => {
  const { browser } = await newUser();
  expect(codeOf(await browser.post("begin/", {}))).toEqual([401, "invalid_credentials"]);
  expect(codeOf(await browser.post("begin/", { password: "not the password" }))).toEqual([401, "invalid_credentials"]);
  const options = await browser.options<Creation>("begin/", { password });
  expect(options).toMatchObject({
    rp: { id: "sluice.example.org" },
    attestation: "none",
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
  const authenticator = new SoftAuthenticator(origin);
  const made = { name: "Laptop", credential: authenticator.create(options) };
  // The challenge of this session, in another user's.
  const other = await newUser();
  const planted = `${browser.cookies.split("; ").find((each) => each.includes("SVC_PASSKEY"))}; ${other.browser.cookies}`;
  expect(codeOf(await new Browser(planted).post("add/", made))).toEqual([400, "passkey_failed"]);
  expect(codeOf(await browser.post("add/", made))).toEqual([200, null]);
  expect(codeOf(await browser.post("add/", made))).toEqual([400, "passkey_failed"]);
  const again = await browser.options<{ excludeCredentials: { id: string }[] }>("begin/", { password });
  expect(again.excludeCredentials.map(({ id }) => id)).toEqual([(made.credential as { id: string }).id]);
});

const wrongKeys: readonly (readonly [string, Twist])[] = [
  ["another origin", { origin: "https://evil.example" }],
  ["another site", { rpId: "evil.example" }],
  ["another challenge", { challenge: Buffer.alloc(32).toString("base64url") }],
  ["an owner who was not recognised", { isVerified: false }],
  ["a frame of another site", { crossOrigin: true }],
  ["a message of the other kind", { type: "webauthn.get" }],
  ["certificates that name addresses to ask", { format: "packed" }],
  ["a format that needs certificates", { format: "android-safetynet" }],
];

test.each(wrongKeys)("a key is not added with %s", async (_, twist) => {
  const { browser } = await newUser();
  expect(codeOf(await addPasskey(browser, new SoftAuthenticator(origin), twist))).toEqual([400, "passkey_failed"]);
});

const wrongLogins: readonly (readonly [string, Twist])[] = [
  ...wrongKeys.slice(0, 5),
  ["a message of the other kind", { type: "webauthn.create" }],
  ["the handle of another account", { userHandle: Buffer.alloc(32, 7).toString("base64url") }],
  ["an empty handle", { userHandle: "AA" }],
];

test("nothing that differs from what was asked logs in", async () => {
  const { authenticator } = await withPasskey();
  for (const [name, twist] of wrongLogins) {
    expect([name, ...codeOf(await logIn(authenticator, twist))]).toEqual([name, 400, "passkey_failed"]);
  }
  expect(codeOf(await logIn(authenticator))).toEqual([200, null]);
});

test("a challenge is good once, in its browser, for what it was made, and not for long", async () => {
  const { browser: own, authenticator } = await withPasskey();
  const browser = new Browser();
  const options = await browser.options<Request>("login/begin/");
  const credential = authenticator.get(options);
  expect(codeOf(await new Browser().post("login/", { credential }))).toEqual([400, "passkey_failed"]);
  const cookies = browser.cookies;
  expect(codeOf(await browser.post("login/", { credential }))).toEqual([200, null]);
  // The same message again, from a browser that kept the cookie.
  expect(codeOf(await new Browser(cookies).post("login/", { credential }))).toEqual([400, "passkey_failed"]);
  // The challenge for a new passkey is none for a login, in whatever browser.
  const creation = await own.options<Creation>("begin/", { password });
  const mixed = authenticator.get({ rpId: creation.rp.id, challenge: creation.challenge });
  expect(codeOf(await own.post("login/", { credential: mixed }))).toEqual([400, "passkey_failed"]);
});

test("a key that can't be copied is refused when its counter says it was, with an e-mail and an entry", async () => {
  const { email, authenticator } = await withPasskey({ isSynced: false, counts: true });
  const clone = authenticator.copy();
  expect(codeOf(await logIn(authenticator))).toEqual([200, null]);
  expect(codeOf(await logIn(authenticator))).toEqual([200, null]);
  expect(codeOf(await logIn(clone))).toEqual([403, "passkey_copied"]);
  expect(await mailsTo(email)).toEqual(["passkey_added", "passkey_copied"]);
  const [entry] = await rig.db.sql<{ after: object }>`
    select after from audit_log where action = 'user.passkey_copied' order by id desc limit 1`;
  expect(entry?.after).toMatchObject({ isRefused: true });
  expect(codeOf(await logIn(authenticator))).toEqual([200, null]);
});

test("a synced key continues after a counter that fell, and its owner gets an e-mail", async () => {
  const { email, authenticator } = await withPasskey({ isSynced: true, counts: true });
  const copy = authenticator.copy();
  expect(codeOf(await logIn(authenticator))).toEqual([200, null]);
  expect(codeOf(await logIn(authenticator))).toEqual([200, null]);
  expect(codeOf(await logIn(copy))).toEqual([200, null]);
  expect(await mailsTo(email)).toEqual(["passkey_added", "passkey_copied"]);
});

test("a removed passkey and the one of a suspended user open nothing", async () => {
  const { email, browser, authenticator } = await withPasskey();
  const listed = await client.get(path, { cookie: browser.cookies });
  const [passkey] = listed.body["passkeys"] as { passkey_id: number; name: string }[];
  const id = { passkey_id: passkey?.passkey_id };
  expect(codeOf(await browser.post("rename/", { ...id, name: "Phone" }))).toEqual([401, "invalid_credentials"]);
  const renamed = await browser.post("rename/", { ...id, name: "Phone", password });
  expect(renamed.body["passkey"]).toMatchObject({ name: "Phone" });
  expect(codeOf(await browser.post("rename/", { ...id, name: "a\u202eb", password }))[0]).toBe(400);
  await rig.db.sql`update user_profile set status = 'suspended' where email = ${email}`;
  expect(codeOf(await logIn(authenticator))).toEqual([403, "account_disabled"]);
  await rig.db.sql`update user_profile set status = 'active' where email = ${email}`;
  expect(codeOf(await browser.post("remove/", id))).toEqual([401, "invalid_credentials"]);
  expect(codeOf(await browser.post("remove/", { ...id, password }))).toEqual([200, null]);
  expect(codeOf(await logIn(authenticator))).toEqual([404, "passkey_unknown"]);
  expect(await mailsTo(email)).toEqual(["passkey_added", "passkey_removed"]);
  expect((await client.logIn(email, password)).status).toBe(200);
});

test("nobody reaches another user's passkey, no access token any, and no key is registered twice", async () => {
  const { browser, email } = await withPasskey();
  const [row] = await rig.db.sql<{ id: bigint; user_id: bigint }>`
    select k.id, k.user_id from passkey k join user_profile p on p.id = k.user_id where p.email = ${email}`;
  const other = await newUser();
  const id = { passkey_id: row?.id.toString(), password };
  expect(codeOf(await other.browser.post("rename/", { ...id, name: "Mine" }))).toEqual([404, "not_found"]);
  expect(codeOf(await other.browser.post("remove/", id))).toEqual([404, "not_found"]);
  const [known] = await rig.db.sql<{
    credential_id: string;
  }>`select credential_id from passkey where id = ${row?.id ?? 0n}::bigint`;
  const options = await browser.options<Creation>("begin/", { password });
  const twice = new SoftAuthenticator(origin);
  const made = twice.create(options);
  await rig.db
    .sql`update passkey set credential_id = ${(made as { id: string }).id} where id = ${row?.id ?? 0n}::bigint`;
  expect(codeOf(await browser.post("add/", { name: "Again", credential: made }))).toEqual([409, "passkey_taken"]);
  expect(known?.credential_id).not.toBe((made as { id: string }).id);
  const token = await giveToken(rig, { userId: (row?.user_id ?? 0n) as never }, ["everything"]);
  const asProgram = await fetch(`${sluice.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
  expect(asProgram.status).toBe(403);
});

test("an account has at most so many passkeys, and a login that is old is not enough for one", async () => {
  const { browser, email } = await withPasskey();
  await rig.db.sql`
    insert into passkey (user_id, name, credential_id, public_key, counter, transports, is_synced, is_backed_up, aaguid)
    select id, 'key', email || i, '\\x00', 0, '{}', true, true, '' from user_profile, generate_series(2, ${passkeysMax}::int) i
    where email = ${email}`;
  expect(codeOf(await browser.post("begin/", { password }))).toEqual([409, "too_many_passkeys"]);
  await rig.db.sql`delete from passkey where user_id = (select id from user_profile where email = ${email})`;
  await rig.db.sql`update user_profile set password_hash = null where email = ${email}`;
  expect(codeOf(await browser.post("begin/", {}))).toEqual([200, null]);
  await rig.db.sql`
    update session set created_at = created_at - interval '16 minutes'
    where user_id = (select id from user_profile where email = ${email})`;
  expect(codeOf(await browser.post("begin/", {}))).toEqual([403, "step_up_required"]);
});

test("a reset shows the passkeys, and removes them if that is asked for", async () => {
  const { email, authenticator } = await withPasskey();
  const linkFor = async (token: string): Promise<string> => {
    await rig.db.sql`
      insert into account_token (user_id, purpose, token_hash, expires_at)
      select id, 'password_reset', sha256(${token}::bytea), now() + interval '1 hour' from user_profile where email = ${email}`;
    return token;
  };
  const keeps = await linkFor(`keeps-${email}`);
  const page = await client.get(`/reset-password/?token=${keeps}`);
  expect(page.text).toContain('name="end_passkeys"');
  expect(page.text).toContain("Laptop");
  expect((await client.postForm("/reset-password/", { token: keeps, password: "another battery horse" })).status).toBe(
    303,
  );
  expect(codeOf(await logIn(authenticator))).toEqual([200, null]);
  const ends = await linkFor(`ends-${email}`);
  const asked = { token: ends, password: "a third battery horse", end_passkeys: "yes" };
  expect((await client.postForm("/reset-password/", asked)).status).toBe(303);
  expect(codeOf(await logIn(authenticator))).toEqual([404, "passkey_unknown"]);
});

test("attempts from an address are counted, also with keys that nobody has", async () => {
  const strange = new SoftAuthenticator(origin);
  strange.create({ rp: { id: "sluice.example.org" }, user: { id: "AAAA" }, challenge: "AAAA" });
  // Those of the tests before.
  await rig.db.sql`delete from attempt_counter`;
  const codes: unknown[] = [];
  const tryOne = async () => codes.push(codeOf(await logIn(strange))[1]);
  for (let index = 0; index < 20; index += 1) {
    await tryOne();
  }
  // As if they had gone on for long: the wait of a second could be over on a slow machine.
  await rig.db.sql`update attempt_counter set count = 40 where count = 20`;
  await tryOne();
  expect(codes.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => "passkey_unknown"));
  expect(codes[20]).toBe("too_many_attempts");
});

test("a service without a domain name offers no passkeys", async () => {
  const plain = await rig.start("one-process", { ROLES: "relay,gateway,backend" });
  const other = new AccountClient(plain);
  const { email } = await newUser();
  const { cookie } = await other.logIn(email, password);
  expect((await other.get(path, { cookie })).body).toMatchObject({ passkeys: [], is_offered: false });
  expect((await other.post(`${path}login/begin/`, {})).body.error?.code).toBe("passkeys_unavailable");
  expect((await other.get("/login/")).text).not.toContain("data-passkey");
  expect((await client.get("/login/")).text).toContain("data-passkey");
});

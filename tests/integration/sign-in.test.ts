import { afterAll, beforeAll, expect, test } from "bun:test";
import { AccountClient } from "../support/accounts/account-client.ts";
import { Authenticator } from "../support/accounts/authenticator.ts";
import { codeOf, consoleClient } from "../support/accounts/console-client.ts";
import { loginAdmin } from "../support/accounts/logins.ts";
import { clientSecret, type ScriptedAnswer, ScriptedIssuer } from "../support/accounts/scripted-issuer.ts";
import { SignInBrowser } from "../support/accounts/sign-in-browser.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";

const password = "correct horse battery";
let rig: SluiceRig;
let sluice: SluiceProcess;
let issuer: ScriptedIssuer;
let other: ScriptedIssuer;
let client: AccountClient;

beforeAll(async () => {
  [rig, issuer, other] = await Promise.all([
    SluiceRig.create("http://127.0.0.1:9"),
    ScriptedIssuer.start(),
    ScriptedIssuer.start(),
  ]);
  sluice = await rig.start("one-process", { CLIENT_IP_HEADER: "x-forwarded-for", ROLES: "relay,gateway,backend" });
  client = new AccountClient(sluice);
  await saveProvider("acme", issuer.url);
  await saveProvider("other", other.url);
  await saveProvider("closed", issuer.url, { may_register: false });
  await saveProvider("git", issuer.url, { kind: "github" });
});

afterAll(async () => {
  await Promise.all([rig?.close(), issuer?.close(), other?.close()]);
});

async function saveProvider(slug: string, url: string, more: object = {}) {
  const { cookie } = await loginAdmin(rig);
  return await consoleClient(sluice.url, cookie).post("/backend/admin/sign-in-provider/save/", {
    ...{ slug, kind: "oidc", label: `The ${slug}`, issuer: url, client_id: "sluice-test", client_secret: clientSecret },
    ...{ is_enabled: true, may_register: true, reason: "set up for a test" },
    ...more,
  });
}

let addresses = 0;
const freshEmail = (): string => {
  addresses += 1;
  return `person-${addresses}@example.org`;
};
const verified = (sub: string, email: string): ScriptedAnswer => ({ sub, email, email_verified: true });

const browse = (): SignInBrowser => new SignInBrowser(sluice.url);

async function userOf(email: string) {
  const [row] = await rig.db.sql<{ id: bigint; status: string; password: boolean; links: number }>`
    select id, status, password_hash is not null as password,
      (select count(*)::int from user_identity where user_id = user_profile.id) as links
    from user_profile where email = ${email}`;
  return row ?? null;
}

test("a person without an account gets one: verified, without a password, and found again by the subject", async () => {
  const email = freshEmail();
  const browser = browse();
  const back = await browser.signIn("acme", issuer, { ...verified("new-1", email), name: "Ada" });
  expect([back.status, back.headers.get("location")]).toEqual([303, "/console/"]);
  expect(await client.me(browser.cookies)).toBe(200);
  expect(await userOf(email)).toMatchObject({ status: "active", password: false, links: 1 });
  const again = browse();
  await again.signIn("acme", issuer, verified("new-1", "changed@example.org"));
  const me = await consoleClient(sluice.url, again.cookies).get("/backend/auth/me/");
  expect(me.body["user"]).toMatchObject({ email, has_password: false, display_name: "Ada" });
});

test("the address in the answer about the user counts like one in the token", async () => {
  const email = freshEmail();
  const back = await browse().signIn("acme", issuer, { ...verified("info-1", email), isByUserInfo: true });
  expect([back.status, (await userOf(email))?.links]).toEqual([303, 1]);
});

test("an address that the issuer has not verified opens no account and makes none", async () => {
  const email = freshEmail();
  await client.makeUser(email, password);
  for (const email_verified of [false, undefined, "false", "yes", 1 as unknown as string]) {
    const answer = { sub: "unverified-1", email, ...(email_verified === undefined ? {} : { email_verified }) };
    const back = await browse().signIn("acme", issuer, answer);
    expect([back.status, await back.text()]).toEqual([403, expect.stringContaining("does not confirm")]);
  }
  const fresh = freshEmail();
  await browse().signIn("acme", issuer, { sub: "unverified-2", email: fresh });
  expect([await userOf(fresh), (await userOf(email))?.links]).toEqual([null, 0]);
});

test("an address that is verified on both sides links the account, and its owner is told by mail", async () => {
  const email = freshEmail();
  await client.makeUser(email, password);
  const browser = browse();
  await browser.signIn("acme", issuer, verified("both-1", email.toUpperCase().replace("PERSON", "Person")));
  expect(await client.me(browser.cookies)).toBe(200);
  const user = await userOf(email);
  expect(user).toMatchObject({ password: true, links: 1 });
  const mails = await rig.db.sql`select 1 from mail_log where template = 'sign_in_linked' and to_address = ${email}`;
  const acts = await rig.db.sql<{ action: string }>`
    select action from audit_log where subject_kind = 'user' and subject_id = ${String(user?.id)} order by id`;
  expect(mails.length).toBe(1);
  expect(acts.map(({ action }) => action).slice(-2)).toEqual(["user.sign_in_link", "user.sign_in"]);
});

test("an account that somebody registered with another's address is neither opened nor taken over by its owner's sign-in", async () => {
  const email = freshEmail();
  await client.post("/backend/auth/register/", { email, password: "the attacker knows this" });
  const back = await browse().signIn("acme", issuer, verified("victim-1", email));
  expect([back.status, await back.text()]).toEqual([409, expect.stringContaining("waiting for verification")]);
  expect(await userOf(email)).toMatchObject({ status: "email_pending", links: 0 });
});

test("an account that came from another gateway without a verified address is linked once its owner has read its mail", async () => {
  const email = freshEmail();
  await client.makeUser(email, "the attacker knows this");
  await rig.db.sql`update user_profile set email_verified_at = null where email = ${email}`;
  const back = await browse().signIn("acme", issuer, verified("moved-1", email));
  expect([back.status, await back.text()]).toEqual([409, expect.stringContaining("waiting for verification")]);
  expect(await userOf(email)).toMatchObject({ status: "active", links: 0 });
  await rig.db.sql`
    insert into account_token (user_id, purpose, token_hash, expires_at)
    select id, 'password_reset', sha256('mailed'::bytea), now() + interval '1 hour' from user_profile where email = ${email}`;
  const reset = await client.post("/backend/auth/password-reset/confirm/", { token: "mailed", password });
  const owner = browse();
  await owner.signIn("acme", issuer, verified("moved-1", email));
  expect([reset.status, await client.me(owner.cookies), (await userOf(email))?.links]).toEqual([200, 200, 1]);
});

test("an address that moved to another person at the issuer does not bring the account along", async () => {
  const [email, later] = [freshEmail(), freshEmail()];
  await browse().signIn("acme", issuer, verified("owner-1", email));
  // The owner now has another address there, and a stranger got the old one.
  const owner = browse();
  await owner.signIn("acme", issuer, verified("owner-1", later));
  const me = await consoleClient(sluice.url, owner.cookies).get("/backend/auth/me/");
  expect((me.body["user"] as { email: string }).email).toBe(email);
  const stranger = await browse().signIn("acme", issuer, { sub: "stranger-1", email, email_verified: false });
  expect(stranger.status).toBe(403);
  expect((await userOf(email))?.links).toBe(1);
});

test("a suspended user stays out, by link and by address", async () => {
  const email = freshEmail();
  await browse().signIn("acme", issuer, verified("suspended-1", email));
  await rig.db.sql`update user_profile set status = 'suspended' where email = ${email}`;
  for (const sub of ["suspended-1", "suspended-2"]) {
    const browser = browse();
    const back = await browser.signIn("acme", issuer, verified(sub, email));
    expect([back.status, await client.me(browser.cookies)]).toEqual([403, 401]);
  }
});

test("a provider that makes no accounts says so", async () => {
  const email = freshEmail();
  const back = await browse().signIn("closed", issuer, verified("closed-1", email));
  expect([back.status, await back.text(), await userOf(email)]).toEqual([
    403,
    expect.stringContaining("no account here"),
    null,
  ]);
});

test("the code of the account's authenticator is still asked for, and works once", async () => {
  const email = freshEmail();
  await client.makeUser(email, password);
  const { cookie } = await client.logIn(email, password);
  const begun = await client.post("/backend/auth/totp/begin/", { password }, { cookie });
  const authenticator = new Authenticator(String(begun.body["secret"]));
  await client.post("/backend/auth/totp/enable/", { code: await authenticator.next() }, { cookie });
  const browser = browse();
  const back = await browser.signIn("acme", issuer, verified("factor-1", email));
  expect([back.status, await back.text()]).toEqual([200, expect.stringContaining('action="/login/code/"')]);
  expect([await client.me(browser.cookies), (await userOf(email))?.links]).toEqual([401, 0]);
  expect((await browser.post("/login/code/", { code: "000000" })).status).toBe(401);
  const kept = browser.cookies;
  expect((await browser.post("/login/code/", { code: await authenticator.next() })).status).toBe(303);
  expect([await client.me(browser.cookies), (await userOf(email))?.links]).toEqual([200, 1]);
  // The step is over: the same cookie does not begin a second session.
  const replayed = await new SignInBrowser(sluice.url, kept).post("/login/code/", { code: await authenticator.next() });
  expect(replayed.status).toBe(400);
});

test("a return is accepted from the browser that began it, once, and with its own state", async () => {
  const email = freshEmail();
  const [mine, stranger] = [browse(), browse()];
  const url = await mine.begin("acme");
  const query = issuer.signIn(url, verified("bound-1", email));
  // Login CSRF: the attacker's answer in the victim's browser, which has begun nothing, or another sign-in.
  expect((await stranger.back("acme", query)).status).toBe(400);
  await stranger.begin("acme");
  expect((await stranger.back("acme", query)).status).toBe(400);
  const wrong = new URLSearchParams(query);
  wrong.set("state", "another");
  const keptCookies = mine.cookies;
  expect((await mine.back("acme", wrong)).status).toBe(400);
  const again = new SignInBrowser(sluice.url, keptCookies);
  expect((await again.back("acme", query)).status).toBe(303);
  const replayed = new SignInBrowser(sluice.url, keptCookies);
  expect([(await replayed.back("acme", query)).status, await client.me(replayed.cookies)]).toEqual([400, 401]);
  expect(await userOf(email)).not.toBeNull();
});

test("a code that was made for another browser is refused", async () => {
  const [victim, attacker] = [browse(), browse()];
  const stolen = issuer.signIn(await victim.begin("acme"), verified("injected-1", freshEmail()));
  const own = issuer.signIn(await attacker.begin("acme"), verified("injected-2", freshEmail()));
  own.set("code", stolen.get("code") ?? "");
  const back = await attacker.back("acme", own);
  expect([back.status, await client.me(attacker.cookies)]).toEqual([400, 401]);
});

test("the answer of one issuer does not count for another", async () => {
  const browser = browse();
  // The browser thinks it signs in at `other`, which sends it to the honest issuer and wants its code.
  const honest = issuer.signIn(await browser.begin("acme"), verified("mixed-1", freshEmail()));
  const before = other.redeemed;
  expect((await browser.back("other", honest)).status).toBe(400);
  const second = browse();
  const query = issuer.signIn(await second.begin("acme"), verified("mixed-2", freshEmail()));
  query.set("iss", other.url);
  expect((await second.back("acme", query)).status).toBe(400);
  expect(other.redeemed).toBe(before);
});

test("a token that was not made for this sign-in, here and now, is refused", async () => {
  const past = Math.floor(Date.now() / 1_000) - 3_600;
  const lies: readonly Partial<ScriptedAnswer>[] = [
    { lies: { nonce: "of an earlier sign-in" } },
    { lies: { nonce: undefined } },
    { lies: { aud: "another-client" } },
    { lies: { aud: ["sluice-test", "another-client"], azp: "another-client" } },
    { lies: { iss: other.url } },
    { lies: { exp: past, iat: past - 60 } },
    { lies: { sub: "" } },
    { lies: { sub: undefined } },
    { hasForeignKey: true },
  ];
  for (const lie of lies) {
    const email = freshEmail();
    const back = await browse().signIn("acme", issuer, { ...verified("liar", email), ...lie });
    expect([JSON.stringify(lie), back.status, await userOf(email)]).toEqual([JSON.stringify(lie), 400, null]);
  }
});

test("two issuers can name the same subject: they are two people", async () => {
  const [email, second] = [freshEmail(), freshEmail()];
  await browse().signIn("acme", issuer, verified("same", email));
  await browse().signIn("other", other, verified("same", second));
  expect([(await userOf(email))?.links, (await userOf(second))?.links]).toEqual([1, 1]);
  expect((await userOf(email))?.id).not.toBe((await userOf(second))?.id);
});

test("two returns of the same new person at once make one account", async () => {
  const email = freshEmail();
  const browsers = [browse(), browse(), browse()];
  await Promise.all(browsers.map((each) => each.signIn("acme", issuer, verified("twice", email))));
  const [row] = await rig.db.sql<{ users: number }>`
    select count(*)::int as users from user_profile where lower(email) = ${email}`;
  expect([row?.users, (await userOf(email))?.links]).toEqual([1, 1]);
});

test("GitHub accounts are known by their number, and only a verified primary address counts", async () => {
  const [email, second] = [freshEmail(), freshEmail()];
  const address = { email, primary: true, verified: false };
  issuer.github = {
    user: { id: 4711, login: "ada", name: null },
    emails: [address, { ...address, email: second, primary: false, verified: true }],
  };
  expect((await browse().signIn("git", issuer, { sub: "" })).status).toBe(403);
  issuer.github = { user: { id: 4711, login: "ada", name: null }, emails: [{ ...address, verified: true }] };
  expect((await browse().signIn("git", issuer, { sub: "" })).status).toBe(303);
  issuer.github = { user: { id: 4711, login: "renamed", name: "Ada" }, emails: [] };
  const again = browse();
  expect((await again.signIn("git", issuer, { sub: "" })).status).toBe(303);
  expect(await client.me(again.cookies)).toBe(200);
  // The free name went to somebody else.
  issuer.github = { user: { id: 4712, login: "ada", name: "Ada" }, emails: [] };
  expect((await browse().signIn("git", issuer, { sub: "" })).status).toBe(403);
});

test("a user links a sign-in with the password, and removes it again", async () => {
  const email = freshEmail();
  await client.makeUser(email, password);
  const { cookie } = await client.logIn(email, password);
  const console = consoleClient(sluice.url, cookie);
  expect(codeOf(await console.post("/backend/auth/sign-ins/link/", { provider: "acme" }))).toEqual([
    401,
    "invalid_credentials",
  ]);
  const wrong = { provider: "acme", password: "not the password" };
  expect(codeOf(await console.post("/backend/auth/sign-ins/link/", wrong))).toEqual([401, "invalid_credentials"]);
  const browser = new SignInBrowser(sluice.url, cookie);
  const begun = await browser.postJson("/backend/auth/sign-ins/link/", { provider: "acme", password });
  const { url } = (await begun.json()) as { url: string };
  // The address at the issuer is another one, and not even verified: the login here is what counts.
  const back = await browser.back("acme", issuer.signIn(url, { sub: "linked-1", email: freshEmail() }));
  expect(back.headers.get("location")).toBe("/console/account/?sign_in=linked");
  const fresh = browse();
  expect((await fresh.signIn("acme", issuer, { sub: "linked-1" })).status).toBe(303);
  const listed = await console.get("/backend/auth/sign-ins/");
  const [linked] = listed.body["sign_ins"] as { sign_in_id: number; label: string }[];
  expect(linked?.label).toBe("The acme");
  const gone = await console.post("/backend/auth/sign-ins/unlink/", { sign_in_id: linked?.sign_in_id, password });
  expect(gone.status).toBe(200);
  expect((await browse().signIn("acme", issuer, { sub: "linked-1" })).status).toBe(403);
});

test("a link needs the session that began it, and never takes another account's sign-in", async () => {
  const [email, attackerEmail] = [freshEmail(), freshEmail()];
  await client.makeUser(attackerEmail, password);
  await browse().signIn("acme", issuer, verified("taken-1", email));
  const { cookie } = await client.logIn(attackerEmail, password);
  const attacker = new SignInBrowser(sluice.url, cookie);
  const beginLink = async (): Promise<string> => {
    const begun = await attacker.postJson("/backend/auth/sign-ins/link/", { provider: "acme", password });
    return ((await begun.json()) as { url: string }).url;
  };
  const taken = await attacker.back("acme", issuer.signIn(await beginLink(), { sub: "taken-1" }));
  expect(taken.headers.get("location")).toBe("/console/account/?sign_in=sign_in_taken");
  // The attacker's session has ended, and the browser is someone else's by now.
  const url = await beginLink();
  const { cookie: victimCookie } = await client.logIn(attackerEmail, password);
  const planted = new SignInBrowser(sluice.url, `${attacker.cookieNamed("SVC_SIGN_IN")}; ${victimCookie}`);
  const back = await planted.back("acme", issuer.signIn(url, { sub: "planted-1" }));
  expect(back.headers.get("location")).toBe("/console/account/?sign_in=sign_in_failed");
  expect((await userOf(attackerEmail))?.links).toBe(0);
});

test("the last way in can't be removed, and a login that is old is not enough to change one", async () => {
  const email = freshEmail();
  const browser = browse();
  await browser.signIn("acme", issuer, verified("last-1", email));
  const console = consoleClient(sluice.url, browser.cookies);
  const listed = await console.get("/backend/auth/sign-ins/");
  const [linked] = listed.body["sign_ins"] as { sign_in_id: number }[];
  const removal = { sign_in_id: linked?.sign_in_id };
  expect(codeOf(await console.post("/backend/auth/sign-ins/unlink/", removal))).toEqual([409, "last_sign_in"]);
  const token = { name: "a program", scopes: ["usage"], expires_in_days: 7 };
  expect((await console.post("/backend/tokens/create/", token)).status).toBe(200);
  await rig.db.sql`
    update session set created_at = created_at - interval '16 minutes'
    where user_id = (select id from user_profile where email = ${email})`;
  expect(codeOf(await console.post("/backend/auth/sign-ins/unlink/", removal))).toEqual([403, "step_up_required"]);
  expect(codeOf(await console.post("/backend/tokens/create/", token))).toEqual([403, "step_up_required"]);
  expect((await userOf(email))?.links).toBe(1);
});

test("another site can't begin a sign-in, and a strange path to continue to is not followed", async () => {
  const elsewhere = await fetch(`${sluice.url}/login/with/acme/`, {
    headers: { "sec-fetch-site": "cross-site" },
    redirect: "manual",
  });
  expect([elsewhere.headers.get("location"), elsewhere.headers.get("set-cookie")]).toEqual(["/login/", null]);
  const browser = browse();
  const query = issuer.signIn(
    await browser.begin("acme", { next: "https://evil.example/" }),
    verified("next-1", freshEmail()),
  );
  expect((await browser.back("acme", query)).headers.get("location")).toBe("/console/");
});

test("a person who gives up at the provider comes back to the login page", async () => {
  const browser = browse();
  const state = new URL(await browser.begin("acme")).searchParams.get("state") ?? "";
  const back = await browser.back("acme", new URLSearchParams({ error: "access_denied", state, iss: issuer.url }));
  expect([back.status, await back.text()]).toEqual([400, expect.stringContaining("not completed")]);
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openVariables } from "@sluice/control-plane/mail/variables-seal.ts";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import { AccountClient, mailedForm } from "../support/accounts/account-client.ts";
import { loginUser } from "../support/accounts/logins.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";

let rig: SluiceRig;
let sluice: SluiceProcess;
let client: AccountClient;
const password = "correct horse battery";
/** Without the jobs, so that emails stay as they were queued. */
const roles = "relay,gateway,backend";
const masterKey = new MasterKey(new Bun.CryptoHasher("sha256").update("the master key of tests").digest());

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  sluice = await rig.start("one-process", { CLIENT_IP_HEADER: "x-forwarded-for", ROLES: roles });
  client = new AccountClient(sluice);
});

afterAll(() => rig.close());

/** The newest email of a kind to an address, with its variables. */
async function newestMail(template: string, to: string): Promise<Record<string, string> | null> {
  const [row] = await rig.db.sql<{ dedupe_key: string; user_id: bigint; variables_sealed: Uint8Array }>`
    select dedupe_key, user_id, variables_sealed from mail_log
    where template = ${template} and to_address = ${to} order by id desc limit 1`;
  return row === undefined
    ? null
    : openVariables(masterKey, { dedupeKey: row.dedupe_key, userId: row.user_id }, row.variables_sealed);
}

/** The variables of the emails about a changed password to an address. */
async function noticesTo(to: string): Promise<Record<string, string>[]> {
  const rows = await rig.db.sql<{ dedupe_key: string; user_id: bigint; variables_sealed: Uint8Array }>`
    select dedupe_key, user_id, variables_sealed from mail_log
    where template = 'password_changed' and to_address = ${to} order by id`;
  return rows.map((row) =>
    openVariables(masterKey, { dedupeKey: row.dedupe_key, userId: row.user_id }, row.variables_sealed),
  );
}

const pathOf = (url: string | undefined): string => {
  const { pathname, search } = new URL(url ?? "");
  return `${pathname}${search}`;
};

const profileOf = async (email: string) => {
  const [row] = await rig.db.sql<{ id: bigint; status: string; gateway_user_id: bigint; verified: boolean }>`
    select id, status, gateway_user_id, email_verified_at is not null as verified from user_profile
    where email = ${email}`;
  return row;
};

describe("a registration", () => {
  test("creates profile, gateway user and link at once; the link activates the user, once", async () => {
    const email = "anna@example.org";
    const answer = await client.post("/backend/auth/register/", { email, password, display_name: "Anna" });
    expect(answer).toMatchObject({ status: 202, body: { ok: true, status: "email_pending" } });
    expect(answer.text).not.toContain("password");
    const link = answer.body.verification_url ?? "";
    expect(link).toMatch(/\/backend\/auth\/verify-email\/\?token=[\w-]{43}$/);
    expect(await profileOf(email)).toMatchObject({ status: "email_pending", verified: false });
    expect(await newestMail("email_verify", email)).toMatchObject({ link: mailedForm(link), valid_minutes: "1440" });
    const before = await client.logIn(email, password);
    expect(before).toMatchObject({ status: 403, body: { error: { code: "email_not_verified" } }, cookie: "" });

    expect(await client.get(pathOf(link))).toMatchObject({ status: 200, body: { ok: true, status: "active" } });
    expect(await profileOf(email)).toMatchObject({ status: "active", verified: true });
    const again = await client.get(pathOf(link));
    expect(again).toMatchObject({ status: 400, body: { error: { code: "invalid_token" } } });

    const login = await client.logIn(email, password);
    expect(login.status).toBe(200);
    const me = await client.get("/backend/auth/me/", { cookie: login.cookie });
    expect(me.body).toMatchObject({
      user: { email, display_name: "Anna", status: "active", user_type: "personal", rate_multiplier: "1.0000" },
    });
    expect(me.text).not.toMatch(/hash|argon|sealed/);
    expect(await rig.checkMoney()).toEqual([]);
  });

  test("gives each profile one gateway user of group default, with an empty budget", async () => {
    const email = "one-to-one@example.org";
    await client.post("/backend/auth/register/", { email, password });
    const rows = await rig.db.sql<{ group_name: string; granted: bigint; rate_multiplier: string }>`
      select g.group_name, b.granted, g.rate_multiplier from user_profile p
      join gateway_user g on g.id = p.gateway_user_id join budget b on b.gateway_user_id = g.id
      where p.email = ${email}`;
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ group_name: "default", granted: 0n, rate_multiplier: "1.0000" });
  });

  test("stores password and token as digests only, and records who registered", async () => {
    const email = "digests@example.org";
    const answer = await client.post("/backend/auth/register/", { email, password });
    const token = new URL(answer.body.verification_url ?? "").searchParams.get("token") ?? "";
    const [row] = await rig.db.sql<{ password_hash: string }>`
      select password_hash from user_profile where email = ${email}`;
    expect(row?.password_hash).toMatch(/^\$argon2id\$/);
    const rows = await rig.db.sql`select 1 from account_token where encode(token_hash, 'escape') like ${`%${token}%`}`;
    expect(rows).toEqual([]);
    const audit = await rig.db.sql`
      select 1 from audit_log where action = 'user.register' and actor_name = ${email} and after::text not like '%argon%'`;
    expect(audit).toHaveLength(1);
    expect(sluice.log()).not.toContain(token);
  });

  test("of one address, requested many times at once, creates one user", async () => {
    const email = "race@example.org";
    const answers = await Promise.all(
      Array.from({ length: 4 }, (_, index) =>
        client.post(
          "/backend/auth/register/",
          { email: index % 2 === 0 ? email : "RACE@example.org", password },
          { ip: `192.0.2.${index}` },
        ),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
    const rows = await rig.db.sql`select 1 from user_profile where lower(email) = ${email}`;
    expect(rows).toHaveLength(1);
    const orphans = await rig.db.sql`
      select 1 from gateway_user g left join user_profile p on p.gateway_user_id = g.id where p.id is null`;
    expect(orphans).toEqual([]);
    expect(await rig.checkMoney()).toEqual([]);
  });

  test("survives even if its email can't be queued; the reason is in the profile", async () => {
    await rig.db.sql`alter table mail_log add constraint no_mail check (to_address <> 'no-mail@example.org')`;
    const answer = await client.post("/backend/auth/register/", { email: "no-mail@example.org", password });
    expect(answer.status).toBe(202);
    const [row] = await rig.db.sql<{ status: string; tried: boolean; verification_email_error: string | null }>`
      select status, verification_email_sent_at > now() - interval '1 minute' as tried, verification_email_error
      from user_profile where email = 'no-mail@example.org'`;
    expect(row).toMatchObject({ status: "email_pending", tried: true });
    expect(row?.verification_email_error).toContain("no_mail");
    expect((await client.get(pathOf(answer.body.verification_url))).status).toBe(200);
  });

  test("can have its link sent again; only the newest works", async () => {
    const email = "again@example.org";
    const first = await client.post("/backend/auth/register/", { email, password });
    const second = await client.post("/backend/auth/resend-verification/", { email });
    expect(await newestMail("email_verify", email)).toMatchObject({
      link: mailedForm(second.body.verification_url),
    });
    expect((await client.get(pathOf(first.body.verification_url))).status).toBe(400);
    expect((await client.get(pathOf(second.body.verification_url))).status).toBe(200);
  });

  test("returns no link if the operator disables that", async () => {
    const strict = await rig.startProcess({ ROLES: roles, REGISTRATION_RETURNS_VERIFICATION_URL: "0" });
    const email = "mail-only@example.org";
    const answer = await new AccountClient(strict).post("/backend/auth/register/", { email, password });
    expect(answer.body).toEqual({ ok: true, status: "email_pending" });
    const mail = await newestMail("email_verify", email);
    expect((await client.get(pathOf(mail?.["link"]))).status).toBe(200);
    await strict.stop();
  });

  test("uses the language that the browser remembers; its emails and their links follow it", async () => {
    const email = "sprache@example.org";
    const german = { cookie: "SVC_LANG=de", headers: { "accept-language": "fr" } };
    await client.post("/backend/auth/register/", { email, password }, german);
    const page = await client.get(pathOf((await newestMail("email_verify", email))?.["link"]));
    expect(page.text).toContain('<html lang="de"');
    expect(page.text).toContain('<input type="hidden" name="lang" value="de">');
    const [mail] = await rig.db.sql<{ locale: string }>`select locale from mail_log where to_address = ${email}`;
    expect(mail?.locale).toBe("de");
    await client.post("/backend/auth/password-reset/request/", { email });
    const reset = await client.get(pathOf((await newestMail("password_reset", email))?.["link"]));
    expect(reset.text).toContain('<html lang="de"');
  });
});

describe("a password", () => {
  test("is reset by a link sent by email: once, and every session ends", async () => {
    const email = "forgetful@example.org";
    await client.makeUser(email, password);
    const cookies = [(await client.logIn(email, password)).cookie, (await client.logIn(email, password)).cookie];
    expect(await client.post("/backend/auth/password-reset/request/", { email })).toMatchObject({ status: 202 });
    const mail = await newestMail("password_reset", email);
    const token = new URL(mail?.["link"] ?? "").searchParams.get("token") ?? "";
    const next = "tango olive brook";
    const weak = await client.post("/backend/auth/password-reset/confirm/", { token, password: "password1" });
    expect(weak).toMatchObject({ status: 400, body: { error: { code: "invalid_password" } } });
    const confirm = () => client.post("/backend/auth/password-reset/confirm/", { token, password: next });
    const both = await Promise.all([confirm(), confirm()]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect((await confirm()).body.error?.code).toBe("invalid_token");
    expect(await noticesTo(email)).toEqual([{ reset_link: expect.stringMatching(/^http:.+\/reset-password\/$/) }]);
    expect(await Promise.all(cookies.map((cookie) => client.me(cookie)))).toEqual([401, 401]);
    expect((await client.logIn(email, password)).status).toBe(401);
    expect((await client.logIn(email, next)).status).toBe(200);
  });

  test("that is reset by email also verifies the address", async () => {
    const email = "via-reset@example.org";
    const registered = await client.post("/backend/auth/register/", { email, password });
    await client.post("/backend/auth/password-reset/request/", { email });
    const mail = await newestMail("password_reset", email);
    const token = new URL(mail?.["link"] ?? "").searchParams.get("token") ?? "";
    const next = "tango olive brook";
    expect((await client.post("/backend/auth/password-reset/confirm/", { token, password: next })).status).toBe(200);
    expect((await client.logIn(email, next)).status).toBe(200);
    expect((await client.get(pathOf(registered.body.verification_url))).body.error?.code).toBe("invalid_token");
  });

  test("can be changed with the old one; other sessions end and pending links become worthless", async () => {
    const email = "changer@example.org";
    await client.makeUser(email, password);
    const other = (await client.logIn(email, password)).cookie;
    const { cookie } = await client.logIn(email, password);
    await client.post("/backend/auth/password-reset/request/", { email });
    const mail = await newestMail("password_reset", email);
    const token = new URL(mail?.["link"] ?? "").searchParams.get("token") ?? "";
    const change = (current: string) =>
      client.post(
        "/backend/auth/password/change/",
        { current_password: current, new_password: "tango olive" },
        { cookie },
      );
    expect((await change("wrong password")).body.error?.code).toBe("invalid_credentials");
    expect(await noticesTo(email)).toEqual([]);
    const changed = await change(password);
    expect(changed.status).toBe(200);
    expect(await noticesTo(email)).toEqual([{ reset_link: expect.stringMatching(/^http:.+\/reset-password\/$/) }]);
    expect(await Promise.all([cookie, other, changed.cookie].map((each) => client.me(each)))).toEqual([401, 401, 200]);
    const late = await client.post("/backend/auth/password-reset/confirm/", { token, password: "another one 17" });
    expect(late.body.error?.code).toBe("invalid_token");
  });
});

describe("sessions", () => {
  test("are listed for their owner and can be ended one by one or all but one", async () => {
    const email = "sessions@example.org";
    await client.makeUser(email, password);
    const browser = { headers: { "user-agent": "browser" }, ip: "198.51.100.7" };
    const cookies = [
      (await client.logIn(email, password, browser)).cookie,
      (await client.logIn(email, password)).cookie,
      (await client.logIn(email, password)).cookie,
    ];
    const [first = "", second = "", third = ""] = cookies;
    const listed = await client.get("/backend/auth/sessions/", { cookie: third });
    const sessions = listed.body["sessions"] as { id: number; ip: string; user_agent: string; is_current: boolean }[];
    expect(sessions.map(({ is_current }) => is_current)).toEqual([true, false, false]);
    expect(sessions[2]).toMatchObject({ ip: "198.51.100.7", user_agent: "browser" });
    const end = (body: object) => client.post("/backend/auth/sessions/revoke/", body, { cookie: third });
    expect((await end({ session_id: sessions[2]?.id })).status).toBe(200);
    expect(await client.me(first)).toBe(401);
    expect((await end({ all_others: true })).body["revoked"]).toBe(1);
    expect([await client.me(second), await client.me(third)]).toEqual([401, 200]);
    expect((await client.post("/backend/auth/logout/", {}, { cookie: third })).status).toBe(200);
    expect(await client.me(third)).toBe(401);
  });

  test("that ended by a logout, a new password or a suspension are reported as expired, and requests without a cookie are asked to log in", async () => {
    const ends: readonly ((user: { cookie: string; userId: bigint }) => Promise<unknown>)[] = [
      ({ cookie }) => client.post("/backend/auth/logout/", {}, { cookie }),
      ({ userId }) => rig.db.sql`update user_profile set status = 'suspended' where id = ${userId}::bigint`,
      ({ userId }) => rig.db.sql`update session set revoked_at = now() where user_id = ${userId}::bigint`,
    ];
    for (const end of ends) {
      const user = await loginUser(rig);
      await end(user);
      const answer = await client.get("/backend/auth/me/", { cookie: user.cookie });
      expect([answer.status, answer.body.error?.code]).toEqual([401, "session_expired"]);
    }
    const answer = await client.get("/backend/auth/me/");
    expect([answer.status, answer.body.error?.code]).toEqual([401, "unauthenticated"]);
  });

  test("of another user can't be ended, and look as if they did not exist", async () => {
    const [mine, theirs] = [await loginUser(rig), await loginUser(rig)];
    const [row] = await rig.db.sql<{ id: bigint }>`select id from session where user_id = ${theirs.userId}::bigint`;
    const end = (id: unknown) =>
      client.post("/backend/auth/sessions/revoke/", { session_id: id }, { cookie: mine.cookie });
    expect((await end(String(row?.id))).status).toBe(404);
    expect((await end("999999999")).status).toBe(404);
    expect(await client.me(theirs.cookie)).toBe(200);
    for (const id of ["1'--", -1, 1e3 + 0.5, "9223372036854775808", null, "x"]) {
      expect((await end(id)).status).toBe(400);
    }
  });

  test("expire after two idle weeks, after ninety days, and are updated once a minute at most", async () => {
    const user = await loginUser(rig);
    const seenAt = async () => {
      const [row] = await rig.db.sql<{ at: string }>`
        select seen_at::text as at from session where user_id = ${user.userId}::bigint`;
      return row?.at;
    };
    const start = await seenAt();
    expect(await client.me(user.cookie)).toBe(200);
    expect(await seenAt()).toBe(start);
    await rig.db.sql`
      update session set seen_at = now() - interval '13 days' where user_id = ${user.userId}::bigint`;
    expect(await client.me(user.cookie)).toBe(200);
    const [row] = await rig.db.sql<{ fresh: boolean }>`
      select seen_at > now() - interval '10 seconds' as fresh from session where user_id = ${user.userId}::bigint`;
    expect(row?.fresh).toBe(true);
    await rig.db.sql`
      update session set seen_at = now() - interval '15 days' where user_id = ${user.userId}::bigint`;
    expect(await client.me(user.cookie)).toBe(401);
  });
});

describe("the login form works without JavaScript", () => {
  test("logs in, shows the console, and refuses with a page", async () => {
    const email = "form@example.org";
    await client.makeUser(email, password);
    const form = await client.get("/login/?next=/console/keys/");
    expect(form.status).toBe(200);
    expect(form.headers.get("content-security-policy")).toContain("form-action 'self'");
    expect(form.text).toContain('<form method="post" action="/login/">');
    expect(form.text).toContain('value="/console/keys/"');
    const wrong = await client.postForm("/login/", { email, password: "wrong" });
    expect(wrong.status).toBe(401);
    expect(wrong.text).toContain('role="alert"');
    expect(wrong.text).toContain(`value="${email}"`);
    const right = await client.postForm("/login/", { email, password });
    expect([right.status, right.headers.get("location")]).toEqual([303, "/console/"]);
    expect(right.headers.getSetCookie()[0]).toMatch(
      /^SVC_USER_SESSID=[\w-]{43}; Path=\/; Max-Age=7776000; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect(await client.me(right.cookie)).toBe(200);
    const next = await client.postForm("/login/", { email, password, next: "/docs/" });
    expect(next.headers.get("location")).toBe("/docs/");
    const evil = await client.postForm("/login/", { email, password, next: "//evil.example" });
    expect(evil.headers.get("location")).toBe("/console/");
    const out = await client.postForm("/backend/auth/logout/", {}, { cookie: right.cookie });
    expect([out.status, out.headers.get("location")]).toEqual([303, "/login/"]);
    expect(await client.me(right.cookie)).toBe(401);
  });

  test("a new password can be set with forms alone", async () => {
    const email = "form-reset@example.org";
    await client.makeUser(email, password);
    const asked = await client.postForm("/reset-password/", { email });
    expect(asked.headers.get("location")).toBe("/login/?notice=sent");
    const mail = await newestMail("password_reset", email);
    const page = await client.get(pathOf(mail?.["link"]));
    const token = /name="token" value="([\w-]{43})"/.exec(page.text)?.[1] ?? "";
    const weak = await client.postForm("/reset-password/", { token, password: "12345678" });
    expect(weak.status).toBe(400);
    expect(weak.text).toContain(token);
    const done = await client.postForm("/reset-password/", { token, password: "tango olive brook" });
    expect(done.headers.get("location")).toBe("/login/?notice=reset");
    expect((await client.logIn(email, "tango olive brook")).status).toBe(200);
  });

  test("typed input is shown as text", async () => {
    const page = await client.postForm("/login/", { email: '"><script>alert(1)</script>', password: "x" });
    expect(page.text).not.toContain("<script>");
    expect(page.text).toContain("&lt;script&gt;");
  });

  test("a cookie in development is sent over plain HTTP", async () => {
    const development = await rig.startProcess({ ROLES: roles, NODE_ENV: "development" });
    const email = "dev@example.org";
    await client.makeUser(email, password);
    const login = await new AccountClient(development).logIn(email, password);
    expect(login.headers.get("set-cookie")).not.toContain("Secure");
    await development.stop();
  });
});

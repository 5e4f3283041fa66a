import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createAdmin } from "@sluice/control-plane/accounts/admins/command-admins.ts";
import { openVariables } from "@sluice/control-plane/mail/variables-seal.ts";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import { type AdminLogin, loginAdmin } from "../support/accounts/logins.ts";
import { masterKeyBytes, type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";

let rig: SluiceRig;
let sluice: SluiceProcess;
const password = "correct horse battery";

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  // Without the jobs, so that emails stay as they were queued.
  sluice = await rig.start("one-process", { ROLES: "relay,gateway,backend" });
  const base = { email: "Anna@example.org", mobile: "+491700000001", password, isSuper: true };
  await rig.db.withTransaction((tx) => createAdmin(tx, { ...base, username: "anna" }, "test"));
});

afterAll(() => rig.close());

async function post(path: string, body: object, headers: Record<string, string> = {}) {
  const answer = await fetch(`${sluice.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: sluice.url, ...headers },
    body: JSON.stringify(body),
  });
  return {
    status: answer.status,
    setCookie: answer.headers.getSetCookie()[0] ?? "",
    body: (await answer.json()) as { ok: boolean; error?: { code: string } },
  };
}

const logIn = (login: string, headers = {}) => post("/backend/auth/admin/login/", { login, password }, headers);
const cookieOf = (setCookie: string): string => setCookie.split(";")[0] ?? "";

async function me(cookie: string): Promise<number> {
  return (await fetch(`${sluice.url}/backend/auth/admin/me/`, { headers: { cookie } })).status;
}

/** The token of the link in the newest mail. */
async function newestToken(): Promise<string> {
  const [mail] = await rig.db.sql<{ dedupe_key: string; variables_sealed: Uint8Array }>`
    select dedupe_key, variables_sealed from mail_log where template = 'password_reset' order by id desc limit 1`;
  const about = { dedupeKey: mail?.dedupe_key ?? "", userId: null };
  const { link } = openVariables(new MasterKey(masterKeyBytes), about, mail?.variables_sealed ?? new Uint8Array());
  return new URL(link ?? "").searchParams.get("token") ?? "";
}

/** Changes the rights of an admin as they are now. */
async function save(by: AdminLogin, adminId: bigint, change: object) {
  const [row] = await rig.db.sql<{ updated_at: Date }>`
    select updated_at from shared_admin_credentials where id = ${adminId}::bigint`;
  const body = { admin_id: adminId.toString(), updated_at: row?.updated_at.toISOString(), ...change };
  return await post("/backend/admin/admin/save/", body, { cookie: by.cookie });
}

describe("an admin", () => {
  test.each(["anna", "ANNA", "anna@example.org", "+491700000001"])("logs in as %s", async (login) => {
    const answer = await logIn(login);
    expect(answer).toMatchObject({ status: 200, body: { ok: true, admin: { username: "anna", is_super: true } } });
    expect(await me(cookieOf(answer.setCookie))).toBe(200);
  });

  test("gets a cookie that no script and no other site can use, and only its digest is stored", async () => {
    const { setCookie } = await logIn("anna");
    expect(setCookie).toMatch(
      /^SVC_ADMIN_SESSID=[\w-]{43}; Path=\/; Max-Age=86400; HttpOnly; SameSite=Strict; Secure$/,
    );
    const token = cookieOf(setCookie).split("=")[1] ?? "";
    const rows = await rig.db.sql`select 1 from session where encode(token_hash, 'escape') like ${`%${token}%`}`;
    expect(rows).toEqual([]);
  });

  test("keeps one support profile across all logins", async () => {
    await logIn("anna");
    const rows = await rig.db.sql`
      select 1 from support_profile p join shared_admin_credentials a on a.id = p.admin_id where username = 'anna'`;
    expect(rows).toHaveLength(1);
  });

  test("logs out, and the cookie becomes worthless", async () => {
    const cookie = cookieOf((await logIn("anna")).setCookie);
    expect((await post("/backend/auth/admin/logout/", {}, { cookie })).setCookie).toContain("Max-Age=0");
    expect(await me(cookie)).toBe(401);
  });

  test("a new login replaces the old session", async () => {
    const before = cookieOf((await logIn("anna")).setCookie);
    const after = cookieOf((await logIn("anna", { cookie: before })).setCookie);
    expect(after).not.toBe(before);
    expect([await me(before), await me(after)]).toEqual([401, 200]);
  });

  test("loses all access once agent is 0, both in a session and at login", async () => {
    const made = { username: "former", email: null, mobile: null, password, isSuper: false };
    await rig.db.withTransaction((tx) => createAdmin(tx, made, "test"));
    const cookie = cookieOf((await logIn("former")).setCookie);
    expect(await me(cookie)).toBe(200);
    await rig.db.sql`update shared_admin_credentials set agent = 0 where username = 'former'`;
    expect(await me(cookie)).toBe(401);
    expect(await logIn("former")).toMatchObject({ status: 401, body: { error: { code: "invalid_credentials" } } });
  });

  test("may have a password that another program hashed with bcrypt", async () => {
    const hash = await Bun.password.hash(password, { algorithm: "bcrypt", cost: 4 });
    await rig.db.sql`
      insert into shared_admin_credentials (username, password_hash, agent) values ('bcrypted', ${hash}, 1)`;
    expect(await logIn("bcrypted")).toMatchObject({ status: 200, body: { admin: { is_super: false } } });
  });

  test("gets other rights only from a super-admin, has to log in again, and the change is recorded", async () => {
    const [boss, clerk, nobody] = [
      await loginAdmin(rig),
      await loginAdmin(rig),
      await loginAdmin(rig, { isSuper: false }),
    ];
    const wanted = { agent: 1, reason: "moved to support" };
    expect((await save(nobody, boss.adminId, wanted)).status).toBe(403);
    const saved = await save(boss, clerk.adminId, wanted);
    expect(saved).toMatchObject({ status: 200, body: { admin: { username: clerk.username, agent: 1 } } });
    expect(await me(clerk.cookie)).toBe(401);
    const stale = { ...wanted, agent: 2, updated_at: "2026-01-01T00:00:00Z" };
    expect((await save(boss, clerk.adminId, stale)).body.error?.code).toBe("conflict");
    expect((await save(boss, 999_999n, { ...wanted, updated_at: stale.updated_at })).status).toBe(404);
    const audit = await rig.db.sql`
      select actor_name, before, after, reason from audit_log
      where action = 'admin.save' and subject_id = ${clerk.adminId.toString()}`;
    expect([...audit]).toEqual([
      {
        actor_name: boss.username,
        before: { agent: 2, role: "admin" },
        after: { agent: 1, role: "admin" },
        reason: wanted.reason,
      },
    ]);
  });

  test("can't remove their own rights, and the last super-admin stays one", async () => {
    const [boss, other] = [await loginAdmin(rig), await loginAdmin(rig)];
    for (const agent of [0, 1]) {
      const answer = await save(boss, boss.adminId, { agent, reason: "enough of it" });
      expect(answer).toMatchObject({ status: 409, body: { error: { code: "self_forbidden" } } });
    }
    await rig.db.sql`update shared_admin_credentials set agent = 1 where id not in (${boss.adminId}, ${other.adminId})`;
    // Each removes the other's rights at the same moment.
    const wanted = { agent: 0, reason: "one of us has to go" };
    const both = await Promise.all([save(boss, other.adminId, wanted), save(other, boss.adminId, wanted)]);
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1);
    const left = await rig.db.sql<{ id: bigint }>`select id from shared_admin_credentials where agent >= 2`;
    expect(left).toHaveLength(1);
    const last = left[0]?.id === boss.adminId ? boss : other;
    const answer = await save(last, last.adminId, { agent: 0, reason: "nobody is needed" });
    expect(answer).toMatchObject({ status: 409, body: { error: { code: "last_admin" } } });
    await rig.db.sql`update shared_admin_credentials set agent = 2 where username = 'anna'`;
  });

  test("is created by a super-admin, sets the password by an emailed link, and is locked out and let in by others", async () => {
    const [boss, clerk] = [await loginAdmin(rig), await loginAdmin(rig, { isSuper: false })];
    const act = (by: AdminLogin, what: string, body: object) =>
      post(`/backend/admin/admin/${what}/`, { reason: "new in support", ...body }, { cookie: by.cookie });
    const wanted = { username: "berta", email: "berta@example.org", agent: 1 };
    expect((await act(clerk, "create", wanted)).status).toBe(403);
    expect((await act(boss, "create", { ...wanted, agent: 0 })).status).toBe(400);
    const made = await act(boss, "create", wanted);
    expect(made).toMatchObject({ status: 200, body: { admin: { agent: 1, last_login_at: null, sessions: 0 } } });
    expect((await act(boss, "create", { ...wanted, email: "other@example.org" })).body.error?.code).toBe("conflict");
    const { admin_id } = (made.body as unknown as { admin: { admin_id: number } }).admin;
    expect(JSON.stringify(made.body)).not.toContain("token");

    const [first, weak] = [await newestToken(), "password1"];
    const confirm = (token: string, to: string) =>
      post("/backend/auth/password-reset/confirm/", { token, password: to });
    expect((await confirm(first, weak)).body.error?.code).toBe("invalid_password");
    expect((await confirm(first, password)).status).toBe(200);
    expect((await confirm(first, password)).body.error?.code).toBe("invalid_token");
    const cookie = cookieOf((await logIn("berta")).setCookie);
    expect(await me(cookie)).toBe(200);

    expect((await act(clerk, "sessions/revoke", { admin_id })).status).toBe(403);
    expect(await act(boss, "sessions/revoke", { admin_id })).toMatchObject({ status: 200, body: { revoked: 1 } });
    expect(await me(cookie)).toBe(401);
    for (const what of ["sessions/revoke", "password-link"]) {
      const own = await act(boss, what, { admin_id: Number(boss.adminId) });
      expect(own.body.error?.code).toBe("self_forbidden");
    }
    // Only the newest link works, and no link outlives the rights.
    expect((await act(boss, "password-link", { admin_id })).status).toBe(200);
    const second = await newestToken();
    expect((await act(boss, "password-link", { admin_id })).status).toBe(200);
    expect((await confirm(second, "another horse battery")).body.error?.code).toBe("invalid_token");
    const third = await newestToken();
    expect((await save(boss, BigInt(admin_id), { agent: 0, reason: "left us" })).status).toBe(200);
    expect((await confirm(third, "another horse battery")).body.error?.code).toBe("invalid_token");
    expect((await act(boss, "password-link", { admin_id })).body.error?.code).toBe("conflict");
    const audits = await rig.db.sql<{ action: string }>`
      select action from audit_log where subject_kind = 'admin' and subject_id = ${String(admin_id)} order by id`;
    expect(audits.map(({ action }) => action)).toEqual([
      ...["admin.create", "admin.password_reset", "admin.sessions_revoke"],
      ...["admin.password_link", "admin.password_link", "admin.save"],
    ]);
  });

  test("the creator of an admin is recorded", async () => {
    const rows = await rig.db
      .sql`select 1 from audit_log where action = 'admin.create' and after->>'username' = 'anna'`;
    expect(rows).toHaveLength(1);
  });
});

describe("anyone else", () => {
  test("an unknown name and a wrong password get the same response", async () => {
    const unknown = await logIn("nobody");
    const wrong = await post("/backend/auth/admin/login/", { login: "anna", password: "wrong" });
    expect(unknown.status).toBe(401);
    const withoutId = ({ body, ...rest }: typeof unknown) => ({ ...rest, body: { ...body.error, request_id: "" } });
    expect(withoutId(unknown)).toEqual(withoutId(wrong));
  });

  test.each([
    ["an expired session", "expires_at = now()"],
    ["an idle session", "seen_at = now() - interval '13 hours'"],
    ["a revoked session", "revoked_at = now()"],
  ])("%s has expired", async (_, change) => {
    const { cookie, adminId } = await loginAdmin(rig);
    expect(await me(cookie)).toBe(200);
    await rig.db.query(`update session set ${change} where admin_id = $1`, [adminId]);
    expect(await me(cookie)).toBe(401);
  });

  test("a made-up cookie, a cookie of another kind and no cookie are not a login; two cookies are refused", async () => {
    const { cookie } = await loginAdmin(rig);
    expect(await me("")).toBe(401);
    expect(await me(`SVC_ADMIN_SESSID=${"A".repeat(43)}`)).toBe(401);
    expect(await me(cookie.replace("ADMIN", "USER"))).toBe(401);
    expect(await me(`${cookie}; SVC_ADMIN_SESSID=${"A".repeat(43)}`)).toBe(400);
  });
});

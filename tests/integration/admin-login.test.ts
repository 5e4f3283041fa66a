import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createAdmin } from "@sluice/control-plane/accounts/service.ts";
import { type AdminLogin, loginAdmin } from "../support/logins.ts";
import { type SluiceProcess, SluiceRig } from "../support/sluice.ts";

let rig: SluiceRig;
let sluice: SluiceProcess;
const password = "correct horse battery";

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  sluice = await rig.start("one-process");
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

  test("gets a cookie that no script and no other site can use, and of which only the digest is kept", async () => {
    const { setCookie } = await logIn("anna");
    expect(setCookie).toMatch(
      /^SVC_ADMIN_SESSID=[\w-]{43}; Path=\/; Max-Age=86400; HttpOnly; SameSite=Strict; Secure$/,
    );
    const token = cookieOf(setCookie).split("=")[1] ?? "";
    const rows = await rig.db.sql`select 1 from session where encode(token_hash, 'escape') like ${`%${token}%`}`;
    expect(rows).toEqual([]);
  });

  test("keeps one support profile over all logins", async () => {
    await logIn("anna");
    const rows = await rig.db.sql`
      select 1 from support_profile p join shared_admin_credentials a on a.id = p.admin_id where username = 'anna'`;
    expect(rows).toHaveLength(1);
  });

  test("logs out, and the cookie is worth nothing", async () => {
    const cookie = cookieOf((await logIn("anna")).setCookie);
    expect((await post("/backend/auth/admin/logout/", {}, { cookie })).setCookie).toContain("Max-Age=0");
    expect(await me(cookie)).toBe(401);
  });

  test("who logs in again leaves the old session behind", async () => {
    const before = cookieOf((await logIn("anna")).setCookie);
    const after = cookieOf((await logIn("anna", { cookie: before })).setCookie);
    expect(after).not.toBe(before);
    expect([await me(before), await me(after)]).toEqual([401, 200]);
  });

  test("is none any more once agent is 0, in a session as at the login", async () => {
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

  test("gets other rights from a super-admin only, has to log in again, and it is written down", async () => {
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
      { actor_name: boss.username, before: { agent: 2 }, after: { agent: 1 }, reason: wanted.reason },
    ]);
  });

  test("does not take the own rights, and the last super-admin stays one", async () => {
    const [boss, other] = [await loginAdmin(rig), await loginAdmin(rig)];
    for (const agent of [0, 1]) {
      const answer = await save(boss, boss.adminId, { agent, reason: "enough of it" });
      expect(answer).toMatchObject({ status: 409, body: { error: { code: "self_forbidden" } } });
    }
    await rig.db.sql`update shared_admin_credentials set agent = 1 where id not in (${boss.adminId}, ${other.adminId})`;
    // Each takes the rights of the other at the same moment.
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

  test("the maker of an admin is written down", async () => {
    const rows = await rig.db
      .sql`select 1 from audit_log where action = 'admin.create' and after->>'username' = 'anna'`;
    expect(rows).toHaveLength(1);
  });
});

describe("nobody else", () => {
  test("an unknown name and a wrong password get the same answer", async () => {
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
  ])("%s is over", async (_, change) => {
    const { cookie, adminId } = await loginAdmin(rig);
    expect(await me(cookie)).toBe(200);
    await rig.db.query(`update session set ${change} where admin_id = $1`, [adminId]);
    expect(await me(cookie)).toBe(401);
  });

  test("a made-up cookie, one of another kind, and none are no login; two are refused", async () => {
    const { cookie } = await loginAdmin(rig);
    expect(await me("")).toBe(401);
    expect(await me(`SVC_ADMIN_SESSID=${"A".repeat(43)}`)).toBe(401);
    expect(await me(cookie.replace("ADMIN", "USER"))).toBe(401);
    expect(await me(`${cookie}; SVC_ADMIN_SESSID=${"A".repeat(43)}`)).toBe(400);
  });
});

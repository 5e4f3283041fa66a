import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createAdmin } from "@sluice/control-plane/accounts/service.ts";
import { loginAdmin } from "../support/logins.ts";
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

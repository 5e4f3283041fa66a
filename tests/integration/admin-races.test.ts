import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createAdmin } from "@sluice/control-plane/accounts/admins/command-admins.ts";
import { AccountClient } from "../support/accounts/account-client.ts";
import { loginAdmin } from "../support/accounts/logins.ts";
import { type HeldLock, holdLock } from "../support/postgres/held-lock.ts";
import { SluiceRig } from "../support/service/sluice.ts";

let rig: SluiceRig;
let client: AccountClient;
const password = "correct horse battery";
const nextPassword = "tango olive brook";
/** A hash that no password matches, as a reset by another admin leaves it. */
const otherHash = "$argon2id$other";
let admins = 0;

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  // Without the jobs, so that emails stay as they were queued.
  client = new AccountClient(await rig.start("one-process", { ROLES: "relay,gateway,backend" }));
});

afterAll(() => rig.close());

/** A super-admin with a password. */
async function makeAdmin(): Promise<{ readonly adminId: bigint; readonly username: string }> {
  admins += 1;
  const username = `racer-${admins}`;
  const person = { username, email: `${username}@example.org`, mobile: null, password, isSuper: true };
  await rig.db.withTransaction((tx) => createAdmin(tx, person, "test"));
  const [row] = await rig.db.sql<{ id: bigint }>`
    select id from shared_admin_credentials where username = ${username}`;
  return { adminId: row?.id ?? 0n, username };
}

/** Removes the rights of an admin in an open transaction. */
async function takeRights(adminId: bigint): Promise<HeldLock> {
  return await holdLock(
    rig.db,
    (tx) => tx.sql`update shared_admin_credentials set agent = 1 where id = ${adminId}::bigint`,
  );
}

/** Sets another password of an admin in an open transaction. */
async function resetPassword(adminId: bigint): Promise<HeldLock> {
  return await holdLock(
    rig.db,
    (tx) => tx.sql`update shared_admin_credentials set password_hash = ${otherHash} where id = ${adminId}::bigint`,
  );
}

const logIn = (login: string) => client.post("/backend/auth/admin/login/", { login, password });

describe("a super-admin whose rights are removed at that moment", () => {
  test.each([
    ["sends no link for a password", "password-link", (id: bigint) => ({ admin_id: id.toString(), reason: "asked" })],
    ["ends no sessions", "sessions/revoke", (id: bigint) => ({ admin_id: id.toString(), reason: "asked" })],
    [
      "makes no admin",
      "create",
      () => ({ username: "made-too-late", email: "made-too-late@example.org", agent: 2, reason: "asked" }),
    ],
  ])("%s", async (_, path, bodyFor) => {
    const caller = await loginAdmin(rig);
    const other = await makeAdmin();
    const session = await logIn(other.username);
    const held = await takeRights(caller.adminId);
    const doing = client.post(`/backend/admin/admin/${path}/`, bodyFor(other.adminId), { cookie: caller.cookie });
    await held.waitForWaiters(1);
    await held.release();
    expect(await doing).toMatchObject({ status: 403, body: { error: { code: "forbidden" } } });
    const me = await client.get("/backend/auth/admin/me/", { cookie: session.cookie });
    expect(me.status).toBe(200);
    const rows = await rig.db.sql`
      select 1 from mail_log where to_address in (${`${other.username}@example.org`}, 'made-too-late@example.org')
      union all select 1 from shared_admin_credentials where username = 'made-too-late'`;
    expect(rows).toEqual([]);
  });
});

describe("the password of an admin", () => {
  test("that is reset while someone logs in with the old one lets nobody in", async () => {
    const { adminId, username } = await makeAdmin();
    const held = await resetPassword(adminId);
    const loggingIn = logIn(username);
    await held.waitForWaiters(1);
    await held.release();
    expect(await loggingIn).toMatchObject({ status: 401, cookie: "" });
    expect(await rig.db.sql`select 1 from session where admin_id = ${adminId}::bigint`).toEqual([]);
  });

  test("that is reset while its owner changes it stays the reset one", async () => {
    const { adminId, username } = await makeAdmin();
    const { cookie } = await logIn(username);
    const held = await resetPassword(adminId);
    const change = { current_password: password, new_password: nextPassword };
    const changing = client.post("/backend/auth/admin/password/change/", change, { cookie });
    await held.waitForWaiters(1);
    await held.release();
    expect(await changing).toMatchObject({ status: 409, body: { error: { code: "conflict" } } });
    const [row] = await rig.db.sql<{ password_hash: string }>`
      select password_hash from shared_admin_credentials where id = ${adminId}::bigint`;
    expect(row?.password_hash).toBe(otherHash);
  });

  test("that its owner changes invalidates a link for another one", async () => {
    const { adminId, username } = await makeAdmin();
    const sender = await loginAdmin(rig);
    const link = { admin_id: adminId.toString(), reason: "asked" };
    await client.post("/backend/admin/admin/password-link/", link, { cookie: sender.cookie });
    const { cookie } = await logIn(username);
    const change = { current_password: password, new_password: nextPassword };
    expect((await client.post("/backend/auth/admin/password/change/", change, { cookie })).status).toBe(200);
    const good = await rig.db.sql`
      select 1 from account_token where admin_id = ${adminId}::bigint and used_at is null and expires_at > now()`;
    expect(good).toEqual([]);
  });
});

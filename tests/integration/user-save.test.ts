import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { GatewayUserId } from "@sluice/contracts/ids";
import { createApiKey } from "@sluice/control-plane/gateway/keys/create-key.ts";
import { AccountClient } from "../support/accounts/account-client.ts";
import { loginAdmin, loginUser } from "../support/accounts/logins.ts";
import { holdLock } from "../support/postgres/held-lock.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";
import { promptMs } from "../support/values/patience.ts";

let rig: SluiceRig;
let sluice: SluiceProcess;
let client: AccountClient;
const password = "correct horse battery";

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  sluice = await rig.start("one-process");
  client = new AccountClient(sluice);
});

afterAll(() => rig.close());

const profileOf = async (email: string) => {
  const [row] = await rig.db.sql<{ id: bigint; gateway_user_id: bigint }>`
    select id, gateway_user_id from user_profile where email = ${email}`;
  return row;
};

/** Sends requests with the key until the status is this one, for as long as a revocation may take. */
async function waitForKeyStatus(apiKey: string, status: number): Promise<void> {
  const deadline = performance.now() + promptMs;
  for (;;) {
    const answer = await fetch(`${sluice.url}/v1/models`, { headers: { authorization: `Bearer ${apiKey}` } });
    await answer.arrayBuffer();
    if (answer.status === status) {
      return;
    }
    if (performance.now() > deadline) {
      throw new Error(`the key is answered with ${answer.status} and not ${status} after a second`);
    }
    await Bun.sleep(10);
  }
}

describe("an admin changes a user", () => {
  test("name, type, multiplier and status, each with an entry in the audit log", async () => {
    const admin = await loginAdmin(rig);
    const user = await loginUser(rig);
    const save = (fields: object) =>
      client.post("/backend/admin/user/save/", { user_id: String(user.userId), ...fields }, { cookie: admin.cookie });
    const saved = await save({
      display_name: "Renamed",
      user_type: "business",
      rate_multiplier: "1.2500",
      reason: "contract 17",
    });
    expect(saved.body["user"]).toMatchObject({
      display_name: "Renamed",
      user_type: "business",
      rate_multiplier: "1.2500",
    });
    const [entry] = await rig.db.sql<{ actor_name: string; reason: string; before: object; after: object }>`
      select actor_name, reason, before, after from audit_log
      where action = 'user.save' and subject_id = ${String(user.userId)}`;
    expect(entry).toMatchObject({
      actor_name: admin.username,
      reason: "contract 17",
      before: { rateMultiplier: "1.0000" },
      after: { rateMultiplier: "1.2500", userType: "business" },
    });
    const { updated_at } = saved.body["user"] as { updated_at: string };
    expect((await save({ display_name: "Once", updated_at })).status).toBe(200);
    expect((await save({ display_name: "Twice", updated_at })).status).toBe(409);
  });

  test("but does not close one: that is an act of its own, which says what is lost", async () => {
    const admin = await loginAdmin(rig);
    const user = await loginUser(rig);
    const answer = await client.post(
      "/backend/admin/user/save/",
      { user_id: String(user.userId), status: "closed" },
      { cookie: admin.cookie },
    );
    expect([answer.status, answer.body.error?.code]).toEqual([409, "conflict"]);
    const [row] = await rig.db.sql<{ status: string }>`
      select status from user_profile where id = ${user.userId}::bigint`;
    expect(row?.status).toBe("active");
  });

  test.each(["suspended", "closed"])(
    "a user who is %s stays so, whatever the user saves at that moment",
    async (status) => {
      const user = await loginUser(rig);
      const held = await holdLock(
        rig.db,
        (tx) => tx.sql`update user_profile set status = ${status} where id = ${user.userId}::bigint`,
      );
      const saving = client.post("/backend/auth/profile/save/", { display_name: "Me" }, { cookie: user.cookie });
      await held.waitForWaiters(1);
      await held.release();
      expect((await saving).body.error?.code).toBe("unauthenticated");
      const [row] = await rig.db.sql<{ status: string; display_name: string }>`
      select status, display_name from user_profile where id = ${user.userId}::bigint`;
      expect(row).toEqual({ status, display_name: "Test user" });
    },
  );

  test("an admin's change to a user survives when the user saves the profile at that moment", async () => {
    const user = await loginUser(rig);
    const held = await holdLock(
      rig.db,
      (tx) => tx.sql`update user_profile set user_type = 'business' where id = ${user.userId}::bigint`,
    );
    const saving = client.post("/backend/auth/profile/save/", { display_name: "Me" }, { cookie: user.cookie });
    await held.waitForWaiters(1);
    await held.release();
    expect((await saving).status).toBe(200);
    const [row] = await rig.db.sql<{ user_type: string; display_name: string }>`
      select user_type, display_name from user_profile where id = ${user.userId}::bigint`;
    expect(row).toEqual({ user_type: "business", display_name: "Me" });
  });

  test("a user who is suspended while a new password is set gets no session", async () => {
    const email = "suspended-meanwhile@example.org";
    await client.makeUser(email, password);
    const { cookie } = await client.logIn(email, password);
    const profile = await profileOf(email);
    const held = await holdLock(
      rig.db,
      (tx) => tx.sql`update user_profile set status = 'suspended' where id = ${profile?.id ?? 0n}::bigint`,
    );
    const change = { current_password: password, new_password: "tango olive brook" };
    const changing = client.post("/backend/auth/password/change/", change, { cookie });
    await held.waitForWaiters(1);
    await held.release();
    expect((await changing).body.error?.code).toBe("conflict");
    const sessions = await rig.db.sql`
      select 1 from session where user_id = ${profile?.id ?? 0n}::bigint and created_at > now() - interval '1 minute'`;
    expect(sessions).toHaveLength(1);
  });

  test("a password that is reset while someone logs in with the old one lets nobody in", async () => {
    const email = "reset-meanwhile@example.org";
    await client.makeUser(email, password);
    const profile = await profileOf(email);
    const held = await holdLock(
      rig.db,
      (tx) => tx.sql`update user_profile set password_hash = '$argon2id$other' where id = ${profile?.id ?? 0n}::bigint`,
    );
    const loggingIn = client.logIn(email, password);
    await held.waitForWaiters(1);
    await held.release();
    expect(await loggingIn).toMatchObject({ status: 401, cookie: "" });
    expect(await rig.db.sql`select 1 from session where user_id = ${profile?.id ?? 0n}::bigint`).toEqual([]);
  });

  test("active means that the keys work, whatever the gateway's state before", async () => {
    const admin = await loginAdmin(rig);
    const user = await loginUser(rig);
    const key = await rig.db.withTransaction((tx) => createApiKey(tx, user.gatewayUserId, "key"));
    await rig.db.sql`update gateway_user set status = 'disabled' where id = ${user.gatewayUserId}::bigint`;
    await waitForKeyStatus(key, 403);
    const change = { user_id: String(user.userId), status: "active" };
    expect((await client.post("/backend/admin/user/save/", change, { cookie: admin.cookie })).status).toBe(200);
    await waitForKeyStatus(key, 200);
  });

  test("a suspension ends every session and stops the keys at once; its end lets both begin again", async () => {
    const admin = await loginAdmin(rig);
    const email = "suspended@example.org";
    await client.makeUser(email, password);
    const { cookie } = await client.logIn(email, password);
    const profile = await profileOf(email);
    const gatewayUserId = (profile?.gateway_user_id ?? 0n) as GatewayUserId;
    const apiKey = await rig.db.withTransaction((tx) => createApiKey(tx, gatewayUserId, "key"));
    await waitForKeyStatus(apiKey, 200);
    const save = (status: string) =>
      client.post("/backend/admin/user/save/", { user_id: Number(profile?.id), status }, { cookie: admin.cookie });
    expect((await save("suspended")).status).toBe(200);
    expect(await client.me(cookie)).toBe(401);
    expect((await client.logIn(email, password)).body.error?.code).toBe("account_disabled");
    expect((await client.logIn(email, "wrong password")).body.error?.code).toBe("invalid_credentials");
    await waitForKeyStatus(apiKey, 403);
    await save("active");
    await waitForKeyStatus(apiKey, 200);
    expect(await client.me(cookie)).toBe(401);
    expect((await client.logIn(email, password)).status).toBe(200);
  });

  test.each(["1e-7", "-1", "1.12345", "0", "0.0000", "NaN", "1,5", "", "10000", 1e-7, -1, 0])(
    "a multiplier of %p is refused",
    async (multiplier) => {
      const admin = await loginAdmin(rig);
      const { userId } = await loginUser(rig);
      const answer = await client.post(
        "/backend/admin/user/save/",
        { user_id: String(userId), rate_multiplier: multiplier },
        { cookie: admin.cookie },
      );
      expect(answer).toMatchObject({ status: 400, body: { error: { code: "invalid_multiplier" } } });
    },
  );

  test("only an admin can change a user, and no other field can be smuggled in", async () => {
    const user = await loginUser(rig);
    const body = { user_id: String(user.userId), status: "active" };
    expect((await client.post("/backend/admin/user/save/", body)).status).toBe(401);
    expect((await client.post("/backend/admin/user/save/", body, { cookie: user.cookie })).status).toBe(401);
    const { cookie } = await loginAdmin(rig);
    const smuggled = await client.post("/backend/admin/user/save/", { ...body, agent: 2, balance: 1e9 }, { cookie });
    expect(smuggled.status).toBe(400);
    const own = await client.post(
      "/backend/auth/profile/save/",
      { display_name: "x", role: "admin", rate_multiplier: "0.1" },
      { cookie: user.cookie },
    );
    expect(own.status).toBe(400);
    const unknown = await client.post("/backend/admin/user/save/", { user_id: "999999999" }, { cookie });
    expect(unknown.status).toBe(404);
  });
});

describe("the language of a user", () => {
  const languageOf = (headers: Headers): string =>
    headers.getSetCookie().find((cookie) => cookie.startsWith("SVC_LANG=")) ?? "";
  const remembered = (locale: string): string => `SVC_LANG=${locale}; Path=/; Max-Age=31536000; SameSite=Lax; Secure`;

  test("is remembered by each browser in which they log in, and changes there with the account", async () => {
    const email = "langue@example.org";
    await client.makeUser(email, password);
    const login = await client.logIn(email, password, { cookie: "SVC_LANG=ja" });
    expect(languageOf(login.headers)).toBe(remembered("en"));
    const saved = await client.post("/backend/auth/profile/save/", { locale: "fr" }, { cookie: login.cookie });
    expect(languageOf(saved.headers)).toBe(remembered("fr"));
    const form = await client.postForm("/login/", { email, password, lang: "ja" });
    expect(languageOf(form.headers)).toBe(remembered("fr"));
  });

  test("of a form is that of its address, else the remembered one, else the browser's", async () => {
    const headers = { "accept-language": "xx, pt-BR;q=0.9, en;q=0.8" };
    const shown = async (path: string, cookie: string): Promise<string | undefined> =>
      /<html lang="(\w+)"/.exec((await client.get(path, { cookie, headers })).text)?.[1];
    expect([
      await shown("/login/?lang=ko", "SVC_LANG=ru"),
      await shown("/register/", "a=b; SVC_LANG=ru"),
      await shown("/register/", "SVC_LANG=xx"),
    ]).toEqual(["ko", "ru", "pt"]);
  });
});

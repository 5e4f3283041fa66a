import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createAdmin } from "@sluice/control-plane/accounts/admins/command-admins.ts";
import { type AccountAnswer, AccountClient } from "../support/accounts/account-client.ts";
import { Authenticator } from "../support/accounts/authenticator.ts";
import { loginAdmin } from "../support/accounts/logins.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";

let rig: SluiceRig;
let sluice: SluiceProcess;
let client: AccountClient;
const password = "correct horse battery";
/** // Without the jobs, so that emails stay as they were queued. */
const roles = "relay,gateway,backend";

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  sluice = await rig.start("one-process", { CLIENT_IP_HEADER: "x-forwarded-for", ROLES: roles });
  client = new AccountClient(sluice);
});

afterAll(() => rig.close());

let addresses = 0;
const freshAddress = (): string => {
  addresses += 1;
  return `203.0.113.${addresses}`;
};

type Person = {
  readonly logIn: (code?: string, ip?: string) => Promise<AccountAnswer>;
  readonly call: (path: string, body: object, cookie: string) => Promise<AccountAnswer>;
};

async function makeUser(email: string): Promise<Person> {
  await client.makeUser(email, password);
  return {
    logIn: (code, ip) => {
      const body = { email, password, ...(code === undefined ? {} : { code }) };
      return client.post("/backend/auth/login/", body, { ip: ip ?? freshAddress() });
    },
    call: (path, body, cookie) => client.post(`/backend/auth/${path}`, body, { cookie }),
  };
}

/** The address of the owner of a login. */
const mailOf = (login: string): string => (login.includes("@") ? login : `${login}@example.org`);

async function makeAdmin(username: string): Promise<Person> {
  const made = { username, email: mailOf(username), mobile: null, password, isSuper: true };
  await rig.db.withTransaction((tx) => createAdmin(tx, made, "test"));
  return {
    logIn: (code, ip) => {
      const body = { login: username, password, ...(code === undefined ? {} : { code }) };
      return client.post("/backend/auth/admin/login/", body, { ip: ip ?? freshAddress() });
    },
    call: (path, body, cookie) => client.post(`/backend/auth/admin/${path}`, body, { cookie }),
  };
}

type SetUp = {
  readonly authenticator: Authenticator;
  readonly cookie: string;
  readonly begun: AccountAnswer;
  readonly recoveryCodes: readonly string[];
};

async function setUp(person: Person): Promise<SetUp> {
  const { cookie } = await person.logIn();
  const begun = await person.call("totp/begin/", { password }, cookie);
  const authenticator = new Authenticator(String(begun.body["secret"]));
  const enabled = await person.call("totp/enable/", { code: await authenticator.next() }, cookie);
  expect(enabled.status).toBe(200);
  return { authenticator, cookie, begun, recoveryCodes: enabled.body["recovery_codes"] as string[] };
}

describe.each([
  ["a user", makeUser, "@example.org"],
  ["an admin", makeAdmin, ""],
] as const)("%s with an authenticator", (kind, make, suffix) => {
  const name = (part: string) => `${part}-${kind.replace(" ", "-")}${suffix}`;

  test("requires a code at login, and each code works once", async () => {
    const person = await make(name("once"));
    const { authenticator } = await setUp(person);
    expect((await person.logIn()).body.error?.code).toBe("code_required");
    expect((await person.logIn(authenticator.wrong())).body.error?.code).toBe("invalid_code");
    const code = await authenticator.next();
    const both = await Promise.all([person.logIn(code), person.logIn(code)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect((await person.logIn(code)).body.error?.code).toBe("invalid_code");
    expect((await person.logIn(await authenticator.next())).status).toBe(200);
  });

  test("keeps the secret encrypted, sees it once, and needs the password to create one", async () => {
    const person = await make(name("sealed"));
    const { cookie } = await person.logIn();
    expect((await person.call("totp/begin/", { password: "wrong" }, cookie)).body.error?.code).toBe(
      "invalid_credentials",
    );
    expect((await person.call("totp/enable/", { code: "123456" }, cookie)).status).toBe(401);
    const { authenticator, begun } = await setUp(person);
    expect(String(begun.body["uri"])).toStartWith("otpauth://totp/Sluice:");
    const rows = await rig.db.sql<{ totp_sealed: Uint8Array | null }>`
      select totp_sealed from user_profile union all select totp_sealed from shared_admin_credentials`;
    const secret = String(begun.body["secret"]);
    expect(rows.some(({ totp_sealed: sealed }) => sealed !== null && Buffer.from(sealed).includes(secret))).toBe(false);
    const again = await person.logIn(await authenticator.next());
    expect((await person.call("totp/begin/", { password }, again.cookie)).status).toBe(409);
  });

  test("ends its other sessions when it is set up, and can be removed with password and code", async () => {
    const person = await make(name("off"));
    const before = (await person.logIn()).cookie;
    const { authenticator, cookie } = await setUp(person);
    const tryWith = async (each: string) => (await person.call("totp/begin/", { password }, each)).status;
    expect([await tryWith(before), await tryWith(cookie)]).toEqual([401, 409]);
    const off = (proof: object) => person.call("totp/disable/", proof, cookie);
    expect((await off({ password: "wrong", code: await authenticator.next() })).status).toBe(401);
    expect((await off({ password, code: authenticator.wrong() })).body.error?.code).toBe("invalid_code");
    expect((await off({ password, code: await authenticator.next() })).status).toBe(200);
    expect((await person.logIn()).status).toBe(200);
  });

  test("is safe from guesses by someone who has the password, from however many addresses", async () => {
    const person = await make(name("guessed"));
    const { authenticator } = await setUp(person);
    const codes: (string | undefined)[] = [];
    const refused = (): number => codes.filter((code) => code === "too_many_attempts").length;
    // Each wait is twice as long as the one before, so that even a slow machine is refused after a few more.
    while (refused() < 2 && codes.length < 20) {
      codes.push((await person.logIn(authenticator.wrong())).body.error?.code);
    }
    expect(codes.slice(0, 8)).toEqual(Array(8).fill("invalid_code"));
    expect(refused()).toBe(2);
  });

  test("has ten recovery codes; each logs in once, is recorded and reported by email", async () => {
    const person = await make(name("recovery"));
    const { cookie, recoveryCodes } = await setUp(person);
    expect(new Set(recoveryCodes).size).toBe(10);
    expect(recoveryCodes.every((code) => /^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/.test(code))).toBe(true);
    const [first = "", second = ""] = recoveryCodes;
    const both = await Promise.all([person.logIn(first), person.logIn(first)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect((await person.logIn(first)).body.error?.code).toBe("invalid_code");
    // As a person types it from paper.
    expect((await person.logIn(` ${second.toLowerCase().replaceAll("-", " ")}`)).status).toBe(200);
    const [me, path] = kind === "a user" ? ["user", "/backend/auth/me/"] : ["admin", "/backend/auth/admin/me/"];
    expect((await client.get(path, { cookie })).body[me]).toMatchObject({ has_totp: true, recovery_codes_left: 8 });
    const audit = await rig.db.sql<{ after: { left: number } }>`
      select after from audit_log where action = ${`${me}.recovery_code_use`} and actor_name = ${name("recovery")} order by id`;
    expect(audit.map(({ after }) => after.left)).toEqual([9, 8]);
    const mails = await rig.db.sql`
      select 1 from mail_log where template = 'recovery_code_used' and to_address = ${mailOf(name("recovery"))}`;
    expect(mails).toHaveLength(2);
  });

  test("has recovery codes that are not stored in plain text and work for nobody else", async () => {
    const [one, other] = [await make(name("kept-one")), await make(name("kept-two"))];
    const { recoveryCodes } = await setUp(one);
    await setUp(other);
    const letters = recoveryCodes.map((code) => code.replaceAll("-", ""));
    const rows = await rig.db.sql<{ line: string }>`
      select r::text || encode(code_hash, 'escape') as line from recovery_code r`;
    expect(rows.length).toBeGreaterThanOrEqual(20);
    expect(rows.some(({ line }) => letters.some((code) => line.includes(code)))).toBe(false);
    expect((await other.logIn(recoveryCodes[0])).body.error?.code).toBe("invalid_code");
  });

  test("can create new recovery codes with password and code, which invalidate the old ones", async () => {
    const person = await make(name("remade"));
    const { authenticator, cookie, recoveryCodes } = await setUp(person);
    const remake = (proof: object) => person.call("totp/recovery-codes/", proof, cookie);
    expect((await remake({ password: "wrong", code: await authenticator.next() })).status).toBe(401);
    expect((await remake({ password, code: authenticator.wrong() })).body.error?.code).toBe("invalid_code");
    const made = (await remake({ password, code: recoveryCodes[0] })).body["recovery_codes"] as string[];
    expect(made).toHaveLength(10);
    expect((await person.logIn(recoveryCodes[1])).body.error?.code).toBe("invalid_code");
    expect((await person.logIn(made[0])).status).toBe(200);
    // They replace the authenticator, even for removing it, and are removed with it.
    expect((await person.call("totp/disable/", { password, code: made[1] }, cookie)).status).toBe(200);
    expect((await remake({ password, code: made[2] })).status).toBe(401);
    expect((await person.logIn()).status).toBe(200);
  });

  test("has one limit for guesses of both kinds of code, and can't enable the authenticator with a recovery code", async () => {
    const person = await make(name("guessed-recovery"));
    const { cookie } = await person.logIn();
    await person.call("totp/begin/", { password }, cookie);
    const guess = "AAAA-BBBB-CCCC-DDDD";
    expect((await person.call("totp/enable/", { code: guess }, cookie)).body.error?.code).toBe("invalid_code");
    const { authenticator, recoveryCodes } = await setUp(person);
    const codes: (string | undefined)[] = [];
    const tryOne = async (code: string) => codes.push((await person.logIn(code)).body.error?.code);
    for (let tries = 0; tries < 8; tries += 1) {
      await tryOne(tries % 2 === 0 ? guess : authenticator.wrong());
    }
    // As if they had gone on for long: the wait of a second could be over on a slow machine.
    await rig.db.sql`update attempt_counter set count = 20 where count = 8`;
    await tryOne(guess);
    expect(codes).toEqual([...Array(8).fill("invalid_code"), "too_many_attempts"]);
    // A correct one has to wait as well.
    expect((await person.logIn(recoveryCodes[0])).body.error?.code).toBe("too_many_attempts");
  });
});

describe("a lost authenticator", () => {
  test("can be replaced by a recovery code in the forms of both logins, which have room for its letters", async () => {
    const user = await setUp(await makeUser("form-recovery@example.org"));
    const admin = await setUp(await makeAdmin("form-recovery"));
    for (const [path, fields, codes] of [
      ["/login/", { email: "form-recovery@example.org", password }, user.recoveryCodes],
      ["/admin/login/", { login: "form-recovery", password }, admin.recoveryCodes],
    ] as const) {
      const asked = await client.postForm(path, fields, { ip: freshAddress() });
      expect(asked.text).toMatch(/name="code"[^>]*maxlength="40"/);
      expect(asked.text).not.toContain('inputmode="numeric"');
      const done = await client.postForm(path, { ...fields, code: codes[3] ?? "" }, { ip: freshAddress() });
      expect(done.status).toBe(303);
    }
  });

  test("is removed by a super-admin with a reason, which ends the sessions and is recorded", async () => {
    const person = await makeUser("lost@example.org");
    const { cookie } = await setUp(person);
    const [user] = await rig.db.sql<{ id: bigint }>`select id from user_profile where email = 'lost@example.org'`;
    const [boss, clerk] = [await loginAdmin(rig), await loginAdmin(rig, { isSuper: false })];
    const remove = (body: object, as: string) => client.post("/backend/admin/totp/remove/", body, { cookie: as });
    const wanted = { user_id: String(user?.id), reason: "identity seen on the phone" };
    expect((await remove(wanted, clerk.cookie)).status).toBe(403);
    expect((await remove({ user_id: wanted.user_id }, boss.cookie)).status).toBe(400);
    expect((await remove(wanted, boss.cookie)).status).toBe(200);
    expect(await client.me(cookie)).toBe(401);
    expect((await person.logIn()).status).toBe(200);
    expect((await remove(wanted, boss.cookie)).status).toBe(404);
    const audit = await rig.db.sql`
      select 1 from audit_log where action = 'totp.remove' and actor_name = ${boss.username} and reason like 'identity%'`;
    expect(audit).toHaveLength(1);
    const own = await remove({ admin_id: String(boss.adminId), reason: "mine" }, boss.cookie);
    expect(own).toMatchObject({ status: 409, body: { error: { code: "self_forbidden" } } });
  });

  test("the login form asks for the code on its second page", async () => {
    const person = await makeUser("form-code@example.org");
    const { authenticator } = await setUp(person);
    const fields = { email: "form-code@example.org", password };
    const asked = await client.postForm("/login/", fields, { ip: freshAddress() });
    expect(asked.status).toBe(401);
    expect(asked.text).toContain('name="code"');
    const done = await client.postForm(
      "/login/",
      { ...fields, code: await authenticator.next() },
      { ip: freshAddress() },
    );
    expect(done.status).toBe(303);
  });
});

describe("the password of an admin", () => {
  test("can be changed, which ends every other session", async () => {
    const person = await makeAdmin("pw-admin");
    const [old, other] = [(await person.logIn()).cookie, (await person.logIn()).cookie];
    const change = { current_password: password, new_password: "tango olive brook" };
    const changed = await person.call("password/change/", change, old);
    expect(changed.status).toBe(200);
    const me = async (cookie: string) => (await client.get("/backend/auth/admin/me/", { cookie })).status;
    expect([await me(old), await me(other), await me(changed.cookie)]).toEqual([401, 401, 200]);
    expect((await person.logIn()).status).toBe(401);
  });
});

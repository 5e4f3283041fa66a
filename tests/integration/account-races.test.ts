import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createAdmin } from "@sluice/control-plane/accounts/admins/command-admins.ts";
import { type AccountAnswer, AccountClient, type CallOptions } from "../support/accounts/account-client.ts";
import { Authenticator } from "../support/accounts/authenticator.ts";
import { type HeldLock, holdLock } from "../support/postgres/held-lock.ts";
import { SluiceRig } from "../support/service/sluice.ts";

let rig: SluiceRig;
let client: AccountClient;
const password = "correct horse battery";
const nextPassword = "tango olive brook";
let people = 0;

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  // Without the jobs, so that emails stay as they were queued.
  const env = { CLIENT_IP_HEADER: "x-forwarded-for", ROLES: "relay,gateway,backend" };
  client = new AccountClient(await rig.start("one-process", env));
});

afterAll(() => rig.close());

const freshAddress = (): string => {
  people += 1;
  return `198.51.100.${people}`;
};

/** A person with a password, whose rows and logins are inspected. */
type Person = {
  readonly id: bigint;
  readonly kind: "user" | "admin";
  readonly logIn: (more?: object, options?: CallOptions) => Promise<AccountAnswer>;
  readonly call: (path: string, body: object, cookie: string) => Promise<AccountAnswer>;
};

async function makeUser(): Promise<Person> {
  const email = `${crypto.randomUUID()}@example.org`;
  await client.makeUser(email, password);
  const [row] = await rig.db.sql<{ id: bigint }>`select id from user_profile where email = ${email}`;
  return {
    id: row?.id ?? 0n,
    kind: "user",
    logIn: (more = {}, options = {}) =>
      client.post("/backend/auth/login/", { email, password, ...more }, { ip: freshAddress(), ...options }),
    call: (path, body, cookie) => client.post(`/backend/auth/${path}`, body, { cookie }),
  };
}

async function makeAdmin(): Promise<Person> {
  const username = `racer-${crypto.randomUUID().slice(0, 8)}`;
  const made = { username, email: `${username}@example.org`, mobile: null, password, isSuper: true };
  await rig.db.withTransaction((tx) => createAdmin(tx, made, "test"));
  const [row] = await rig.db.sql<{ id: bigint }>`
    select id from shared_admin_credentials where username = ${username}`;
  return {
    id: row?.id ?? 0n,
    kind: "admin",
    logIn: (more = {}, options = {}) =>
      client.post(
        "/backend/auth/admin/login/",
        { login: username, password, ...more },
        { ip: freshAddress(), ...options },
      ),
    call: (path, body, cookie) => client.post(`/backend/auth/admin/${path}`, body, { cookie }),
  };
}

const kinds = [
  ["a user", makeUser],
  ["an admin", makeAdmin],
] as const;

const tableOf = ({ kind }: Person): string => (kind === "user" ? "user_profile" : "shared_admin_credentials");

/**
 * Holds the row of a person in an open transaction, changed if `change` says so. Those who wait for a row that was not
 * changed get it in the order in which they came; after a change they race for its new version.
 */
async function hold(person: Person, change: string | null = null): Promise<HeldLock> {
  const table = tableOf(person);
  const statement =
    change === null ? `select from ${table} where id = $1 for update` : `update ${table} set ${change} where id = $1`;
  return await holdLock(rig.db, (tx) => tx.query(statement, [person.id]));
}

/** Starts all of them while the row is locked, so that they meet there, and then releases it. */
async function meet(person: Person, doings: readonly (() => Promise<AccountAnswer>)[]): Promise<AccountAnswer[]> {
  await using held = await hold(person);
  const started: Promise<AccountAnswer>[] = [];
  for (const doing of doings) {
    started.push(doing());
    await held.waitForWaiters(started.length);
  }
  await held.release();
  return await Promise.all(started);
}

async function liveSessions({ id, kind }: Person): Promise<number> {
  const rows = await rig.db.query(`select 1 from session where ${kind}_id = $1 and revoked_at is null`, [id]);
  return rows.length;
}

async function setUp(person: Person): Promise<{ authenticator: Authenticator; cookie: string; codes: string[] }> {
  const { cookie } = await person.logIn();
  const begun = await person.call("totp/begin/", { password }, cookie);
  const authenticator = new Authenticator(String(begun.body["secret"]));
  const enabled = await person.call("totp/enable/", { code: await authenticator.next() }, cookie);
  return { authenticator, cookie, codes: enabled.body["recovery_codes"] as string[] };
}

const statuses = (answers: readonly AccountAnswer[]): number[] => answers.map(({ status }) => status).sort();
const codeOf = ({ body }: AccountAnswer): string | undefined => body.error?.code;

describe.each(kinds)("a login of %s", (_, make) => {
  test("with a password that is changed at that moment is refused, or ends with the change", async () => {
    const person = await make();
    const { cookie } = await person.logIn();
    const change = () =>
      person.call("password/change/", { current_password: password, new_password: nextPassword }, cookie);
    const [changed, late] = await meet(person, [change, () => person.logIn()]);
    expect([changed?.status, late?.status, late?.cookie]).toEqual([200, 401, ""]);
    expect(await liveSessions(person)).toBe(1);
    const other = await make();
    const session = await other.logIn();
    const [early, after] = await meet(other, [
      () => other.logIn(),
      () => other.call("password/change/", { current_password: password, new_password: nextPassword }, session.cookie),
    ]);
    expect([early?.status, after?.status]).toEqual([200, 200]);
    expect(await liveSessions(other)).toBe(1);
  });

  test("without a code is refused when an authenticator is set up at that moment", async () => {
    const person = await make();
    const held = await hold(person, "totp_sealed = '\\x01', totp_enabled_at = now()");
    const loggingIn = person.logIn();
    await held.waitForWaiters(1);
    await held.release();
    expect((await loggingIn).status).toBe(401);
    expect(await liveSessions(person)).toBe(0);
  });

  test("uses an authenticator code once, even if two send it at the same moment", async () => {
    const person = await make();
    const { authenticator } = await setUp(person);
    const code = await authenticator.next();
    const answers = await meet(
      person,
      [1, 2, 3].map(() => () => person.logIn({ code })),
    );
    expect(statuses(answers)).toEqual([200, 401, 401]);
    expect(answers.map(codeOf).filter((each) => each === "invalid_code")).toHaveLength(2);
  });

  test("uses a recovery code once, even if two send it at the same moment", async () => {
    const person = await make();
    const [code] = (await setUp(person)).codes;
    const answers = await meet(
      person,
      [1, 2, 3].map(() => () => person.logIn({ code })),
    );
    expect(statuses(answers)).toEqual([200, 401, 401]);
    const { id, kind } = person;
    const used = await rig.db.query(`select 1 from recovery_code where ${kind}_id = $1 and used_at is not null`, [id]);
    const told = await rig.db.sql`
      select 1 from mail_log where starts_with(dedupe_key, ${`recovery_code_used:${kind}:`})
        and dedupe_key = any (select 'recovery_code_used:' || ${kind} || ':' || id::text from recovery_code
          where user_id = ${id}::bigint and ${kind} = 'user' or admin_id = ${id}::bigint and ${kind} = 'admin')`;
    expect([used.length, told.length]).toEqual([1, 1]);
  });

  test("again, for a step that requires a fresh one, leaves one session when it is sent twice at the same moment", async () => {
    const person = await make();
    const { authenticator, cookie } = await setUp(person);
    expect(await liveSessions(person)).toBe(1);
    const code = await authenticator.next();
    const answers = await meet(
      person,
      [1, 2].map(() => () => person.logIn({ code }, { cookie })),
    );
    expect(statuses(answers)).toEqual([200, 401]);
    expect(await liveSessions(person)).toBe(1);
  });

  test("is asked for codes of the authenticator whose code was checked, and of no other", async () => {
    const person = await make();
    const { cookie } = await person.logIn();
    const begin = () => person.call("totp/begin/", { password }, cookie);
    const first = new Authenticator(String((await begin()).body["secret"]));
    const code = await first.next();
    const [enabled, begun] = await meet(person, [() => person.call("totp/enable/", { code }, cookie), begin]);
    // Either the first request counts, or nothing is set up.
    const isFirst = enabled?.status === 200;
    expect([enabled?.status, begun?.status]).toEqual(isFirst ? [200, 409] : [409, 200]);
    const later = isFirst ? await first.next() : undefined;
    expect((await person.logIn(later === undefined ? {} : { code: later })).status).toBe(200);
  });
});

describe("a user who is suspended at that moment", () => {
  test("can't log in", async () => {
    const person = await makeUser();
    const held = await hold(person, "status = 'suspended'");
    const loggingIn = person.logIn();
    await held.waitForWaiters(1);
    await held.release();
    expect((await loggingIn).status).toBe(401);
    expect(await liveSessions(person)).toBe(0);
  });
});

describe("a link that is opened many times at the same moment", () => {
  test("verifies once", async () => {
    const email = `${crypto.randomUUID()}@example.org`;
    const registered = await client.post("/backend/auth/register/", { email, password }, { ip: freshAddress() });
    const { pathname, search } = new URL(registered.body.verification_url ?? "");
    const answers = await Promise.all(Array.from({ length: 6 }, () => client.get(`${pathname}${search}`)));
    expect(statuses(answers)).toEqual([200, 400, 400, 400, 400, 400]);
    const audited = await rig.db.sql`
      select 1 from audit_log where action = 'user.verify_email'
        and subject_id = (select id::text from user_profile where email = ${email})`;
    expect(audited).toHaveLength(1);
  });

  test("sets one new password, that of the first", async () => {
    const email = `${crypto.randomUUID()}@example.org`;
    await client.makeUser(email, password);
    const token = `reset-${crypto.randomUUID()}`;
    const hash = new Bun.CryptoHasher("sha256").update(token).digest();
    await rig.db.sql`
      insert into account_token (user_id, purpose, token_hash, expires_at)
      select id, 'password_reset', ${hash}, now() + interval '1 hour' from user_profile where email = ${email}`;
    const passwords = Array.from({ length: 4 }, (_, index) => `${nextPassword} ${index}`);
    const answers = await Promise.all(
      passwords.map((each) => client.post("/backend/auth/password-reset/confirm/", { token, password: each })),
    );
    expect(statuses(answers)).toEqual([200, 400, 400, 400]);
    const logins = await Promise.all(
      passwords.map((each) => client.post("/backend/auth/login/", { email, password: each }, { ip: freshAddress() })),
    );
    expect(logins.map(({ status }) => status === 200)).toEqual(answers.map(({ status }) => status === 200));
  });
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { wholePasswordsVariable } from "../runner/lighter-program.ts";
import { AccountClient } from "../support/accounts/account-client.ts";
import { loginAdmin, loginUser } from "../support/accounts/logins.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";

const isFull = process.env["TEST_FULL"] === "1";
let rig: SluiceRig;
let replicas: readonly [SluiceProcess, SluiceProcess];
let client: AccountClient;
const password = "correct horse battery";
/** Without the jobs, so that emails stay as they were queued. */
const roles = "relay,gateway,backend";
const victim = "victim@example.org";
const env = { CLIENT_IP_HEADER: "x-forwarded-for", ROLES: roles };

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  replicas = await Promise.all([rig.startProcess(env), rig.startProcess(env)]);
  client = clientOf(0);
  await client.makeUser(victim, password);
});

afterAll(() => rig.close());

let addresses = 0;
/** An address that nobody has used yet. */
function freshAddress(): string {
  addresses += 1;
  return `198.18.${addresses >> 8}.${addresses & 255}`;
}

const clientOf = (index: number): AccountClient => new AccountClient(replicas[index % 2 === 0 ? 0 : 1]);

/** As if guesses had gone on for long: the wait is then a quarter of an hour, however slow this machine is. */
async function waitLong(guesses: number): Promise<void> {
  await rig.db.sql`update attempt_counter set count = 20 where count = ${guesses}`;
}

describe("guesses of a password", () => {
  test("from many addresses and on every replica do not lock the victim out", async () => {
    const attackers = isFull ? 60 : 12;
    for (let attacker = 0; attacker < attackers; attacker += 1) {
      const ip = freshAddress();
      const guesses = Array.from({ length: 6 }, (_, guess) =>
        clientOf(guess).logIn(victim, `wrong password ${guess}`, { ip }),
      );
      const answers = await Promise.all(guesses);
      expect(answers.every(({ status }) => status === 401 || status === 429)).toBe(true);
    }
    const login = await client.logIn(victim, password, { ip: freshAddress() });
    expect(login.status).toBe(200);
  });

  test("from one address are allowed five times, counted over all replicas, then wait longer each time", async () => {
    const ip = freshAddress();
    const guess = (index: number) => clientOf(index).logIn(victim, "wrong password", { ip });
    const startedAt = performance.now();
    const first = await Promise.all(Array.from({ length: 10 }, (_, index) => guess(index)));
    const allowed = first.filter(({ status }) => status === 401).length;
    // One more is allowed after a second, another one two seconds later: a slow machine may take that long for ten.
    const later = Math.floor(Math.log2(1 + (performance.now() - startedAt) / 1_000));
    expect(allowed).toBeWithin(5, 5 + later + 1);
    const refused = first.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(10 - allowed);
    expect(refused.every(({ headers }) => Number(headers.get("retry-after")) >= 1)).toBe(true);
    // As if eight more had been made: the wait of 256 seconds is over, and the next one is twice as long. The clock of the
    // counter is the database's: its past is moved instead of waiting.
    await rig.db.sql`
      update attempt_counter set count = 13, window_ends_at = window_ends_at - interval '5 minutes' where count = ${allowed}`;
    expect((await guess(0)).status).toBe(401);
    const again = await guess(1);
    expect(again.status).toBe(429);
    expect(Number(again.headers.get("retry-after"))).toBeWithin(257, 513);
  });

  test("from the victim's address do not block a browser in which the victim had logged in before", async () => {
    const ip = freshAddress();
    const { deviceCookie } = await client.logIn(victim, password, { ip });
    expect(deviceCookie).toMatch(/^SVC_USER_DEVICE=/);
    for (let guess = 0; guess < 5; guess += 1) {
      await client.logIn(victim, "wrong password", { ip });
    }
    await waitLong(5);
    expect((await client.logIn(victim, password, { ip })).status).toBe(429);
    const known = await client.logIn(victim, password, { ip, cookie: deviceCookie });
    expect([known.status, known.deviceCookie]).toEqual([200, ""]);
    // A known browser is known for one account only, and guesses from it are limited as well.
    const other = await client.logIn("nobody@example.org", password, { ip, cookie: deviceCookie });
    expect(other.status).toBe(401);
    const statuses: number[] = [];
    const guessAgain = async () =>
      statuses.push((await client.logIn(victim, "wrong password", { ip, cookie: deviceCookie })).status);
    for (let guess = 0; guess < 5; guess += 1) {
      await guessAgain();
    }
    await waitLong(5);
    await guessAgain();
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    const forged = deviceCookie.replace(/.$/, (last) => (last === "A" ? "B" : "A"));
    expect((await client.logIn(victim, password, { ip, cookie: forged })).status).toBe(429);
  });

  test("are reset by a successful login", async () => {
    const ip = freshAddress();
    for (let round = 0; round < 2; round += 1) {
      for (let guess = 0; guess < 4; guess += 1) {
        expect((await client.logIn(victim, "wrong password", { ip })).status).toBe(401);
      }
      expect((await client.logIn(victim, password, { ip })).status).toBe(200);
    }
  });

  test("of one address on many accounts are limited", async () => {
    const ip = freshAddress();
    const statuses = new Set<number>();
    let tried = 0;
    for (; tried < 60 && !statuses.has(429); tried += 1) {
      statuses.add((await client.logIn(`somebody-${tried}@example.org`, "x", { ip })).status);
    }
    expect(tried).toBe(51);
  });

  test("an unknown address and a wrong password are indistinguishable", async () => {
    const ip = freshAddress();
    const unknown = await client.logIn("nobody@example.org", "wrong password", { ip });
    const wrong = await client.logIn(victim, "wrong password", { ip });
    const seen = ({ status, headers, body }: typeof unknown) => {
      const { code, message } = body.error ?? {};
      return { status, code, message, names: [...headers.keys()] };
    };
    expect(seen(unknown)).toEqual(seen(wrong));
    expect(unknown.status).toBe(401);
  });

  test("take as long for an unknown address as for a known one", async () => {
    const rounds = isFull ? 100 : 12;
    const times: Record<"known" | "unknown", number[]> = { known: [], unknown: [] };
    const whole = new AccountClient(await rig.startProcess({ ...env, [wholePasswordsVariable]: "1" }));
    const known = "known@example.org";
    await whole.makeUser(known, password);
    for (let round = 0; round < rounds; round += 1) {
      for (const kind of ["known", "unknown"] as const) {
        const email = kind === "known" ? known : `nobody-${round}@example.org`;
        const startedAt = performance.now();
        await whole.logIn(email, "wrong password", { ip: freshAddress() });
        times[kind].push(performance.now() - startedAt);
      }
    }
    // Without the dummy hash an unknown address gets its response in a tenth of the time. The fastest, because what else
    // runs on the machine only adds to a time.
    const ratio = Math.min(...times.unknown) / Math.min(...times.known);
    expect(ratio).toBeGreaterThan(0.35);
    expect(ratio).toBeLessThan(3);
  });
});

describe("whether an address has an account is not revealed", () => {
  const withoutLink = ({ status, headers, body }: Awaited<ReturnType<AccountClient["get"]>>) => ({
    status,
    names: [...headers.keys()].toSorted(),
    body: { ...body, verification_url: typeof body.verification_url, length: body.verification_url?.length },
  });

  test.each(["register", "resend-verification", "password-reset/request"])("by %s", async (path) => {
    const ask = (email: string) =>
      client.post(`/backend/auth/${path}/`, path === "register" ? { email, password } : { email }, {
        ip: freshAddress(),
      });
    const free = await ask(`free-${path.replace("/", "-")}@example.org`);
    const known = await ask(victim);
    expect(known.status).toBe(202);
    expect(withoutLink(known)).toEqual(withoutLink(free));
  });

  test("the owner is notified by email, and the link in the response is worthless", async () => {
    const owner = "owner@example.org";
    await client.makeUser(owner, password);
    const answer = await client.post("/backend/auth/register/", {
      email: owner.toUpperCase(),
      password: "other pass word",
    });
    const { pathname, search } = new URL(answer.body.verification_url ?? "");
    expect((await client.get(`${pathname}${search}`)).body.error?.code).toBe("invalid_token");
    const rows = await rig.db.sql`
      select 1 from mail_log where template = 'account_exists' and to_address = ${owner}`;
    expect(rows).toHaveLength(1);
    expect((await client.logIn(owner, "other pass word")).status).toBe(401);
    expect((await client.logIn(owner, password)).status).toBe(200);
  });

  test("registering takes as long for a known address as for an unknown one", async () => {
    const rounds = isFull ? 40 : 5;
    const times: Record<"known" | "free", number[]> = { known: [], free: [] };
    for (let round = 0; round < rounds; round += 1) {
      for (const kind of ["known", "free"] as const) {
        const email = kind === "known" ? victim : `timed-${round}@example.org`;
        const startedAt = performance.now();
        await client.post("/backend/auth/register/", { email, password }, { ip: freshAddress() });
        times[kind].push(performance.now() - startedAt);
      }
    }
    const ratio = Math.min(...times.known) / Math.min(...times.free);
    // Both take at least a quarter of a second; without that, a known address has its response in a tenth of the time.
    expect(ratio).toBeGreaterThan(0.4);
    expect(ratio).toBeLessThan(2.5);
    expect(Math.min(...times.known, ...times.free)).toBeGreaterThan(240);
  });

  const mailsTo = async (email: string, template: string): Promise<number> => {
    const rows = await rig.db.sql`select 1 from mail_log where to_address = ${email} and template = ${template}`;
    return rows.length;
  };
  const askForReset = async (email: string, options: { ip: string; cookie?: string }): Promise<void> => {
    const answer = await client.post("/backend/auth/password-reset/request/", { email }, options);
    expect(answer.status).toBe(202);
  };

  test("no mailbox is flooded: one address causes at most three emails of a kind, all addresses together nine", async () => {
    const email = "bombed@example.org";
    await client.makeUser(email, password);
    const stranger = freshAddress();
    for (let round = 0; round < 5; round += 1) {
      await askForReset(email, { ip: stranger });
    }
    expect(await mailsTo(email, "password_reset")).toBe(3);
    for (let round = 0; round < 8; round += 1) {
      await askForReset(email, { ip: freshAddress() });
    }
    expect(await mailsTo(email, "password_reset")).toBe(9);
  });

  test("a stranger who requests emails to someone does not block the owner's", async () => {
    const email = "held-up@example.org";
    await client.makeUser(email, password);
    const { deviceCookie } = await client.logIn(email, password, { ip: freshAddress() });
    const stranger = freshAddress();
    for (let round = 0; round < 4; round += 1) {
      await askForReset(email, { ip: stranger });
      await client.post("/backend/auth/register/", { email, password }, { ip: stranger });
    }
    await askForReset(email, { ip: freshAddress() });
    expect(await mailsTo(email, "password_reset")).toBe(4);
    // Not even if the stranger has many addresses and a browser with which the owner has logged in.
    for (let round = 0; round < 9; round += 1) {
      await askForReset(email, { ip: freshAddress() });
    }
    expect(await mailsTo(email, "password_reset")).toBe(9);
    await askForReset(email, { ip: stranger, cookie: deviceCookie });
    expect(await mailsTo(email, "password_reset")).toBe(10);
  });

  test("one address can't send endless requests", async () => {
    const ip = freshAddress();
    const statuses: number[] = [];
    for (let round = 0; round < 31; round += 1) {
      statuses.push(
        (await client.post("/backend/auth/resend-verification/", { email: `a${round}@example.org` }, { ip })).status,
      );
    }
    expect(statuses.indexOf(429)).toBe(30);
  });
});

describe("form input", () => {
  test.each([
    "a@b.c\r\nBcc: x@example.org",
    '"x@evil y"@example.org',
    `${"a".repeat(300)}@example.org`,
    "a@b@example.org",
    "аnna@example.org",
    "",
  ])("%j is not an address", async (email) => {
    const answer = await client.post("/backend/auth/register/", { email, password });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: "invalid_email" } } });
  });

  test.each([
    ["empty", ""],
    ["short", "kq7#mWx"],
    ["of 257 characters", "ab1-".repeat(64).concat("x")],
    ["with a NUL", "correct\0horse battery"],
    ["common", "password123"],
    ["the address itself", "new@example.org"],
  ])("a password that is %s is refused", async (_, bad) => {
    const answer = await client.post("/backend/auth/register/", { email: "new@example.org", password: bad });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: "invalid_password" } } });
    expect(answer.body.error?.fields?.["password"]).toBeString();
  });

  test("a password of ten megabytes is not even read", async () => {
    const answer = await client.post("/backend/auth/register/", {
      email: "big@example.org",
      password: "x".repeat(10_000_000),
    });
    expect(answer).toMatchObject({ status: 413, body: { error: { code: "request_too_large" } } });
  });

  test.each([
    ["an array", ["x"]],
    ["an object", { $ne: null }],
    ["a number", 17],
    ["null", null],
  ])("a token that is %s is refused", async (_, token) => {
    const answer = await client.post("/backend/auth/password-reset/confirm/", { token, password });
    expect(answer.status).toBe(400);
  });

  test.each(["", "x", "A".repeat(43), "A".repeat(900), "' or 1=1 --"])("the token %j is not valid", async (token) => {
    const answer = await client.post("/backend/auth/password-reset/confirm/", { token, password });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: "invalid_token" } } });
  });

  test("a link for one purpose works for no other purpose and no other user", async () => {
    const email = "purposes@example.org";
    const { body } = await client.post("/backend/auth/register/", { email, password });
    const token = new URL(body.verification_url ?? "").searchParams.get("token") ?? "";
    const reset = await client.post("/backend/auth/password-reset/confirm/", { token, password: "tango olive brook" });
    expect(reset.body.error?.code).toBe("invalid_token");
    expect((await client.get(`/backend/auth/verify-email/?token=${token.slice(0, -1)}`)).status).toBe(400);
    expect((await client.get(`/backend/auth/verify-email/?token=${token}`)).status).toBe(200);
  });

  test.each([
    ["GET of what changes something", "GET", "/backend/auth/login/"],
    ["PUT", "PUT", "/backend/auth/register/"],
    ["POST of what only shows", "POST", "/backend/auth/me/"],
  ])("%s is not allowed", async (_, method, path) => {
    const answer = await fetch(`${replicas[0].url}${path}`, { method });
    expect(answer.status).toBe(405);
    expect(answer.headers.get("allow")).toMatch(/^(GET|POST)$/);
  });

  test("every path works without its trailing slash", async () => {
    expect(
      (await client.post("/backend/auth/login", { email: "x@example.org", password: "x" }, { ip: freshAddress() }))
        .status,
    ).toBe(401);
    expect((await client.get("/login")).status).toBe(200);
  });
});

describe("a session", () => {
  test("that was planted before the login is replaced by another, and is invalid", async () => {
    const attacker = await loginUser(rig);
    const planted = `SVC_USER_SESSID=${"A".repeat(43)}`;
    const made = await client.logIn(victim, password, { cookie: planted, ip: freshAddress() });
    expect(made.cookie).not.toBe(planted);
    expect([await client.me(planted), await client.me(made.cookie)]).toEqual([401, 200]);
    const taken = await client.logIn(victim, password, { cookie: attacker.cookie, ip: freshAddress() });
    expect(await client.me(attacker.cookie)).toBe(401);
    const me = await client.get("/backend/auth/me/", { cookie: taken.cookie });
    expect(me.body).toMatchObject({ user: { email: victim } });
  });

  test("can't be used as another kind of session", async () => {
    const [user, admin] = [await loginUser(rig), await loginAdmin(rig)];
    expect(await client.me(admin.cookie.replace("ADMIN", "USER"))).toBe(401);
    const asAdmin = await client.get("/backend/auth/admin/me/", { cookie: user.cookie.replace("USER", "ADMIN") });
    expect(asAdmin.status).toBe(401);
  });

  test("with two cookies of its name is refused; unrelated cookies are ignored", async () => {
    const { cookie } = await loginUser(rig);
    const two = await client.get("/backend/auth/me/", { cookie: `${cookie}; SVC_USER_SESSID=${"B".repeat(43)}` });
    expect(two).toMatchObject({ status: 400, body: { error: { code: "invalid_cookie" } } });
    for (const strange of ["%53VC_USER_SESSID=x", "__proto__=1", "SVC_USER_SESSID", "SVC_USER_SESSID=", "=;=;;"]) {
      expect(await client.me(strange)).toBe(401);
      expect(await client.me(`${strange}; ${cookie}`)).toBe(strange.startsWith("SVC_USER_SESSID=") ? 400 : 200);
    }
  });

  test.each([
    ["another origin", { origin: "https://evil.example" }],
    ["another site", { "sec-fetch-site": "cross-site" }],
    ["a neighbour of the site", { "sec-fetch-site": "same-site" }],
    ["no origin that can be named", { origin: "null" }],
    ["no page, as a browser says it", { "sec-fetch-site": "none" }],
  ])("is not used for a write that comes from %s", async (_, headers) => {
    const { cookie } = await loginUser(rig);
    const answer = await client.post("/backend/auth/sessions/revoke/", { all_others: true }, { cookie, headers });
    expect(answer).toMatchObject({ status: 403, body: { error: { code: "csrf_rejected" } } });
    const form = await client.postForm("/login/", { email: victim, password }, { headers });
    expect([form.status, form.cookie]).toEqual([403, ""]);
  });

  test.each(["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x"])(
    "is not changed by a body of type %s",
    async (type) => {
      const { cookie } = await loginUser(rig);
      const headers = { "content-type": type };
      const answer = await client.post("/backend/auth/sessions/revoke/", { all_others: true }, { cookie, headers });
      expect(answer).toMatchObject({ status: 415, body: { error: { code: "unsupported_media_type" } } });
    },
  );
});

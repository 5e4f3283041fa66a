import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { AccountClient } from "../support/accounts/account-client.ts";
import { loginAdmin, loginUser } from "../support/accounts/logins.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";

let rig: SluiceRig;
let sluice: SluiceProcess;
let client: AccountClient;
let user: { cookie: string; userId: bigint };
let admin: { cookie: string };
const password = "correct horse battery";

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  const env = { CLIENT_IP_HEADER: "x-forwarded-for", ROLES: "relay,gateway,backend", LOG_LEVEL: "debug" };
  sluice = await rig.startProcess(env);
  client = new AccountClient(sluice);
  await client.makeUser("person@example.org", password);
  user = await loginUser(rig);
  admin = await loginAdmin(rig);
  await rig.db.sql`
    insert into plan (plan_code, name, kind, price_usd, quota, features)
    values ('cases', 'Cases', 'wallet_balance', 9.90, 1000, '[]')`;
});

afterAll(async () => {
  expect(await rig.checkMoney()).toEqual([]);
  await rig.close();
});

let addresses = 0;
const freshAddress = (): string => {
  addresses += 1;
  return `198.19.0.${addresses}`;
};
type Answer = Awaited<ReturnType<AccountClient["get"]>>;
const told = ({ status, body }: Answer): [number, string | undefined] => [status, body.error?.code];
const asAdmin = (path: string, body: object) => client.post(`/backend/admin/${path}/`, body, { cookie: admin.cookie });

describe("a login", () => {
  test("33 of an unknown user and with a wrong password are invalid_credentials", async () => {
    for (const email of ["nobody@example.org", "person@example.org"]) {
      const answer = await client.logIn(email, "wrong password", { ip: freshAddress() });
      expect(told(answer)).toEqual([401, "invalid_credentials"]);
    }
  });

  test.each([
    ["no character", ""],
    ["a NUL", "correct\0horse"],
    ["257 characters", "x".repeat(257)],
  ])("34 with a password of %s is refused before it is counted or hashed", async (_, bad) => {
    const ip = freshAddress();
    for (let round = 0; round < 7; round += 1) {
      expect(told(await client.logIn("person@example.org", bad, { ip }))).toEqual([400, "invalid_password"]);
    }
    expect((await client.logIn("person@example.org", password, { ip })).status).toBe(200);
  });

  test("35 has to wait after the fifth failure, in seconds", async () => {
    const ip = freshAddress();
    const logIn = () => client.logIn("person@example.org", "wrong password", { ip });
    for (let round = 0; round < 5; round += 1) {
      expect(told(await logIn())).toEqual([401, "invalid_credentials"]);
    }
    // As if they had gone on for long: the wait of a second could be over on a slow machine.
    await rig.db.sql`update attempt_counter set count = 20 where count = 5`;
    const refused = await logIn();
    expect(told(refused)).toEqual([429, "too_many_attempts"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  test.each([
    "//evil.example",
    "/\\evil.example",
    "https:evil.example",
    "javascript:alert(1)",
    "/%09/evil",
    "/\t/evil",
  ])("45 that asks to continue at %j stays on this site", async (next) => {
    const fields = { email: "person@example.org", password, next };
    const answer = await client.postForm("/login/", fields, { ip: freshAddress() });
    const location = answer.headers.get("location") ?? "";
    expect(answer.status).toBe(303);
    expect(new URL(location, sluice.url).origin).toBe(new URL(sluice.url).origin);
    expect(location).not.toContain("evil");
  });
});

describe("a link", () => {
  test.each([
    ["an array", ["x"]],
    ["a number", 1],
    ["nothing", undefined],
    ["an endless text", "x".repeat(5_000)],
    ["cut", "AAAA"],
  ])("38 whose token is %s is an invalid_token like all others", async (_, token) => {
    const answer = await client.post("/backend/auth/password-reset/confirm/", { token, password: "tango olive brook" });
    expect(told(answer)).toEqual([400, "invalid_token"]);
  });

  test("39 guesses of a claim code are limited, and reveal nothing", async () => {
    const { body } = await client.post("/backend/billing/order/create/", { plan_code: "cases" });
    const order = body["order"] as { order_no: string };
    for (const claim_code of ["AAAAAAAA", "' or 1=1 --"]) {
      const wrong = { order_no: order.order_no, claim_code };
      const answer = await client.post("/backend/billing/order/claim/", wrong, { cookie: user.cookie });
      expect(told(answer)).toEqual([404, "not_found"]);
    }
  });
});

describe("a request with a cookie", () => {
  const path = "/backend/auth/sessions/revoke/";
  test("40 but no origin is csrf_rejected; one without a cookie comes from a program", async () => {
    const ask = (headers: Record<string, string>) =>
      fetch(`${sluice.url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: '{"all_others":true}',
      });
    const { origin } = new URL(sluice.url);
    const statuses = await Promise.all(
      [
        { cookie: user.cookie },
        { cookie: user.cookie, "sec-fetch-site": "same-origin" },
        { cookie: user.cookie, origin },
        {},
      ].map(async (headers) => (await ask(headers as Record<string, string>)).status),
    );
    expect(statuses).toEqual([403, 200, 200, 401]);
  });

  test("43 of 9 KB is refused, and similar cookie names are ignored", async () => {
    const long = await client.get("/backend/auth/me/", { cookie: `a=${"x".repeat(9 * 1024)}` });
    expect(told(long)).toEqual([431, "headers_too_large"]);
    for (const cookie of ["%53VC_USER_SESSID=x", "__proto__=1", "%5F%5FHost-sid=evil"]) {
      expect(told(await client.get("/backend/auth/me/", { cookie }))).toEqual([401, "unauthenticated"]);
    }
  });

  test("44 whose session has ended is session_expired", async () => {
    const { cookie } = await client.logIn("person@example.org", password, { ip: freshAddress() });
    await client.post("/backend/auth/logout/", {}, { cookie });
    expect(told(await client.get("/backend/auth/me/", { cookie }))).toEqual([401, "session_expired"]);
    expect(told(await client.get("/backend/admin/money-check/", { cookie: user.cookie }))).toEqual([
      401,
      "unauthenticated",
    ]);
  });
});

describe("fields", () => {
  test("46 that nobody may set are refused as unknown_field and set nothing", async () => {
    const change = { role: "admin", balance: 1e9, rate_multiplier: "0.1" };
    const answer = await client.post("/backend/auth/profile/save/", change, { cookie: user.cookie });
    expect(told(answer)).toEqual([400, "unknown_field"]);
    const proto = await fetch(`${sluice.url}/backend/auth/profile/save/`, {
      method: "POST",
      headers: { "content-type": "application/json", cookie: user.cookie, origin: sluice.url },
      body: '{"__proto__":{"isSuper":true},"display_name":"x"}',
    });
    expect([200, 400]).toContain(proto.status);
    expect(told(await client.get("/backend/admin/money-check/", { cookie: user.cookie }))).toEqual([
      401,
      "unauthenticated",
    ]);
  });

  test.each(["1'--", "-1", "1e3", "9223372036854775808", "x"])("47 an id of %j is invalid_id", async (id) => {
    const key = await client.get(`/backend/keys/first-request/?${new URLSearchParams({ key_id: id })}`, user);
    expect(told(key)).toEqual([400, "invalid_id"]);
    expect(told(await asAdmin("mail/resend", { id }))).toEqual([400, "invalid_id"]);
    expect(told(await asAdmin("user/save", { user_id: id, status: "active" }))).toEqual([400, "invalid_id"]);
  });

  test("47 another user's order and a missing one get the same response", async () => {
    const other = await loginUser(rig);
    const { body } = await client.post("/backend/billing/order/create/", { plan_code: "cases" }, other);
    const theirs = (body["order"] as { order_no: string }).order_no;
    const ask = (orderNo: string) => client.get(`/backend/billing/order/status/?order_no=${orderNo}`, user);
    const [foreign, none] = [await ask(theirs), await ask("S0000000000")];
    expect([told(foreign), foreign.body.error?.message]).toEqual([[404, "not_found"], none.body.error?.message]);
    expect(told(await ask("1'--"))).toEqual([400, "invalid_id"]);
  });

  test("48 a name is text, whatever it looks like, and one of only spaces or of endless length is invalid_name", async () => {
    const create = (name: string) => client.post("/backend/keys/create/", { name }, { cookie: user.cookie });
    for (const name of ["   ", "x".repeat(10_000), "a\0b"]) {
      expect(told(await create(name))).toEqual([400, "invalid_name"]);
    }
    const odd = '<img src=x onerror="alert(1)">';
    expect((await create(odd)).body["key"]).toMatchObject({ name: odd });
  });

  test.each(["limit=-1", "limit=1e9", "sort=password", "cursor=tampered", "q=%25%25%25%25&nothing=1"])(
    "49 a list requested with %s is invalid_parameter",
    async (query) => {
      expect(told(await client.get(`/backend/billing/order/list/?${query}`, user))).toEqual([400, "invalid_parameter"]);
    },
  );

  test.each([0, -1, "0.001", "1e3", "１００", "NaN", 10 ** 12, `1.${"0".repeat(33)}`])(
    "50 an amount of %j is invalid_amount",
    async (price_usd) => {
      const plan = { plan_code: "odd", name: "Odd", kind: "wallet_balance", quota: 1, price_usd };
      expect(told(await asAdmin("plan/save", plan))).toEqual([400, "invalid_amount"]);
    },
  );

  test("51 an unknown currency is unsupported_currency, lower case is converted", async () => {
    const plan = { plan_code: "small", name: "Small", kind: "wallet_balance", quota: 1, price_usd: "1" };
    expect(told(await asAdmin("plan/save", { ...plan, currency: "XTS" }))).toEqual([400, "unsupported_currency"]);
    expect((await asAdmin("plan/save", { ...plan, currency: "usd" })).body["plan"]).toMatchObject({ currency: "USD" });
  });

  test.each([
    ["a fraction", { amount: 1.5 }, "invalid_amount"],
    ["an overflow", { amount: "9".repeat(30) }, "invalid_amount"],
    ["no reason", { reason: undefined }, "invalid_value"],
  ])("72 an adjustment with %s is refused", async (_, change, code) => {
    const adjustment = { gateway_user_id: 1, amount: 5, reason: "a gift", idempotency_key: "adjust-once" };
    expect(told(await asAdmin("manual-adjust", { ...adjustment, ...change }))).toEqual([400, code]);
  });

  test.each(["1e-7", "-1", "1.1234567", "0", "NaN"])("76 a multiplier of %s is invalid_multiplier", async (text) => {
    const change = { user_id: String(user.userId), rate_multiplier: text };
    expect(told(await asAdmin("user/save", change))).toEqual([400, "invalid_multiplier"]);
  });
});

describe("anonymous orders", () => {
  const order = (ip: string, headers: Record<string, string> = {}, email?: string) =>
    client.post("/backend/billing/order/create/", { plan_code: "cases", ...(email ? { email } : {}) }, { ip, headers });
  const numberOf = ({ body }: Answer) => (body["order"] as { order_no: string }).order_no;

  test("52 the same key from the same place is the same order, with other content idempotency_mismatch", async () => {
    const [ip, headers] = [freshAddress(), { "idempotency-key": "order-0001" }];
    const first = await order(ip, headers);
    expect(numberOf(await order(ip, headers))).toBe(numberOf(first));
    expect(told(await order(ip, headers, "a@example.org"))).toEqual([422, "idempotency_mismatch"]);
  });

  test("52 a key that two strangers happen to choose gives neither the order of the other", async () => {
    const headers = { "idempotency-key": "order-0001" };
    const [mine, theirs] = [await order(freshAddress(), headers), await order(freshAddress(), headers)];
    expect(numberOf(theirs)).not.toBe(numberOf(mine));
    expect([mine, theirs].map(({ body }) => typeof body["claim_code"])).toEqual(["string", "string"]);
  });

  test("are limited for one place, and only there", async () => {
    const ip = freshAddress();
    const answers = await Promise.all(Array.from({ length: 32 }, () => order(ip)));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.map(told)).toEqual([
      [429, "too_many_attempts"],
      [429, "too_many_attempts"],
    ]);
    expect((await order(freshAddress())).status).toBe(200);
  });
});

describe("a message for a gateway that is not set up", () => {
  test("53 is webhook_not_configured, and a thousand of them fill no log", async () => {
    for (let round = 0; round < 12; round += 1) {
      const answer = await fetch(`${sluice.url}/backend/payment/cardpay/webhook/`, { method: "POST", body: "{}" });
      expect([answer.status, await answer.json()]).toMatchObject([503, { error: { code: "webhook_not_configured" } }]);
    }
    const lines = sluice
      .log()
      .split("\n")
      .filter((line) => line.includes("webhook_not_configured"));
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain("stack");
  });
});

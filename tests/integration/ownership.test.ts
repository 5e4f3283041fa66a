import { afterAll, beforeAll, expect, test } from "bun:test";
import { allowsToken, tokenRuleOf } from "@sluice/contracts/token-scopes";
import type { AnyEndpoint } from "@sluice/control-plane/platform/endpoint/model.ts";
import { giveToken, loginAdmin } from "../support/accounts/logins.ts";
import { addOwnedThings, addPlans, type OwnedThings } from "../support/accounts/owned-things.ts";
import { declaredEndpoints, nameOf } from "../support/admin/declared-endpoints.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";
import { inputNames, soundValues } from "../support/values/odd-values.ts";

let rig: SluiceRig;
let sluice: SluiceProcess;
let owner: OwnedThings;
let other: OwnedThings;
let adminCookie: string;
let endpoints: readonly AnyEndpoint[];

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  sluice = await rig.startProcess({ PAYMENT_MOCK: "true" });
  await addPlans(rig);
  owner = await addOwnedThings(rig, sluice, "monthly");
  other = await addOwnedThings(rig, sluice, "small");
  adminCookie = (await loginAdmin(rig)).cookie;
  endpoints = await declaredEndpoints(rig);
  await rig.waitForUsageRows(2);
});

afterAll(() => rig.close());

/** A field that can identify something of a user. */
type Case = { readonly endpoint: AnyEndpoint; readonly field: string };

/** Identifiers: ids and numbers of records, and plans if a user has them. */
const namesThings = /(^|_)(id|ids|no)$/;
/** Made up by a page for its visitor; it belongs to no login. */
const namesNothing: ReadonlySet<string> = new Set(["visitor_id"]);

function cases(): Case[] {
  return endpoints
    .filter(({ access }) => access === "user" || access === "optional_user")
    .flatMap((endpoint) => {
      const names = [...inputNames(endpoint.input), ...Object.keys(endpoint.params ?? {})];
      const isOfPlan = endpoint.path.startsWith("/backend/billing/subscription/");
      const naming = names.filter(
        (name) => (namesThings.test(name) && !namesNothing.has(name)) || (isOfPlan && name === "plan_code"),
      );
      return naming.map((field) => ({ endpoint, field }));
    });
}

/** Values of the owner by the fields that name them. */
function ownValue({ endpoint, field }: Case, things: OwnedThings): unknown {
  if (nameOf(endpoint) === "POST /backend/billing/order/claim/") {
    return things.openOrder.orderNo;
  }
  const values: Readonly<Record<string, unknown>> = {
    key_id: things.keyId,
    order_no: things.orderNo,
    session_id: things.otherSessionId,
    token_id: things.tokenId,
    request_id: things.requestId,
    ids: [things.messageId],
    plan_code: things.planCode,
  };
  expect([nameOf(endpoint), field, field in values]).toEqual([nameOf(endpoint), field, true]);
  return values[field];
}

/** Fields without which the request would be refused for another reason; optional ones stay away. */
function otherFields({ endpoint, field }: Case, things: OwnedThings): Record<string, unknown> {
  const required: Readonly<Record<string, Record<string, unknown>>> = {
    "POST /backend/keys/save/": { updated_at: things.keyUpdatedAt, name: "another name" },
    "POST /backend/billing/order/claim/": { claim_code: soundValues["claim_code"] },
  };
  return { ...required[nameOf(endpoint)], [field]: ownValue({ endpoint, field }, things) };
}

type Credentials = { readonly cookie?: string; readonly authorization?: string };

async function ask({ endpoint, field }: Case, fields: Record<string, unknown>, credentials: Credentials) {
  const { [field]: named, ...rest } = fields;
  const inPath = endpoint.path.includes(`:${field}`);
  const path = endpoint.path.replace(`:${field}`, String(named));
  const sent = inPath ? rest : fields;
  const query = new URLSearchParams(
    Object.entries(sent).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const isRead = endpoint.method === "GET";
  const answer = await fetch(`${sluice.url}${path}${isRead ? `?${query}` : ""}`, {
    method: endpoint.method,
    headers: {
      "content-type": "application/json",
      origin: new URL(sluice.url).origin,
      ...(credentials.cookie === undefined ? {} : { cookie: credentials.cookie }),
      ...(credentials.authorization === undefined ? {} : { authorization: credentials.authorization }),
    },
    ...(isRead ? {} : { body: JSON.stringify(sent) }),
  });
  return { status: answer.status, text: await answer.text() };
}

/** Lists and sets, which simply leave out what belongs to others. */
const empty: Readonly<Record<string, RegExp>> = {
  "GET /backend/usage/list/": /"rows":\[\]/,
  "GET /backend/usage/summary/": /"total":\{"calls":0,/,
  "GET /backend/usage/export/": /^request_id,[^\n]*\r\n$/,
  "POST /backend/account/inbox/read/": /"marked":0,/,
};

/** What admins may do to a user's things through the user's own endpoint. */
const ofAdminsToo: ReadonlySet<string> = new Set(["POST /backend/payment/mock-settle/"]);

const isOpenToTokens = ({ access, path }: AnyEndpoint): boolean =>
  access === "user" && allowsToken(["everything"], tokenRuleOf(path));

/** Everything that belongs to anyone, as text, without the time when a session was last seen. */
async function snapshot(): Promise<string> {
  const { sql } = rig.db;
  const parts = await Promise.all([
    sql`select * from api_key order by id`,
    sql`select * from sales_order order by id`,
    sql`select * from subscription order by id`,
    sql`select id, user_id, revoked_at from session order by id`,
    sql`select id, user_id, revoked_at from management_token order by id`,
    sql`select * from mail_inbox order by id`,
    sql`select * from user_profile order by id`,
    sql`select id, granted, used from budget order by id`,
    sql`select * from ledger_entry order by id`,
  ]);
  return JSON.stringify(parts, (_, value: unknown) => (typeof value === "bigint" ? value.toString() : value));
}

test("nobody reaches another user's data by any id of any endpoint, and trying changes nothing", async () => {
  const token = await giveToken(rig, other.login, ["everything"]);
  const before = await snapshot();
  const all = cases();
  expect(all.length).toBeGreaterThan(15);
  const callers: Readonly<Record<string, Credentials>> = {
    "another user": { cookie: other.login.cookie },
    "another user's token": { authorization: `Bearer ${token}` },
    nobody: {},
    "an admin": { cookie: adminCookie },
  };
  for (const one of all) {
    const name = nameOf(one.endpoint);
    for (const [caller, credentials] of Object.entries(callers)) {
      if (caller === "an admin" && ofAdminsToo.has(name)) {
        continue;
      }
      const { status, text } = await ask(one, otherFields(one, owner), credentials);
      const isOther = caller.startsWith("another user");
      const isLoginMissing = !isOther && one.endpoint.access === "user";
      const isClosed = credentials.authorization !== undefined && !isOpenToTokens(one.endpoint);
      const expected = isLoginMissing ? 401 : isClosed ? 403 : name in empty ? 200 : 404;
      expect([name, one.field, caller, status]).toEqual([name, one.field, caller, expected]);
      expect(text).not.toContain(owner.login.email);
      if (status === 200) {
        expect(text).toMatch(empty[name] ?? /^$/);
      }
    }
  }
  expect(await snapshot()).toBe(before);
});

test("a foreign id gets the same response as one that never existed", async () => {
  const never: Readonly<Record<string, unknown>> = {
    key_id: "999999999",
    order_no: "S9999999999",
    session_id: "999999999",
    token_id: "999999999",
    request_id: "01a00000-0000-7000-8000-000000000000",
    plan_code: "never-made",
    ids: ["999999999"],
  };
  const shown = (text: string): string => text.replace(/"request_id":"[^"]*"/, "");
  for (const one of cases()) {
    const foreign = await ask(one, otherFields(one, owner), other.login);
    const unknown = await ask(one, { ...otherFields(one, owner), [one.field]: never[one.field] }, other.login);
    expect([nameOf(one.endpoint), foreign.status, shown(foreign.text)]).toEqual([
      nameOf(one.endpoint),
      unknown.status,
      shown(unknown.text),
    ]);
  }
});

test("the owner reaches all of it by the same requests", async () => {
  for (const one of cases()) {
    const isClaim = nameOf(one.endpoint) === "POST /backend/billing/order/claim/";
    const proof = isClaim ? { claim_code: owner.openOrder.claimCode } : {};
    const { status, text } = await ask(one, { ...otherFields(one, owner), ...proof }, owner.login);
    // A key that the previous request revoked makes the next one fail, but it exists.
    expect([nameOf(one.endpoint), [200, 409].includes(status)]).toEqual([nameOf(one.endpoint), true]);
    expect(text).not.toMatch(empty[nameOf(one.endpoint)] ?? /^$/);
  }
  expect(await rig.checkMoney()).toEqual([]);
});

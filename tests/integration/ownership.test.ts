import { afterAll, beforeAll, expect, test } from "bun:test";
import { organisationHeader } from "@sluice/contracts/organisation-rights";
import { allowsToken, tokenRuleOf } from "@sluice/contracts/token-scopes";
import type { AnyEndpoint } from "@sluice/control-plane/platform/endpoint/model.ts";
import { giveToken, loginAdmin } from "../support/accounts/logins.ts";
import { addOwnedThings, addPlans, type OwnedThings, webhookUrl } from "../support/accounts/owned-things.ts";
import { declaredEndpoints, nameOf } from "../support/admin/declared-endpoints.ts";
import { issueInvoices } from "../support/payments/invoice-terms.ts";
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
  await issueInvoices(rig.db);
  owner = await addOwnedThings(rig, sluice, "monthly");
  other = await addOwnedThings(rig, sluice, "small");
  adminCookie = (await loginAdmin(rig)).cookie;
  endpoints = await declaredEndpoints(rig);
  await rig.waitForUsageRows(4);
});

afterAll(() => rig.close());

/** A field that can identify something of a user. */
type Case = { readonly endpoint: AnyEndpoint; readonly field: string };

/** Identifiers: ids and numbers of records, and plans if a user has them. */
const namesThings = /(^|_)(id|ids|no)$/;
/** Made up by a page for its visitor, and the number that the tax office gave a buyer: neither names a record. */
const namesNothing: ReadonlySet<string> = new Set(["visitor_id", "tax_id"]);

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
  if (nameOf(endpoint) === "POST /backend/billing/order/invoice/" && field === "order_no") {
    return things.paidOrderNo;
  }
  const values: Readonly<Record<string, unknown>> = {
    key_id: things.keyId,
    order_no: things.orderNo,
    session_id: things.otherSessionId,
    token_id: things.tokenId,
    target_id: things.webhookId,
    delivery_id: things.deliveryId,
    sign_in_id: things.signInId,
    passkey_id: things.passkeyId,
    request_id: things.requestId,
    ids: [things.messageId],
    plan_code: things.planCode,
    renewal_no: things.renewalNo,
    organisation_id: things.organisation.organisationId,
    member_id: things.organisation.memberId,
    project_id: things.organisation.projectId,
    invitation_id: things.organisation.invitationId,
  };
  expect([nameOf(endpoint), field, field in values]).toEqual([nameOf(endpoint), field, true]);
  return values[field];
}

/** Fields without which the request would be refused for another reason; optional ones stay away. */
function otherFields({ endpoint, field }: Case, things: OwnedThings): Record<string, unknown> {
  const required: Readonly<Record<string, Record<string, unknown>>> = {
    "POST /backend/keys/save/": { updated_at: things.keyUpdatedAt, name: "another name" },
    "POST /backend/webhooks/save/": {
      ...{ version: 1, is_enabled: true, name: "another name" },
      ...{ url: webhookUrl, events: ["key.created"] },
    },
    "POST /backend/billing/order/claim/": { claim_code: soundValues["claim_code"] },
    "POST /backend/keys/create/": { name: "a key" },
    "POST /backend/auth/passkeys/rename/": { name: "another name" },
    "POST /backend/organisations/member/save/": { role: "member", spend_per_month: 5 },
    "POST /backend/organisations/member/remove/": { keys: "revoke" },
    "POST /backend/organisations/project/save/": { name: "another name", spend_per_month: 5 },
  };
  return { ...required[nameOf(endpoint)], [field]: ownValue({ endpoint, field }, things) };
}

type Credentials = { readonly cookie?: string; readonly authorization?: string; readonly organisationId?: string };

/** Things of an organisation, which a request names in a header. */
const isOfOrganisation = ({ field }: Case): boolean => /^(member|project|invitation)_id$/.test(field);

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
      ...(isOfOrganisation({ endpoint, field }) && credentials.organisationId !== undefined
        ? { [organisationHeader]: credentials.organisationId }
        : {}),
    },
    ...(isRead ? {} : { body: JSON.stringify(sent) }),
  });
  return { status: answer.status, text: await answer.text() };
}

/** Lists and sets, which simply leave out what belongs to others. */
const empty: Readonly<Record<string, RegExp>> = {
  "GET /backend/usage/list/": /"rows":\[\]/,
  "GET /backend/usage/summary/": /"total":\{"calls":0,/,
  "GET /backend/usage/course/": /"parts":\[\],"others":null/,
  "GET /backend/usage/labels/": /"by_end_user":\[\],"by_tag":\[\]/,
  "GET /backend/usage/performance/": /"models":\[\]/,
  "GET /backend/usage/export/": /^request_id,[^\n]*\r\n$/,
  "GET /backend/usage/sums/export/": /^from_day,[^\n]*\r\n$/,
  "GET /backend/usage/earlier/": /"earlier":null/,
  "GET /backend/usage/earlier/export/": /^day,[^\n]*\r\n$/,
  "GET /backend/usage/earlier/calls/export/": /^made_at,[^\n]*\r\n$/,
  "GET /backend/usage/payload/access/list/": /"accesses":\[\]/,
  "POST /backend/account/inbox/read/": /"marked":0,/,
};

/** Values of a field that nobody else can use. */
const refusedValues: Readonly<Record<string, number>> = { "POST /backend/keys/create/ project_id": 400 };

/** What admins may do to a user's things through the user's own endpoint. */
const ofAdminsToo: ReadonlySet<string> = new Set(["POST /backend/payment/mock-settle/"]);

const isOpenToTokens = ({ access, path }: AnyEndpoint): boolean =>
  access === "user" && allowsToken(["everything"], tokenRuleOf(path));

/** Everything that belongs to anyone, as text, without the times when a session was last seen and a job counted an order, and what a job writes to sort users by. */
async function snapshot(): Promise<string> {
  const { sql } = rig.db;
  const parts = await Promise.all([
    sql`select * from api_key order by id`,
    sql`select to_jsonb(o) - 'campaign_counted_at' as "order" from sales_order o order by id`,
    sql`select * from subscription order by id`,
    sql`select id, user_id, revoked_at from session order by id`,
    sql`select id, user_id, revoked_at from management_token order by id`,
    sql`select id, name, status, version from event_target order by id`,
    sql`select id, replays from event_delivery order by id`,
    sql`select * from user_identity order by id`,
    sql`select * from passkey order by id`,
    sql`select * from mail_inbox order by id`,
    sql`select to_jsonb(u) - '{sorted_remaining,sorted_used,sorted_call_at}'::text[] as "user" from user_profile u order by id`,
    sql`select id, granted, used from budget order by id`,
    sql`select * from ledger_entry order by id`,
    sql`select * from organisation_member order by id`,
    sql`select * from organisation_project order by id`,
    sql`select * from organisation_invitation order by id`,
  ]);
  return JSON.stringify(parts, (_, value: unknown) => (typeof value === "bigint" ? value.toString() : value));
}

test("nobody reaches another user's data by any id of any endpoint, and trying changes nothing", async () => {
  const token = await giveToken(rig, other.login, ["everything"]);
  const { organisationId } = other.organisation;
  const ofOrganisation = await giveToken(rig, other.login, ["everything"], BigInt(organisationId));
  const before = await snapshot();
  const all = cases();
  expect(all.length).toBeGreaterThan(15);
  const callers: Readonly<Record<string, Credentials>> = {
    "another user": { cookie: other.login.cookie, organisationId },
    "another user's token": { authorization: `Bearer ${token}` },
    "another user's token for an organisation": { authorization: `Bearer ${ofOrganisation}`, organisationId },
    nobody: {},
    "an admin": { cookie: adminCookie },
  };
  for (const one of all) {
    const name = nameOf(one.endpoint);
    for (const [caller, credentials] of Object.entries(callers)) {
      if (caller === "an admin" && ofAdminsToo.has(name)) {
        continue;
      }
      const isBound = caller.endsWith("for an organisation");
      if (credentials.authorization !== undefined && isBound !== isOfOrganisation(one)) {
        continue;
      }
      const { status, text } = await ask(one, otherFields(one, owner), credentials);
      const isOther = caller.startsWith("another user");
      const isLoginMissing = !isOther && one.endpoint.access === "user";
      const isClosed = credentials.authorization !== undefined && !isOpenToTokens(one.endpoint);
      const expected = isLoginMissing
        ? 401
        : isClosed
          ? 403
          : (refusedValues[`${name} ${one.field}`] ?? (name in empty ? 200 : 404));
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
    target_id: "999999999",
    delivery_id: "999999999",
    sign_in_id: "999999999",
    passkey_id: "999999999",
    request_id: "01a00000-0000-7000-8000-000000000000",
    plan_code: "never-made",
    renewal_no: `P${"0".repeat(26)}`,
    ids: ["999999999"],
    organisation_id: "999999999",
    member_id: "999999999",
    project_id: "999999999",
    invitation_id: "999999999",
  };
  const shown = (text: string): string => text.replace(/"request_id":"[^"]*"/, "");
  for (const one of cases()) {
    const caller = { cookie: other.login.cookie, organisationId: other.organisation.organisationId };
    const foreign = await ask(one, otherFields(one, owner), caller);
    const unknown = await ask(one, { ...otherFields(one, owner), [one.field]: never[one.field] }, caller);
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
    const caller = { cookie: owner.login.cookie, organisationId: owner.organisation.organisationId };
    const { status, text } = await ask(one, { ...otherFields(one, owner), ...proof }, caller);
    // A key that the previous request revoked makes the next one fail, but it exists.
    expect([nameOf(one.endpoint), [200, 409].includes(status)]).toEqual([nameOf(one.endpoint), true]);
    expect(text).not.toMatch(empty[nameOf(one.endpoint)] ?? /^$/);
  }
  expect(await rig.checkMoney()).toEqual([]);
});

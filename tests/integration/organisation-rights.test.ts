import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type OrganisationRole, organisationHeader } from "@sluice/contracts/organisation-rights";
import { organisationRuleOf, organisationRulePaths } from "@sluice/contracts/organisation-rules";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { AccountClient } from "../support/accounts/account-client.ts";
import { codeOf, consoleClient } from "../support/accounts/console-client.ts";
import { giveToken, loginAdmin, loginUser } from "../support/accounts/logins.ts";
import {
  addMember,
  askAs,
  inviteToken,
  makeKey,
  makeOrganisation,
  makeProject,
} from "../support/accounts/organisation-scene.ts";
import { declaredEndpoints } from "../support/admin/declared-endpoints.ts";
import { chat } from "../support/calls/chat-call.ts";
import { holdLock } from "../support/postgres/held-lock.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";
import { promptMs } from "../support/values/patience.ts";

let provider: SandboxProvider;
let rig: SluiceRig;
let sluice: SluiceProcess;
let url: string;

beforeAll(async () => {
  provider = startSandboxProvider();
  rig = await SluiceRig.create(provider.url);
  await rig.addFlatPriceModel("flat", 1_000n);
  sluice = await rig.startProcess();
  ({ url } = sluice);
});

afterAll(async () => {
  await rig.close();
  await provider.stop();
});

test("an invitation gives no role that its sender may not give any more, nor while the sender is suspended", async () => {
  const organisation = await makeOrganisation(rig, url);
  const second = await addMember(rig, url, organisation, "owner");
  const [friend, other] = [await loginUser(rig), await loginUser(rig)];
  const asSecond = { id: organisation.id, owner: second };
  const toOwner = await inviteToken(url, asSecond, { email: friend.email, role: "owner" });
  const toMember = await inviteToken(url, asSecond, { email: other.email, role: "member" });
  const become = async (role: OrganisationRole) =>
    await askAs(url, organisation.owner, "/backend/organisations/member/save/", {
      body: { member_id: Number(second.memberId), role, spend_per_month: null },
      organisation: organisation.id,
    });
  const accept = async (user: { cookie: string }, token: string) =>
    codeOf(await askAs(url, user, "/backend/organisations/invitation/accept/", { body: { token } }));
  expect((await become("member")).status).toBe(200);
  expect(await accept(friend, toOwner)).toEqual([400, "invalid_token"]);
  expect(await accept(other, toMember)).toEqual([400, "invalid_token"]);
  await become("admin");
  expect(await accept(friend, toOwner)).toEqual([400, "invalid_token"]);
  await rig.db.sql`update user_profile set status = 'suspended' where id = ${second.userId}::bigint`;
  expect(await accept(other, toMember)).toEqual([400, "invalid_token"]);
  await rig.db.sql`update user_profile set status = 'active' where id = ${second.userId}::bigint`;
  expect((await accept(other, toMember))[0]).toBe(200);
});

test("an owner who became an admin while the request waited can't make an owner", async () => {
  const organisation = await makeOrganisation(rig, url);
  const second = await addMember(rig, url, organisation, "owner");
  const friend = await addMember(rig, url, organisation, "member");
  const save = { body: { member_id: Number(friend.memberId), role: "owner", spend_per_month: null } };
  const remove = { body: { member_id: Number(organisation.ownerMemberId), keys: "keep" } };
  await using held = await holdLock(
    rig.db,
    (tx) => tx.sql`select from organisation where id = ${organisation.id}::bigint for no key update`,
  );
  const asked = Promise.all([
    askAs(url, second, "/backend/organisations/member/save/", { ...save, organisation: organisation.id }),
    askAs(url, second, "/backend/organisations/member/remove/", { ...remove, organisation: organisation.id }),
  ]);
  await held.waitForWaiters(2);
  await held.run((tx) => tx.sql`update organisation_member set role = 'admin' where id = ${second.memberId}::bigint`);
  await held.release();
  for (const answer of await asked) {
    expect(codeOf(answer)).toEqual([403, "forbidden"]);
  }
});

type Asked = { readonly body?: object; readonly organisation?: bigint };

/** Asks the backend as a program with an access token. */
const askByToken = async (token: string, path: string, { body, organisation }: Asked = {}) => {
  const answer = await fetch(`${url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      ...{ authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(organisation === undefined ? {} : { [organisationHeader]: String(organisation) }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};

test("the token of an organisation does nothing for the person who made it", async () => {
  const organisation = await makeOrganisation(rig, url);
  const token = await giveToken(rig, organisation.owner, ["everything"], organisation.id);
  const refused: [string, object][] = [
    ["/backend/auth/profile/save/", { display_name: "Somebody else" }],
    ["/backend/organisations/create/", { name: "Another" }],
    ["/backend/organisations/leave/", { organisation_id: Number(organisation.id) }],
  ];
  for (const [path, body] of refused) {
    expect([path, ...codeOf(await askByToken(token, path, { body }))]).toEqual([path, 403, "forbidden"]);
  }
  expect((await askByToken(token, "/backend/organisations/save/", { body: { name: "New" } })).status).toBe(200);
  expect((await askByToken(token, "/backend/auth/me/")).status).toBe(200);
  await askAs(url, organisation.owner, "/backend/organisations/create/", { body: { name: "Not its business" } });
  const namesFor = ({ body }: { readonly body: Record<string, unknown> }): string[] =>
    (body["organisations"] as { name: string }[]).map(({ name }) => name);
  const path = "/backend/organisations/list/";
  expect(namesFor(await askByToken(token, path))).toEqual(["New"]);
  expect(namesFor(await askAs(url, organisation.owner, path))).toEqual(["New", "Not its business"]);
});

test("a token that is made while acting for an organisation is for that one, and ends with the membership", async () => {
  const organisation = await makeOrganisation(rig, url);
  const client = new AccountClient(sluice);
  const [email, password] = ["maker@example.org", "correct horse battery"];
  await client.makeUser(email, password);
  const maker = await client.logIn(email, password);
  const invitation = { token: await inviteToken(url, organisation, { email, role: "admin" }) };
  const joined = await askAs(url, maker, "/backend/organisations/invitation/accept/", { body: invitation });
  const wish = { name: "deploy", scopes: ["everything"], expires_in_days: 30, password };
  const make = async (organisationId?: bigint) => {
    const how = organisationId === undefined ? {} : { organisation: organisationId };
    return String((await askAs(url, maker, "/backend/tokens/create/", { body: wish, ...how })).body["secret"]);
  };
  const [own, theirs] = [await make(), await make(organisation.id)];
  const listed = async (organisationId?: bigint) => {
    const how = organisationId === undefined ? {} : { organisation: organisationId };
    const { body } = await askAs(url, maker, "/backend/tokens/list/", how);
    return (body["tokens"] as { organisation: unknown }[]).map((token) => token.organisation);
  };
  const named = `Org of ${organisation.owner.email}`;
  expect([await listed(), await listed(organisation.id)]).toEqual([[named, null], [named]]);
  const key = await askByToken(theirs, "/backend/keys/create/", { body: { name: "made by a program" } });
  const keysOf = async (by: string) => (await askByToken(by, "/backend/keys/list/")).body["keys"];
  const { key_id } = key.body["key"] as { key_id: number };
  expect(await keysOf(theirs)).toEqual([expect.objectContaining({ key_id })]);
  expect(await keysOf(own)).toEqual([]);
  const asTheirs = { organisation: organisation.id };
  expect(codeOf(await askByToken(own, "/backend/keys/list/", asTheirs))).toEqual([403, "organisation_refused"]);
  const { member_id } = joined.body["organisation"] as { member_id: number };
  const removal = { body: { member_id, keys: "keep" }, ...asTheirs };
  expect((await askAs(url, organisation.owner, "/backend/organisations/member/remove/", removal)).status).toBe(200);
  expect(codeOf(await askByToken(theirs, "/backend/keys/list/"))).toEqual([401, "invalid_access_token"]);
  expect(await keysOf(own)).toEqual([]);
});

test("keys that a person has made for an organisation stop while the person is suspended; those of others continue", async () => {
  const organisation = await makeOrganisation(rig, url, 100_000n);
  const maker = await addMember(rig, url, organisation, "admin");
  const made = await makeKey(url, maker, organisation.id);
  const other = await makeKey(url, organisation.owner, organisation.id);
  const call = async (apiKey: string) => (await chat({ url, apiKey }, { model: "flat" })).status;
  const boss = consoleClient(url, (await loginAdmin(rig, { isSuper: true })).cookie);
  const become = async (status: string) =>
    await boss.post("/backend/admin/user/save/", { user_id: String(maker.userId), status, reason: "test" });
  const until = async (status: number) => {
    const sinceMs = performance.now();
    while ((await call(made.secret)) !== status) {
      expect(performance.now() - sinceMs).toBeLessThan(promptMs);
    }
  };
  expect([await call(made.secret), await call(other.secret)]).toEqual([200, 200]);
  expect((await become("suspended")).status).toBe(200);
  await until(401);
  expect(await call(other.secret)).toBe(200);
  await become("active");
  await until(200);
});

test("every endpoint of users says what it requires of a member, or is refused for organisations by name", async () => {
  const endpoints = await declaredEndpoints(rig);
  const ofUsers = endpoints.filter(({ access }) => access === "user" || access === "optional_user");
  const paths = new Set(ofUsers.map(({ path }) => path));
  expect(organisationRulePaths.filter((path) => !paths.has(path))).toEqual([]);
  expect([...paths].filter((path) => organisationRuleOf(path) === "refused").sort()).toEqual([
    "/backend/billing/order/claim/",
    "/backend/billing/referral/link/",
    "/backend/billing/referral/list/",
    "/login/",
  ]);
});

describe("a role", () => {
  test("decides about every endpoint: what the table does not allow is refused", async () => {
    const organisation = await makeOrganisation(rig, url);
    const [admin, billing, member] = [
      await addMember(rig, url, organisation, "admin"),
      await addMember(rig, url, organisation, "billing"),
      await addMember(rig, url, organisation, "member"),
    ];
    const people = { owner: organisation.owner, admin, billing, member };
    const statusOf = async (path: string, body?: object) =>
      Object.fromEntries(
        await Promise.all(
          Object.entries(people).map(async ([role, person]) => {
            const how = { organisation: organisation.id, ...(body === undefined ? {} : { body }) };
            return [role, (await askAs(url, person, path, how)).status] as const;
          }),
        ),
      );
    const all = { owner: 200, admin: 200, billing: 200, member: 200 };
    const forbidden = { owner: 403, admin: 403, billing: 403, member: 403 };
    expect(await statusOf("/backend/billing/balance/")).toEqual(all);
    // Those who may not see what others have spent see no sums of it beside the balance either.
    const account = organisation.gatewayUserId;
    await rig.db
      .sql`insert into account_limit (scope, gateway_user_id, spend_per_day) values ('user', ${account}::bigint, 5000)`;
    const balances = await Promise.all(
      Object.entries(people).map(async ([role, person]) => {
        const { body } = await askAs(url, person, "/backend/billing/balance/", { organisation: organisation.id });
        return [role, body["balance"], (body["spend_limits"] as unknown[]).length] as const;
      }),
    );
    const sums = { remaining_quota: 0, remaining_usd: "0.000000" };
    const whole = [{ ...sums, used_quota: 0, ledger_balance_quota: 0 }, 1] as const;
    expect(balances).toEqual([
      ...(["owner", "admin", "billing"] as const).map((role) => [role, ...whole] as const),
      ["member", { ...sums, used_quota: null, ledger_balance_quota: null }, 0],
    ]);
    expect(await statusOf("/backend/billing/ledger/")).toEqual({ ...all, admin: 403, member: 403 });
    expect(await statusOf("/backend/billing/statement/sums/?month=2026-01")).toEqual({
      ...all,
      admin: 403,
      member: 403,
    });
    expect(await statusOf("/backend/keys/list/")).toEqual({ ...all, billing: 403 });
    expect(await statusOf("/backend/keys/create/", { name: "key" })).toEqual({ ...all, billing: 403 });
    expect(await statusOf("/backend/usage/summary/")).toEqual(all);
    expect(await statusOf("/backend/organisations/save/", { name: "New name" })).toEqual({ ...forbidden, owner: 200 });
    const project = { name: "A project", spend_per_month: null };
    expect(await statusOf("/backend/organisations/project/save/", project)).toMatchObject({
      billing: 403,
      member: 403,
    });
    const guest = { email: "somebody@example.org", role: "owner" };
    expect(await statusOf("/backend/organisations/invite/", guest)).toEqual({ ...forbidden, owner: 200 });
    const month = { plan_code: "x" };
    const ofPayers = { owner: 404, admin: 403, billing: 404, member: 403 };
    expect(await statusOf("/backend/billing/subscription/cancel/", month)).toEqual(ofPayers);
    expect(await statusOf("/backend/billing/code/redeem/", { code: "x" })).toEqual(ofPayers);
    expect(await statusOf("/backend/billing/renewal/list/")).toEqual({ ...all, admin: 403, member: 403 });
    // What is about the person, or not in the table, never happens to the organisation.
    expect(await statusOf("/backend/billing/referral/list/")).toEqual(forbidden);
    expect(await statusOf("/backend/auth/me/")).toEqual(all);
  });

  test("is not above those who give it, and an owner is always left, even of two who leave at once", async () => {
    const organisation = await makeOrganisation(rig, url);
    const [admin, second] = [
      await addMember(rig, url, organisation, "admin"),
      await addMember(rig, url, organisation, "owner"),
    ];
    const save = async (by: { cookie: string }, memberId: bigint, role: string) =>
      codeOf(
        await askAs(url, by, "/backend/organisations/member/save/", {
          body: { member_id: Number(memberId), role, spend_per_month: null },
          organisation: organisation.id,
        }),
      );
    expect(await save(admin, admin.memberId, "owner")).toEqual([403, "forbidden"]);
    expect(await save(admin, second.memberId, "member")).toEqual([403, "forbidden"]);
    const leave = async (by: { cookie: string }) =>
      codeOf(
        await askAs(url, by, "/backend/organisations/leave/", { body: { organisation_id: Number(organisation.id) } }),
      );
    const both = await Promise.all([leave(organisation.owner), leave(second)]);
    expect(both.map(([status]) => status).sort()).toEqual([200, 409]);
    expect(both.map(([, code]) => code)).toContain("last_owner");
  });
});

test("nobody acts for an organisation without being its member, and no id of another one works", async () => {
  const [one, two] = [await makeOrganisation(rig, url), await makeOrganisation(rig, url)];
  const project = await makeProject(url, two, "Theirs", null);
  const key = await makeKey(url, two.owner, two.id);
  const asOne = { organisation: one.id };
  const { owner } = one;
  const posts: [string, object, number][] = [
    ["/backend/keys/revoke/", { key_id: Number(key.keyId) }, 404],
    ["/backend/keys/create/", { name: "key", project_id: Number(project) }, 400],
    ["/backend/organisations/project/save/", { project_id: Number(project), name: "x", spend_per_month: null }, 404],
    ["/backend/organisations/member/remove/", { member_id: Number(two.ownerMemberId), keys: "revoke" }, 404],
    [
      "/backend/organisations/member/save/",
      { member_id: Number(two.ownerMemberId), role: "member", spend_per_month: 1 },
      404,
    ],
  ];
  for (const [path, body, status] of posts) {
    expect([path, (await askAs(url, owner, path, { ...asOne, body })).status]).toEqual([path, status]);
    expect(codeOf(await askAs(url, owner, path, { organisation: two.id, body }))).toEqual([
      403,
      "organisation_refused",
    ]);
  }
  for (const odd of ["0", "-1", "1.5", "x", "9".repeat(30), `${one.id},${two.id}`]) {
    expect(codeOf(await askAs(url, owner, "/backend/keys/list/", { organisation: odd }))).toEqual([400, "invalid_id"]);
  }
  expect(codeOf(await askAs(url, owner, `/backend/keys/list/?as_organisation=${two.id}`))).toEqual([
    403,
    "organisation_refused",
  ]);
  expect(codeOf(await askAs(url, owner, "/backend/organisations/detail/"))).toEqual([403, "organisation_refused"]);
});

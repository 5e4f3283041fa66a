import { afterAll, beforeAll, expect, test } from "bun:test";
import { type OrganisationRole, organisationHeader } from "@sluice/contracts/organisation-rights";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { AccountClient } from "../support/accounts/account-client.ts";
import { codeOf, consoleClient } from "../support/accounts/console-client.ts";
import { giveToken, loginAdmin, loginUser } from "../support/accounts/logins.ts";
import { addMember, askAs, inviteToken, makeKey, makeOrganisation } from "../support/accounts/organisation-scene.ts";
import { chat } from "../support/calls/chat-call.ts";
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
  const waiting = await rig.db.withTransaction(async (tx) => {
    await tx.sql`select from organisation where id = ${organisation.id}::bigint for no key update`;
    const asked = [
      askAs(url, second, "/backend/organisations/member/save/", { ...save, organisation: organisation.id }),
      askAs(url, second, "/backend/organisations/member/remove/", { ...remove, organisation: organisation.id }),
    ];
    await Bun.sleep(500);
    await tx.sql`update organisation_member set role = 'admin' where id = ${second.memberId}::bigint`;
    return { asked };
  });
  for (const answer of await Promise.all(waiting.asked)) {
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

test("keys that a person has made for an organisation stop while the person is suspended; those of others go on", async () => {
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

import { afterAll, beforeAll, expect, test } from "bun:test";
import { organisationHeader } from "@sluice/contracts/organisation-rights";
import { findOwnerMails } from "@sluice/control-plane/event-targets/target-store.ts";
import { codeOf } from "../support/accounts/console-client.ts";
import { loginUser } from "../support/accounts/logins.ts";
import {
  addMember,
  askAs,
  inviteToken,
  makeKey,
  makeOrganisation,
  type TestMember,
} from "../support/accounts/organisation-scene.ts";
import { addPlans } from "../support/accounts/owned-things.ts";
import { SluiceRig } from "../support/service/sluice.ts";

let rig: SluiceRig;
let url: string;

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  await addPlans(rig);
  ({ url } = await rig.startProcess());
});

afterAll(async () => {
  await rig.close();
});

/** Sends all but the end of a request; `finish` sends that. */
function beginPost(
  user: TestMember,
  path: string,
  { organisation, body }: { readonly organisation: bigint; readonly body: object },
): { readonly finish: () => Promise<[number, unknown]> } {
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const sent = fetch(`${url}${path}`, {
    method: "POST",
    headers: {
      ...{ cookie: user.cookie, origin: url, "content-type": "application/json" },
      [organisationHeader]: String(organisation),
    },
    body: readable,
  });
  const begun = writer.write(bytes.slice(0, 1));
  const finish = async (): Promise<[number, unknown]> => {
    await begun;
    await writer.write(bytes.slice(1));
    await writer.close();
    const answer = await sent;
    return [answer.status, ((await answer.json()) as { error?: { code: unknown } }).error?.code];
  };
  return { finish };
}

test("who is removed while a request is still being sent does nothing with it", async () => {
  const organisation = await makeOrganisation(rig, url);
  const admin = await addMember(rig, url, organisation, "admin");
  const key = await makeKey(url, organisation.owner, organisation.id);
  const accomplice = await loginUser(rig);
  const as = { organisation: organisation.id };
  const begun = [
    beginPost(admin, "/backend/keys/rotate/", { ...as, body: { key_id: Number(key.keyId) } }),
    beginPost(admin, "/backend/organisations/invite/", { ...as, body: { email: accomplice.email, role: "admin" } }),
  ];
  await Bun.sleep(500);
  const removal = { ...as, body: { member_id: Number(admin.memberId), keys: "keep" } };
  expect((await askAs(url, organisation.owner, "/backend/organisations/member/remove/", removal)).status).toBe(200);
  const answers = await Promise.all(begun.map(({ finish }) => finish()));
  expect(answers).toEqual([
    [403, "organisation_refused"],
    [403, "organisation_refused"],
  ]);
});

test("an invitation ends when its sender may no longer give its role", async () => {
  const organisation = await makeOrganisation(rig, url);
  const admin = await addMember(rig, url, organisation, "admin");
  const invited = await loginUser(rig);
  const token = await inviteToken(url, { ...organisation, owner: admin }, { email: invited.email, role: "admin" });
  const read = async () =>
    codeOf(await askAs(url, invited, "/backend/organisations/invitation/read/", { body: { token } }));
  expect((await read())[0]).toBe(200);
  const change = { member_id: Number(admin.memberId), role: "member", spend_per_month: null };
  const as = { organisation: organisation.id };
  await askAs(url, organisation.owner, "/backend/organisations/member/save/", { ...as, body: change });
  expect(await read()).toEqual([400, "invalid_token"]);
  expect(codeOf(await askAs(url, invited, "/backend/organisations/invitation/accept/", { body: { token } }))).toEqual([
    400,
    "invalid_token",
  ]);
});

test("an order for an organisation is not placed for nobody once the login has ended", async () => {
  const organisation = await makeOrganisation(rig, url);
  const order = async (how: { readonly organisation?: bigint }) =>
    codeOf(
      await askAs(url, { cookie: "" }, "/backend/billing/order/create/", { body: { plan_code: "credit" }, ...how }),
    );
  expect(await order({ organisation: organisation.id })).toEqual([401, "unauthenticated"]);
  expect((await order({}))[0]).toBe(200);
});

test("who can't log in is not the last owner's deputy: somebody active always owns an organisation", async () => {
  const organisation = await makeOrganisation(rig, url);
  const second = await addMember(rig, url, organisation, "owner");
  const leave = async (by: { readonly cookie: string }) =>
    codeOf(
      await askAs(url, by, "/backend/organisations/leave/", { body: { organisation_id: Number(organisation.id) } }),
    );
  for (const status of ["suspended", "closed"]) {
    await rig.db.sql`update user_profile set status = ${status} where id = ${second.userId}::bigint`;
    expect([status, ...(await leave(organisation.owner))]).toEqual([status, 409, "last_owner"]);
  }
  const removal = { member_id: Number(second.memberId), keys: "revoke" };
  const remove = async () =>
    await askAs(url, organisation.owner, "/backend/organisations/member/remove/", {
      ...{ body: removal, organisation: organisation.id },
    });
  expect((await remove()).status).toBe(200);
});

test("two members can use the same idempotency key, and neither is shown the other's API key", async () => {
  const organisation = await makeOrganisation(rig, url);
  const members = [
    await addMember(rig, url, organisation, "member"),
    await addMember(rig, url, organisation, "member"),
    organisation.owner,
  ];
  const ids = new Set<unknown>();
  for (const by of members) {
    const body = { name: "deploy", idempotency_key: "deploy-1" };
    const make = async () => await askAs(url, by, "/backend/keys/create/", { body, organisation: organisation.id });
    const first = await make();
    expect(first.body).toMatchObject({ secret: expect.any(String) });
    const { key_id: id } = first.body["key"] as { key_id: number };
    expect((await make()).body).toMatchObject({ secret: null, key: { key_id: id } });
    ids.add(id);
  }
  expect(ids.size).toBe(3);
});

test("who is removed waits for a key being made before anything of the member is locked, so neither ends in a deadlock", async () => {
  const organisation = await makeOrganisation(rig, url);
  const member = await addMember(rig, url, organisation, "member");
  const removing = await rig.db.withTransaction(async (tx) => {
    // As the creation of a key begins.
    await tx.sql`select id from gateway_user where id = ${organisation.gatewayUserId}::bigint for no key update`;
    const removal = askAs(url, organisation.owner, "/backend/organisations/member/remove/", {
      body: { member_id: Number(member.memberId), keys: "revoke" },
      organisation: organisation.id,
    });
    const isWaiting = async () =>
      (await rig.db.sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
        .length > 0;
    while (!(await isWaiting())) {
      await Bun.sleep(10);
    }
    // As it ends: the member is there and stays.
    await tx.sql`set local lock_timeout = '1s'`;
    await tx.sql`select id from organisation_member where id = ${member.memberId}::bigint for share`;
    return { removal };
  });
  expect((await removing.removal).status).toBe(200);
});

test("a failing webhook of an organisation is reported to those who may change it", async () => {
  const organisation = await makeOrganisation(rig, url);
  const admin = await addMember(rig, url, organisation, "admin");
  await addMember(rig, url, organisation, "billing");
  await addMember(rig, url, organisation, "member");
  const addresses = async () =>
    (await findOwnerMails(rig.db, organisation.gatewayUserId)).map(({ email }) => email).sort();
  expect(await addresses()).toEqual([organisation.owner.email, admin.email].sort());
  await rig.db.sql`update user_profile set status = 'suspended' where id = ${admin.userId}::bigint`;
  expect(await addresses()).toEqual([organisation.owner.email]);
  expect((await findOwnerMails(rig.db, admin.gatewayUserId)).length).toBe(0);
});

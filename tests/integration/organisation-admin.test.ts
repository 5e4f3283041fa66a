import { afterAll, beforeAll, expect, test } from "bun:test";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { type ConsoleClient, codeOf, consoleClient } from "../support/accounts/console-client.ts";
import { giveToken, loginAdmin, loginUser } from "../support/accounts/logins.ts";
import { addMember, askAs, inviteToken, makeKey, makeOrganisation } from "../support/accounts/organisation-scene.ts";
import { addPlans } from "../support/accounts/owned-things.ts";
import { chat } from "../support/calls/chat-call.ts";
import { SluiceRig } from "../support/service/sluice.ts";
import { promptMs } from "../support/values/patience.ts";

let provider: SandboxProvider;
let rig: SluiceRig;
let urls: readonly string[];
let url: string;
let admin: ConsoleClient;

beforeAll(async () => {
  provider = startSandboxProvider();
  rig = await SluiceRig.create(provider.url);
  await rig.addFlatPriceModel("flat", 1_000n);
  await addPlans(rig);
  urls = [(await rig.startProcess()).url, (await rig.startProcess()).url];
  url = urls[0] ?? "";
  admin = consoleClient(url, (await loginAdmin(rig, { isSuper: false })).cookie);
});

afterAll(async () => {
  await rig.close();
  await provider.stop();
});

const reason = "agreed by phone";
const save = async (organisation: bigint, fields: object) =>
  await admin.post("/backend/admin/organisation/save/", { organisation_id: Number(organisation), reason, ...fields });

type Row = Readonly<Record<string, unknown>>;
const listed = async (path: string, query: string): Promise<readonly Row[]> =>
  (await admin.get(`/backend/admin/${path}/list/`, Object.fromEntries(new URLSearchParams(query)))).body[
    "rows"
  ] as Row[];

async function untilStatus(apiKey: string, at: string, status: number): Promise<unknown> {
  const sinceMs = performance.now();
  for (;;) {
    const seen = await chat({ url: at, apiKey }, { model: "flat" });
    if (seen.status === status) {
      return seen.code;
    }
    expect(performance.now() - sinceMs).toBeLessThan(promptMs);
  }
}

test("a suspended organisation makes no calls, is only read, and refuses tokens and orders, until it is reopened", async () => {
  const organisation = await makeOrganisation(rig, url, 100_000n);
  const { owner, id } = organisation;
  const key = await makeKey(url, owner, id);
  const token = await giveToken(rig, owner, ["everything"], id);
  const invited = await loginUser(rig);
  const invitation = {
    body: { token: await inviteToken(url, organisation, { email: invited.email, role: "member" }) },
  };
  const ofToken = async (path: string) =>
    (await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } })).status;
  const posts: readonly [string, object][] = [
    ["/backend/organisations/save/", { name: "Another" }],
    ["/backend/organisations/project/save/", { name: "New", spend_per_month: null }],
    ["/backend/keys/create/", { name: "key" }],
    ["/backend/billing/order/create/", { plan_code: "credit" }],
    ["/backend/organisations/invite/", { email: "somebody@example.org", role: "member" }],
  ];
  for (const each of urls) {
    expect((await chat({ url: each, apiKey: key.secret }, { model: "flat" })).isWhole).toBeTrue();
  }
  expect((await save(id, { status: "suspended" })).body).toMatchObject({ organisation: { status: "suspended" } });
  for (const each of urls) {
    expect(await untilStatus(key.secret, each, 403)).toBe("account_disabled");
  }
  for (const [path, body] of posts) {
    const answer = await askAs(url, owner, path, { body, organisation: id });
    expect([path, ...codeOf(answer)]).toEqual([path, 403, "organisation_suspended"]);
  }
  for (const path of ["/backend/organisations/detail/", "/backend/keys/list/", "/backend/billing/ledger/"]) {
    expect([path, (await askAs(url, owner, path, { organisation: id })).status]).toEqual([path, 200]);
  }
  expect(await ofToken("/backend/keys/list/")).toBe(403);
  expect(await ofToken("/backend/auth/me/")).toBe(403);
  const accept = async () => codeOf(await askAs(url, invited, "/backend/organisations/invitation/accept/", invitation));
  expect(await accept()).toEqual([403, "organisation_suspended"]);
  expect((await askAs(url, owner, "/backend/keys/create/", { body: { name: "own" } })).status).toBe(200);
  expect((await save(id, { status: "active" })).status).toBe(200);
  for (const each of urls) {
    await untilStatus(key.secret, each, 200);
  }
  expect(await ofToken("/backend/keys/list/")).toBe(200);
  expect((await accept())[0]).toBe(200);
  const entries = await listed("audit", `subject_kind=organisation&subject_id=${id}&action=organisation.save`);
  expect(entries.map(({ reason: why, after }) => [why, after])).toEqual([
    [reason, expect.objectContaining({ status: "active" })],
    [reason, expect.objectContaining({ status: "suspended" })],
  ]);
});

test("a member can leave a suspended organisation", async () => {
  const organisation = await makeOrganisation(rig, url);
  const member = await addMember(rig, url, organisation, "member");
  await save(organisation.id, { status: "suspended" });
  const body = { organisation_id: Number(organisation.id) };
  expect((await askAs(url, member, "/backend/organisations/leave/", { body })).status).toBe(200);
});

test("a change is refused without a reason, for an unknown organisation, and after somebody else's change", async () => {
  const { id } = await makeOrganisation(rig, url);
  expect((await save(id, { name: "x", reason: "" })).status).toBe(400);
  expect(codeOf(await save(999_999n, { name: "x" }))).toEqual([404, "not_found"]);
  const [before] = await listed("organisation", `organisation_id=${id}`);
  expect((await save(id, { name: "First", updated_at: before?.["updated_at"] })).status).toBe(200);
  expect(codeOf(await save(id, { name: "Second", updated_at: before?.["updated_at"] }))).toEqual([409, "conflict"]);
  expect(await listed("organisation", `organisation_id=${id}`)).toEqual([expect.objectContaining({ name: "First" })]);
});

test("an admin creates an organisation for an active user, as many as one may own", async () => {
  const owner = await loginUser(rig);
  const create = async (named: string) =>
    await admin.post("/backend/admin/organisation/create/", { name: "Made", owner: named, reason });
  for (const named of [owner.email.toUpperCase(), ...Array(9).fill(String(owner.userId))]) {
    expect((await create(named)).status).toBe(200);
  }
  expect(codeOf(await create(owner.email))).toEqual([409, "organisation_limit"]);
  expect((await create("nobody@example.org")).status).toBe(400);
  expect((await listed("organisation", `user_id=${owner.userId}`)).length).toBe(10);
});

test("the list finds organisations by name, id and key, and sorts by name", async () => {
  const organisation = await makeOrganisation(rig, url, 5_000n);
  await save(organisation.id, { name: "Aardvark & Sons" });
  const key = await makeKey(url, organisation.owner, organisation.id);
  const shown = expect.objectContaining({
    ...{ organisation_id: Number(organisation.id), owners: [organisation.owner.email], members: 1, live_keys: 1 },
    remaining: 5_000,
  });
  expect(await listed("organisation", "q=aardVARK")).toEqual([shown]);
  expect(await listed("organisation", `q=${organisation.id}`)).toContainEqual(shown);
  expect(await listed("organisation", `q=${key.secret.slice(0, 7)}`)).toContainEqual(shown);
  expect((await listed("organisation", "sort=name"))[0]).toEqual(shown);
  expect(await listed("organisation", "status=suspended&q=aardvark")).toEqual([]);
});

test("details and lists name the organisation and not only who paid", async () => {
  const organisation = await makeOrganisation(rig, url, 5_000n);
  const { owner, id } = organisation;
  const member = await addMember(rig, url, organisation, "billing");
  await makeKey(url, owner, id);
  const order = { plan_code: "credit", idempotency_key: crypto.randomUUID() };
  await askAs(url, owner, "/backend/billing/order/create/", { body: order, organisation: id });
  const { body } = await admin.get("/backend/admin/organisation/detail/", { organisation_id: String(id) });
  expect(body).toMatchObject({ organisation: { organisation_id: Number(id) }, balance: { remaining: 5_000 } });
  expect(body["members"]).toEqual([
    expect.objectContaining({ email: owner.email, role: "owner", user_id: Number(owner.userId), status: "active" }),
    expect.objectContaining({ email: member.email, role: "billing" }),
  ]);
  const named = expect.objectContaining({ organisation_id: Number(id), organisation: `Org of ${owner.email}` });
  expect(await listed("order", `organisation_id=${id}`)).toEqual([named]);
  expect(await listed("order", `user_id=${owner.userId}`)).toEqual([named]);
  expect(await listed("key", `gateway_user_id=${organisation.gatewayUserId}`)).toEqual([named]);
  expect(await listed("ledger", `gateway_user_id=${organisation.gatewayUserId}`)).toEqual([named]);
  expect(codeOf(await admin.get("/backend/admin/organisation/detail/", { organisation_id: "999999" }))[0]).toBe(404);
});

test("limits of an organisation are those of its account: they are explained, and hold for its keys", async () => {
  const organisation = await makeOrganisation(rig, url, 100_000n);
  const key = await makeKey(url, organisation.owner, organisation.id);
  const organisation_id = Number(organisation.id);
  const none = { requests_per_minute: null, tokens_per_minute: null, concurrency_max: null };
  const limits = { ...none, spend_per_day: 2_000, spend_per_month: null };
  const put = { scope: "organisation", organisation_id, ...limits, reason };
  const explain = async (query: Record<string, string>) => await admin.get("/backend/admin/limit/explain/", query);
  expect((await admin.post("/backend/admin/limit/save/", put)).body).toMatchObject({ limits });
  expect((await explain({ organisation_id: String(organisation_id) })).body).toMatchObject({
    organisation_id,
    applied: { spend_per_day: { value: 2_000, source: "user" } },
  });
  expect((await explain({ key_id: String(key.keyId) })).body).toMatchObject({
    organisation_id,
  });
  const calls = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      chat({ url: urls[index % 2] ?? "", apiKey: key.secret }, { model: "flat" }),
    ),
  );
  expect(calls.filter(({ isWhole }) => isWhole)).toHaveLength(2);
  expect(calls.filter(({ code }) => code === "spend_limit_reached")).toHaveLength(4);
  expect(codeOf(await admin.post("/backend/admin/limit/save/", { ...put, organisation_id: 999_999 }))[0]).toBe(404);
});

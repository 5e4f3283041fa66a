import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { deleteAccess } from "@sluice/control-plane/accounts/closing/closing-store.ts";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { type Answer, type ConsoleClient, codeOf, consoleClient } from "../support/accounts/console-client.ts";
import { giveToken, loginAdmin, loginUser, type UserLogin } from "../support/accounts/logins.ts";
import { addMember, askAs, makeKey, makeOrganisation } from "../support/accounts/organisation-scene.ts";
import { chat } from "../support/calls/chat-call.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";
import { allowOwnPayloads, untilTraced } from "../support/trace/own-payload-scene.ts";

const path = "/backend/usage/payload/";
const credential = `sk-${"a1".repeat(24)}`;

type Person = UserLogin & { readonly as: ConsoleClient; readonly apiKey: string };

let provider: SandboxProvider;
let rig: SluiceRig;
let sluice: SluiceProcess;

beforeAll(async () => {
  provider = startSandboxProvider();
  rig = await SluiceRig.create(provider.url);
  sluice = await rig.startProcess();
  await allowOwnPayloads(rig, (await enter()).as);
});

afterAll(async () => {
  await rig?.close();
  await provider?.stop();
});

async function enter(): Promise<Person> {
  const login = await loginUser(rig, { quota: 1_000_000_000n });
  const as = consoleClient(sluice.url, login.cookie);
  const { body } = await as.post("/backend/keys/create/", { name: "mine" });
  return { ...login, as, apiKey: String(body["secret"]) };
}

/** Makes a call that says this, and waits until its bodies are stored. */
async function call(apiKey: string, text: string): Promise<string> {
  const said = { model: "gpt-4o-mini", max_tokens: 5, messages: [{ role: "user", content: text }] };
  const { requestId } = await chat({ url: sluice.url, apiKey }, said);
  await untilTraced(rig, requestId ?? "");
  return requestId ?? "";
}

const setReading = (as: ConsoleClient, isOn: boolean) => as.post(`${path}reading/save/`, { is_on: isOn });
const read = (as: ConsoleClient, requestId: string) => as.post(path, { request_id: requestId });
const requestOf = ({ body }: Answer): string => String((body["request"] as { content?: string } | null)?.content);

async function accessesOf(as: ConsoleClient): Promise<Record<string, unknown>[]> {
  return (await as.get(`${path}access/list/`)).body["accesses"] as Record<string, unknown>[];
}

describe("a user", () => {
  test("reads the bodies of calls that began after switching it on, and of no earlier ones", async () => {
    const user = await enter();
    const early = await call(user.apiKey, "before");
    expect(codeOf(await read(user.as, early))).toEqual([403, "payload_reading_off"]);
    expect((await setReading(user.as, true)).body["reading"]).toMatchObject({ is_allowed: true, by_members: false });
    const late = await call(user.apiKey, `after, with ${credential}`);
    expect(codeOf(await read(user.as, early))).toEqual([403, "payload_too_early"]);
    const answer = await read(user.as, late);
    expect([answer.status, requestOf(answer).includes("after, with sk-[redacted]")]).toEqual([200, true]);
    expect(JSON.stringify(answer.body)).not.toContain(credential);
    expect(String((answer.body["response"] as { content: string }).content)).toContain("chat.completion");
  });

  test("can no longer read anything once it was switched off, nor what was called while it was on after another start", async () => {
    const user = await enter();
    await setReading(user.as, true);
    const made = await call(user.apiKey, "hello");
    expect((await read(user.as, made)).status).toBe(200);
    await setReading(user.as, false);
    expect(codeOf(await read(user.as, made))).toEqual([403, "payload_reading_off"]);
    await setReading(user.as, true);
    expect(codeOf(await read(user.as, made))).toEqual([403, "payload_too_early"]);
    const audits = await rig.db.sql<{ after: unknown }>`select after from audit_log
      where action = 'own_payloads.save' and subject_id = ${user.gatewayUserId.toString()} order by id`;
    expect(audits.map(({ after }) => after)).toEqual([
      { isOn: true, byMembers: false },
      { isOn: false, byMembers: false },
      { isOn: true, byMembers: false },
    ]);
  });

  test("sees who read which call, and so do operators; nobody can change that record", async () => {
    const user = await enter();
    await setReading(user.as, true);
    const made = await call(user.apiKey, "hello");
    await read(user.as, made);
    const access = { user_id: Number(user.userId), email: user.email, token_name: null, request_id: made };
    expect(await accessesOf(user.as)).toEqual([expect.objectContaining(access)]);
    const admin = consoleClient(sluice.url, (await loginAdmin(rig, { isSuper: false })).cookie);
    const listed = await admin.get("/backend/admin/trace/own-access/list/", { request_id: made });
    expect(listed.body["accesses"]).toEqual([expect.objectContaining(access)]);
    for (const change of ["update own_payload_access set ip = ''", "delete from own_payload_access"]) {
      expect(rig.db.query(change, [])).rejects.toThrow();
    }
    const [rights] = await rig.db.sql<Record<string, boolean>>`
      select has_table_privilege('sluice_app', 'own_payload_access', 'insert') as adds,
        has_table_privilege('sluice_app', 'own_payload_access', 'update, delete') as changes`;
    expect(rights).toEqual({ adds: true, changes: false });
  });

  test("never reads a call of somebody else, who learns nothing of its existence", async () => {
    const [user, other] = [await enter(), await enter()];
    await setReading(user.as, true);
    await setReading(other.as, true);
    const made = await call(user.apiKey, "a secret");
    const foreign = await read(other.as, made);
    expect(codeOf(foreign)).toEqual([404, "not_found"]);
    expect(codeOf(await read(other.as, crypto.randomUUID()))).toEqual([404, "not_found"]);
    expect(await accessesOf(other.as)).toEqual([]);
    expect(await accessesOf(user.as)).toEqual([]);
  });

  test("reads no call whose key keeps no bodies", async () => {
    const user = await enter();
    await setReading(user.as, true);
    await rig.db
      .sql`update api_key set is_payload_traced = false where gateway_user_id = ${user.gatewayUserId}::bigint`;
    expect(codeOf(await read(user.as, await call(user.apiKey, "hello")))).toEqual([404, "payload_not_stored"]);
    expect(await accessesOf(user.as)).toEqual([]);
  });

  test("reads as often per hour as the setting says, also when it asks at the same time", async () => {
    const user = await enter();
    await setReading(user.as, true);
    const made = await call(user.apiKey, "hello");
    await allowOwnPayloads(rig, user.as, { readsPerHour: 3 });
    const answers = await Promise.all(Array.from({ length: 8 }, () => read(user.as, made)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429, 429, 429, 429, 429]);
    expect((await accessesOf(user.as)).length).toBe(3);
    await allowOwnPayloads(rig, user.as);
  });
});

describe("the operator", () => {
  test("stops all reading with the setting; accounts can still switch it off, but not on", async () => {
    const user = await enter();
    await setReading(user.as, true);
    const made = await call(user.apiKey, "hello");
    await allowOwnPayloads(rig, user.as, { isAllowed: false });
    expect(codeOf(await read(user.as, made))).toEqual([403, "payload_reading_off"]);
    expect((await setReading(user.as, false)).status).toBe(200);
    expect(codeOf(await setReading(user.as, true))).toEqual([403, "payload_reading_off"]);
    await allowOwnPayloads(rig, user.as);
  });
});

describe("an access token", () => {
  const ask = async (token: string, where: string, body: object) => {
    const answer = await fetch(`${sluice.url}${where}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };

  test("reads contents only with the scope for it, and switches nothing", async () => {
    const user = await enter();
    await setReading(user.as, true);
    const made = await call(user.apiKey, "hello");
    const [all, contents] = [
      await giveToken(rig, user, ["usage", "everything"]),
      await giveToken(rig, user, ["contents"]),
    ];
    expect(codeOf(await ask(all, path, { request_id: made }))[0]).toBe(403);
    expect((await ask(contents, path, { request_id: made })).status).toBe(200);
    expect(codeOf(await ask(contents, `${path}reading/save/`, { is_on: false }))[0]).toBe(403);
    expect((await accessesOf(user.as)).map(({ token_name: name }) => name)).toEqual([expect.any(String)]);
  });
});

describe("in an organisation", () => {
  test("owners and admins read all calls, members those of their own where that is allowed, and only these switch it", async () => {
    const organisation = await makeOrganisation(rig, sluice.url, 1_000_000_000n);
    const [admin, anna, ben, clerk] = [
      await addMember(rig, sluice.url, organisation, "admin"),
      await addMember(rig, sluice.url, organisation, "member"),
      await addMember(rig, sluice.url, organisation, "member"),
      await addMember(rig, sluice.url, organisation, "billing"),
    ];
    const act = (user: Pick<UserLogin, "cookie">, where: string, body?: object) =>
      askAs(sluice.url, user, where, { organisation: organisation.id, ...(body === undefined ? {} : { body }) });
    const save = (user: Pick<UserLogin, "cookie">, byMembers: boolean) =>
      act(user, `${path}reading/save/`, { is_on: true, by_members: byMembers });
    for (const user of [anna, clerk]) {
      expect(codeOf(await save(user, true))[0]).toBe(403);
    }
    expect((await save(admin, false)).status).toBe(200);
    const made = await call((await makeKey(sluice.url, anna, organisation.id)).secret, "from Anna");
    const readAs = async (user: Pick<UserLogin, "cookie">) => codeOf(await act(user, path, { request_id: made }));
    expect(await readAs(organisation.owner)).toEqual([200, undefined]);
    expect(await readAs(admin)).toEqual([200, undefined]);
    expect(await readAs(anna)).toEqual([403, "payload_reading_off"]);
    expect(await readAs(ben)).toEqual([404, "not_found"]);
    expect((await save(organisation.owner, true)).status).toBe(200);
    expect(await readAs(anna)).toEqual([200, undefined]);
    expect(await readAs(ben)).toEqual([404, "not_found"]);
    expect(await readAs(clerk)).toEqual([404, "not_found"]);
    // For the account of the person, it is somebody else's call.
    expect(codeOf(await read(consoleClient(sluice.url, anna.cookie), made))).toEqual([404, "not_found"]);
    const listed = async (user: Pick<UserLogin, "cookie">) =>
      ((await act(user, `${path}access/list/`)).body["accesses"] as unknown[]).length;
    expect([await listed(admin), await listed(anna), await listed(ben)]).toEqual([3, 1, 0]);
  });
});

test("closing the account ends it", async () => {
  const user = await enter();
  await setReading(user.as, true);
  await rig.db.withTransaction((tx) =>
    deleteAccess(tx, {
      userId: user.userId,
      gatewayUserId: user.gatewayUserId,
      email: user.email,
      locale: "en",
      status: "active",
    }),
  );
  const rows = await rig.db.sql`select from own_payload_reading where gateway_user_id = ${user.gatewayUserId}::bigint`;
  expect(rows).toEqual([]);
});

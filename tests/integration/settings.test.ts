import { afterAll, beforeAll, expect, test } from "bun:test";
import { type SettingName, settingNames, settingRegistry } from "@sluice/control-plane/admin/settings/registry.ts";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { type ConsoleClient, codeOf, consoleClient } from "../support/accounts/console-client.ts";
import { loginAdmin } from "../support/accounts/logins.ts";
import { chat } from "../support/calls/chat-call.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";
import { patienceMs } from "../support/values/patience.ts";

type View = { name: SettingName; value: unknown; default: unknown; source: string; version: number };

let provider: SandboxProvider;
let rig: SluiceRig;
let first: SluiceProcess;
let second: SluiceProcess;
let apiKey: string;
let superAdmin: ConsoleClient;
let cookie: string;

beforeAll(async () => {
  provider = await startSandboxProvider({ port: 0 });
  rig = await SluiceRig.create(provider.url);
  [first, second] = await Promise.all([rig.startProcess(), rig.startProcess({ TRACE_MAX_PAYLOAD_BYTES: "1000" })]);
  ({ apiKey } = await rig.addUser());
  ({ cookie } = await loginAdmin(rig));
  superAdmin = consoleClient(first.url, cookie);
});

afterAll(async () => {
  await rig?.close();
  await provider?.stop();
});

async function viewOf(name: SettingName, client = superAdmin): Promise<View> {
  const { body } = await client.get("/backend/admin/settings/list/");
  const found = (body["settings"] as View[]).find((each) => each.name === name);
  if (found === undefined) {
    throw new Error(`${name} is not listed`);
  }
  return found;
}

async function save(name: SettingName, value: unknown): Promise<void> {
  const { version } = await viewOf(name);
  const answer = await superAdmin.post("/backend/admin/settings/save/", { name, value, version });
  expect([name, answer.status]).toEqual([name, 200]);
}

/** What happens to the bodies of a call made now. */
async function fateOfCall(url: string): Promise<string> {
  const { requestId } = await chat({ url, apiKey }, { model: "gpt-4o-mini", max_tokens: 5 });
  for (const deadline = Date.now() + patienceMs; ; ) {
    const [row] = await rig.db.sql<{ payload: string }>`
      select payload from trace_record where request_id = ${requestId}::uuid`;
    if (row !== undefined) {
      return row.payload;
    }
    expect(Date.now()).toBeLessThan(deadline);
    await Bun.sleep(20);
  }
}

/** Calls again and again until the process applies the setting. */
async function untilFate(url: string, fate: string): Promise<void> {
  for (const deadline = Date.now() + patienceMs; (await fateOfCall(url)) !== fate; ) {
    expect(Date.now()).toBeLessThan(deadline);
  }
}

test("every setting is listed with its default, and its allowed values", async () => {
  const { body } = await superAdmin.get("/backend/admin/settings/list/");
  const listed = body["settings"] as (View & { description: string })[];
  expect(listed.map(({ name }) => name)).toEqual(settingNames);
  for (const view of listed) {
    expect(view).toMatchObject({ value: settingRegistry[view.name].default, source: "default", version: 0 });
    expect(view.description.length).toBeGreaterThan(20);
  }
});

test("a change applies to the calls of every replica, even if nobody could announce it", async () => {
  expect(await fateOfCall(first.url)).toBe("stored");
  await save("trace.payloads", false);
  // The replica that handled the change applies it at once.
  expect(await fateOfCall(first.url)).toBe("off");
  await untilFate(second.url, "off");
  // Every write to the table announces the change, and a replica that did not listen asks again.
  await rig.db.withTransaction(async (tx) => {
    await tx.sql`alter table setting disable trigger announce`;
    await tx.sql`update setting set value = 'true'::jsonb, version = version + 1 where name = 'trace.payloads'`;
    await tx.sql`alter table setting enable trigger announce`;
  });
  await rig.db.sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'sluice notifications'`;
  await untilFate(first.url, "stored");
  await untilFate(second.url, "stored");
});

test("how many accounts may be registered from one address is a setting", async () => {
  const client = consoleClient(first.url, null);
  const register = async (): Promise<number> => {
    const email = `somebody-${crypto.randomUUID()}@example.com`;
    const input = { email, password: "a long enough password", display_name: "Somebody" };
    return (await client.post("/backend/auth/register/", input)).status;
  };
  await save("accounts.registrations_per_address", 2);
  expect([await register(), await register(), await register()]).toEqual([202, 202, 429]);
  await save("accounts.registrations_per_address", null);
  expect(await register()).toBe(202);
});

test("null resets a setting to its default, and each change is in the audit log with the previous value", async () => {
  await save("trace.payload_retention_days", 3);
  expect(await viewOf("trace.payload_retention_days")).toMatchObject({ value: 3, source: "admin", version: 1 });
  await save("trace.payload_retention_days", null);
  expect(await viewOf("trace.payload_retention_days")).toMatchObject({ value: 7, source: "default", version: 2 });
  const rows = await rig.db.sql<{ before: unknown; after: unknown }>`
    select before, after from audit_log
    where action = 'setting.save' and subject_id = 'trace.payload_retention_days' order by id`;
  expect([...rows]).toEqual([
    { before: { value: null, version: 0 }, after: { value: 3, version: 1 } },
    { before: { value: 3, version: 1 }, after: { value: null, version: 2 } },
  ]);
});

test.each([
  ["trace.payload_retention_days", 0, [400, "invalid_value"]],
  ["trace.payload_retention_days", 91, [400, "invalid_value"]],
  ["trace.payload_retention_days", true, [400, "invalid_value"]],
  ["trace.payload_retention_days", "7", [400, "invalid_value"]],
  ["trace.payload_retention_days", 1.5, [400, "invalid_value"]],
  ["trace.payloads", 1, [400, "invalid_value"]],
  ["trace.no_such", 1, [404, "not_found"]],
  ["__proto__", 1, [404, "not_found"]],
  ["toString", 1, [404, "not_found"]],
])("%s can't be %j", async (name, value, refusal) => {
  const version = Object.hasOwn(settingRegistry, name) ? (await viewOf(name as SettingName)).version : 0;
  expect(codeOf(await superAdmin.post("/backend/admin/settings/save/", { name, value, version }))).toEqual(
    refusal as [number, string],
  );
});

test("of changes made at the same moment one counts, and the others get a conflict", async () => {
  const { version } = await viewOf("admin.fresh_login_minutes");
  const answers = await Promise.all(
    [10, 20, 30, 40].map((value) =>
      superAdmin.post("/backend/admin/settings/save/", { name: "admin.fresh_login_minutes", value, version }),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  expect((await viewOf("admin.fresh_login_minutes")).version).toBe(version + 1);
});

test("an environment variable overrides a setting, and is shown as its source", async () => {
  const client = consoleClient(second.url, cookie);
  const view = await viewOf("trace.max_payload_bytes", client);
  expect(view).toMatchObject({ value: 1_000, default: 262_144, source: "environment" });
  const answer = await client.post("/backend/admin/settings/save/", { name: view.name, value: 5_000, version: 0 });
  expect(codeOf(answer)).toEqual([409, "setting_fixed"]);
});

test("a stored value that is not allowed has no effect, and the log says so", async () => {
  await rig.db.sql`
    insert into setting (name, value, updated_by_name) values ('trace.metadata_retention_days', '"soon"'::jsonb, 'test'),
      ('of.another_version', '1'::jsonb, 'test')`;
  for (const deadline = Date.now() + patienceMs; !first.log().includes("settings.default_used"); ) {
    expect(Date.now()).toBeLessThan(deadline);
    await Bun.sleep(20);
  }
  expect(await viewOf("trace.metadata_retention_days")).toMatchObject({ value: 90, source: "default" });
  expect(await fateOfCall(first.url)).toBe("stored");
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { createMissingPartitions } from "@sluice/control-plane/db/partitions.ts";
import { createApiKey } from "@sluice/control-plane/gateway/keys/create-key.ts";
import { systemClock, utcDay } from "@sluice/control-plane/platform/clock.ts";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import { UnknownSealingKeyError } from "@sluice/control-plane/platform/crypto/seal-errors.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { openStoredPayload } from "@sluice/control-plane/trace/open-stored-payload.ts";
import { DayKeyDestroyedError, PayloadKeys } from "@sluice/control-plane/trace/payload-keys.ts";
import { TraceRetention } from "@sluice/control-plane/trace/retention.ts";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { codeOf, consoleClient } from "../support/accounts/console-client.ts";
import { loginAdmin, loginUser } from "../support/accounts/logins.ts";
import { accessOf } from "../support/admin/backend-access.ts";
import { createTestDatabase, testDatabases } from "../support/postgres/test-database.ts";
import { masterKeyBytes, type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";
import { ageTraces } from "../support/trace/aged-days.ts";
import { findInFiles } from "../support/trace/find-in-files.ts";
import { silentLog } from "../support/trace/trace-fixtures.ts";
import { patienceMs } from "../support/values/patience.ts";

const masterKey = new MasterKey(masterKeyBytes);
const canary = `canary-${crypto.randomUUID()}`;
/** Shows that a search finds what is there. */
const shown = `shown-${crypto.randomUUID()}`;
const reason = "looking for the canary";
const retentionDays = 7;
const startedMs = Date.now();
/** Keeps the server's log from here on. */
const keptLog = `canary_${crypto.randomUUID().replaceAll("-", "")}`;

let provider: SandboxProvider;
let rig: SluiceRig;
let sluice: SluiceProcess;
let apiKey: string;
let cookies: string;
/** The calls whose bodies were stored, by what they were. */
const stored = new Map<string, { requestId: string; day: string }>();
const errorBodies: string[] = [];

beforeAll(async () => {
  provider = await startSandboxProvider({ port: 0 });
  rig = await SluiceRig.create(provider.url);
  // Each checkpoint of the server, such as that of a new database of another test, removes what is older in its log.
  await rig.db.sql`select pg_create_physical_replication_slot(${keptLog}, true)`;
  sluice = await rig.startProcess({ LOG_LEVEL: "debug" });
  const user = await loginUser(rig, { quota: 1_000_000_000n });
  apiKey = await createApiKey(rig.db, user.gatewayUserId, "mine");
  cookies = `${user.cookie}; ${(await loginAdmin(rig)).cookie}`;
});

afterAll(async () => {
  await rig.db.sql`select pg_drop_replication_slot(${keptLog})`;
  await rig?.close();
  await provider?.stop();
});

async function send(path: string, body: string): Promise<{ status: number; requestId: string; text: string }> {
  const answer = await fetch(`${sluice.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", "user-agent": shown },
    body,
  });
  const text = await answer.text();
  return { status: answer.status, requestId: answer.headers.get("x-request-id") ?? "", text };
}

const chatOf = (content: string, more: Record<string, unknown> = {}): string =>
  JSON.stringify({ model: "gpt-4o-mini", max_tokens: 50, messages: [{ role: "user", content }], ...more });

async function untilStored(requestId: string): Promise<{ requestId: string; day: string }> {
  for (const deadline = Date.now() + patienceMs; ; ) {
    const [row] = await rig.db.sql<{ day: string }>`
      select t.day::text as day from trace_record t cross join lateral find_payload(t.day, t.request_id)
      where t.request_id = ${requestId}::uuid`;
    if (row !== undefined) {
      return { requestId, day: row.day };
    }
    if (Date.now() > deadline) {
      throw new Error(`the payload of ${requestId} did not come`);
    }
    await Bun.sleep(20);
  }
}

type Text = string | Uint8Array;

/** In the files of this database, and in what was written to the log of its server since the test began. */
async function findInDatabase(texts: readonly Text[]): Promise<{ tables: Set<Text>; log: Set<Text> }> {
  const { adminUrl } = (await testDatabases().server) ?? { adminUrl: rig.database.url };
  const owner = new Bun.SQL(adminUrl, { max: 1 });
  await owner.unsafe("checkpoint");
  const [row] = await owner`
    select current_setting('data_directory') as directory, oid::text as oid from pg_database
    where datname = ${rig.database.name}`;
  await owner.close();
  return {
    tables: await findInFiles(join(row.directory, "base", row.oid), texts),
    log: await findInFiles(join(row.directory, "pg_wal"), texts, startedMs),
  };
}

const read = (requestId: string, day: string) =>
  consoleClient(sluice.url, cookies).post("/backend/admin/trace/payload/", { request_id: requestId, day, reason });

test("a prompt passes in every form, and refusals contain nothing of it", async () => {
  const sound: Record<string, [path: string, body: string]> = {
    answered: ["/v1/chat/completions", chatOf(canary)],
    streamed: ["/v1/chat/completions", chatOf(`${canary} and more`, { stream: true })],
    long: ["/v1/chat/completions", chatOf(`${canary} ${"word ".repeat(20_000)}`)],
    embedded: ["/v1/responses", JSON.stringify({ model: "gpt-4o-mini", input: canary, max_output_tokens: 50 })],
  };
  for (const [what, [path, body]] of Object.entries(sound)) {
    const { status, requestId } = await send(path, body);
    expect([what, status]).toEqual([what, 200]);
    stored.set(what, await untilStored(requestId));
  }
  // The only channel is tried twice.
  provider.script({ status: 500, body: { error: { message: `I do not like ${canary}` } } }, { times: 2 });
  const failing: [path: string, body: string, status: number][] = [
    ["/v1/chat/completions", `{"model":"gpt-4o-mini","messages":[{"role":"user","content":"${canary}`, 400],
    ["/v1/chat/completions", chatOf(canary, { model: "no-such-model" }), 404],
    ["/v1/chat/completions", chatOf(canary, { max_tokens: `${canary}` }), 400],
    ["/v1/chat/completions", chatOf(canary), 502],
  ];
  for (const [path, body, status] of failing) {
    const answer = await send(path, body);
    expect([body.slice(0, 80), answer.status]).toEqual([body.slice(0, 80), status]);
    errorBodies.push(answer.text);
  }
  expect(errorBodies.filter((text) => text.includes(canary))).toEqual([]);
});

test("the prompt is in no response other than the payload: lists, exports, pages, metrics, the log", async () => {
  const { requestId = "", day = "" } = stored.get("answered") ?? {};
  const queries = ["", "?format=csv", `?request_id=${requestId}&day=${day}`];
  const places = Object.keys(accessOf).filter((place) => place.startsWith("GET ") && !place.includes("verify"));
  expect(places.length).toBeGreaterThan(30);
  let answered = 0;
  for (const place of [...places, "GET /metrics", "GET /readyz", "GET /"]) {
    const path = place.slice(4).replace(":request_id", requestId);
    for (const query of queries) {
      const answer = await fetch(`${sluice.url}${path}${query}`, { headers: { cookie: cookies } });
      answered += answer.ok ? 1 : 0;
      expect([path, query, (await answer.text()).includes(canary)]).toEqual([path, query, false]);
    }
  }
  expect(answered).toBeGreaterThan(40);
  expect(sluice.log()).not.toContain(canary);
  expect([...(await findInFiles(sluice.dataDirectory, [canary]))]).toEqual([]);
});

test("the prompt is in no file of the database", async () => {
  expect(await findInDatabase([canary, shown])).toEqual({ tables: new Set([shown]), log: new Set([shown]) });
});

test("a super-admin with a reason reads the complete prompt, and the log contains the access but not the prompt", async () => {
  for (const { requestId, day } of stored.values()) {
    const { status, body } = await read(requestId, day);
    expect(status).toBe(200);
    expect((body["request"] as { content: string }).content).toContain(canary);
  }
  await sluice.logged("trace.payload_read");
  expect(sluice.log()).not.toContain(canary);
  expect(await findInDatabase([canary])).toEqual({ tables: new Set(), log: new Set() });
});

/** The contents of a backup without the day keys: the rows of the trace as they were. */
async function copyOf(from: Database, days: readonly string[]): Promise<{ db: Database } & AsyncDisposable> {
  const database = await createTestDatabase();
  const db = openDatabase({ url: database.url, poolMax: 2, applicationName: "test" });
  for (const table of ["payload_segment", "payload_record"] as const) {
    await createMissingPartitions(db, table, days);
    const [rows] = await from.query<{ rows: string }>(`select jsonb_agg(t)::text as rows from ${table} t`, []);
    await db.query(`insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1::text::jsonb)`, [
      rows?.rows ?? "[]",
    ]);
  }
  return {
    db,
    [Symbol.asyncDispose]: async () => {
      await db.close(500);
      await database.drop();
    },
  };
}

test("after the retention nobody can read the prompt: not the service, not the database owner, not with an earlier copy and the master key", async () => {
  await sluice.stop();
  const days = await ageTraces(rig.db, masterKey, retentionDays + 1);
  const wrapped = await rig.db.sql<{ wrapped: Uint8Array }>`
    select wrapped from payload_day_key where day = any (${`{${days.join(",")}}`}::date[])`;
  sluice = await rig.startProcess({ LOG_LEVEL: "debug" });
  const { requestId = "" } = stored.get("answered") ?? {};
  const [row] = await rig.db.sql<{ day: string }>`
    select day::text as day from trace_record where request_id = ${requestId}::uuid`;
  const day = row?.day ?? "";
  // The time is over: the service refuses, before the job has come.
  expect(codeOf(await read(requestId, day))).toEqual([410, "payload_expired"]);
  const keysOf = (db: Database) => new PayloadKeys({ db, masterKey, clock: systemClock, log: silentLog });
  const openIn = (db: Database) => openStoredPayload(db, keysOf(db), day, requestId as never);
  expect(Buffer.from((await openIn(rig.db))?.request ?? []).toString()).toContain(canary);
  await using copy = await copyOf(rig.db, days);
  const rules = { payloadRetentionDays: retentionDays, metadataRetentionDays: 90, readsPerHour: 1 };
  const run = await new TraceRetention({ db: rig.db, log: silentLog, rules: () => rules }).run();
  expect(run.destroyedDays).toEqual(expect.arrayContaining(days));
  expect(codeOf(await read(requestId, day))).toEqual([410, "payload_expired"]);
  expect(await openIn(rig.db)).toBeNull();
  await expect(keysOf(rig.db).read(day)).rejects.toThrow(DayKeyDestroyedError);
  // The sealed bytes are in the copy, and the master key is known; the key that opens them no longer exists.
  await expect(openIn(copy.db)).rejects.toThrow(UnknownSealingKeyError);
  await copy.db.sql`
    insert into payload_day_key (day, key_id, wrapped)
    select day, key_id, wrapped from jsonb_populate_recordset(null::payload_day_key,
      ${(await rig.db.sql<{ rows: string }>`select jsonb_agg(k)::text as rows from payload_day_key k`)[0]?.rows ?? "[]"}::text::jsonb)`;
  await expect(openIn(copy.db)).rejects.toThrow(DayKeyDestroyedError);
  // The wrapped key is in no file of a table either: the table was rewritten.
  expect(wrapped.length).toBeGreaterThan(0);
  expect((await findInDatabase(wrapped.map((each) => each.wrapped))).tables).toEqual(new Set());
  expect(utcDay(Date.now())).not.toBe(day);
});

import { afterEach, beforeEach, expect, test } from "bun:test";
import { findAppRole } from "@sluice/control-plane/db/app-role.ts";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { sqlStateOf } from "@sluice/control-plane/platform/db-errors.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import type { TraceRules } from "@sluice/control-plane/trace/model.ts";
import { TraceRetention } from "@sluice/control-plane/trace/retention.ts";
import { listDaysOf } from "@sluice/control-plane/trace/retention-store.ts";
import { countDecryptable } from "@sluice/control-plane/trace/service.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.ts";
import { masterKeyBytes } from "../support/service/sluice.ts";
import { dayBeforeNow } from "../support/trace/aged-days.ts";
import { fillTraceDay } from "../support/trace/trace-days.ts";
import { silentLog } from "../support/trace/trace-fixtures.ts";
import { untilDayLasts } from "../support/values/day-that-lasts.ts";

const rules: TraceRules = { payloadRetentionDays: 7, metadataRetentionDays: 20, readsPerHour: 1 };

let database: TestDatabase;
/** As the program: without any right to change tables. */
let db: Database;

beforeEach(async () => {
  await untilDayLasts();
  database = await createTestDatabase();
  db = openDatabase({ url: database.url, poolMax: 6, applicationName: "test", role: await findAppRole(database.url) });
});

afterEach(async () => {
  await db.close(500);
  await database.drop();
});

const retention = (changes: Partial<TraceRules> = {}) =>
  new TraceRetention({ db, log: silentLog, rules: () => ({ ...rules, ...changes }) });

const masterKey = new MasterKey(masterKeyBytes);

async function fillDay(daysAgo: number, payloads = 3): Promise<string> {
  return (await fillTraceDay(db, masterKey, { daysAgo, payloads })).day;
}

async function daysOf(table: "payload_segment" | "trace_record"): Promise<string[]> {
  const rows = await db.query<{ day: string }>(`select distinct day::text as day from ${table} order by 1`, []);
  return rows.map(({ day }) => day);
}

async function readableDays(): Promise<string[]> {
  const rows = await db.sql<{ day: string; wrapped: Uint8Array | null; destroyed_at: Date | null }>`
    select day::text as day, wrapped, destroyed_at from payload_day_key order by 1`;
  expect(rows.filter(({ wrapped, destroyed_at: at }) => (wrapped === null) !== (at !== null))).toEqual([]);
  return rows.filter(({ wrapped }) => wrapped !== null).map(({ day }) => day);
}

async function auditedDays(): Promise<string[]> {
  const rows = await db.sql<{ days: string[] }>`
    select after->'days' as days from audit_log where action = 'trace.payloads_destroyed' order by id`;
  return rows.flatMap(({ days }) => days);
}

test("a run after weeks of downtime does everything that earlier ones missed, and a second one nothing more", async () => {
  const days: string[] = [];
  for (const daysAgo of [30, 21, 20, 9, 8, 7, 0]) {
    days.push(await fillDay(daysAgo));
  }
  const [, , twenty = "", nine = "", eight = "", seven = "", today = ""] = days;
  const run = await retention().run();
  expect(run.left).toEqual([]);
  // A payload lives as long as the setting says, to the hour; its day, and so its key, to the end of that day.
  expect(await daysOf("payload_segment")).toEqual([seven, today]);
  expect(await listDaysOf(db, "payload_record", dayBeforeNow(-1))).toEqual([seven, today]);
  expect(await daysOf("trace_record")).toEqual([twenty, nine, eight, seven, today]);
  const readable = await readableDays();
  expect(readable).toEqual(expect.arrayContaining([seven, today]));
  expect(readable.filter((day) => day < seven)).toEqual([]);
  expect(await auditedDays()).toEqual([...run.destroyedDays]);
  expect(await retention().run()).toEqual({ destroyedDays: [], dropped: [], left: [] });
  // A day whose key was destroyed never gets another: late payloads are not kept.
  await expect(fillDay(9)).rejects.toThrow("the payloads were dropped");
});

test("a run on many replicas at the same moment happens once", async () => {
  const old = [await fillDay(12), await fillDay(11)];
  const others = await Promise.all(
    Array.from({ length: 4 }, async () =>
      openDatabase({ url: database.url, poolMax: 2, applicationName: "test", role: await findAppRole(database.url) }),
    ),
  );
  const runs = await Promise.allSettled(
    others.map((each) => new TraceRetention({ db: each, log: silentLog, rules: () => rules }).run()),
  );
  const done = runs.flatMap((run) => (run.status === "fulfilled" ? [run.value] : []));
  // A run that finds another at work may have to leave; the next run finds nothing to do.
  const last = await retention().run();
  const dropped = [...done, last].flatMap((run) => run.dropped);
  expect(dropped.sort()).toEqual(
    ["payload_record", "payload_segment"].flatMap((table) => [...old].sort().map((day) => `${table} ${day}`)),
  );
  expect((await auditedDays()).filter((day) => old.includes(day)).sort()).toEqual([...old].sort());
  expect((await readableDays()).filter((day) => old.includes(day))).toEqual([]);
  await Promise.all(others.map((each) => each.close(500)));
});

test("a log that is being read loses its key at once and its rows later, and nobody waits for long", async () => {
  const old = await fillDay(10);
  await db.withTransaction(async (tx) => {
    await tx.sql`select count(*) from payload_record`;
    const run = await retention().run();
    expect(run.left).toEqual([`payload_record ${old}`]);
    expect(run.dropped).toEqual([`payload_segment ${old}`]);
    expect(await readableDays()).not.toContain(old);
    // Calls continue: nothing waits for the log any more.
    await fillDay(0);
  });
  const run = await retention().run();
  expect([run.dropped, run.left]).toEqual([[`payload_record ${old}`], []]);
});

test("a shorter retention applies at the next run, and metadata never goes before its payload", async () => {
  const [five, two] = [await fillDay(5), await fillDay(2)];
  expect((await retention().run()).destroyedDays).toEqual([]);
  expect((await retention({ payloadRetentionDays: 3 }).run()).destroyedDays).toContain(five);
  expect(await readableDays()).toContain(two);
  await retention({ metadataRetentionDays: 1 }).run();
  expect(await readableDays()).not.toContain(two);
  expect(await daysOf("trace_record")).toEqual([]);
});

test("payloads that can be decrypted are counted until their key is gone", async () => {
  const [old, today] = [await fillDay(9, 4), await fillDay(0, 5)];
  expect(await countDecryptable(db)).toMatchObject({ decryptable: 0n, countedAt: null });
  await retention().count();
  expect(await countDecryptable(db)).toMatchObject({ decryptable: 9n });
  await fillDay(0, 2);
  await retention().run();
  expect((await countDecryptable(db)).days).not.toContainEqual(expect.objectContaining({ day: old }));
  await retention().count();
  const counted = await countDecryptable(db);
  expect(counted.decryptable).toBe(7n);
  expect(counted.days).toContainEqual({ day: today, payloads: 7n });
});

test("the program can't destroy more than what has expired, whatever its parameters", async () => {
  const five = await fillDay(5);
  const refused: readonly (readonly [statement: string, state: string])[] = [
    [`select destroy_payload_keys('${dayBeforeNow(-2)}')`, "22008"],
    [`select drop_day_partition('trace_record', '${dayBeforeNow(-1)}')`, "22008"],
    [`select drop_day_partition('usage_log', '${dayBeforeNow(30)}')`, "42P01"],
    [`select drop_day_partition('payload_record', '${five}')`, "55006"],
    ["delete from payload_access", "42501"],
    ["update payload_access_head set number = 0", "42501"],
    ["truncate payload_day_key", "42501"],
  ];
  for (const [statement, state] of refused) {
    const error = await db.query(statement, []).catch((thrown: unknown) => thrown);
    expect([statement, sqlStateOf(error)]).toEqual([statement, state]);
  }
});

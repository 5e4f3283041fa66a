import { afterAll, beforeAll, expect, test } from "bun:test";
import { listPlaces } from "@sluice/control-plane/admin/lists/list-places.ts";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import type { AnyEndpoint } from "@sluice/control-plane/platform/endpoint/model.ts";
import { type ListDeps, readPage } from "@sluice/control-plane/platform/list-query/endpoints.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import { fillAged } from "../../bench/aged-service/open.ts";
import { sizesOf } from "../../bench/aged-service/sizes.ts";
import { unfilledTables } from "../../bench/aged-service/unfilled-tables.ts";
import { endpointRequests } from "../../bench/lists/endpoint-requests.ts";
import { listRequests } from "../../bench/lists/list-requests.ts";
import { measuredLists, rowEndpoints } from "../../bench/lists/measured-endpoints.ts";
import { declaredEndpoints } from "../../support/admin/declared-endpoints.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres/test-database.ts";

let database: TestDatabase;
let db: Database;
let endpoints: readonly AnyEndpoint[];

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase({ url: database.url, poolMax: 2, applicationName: "test" });
  // Two days, because today has few calls shortly after midnight.
  await fillAged(db, { sizes: sizesOf(40_000, 2), isResummed: false, tell: () => undefined });
  endpoints = await declaredEndpoints({ db, database });
});

afterAll(async () => {
  await db.close(1_000);
  await database.drop();
});

test("every table has rows in the bench of lists, or a reason why no list reads it", async () => {
  const tables = await db.sql<{ name: string }>`
    select c.oid::regclass::text as name from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`;
  const empty: string[] = [];
  for (const { name } of tables) {
    const [row] = await db.query(`select 1 from ${name} limit 1`, []);
    if (row === undefined && unfilledTables[name] === undefined) {
      empty.push(name);
    }
  }
  expect(empty).toEqual([]);
  const names = tables.map(({ name }) => name);
  expect(Object.keys(unfilledTables).filter((name) => !names.includes(name))).toEqual([]);
});

test("every response with rows is measured by the bench of lists, or has a reason not to be", () => {
  const paths = rowEndpoints(endpoints).map(({ path }) => path);
  expect(paths.filter((path) => endpointRequests[path] === undefined)).toEqual([]);
  expect(Object.keys(endpointRequests).filter((path) => !paths.includes(path))).toEqual([]);
});

test("every list that the bench measures finds rows there", async () => {
  const log = createLog("error", () => undefined);
  const deps: ListDeps = { db, clock: systemClock, log, recordExport: () => Promise.resolve() };
  const empty: string[] = [];
  for (const { source } of listPlaces) {
    const { name, input } = source.contract;
    for (const request of listRequests[name] ?? [""]) {
      const query = input.parse(Object.fromEntries(new URLSearchParams(request))) as Parameters<typeof readPage>[2];
      const { rows } = await readPage(deps, source, query);
      // Other requests may look for what is rare or missing.
      if (rows.length === 0 && request === "") {
        empty.push(name);
      }
    }
  }
  const lists = await measuredLists(db, endpoints);
  const found = new Map<string, number>();
  for (const { path, read } of lists) {
    found.set(path, (found.get(path) ?? 0) + (await read(null)).rows);
  }
  empty.push(...[...found].flatMap(([path, rows]) => (rows === 0 ? [path] : [])));
  expect(empty).toEqual([]);
});

/** What some read in the log of calls and in that of traces. */
const readersOfLogs: Readonly<Record<string, string>> = {
  "/backend/admin/channel/health/": "the newest 20,000 calls",
  "/backend/admin/trace/detail/": "a call",
  "/backend/admin/trace/export/": "a file of calls, page by page",
  "/backend/admin/trace/list/": "a page of calls",
  "/backend/admin/usage/export/": "a file of calls, page by page",
  "/backend/admin/user/detail/": "calls of the last minute, for the limits of the account",
  "/backend/usage/course/": "calls that are not in the sums yet",
  "/backend/usage/export/": "a file of calls, page by page",
  "/backend/usage/labels/": "calls that are not in the sums yet",
  "/backend/usage/list/": "a page of calls",
  "/backend/usage/summary/": "calls that are not in the sums yet; of a label or an asked model, those that have it",
  "/backend/usage/sums/export/": "as the summary",
};
const logs = ["usage_log", "trace_record"];

test("no response reads the logs of calls but those that have a reason to", async () => {
  const readers = new Set<string>();
  const lists = await measuredLists(db, endpoints);
  for (const table of logs) {
    await db.query(`alter table ${table} rename to ${table}_hidden`, []);
  }
  try {
    for (const { path, read } of lists) {
      try {
        await read(null);
      } catch (error) {
        expect(String(error)).toContain("does not exist");
        readers.add(path);
      }
    }
  } finally {
    for (const table of logs) {
      await db.query(`alter table ${table}_hidden rename to ${table}`, []);
    }
  }
  expect([...readers].sort()).toEqual(Object.keys(readersOfLogs).sort());
});

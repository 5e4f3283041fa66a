import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ListResponse } from "@sluice/contracts/lists";
import { listPlaces } from "@sluice/control-plane/admin/lists/list-places.ts";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { type ListDeps, readPage } from "@sluice/control-plane/platform/list-query/endpoints.ts";
import type { AnyListSource } from "@sluice/control-plane/platform/list-query/model.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import fc from "fast-check";
import { addToLists, prepareLists } from "../../support/admin/list-scene.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres/test-database.ts";

const isFull = process.env["TEST_FULL"] === "1";
let database: TestDatabase;
let db: Database;
let deps: ListDeps;

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase({ url: database.url, poolMax: 4, applicationName: "test" });
  await prepareLists(db);
  await addToLists(db, "first", 40);
  deps = { db, clock: systemClock, log: createLog("error", () => undefined), recordExport: () => Promise.resolve() };
});

afterAll(async () => {
  await db.close(1_000);
  await database.drop();
});

type Row = ListResponse<Record<string, unknown>>["rows"][number];

/** What identifies the rows of a list: its first field, or the first three if none is unique. */
function nameOf(source: AnyListSource, row: Row): string {
  const fields = Object.keys(source.columns).slice(0, source.contract.name === "abilities" ? 3 : 1);
  return fields.map((field) => String(row[field])).join(" ");
}

/** The names of all rows, page by page. `between` runs after each page. */
async function walk(
  source: AnyListSource,
  query: { readonly sort: string; readonly limit: number; readonly model?: string },
  between: () => Promise<void>,
): Promise<string[]> {
  const met: string[] = [];
  let cursor: string | null = null;
  do {
    const zone = "UTC";
    const page: ListResponse<Row> = await readPage(deps, source, {
      ...query,
      zone,
      ...(cursor === null ? {} : { cursor }),
    });
    met.push(...page.rows.map((row) => nameOf(source, row)));
    cursor = page.next_cursor;
    await between();
  } while (cursor !== null);
  return met;
}

let added = 0;
const addSome = async (): Promise<void> => {
  added += 1;
  await addToLists(db, `later${added}`, 2);
};

/** Adds rows after the first pages: after every page, the lists would grow faster than they are walked. */
function addingAtMost(times: number): () => Promise<void> {
  let left = times;
  return async () => {
    left -= 1;
    if (left >= 0) {
      await addSome();
    }
  };
}

describe.each(listPlaces.map((place) => [place.source.contract.name, place.source] as const))(
  "the list of %s",
  (_, source) => {
    test("shows each row that was there exactly once, whatever is added meanwhile, in every order", async () => {
      const { sorts } = source.contract;
      const orders = sorts.flatMap((sort) => [sort, `-${sort}`]);
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...orders), fc.integer({ min: 7, max: 40 }), async (sort, limit) => {
          const before = await walk(source, { sort, limit: 100 }, () => Promise.resolve());
          expect(new Set(before).size).toBe(before.length);
          expect(before.length).toBeGreaterThan(39);
          const met = await walk(source, { sort, limit }, addingAtMost(3));
          expect(new Set(met).size).toBe(met.length);
          const found = new Set(met);
          expect(before.filter((name) => !found.has(name))).toEqual([]);
        }),
        { numRuns: isFull ? 20 : 1 },
      );
    });

    test("is reversed in the other direction", async () => {
      const [sort = ""] = source.contract.sorts;
      const nothing = (): Promise<void> => Promise.resolve();
      const up = await walk(source, { sort, limit: 30 }, nothing);
      const down = await walk(source, { sort: `-${sort}`, limit: 50 }, nothing);
      expect(down).toEqual(up.toReversed());
    });
  },
);

test("calls of a model come in the order of all calls, whatever the page, also those of the same minute", async () => {
  const { source } = listPlaces.find(({ source: { contract } }) => contract.name === "usage") ?? {};
  if (source === undefined) {
    throw new Error("there is no list of calls");
  }
  const nothing = (): Promise<void> => Promise.resolve();
  // All calls of the scene have this model.
  for (const sort of ["time", "-time"]) {
    const all = await walk(source, { sort, limit: 100 }, nothing);
    expect(await walk(source, { sort, limit: 7, model: "gpt-4o-mini" }, nothing)).toEqual(all);
  }
  expect(await walk(source, { sort: "-time", limit: 7, model: "another" }, nothing)).toEqual([]);
});

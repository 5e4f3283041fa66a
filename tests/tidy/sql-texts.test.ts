import { describe, expect, test } from "bun:test";
import { findSqlTexts } from "./sql-texts.ts";
import { readCode } from "./tree.ts";

const path = "control-plane/src/gateway/store.ts";
const statement = "await db.sql`select id from budget where id = 1`;";

test("stores use the query builder, unless a reason is listed", () => {
  expect(findSqlTexts(readCode())).toEqual([]);
});

describe("SQL text in a store is detected", () => {
  test.each([
    ["a statement", statement],
    ["a statement with its row type", "await tx.sql<Row>`\n  update budget set used = 0`;"],
    ["a statement put together", "await db.query(`select id from ` + from, []);"],
    ["a statement out of a constant", "await tx.query(insertPrice, []);"],
    ["a query inside an expression of the builder", "db.drizzle.select({ sum: sql`(select sum(a) from b)` });"],
  ])("%s", (_form, text) => {
    expect(findSqlTexts([{ path, text }], {})).toHaveLength(1);
  });

  test("even in a listed file, beyond the listed count", () => {
    expect(findSqlTexts([{ path, text: `${statement}\n${statement}` }], { [path]: 1 })).toHaveLength(1);
    expect(findSqlTexts([{ path, text: `${statement}\n${statement}` }], { [path]: 2 })).toEqual([]);
  });

  test("but not an expression of the query builder", () => {
    const text = "db.drizzle.update(budget).set({ used: sql`coalesce(used, 0) + 1` });";
    expect(findSqlTexts([{ path, text }], {})).toEqual([]);
  });

  test.each(["control-plane/src/db/partitions.ts", "control-plane/src/platform/db-locks.ts", "tests/a-store.ts"])(
    "but not in %s",
    (free) => {
      expect(findSqlTexts([{ path: free, text: statement }], {})).toEqual([]);
    },
  );
});

test("a listed file without SQL text has to be removed from the list", () => {
  expect(findSqlTexts([{ path, text: "" }], { [path]: 1 })).toHaveLength(1);
});

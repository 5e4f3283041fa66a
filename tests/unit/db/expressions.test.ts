import { expect, test } from "bun:test";
import { equalsConstant, isAnyOf, toJsonb } from "@sluice/control-plane/db/expressions.ts";
import { approval } from "@sluice/control-plane/db/schema/approvals.ts";
import { setting } from "@sluice/control-plane/db/schema/settings.ts";
import { and, eq } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";

const dialect = new PgDialect();

test("a constant is part of the text, where a partial index is found by it, and its neighbours are parameters", () => {
  const condition = and(eq(approval.kind, "quota.adjust"), equalsConstant(approval.status, "pending"));
  const { sql, params } = dialect.sqlToQuery(condition ?? equalsConstant(approval.status, "pending"));
  expect(sql).toBe(`("approval"."kind" = $1 and "approval"."status" = 'pending')`);
  expect(params).toEqual(["quota.adjust"]);
});

test("a quote in a constant does not end it", () => {
  expect(dialect.sqlToQuery(equalsConstant(setting.name, "it's")).sql).toBe(`"setting"."name" = 'it''s'`);
});

test("any number of ids is one parameter", () => {
  expect(dialect.sqlToQuery(isAnyOf(approval.id, [1n, 9_007_199_254_740_993n])).params).toEqual([
    "{1,9007199254740993}",
  ]);
});

test("null as JSON is not the null of SQL", () => {
  expect(dialect.sqlToQuery(toJsonb(null)).params).toEqual(["null"]);
});

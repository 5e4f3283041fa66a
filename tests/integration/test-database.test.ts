import { expect, test } from "bun:test";
import { callTables } from "@sluice/control-plane/db/partitions.ts";
import { programVariable } from "../runner/bundle-control-plane.ts";
import { daysAheadInTests, lighterVariable } from "../runner/lighter-program.ts";
import { createServedDatabase, createTestDatabase } from "../support/postgres/test-database.ts";

/** What the service creates that this run starts: yesterday, today and the days ahead. */
const isLighter = process.env[lighterVariable] === "1" && process.env[programVariable] !== undefined;
const days = 2 + (isLighter ? daysAheadInTests : 7);

test("two test databases don't see each other's tables, and a dropped one is gone", async () => {
  await using first = await createTestDatabase();
  const second = await createTestDatabase();
  const [firstSql, secondSql] = [new Bun.SQL(first.url), new Bun.SQL(second.url)];
  await firstSql`create table only_here (id int)`;
  const [seen] = await secondSql`select to_regclass('only_here') as found`;
  expect(seen.found).toBeNull();
  await second.drop();
  expect(await firstSql`select 1 from pg_database where datname = ${second.name}`).toHaveLength(0);
  await Promise.allSettled([firstSql.close(), secondSql.close()]);
});

test("a database of a service has the partitions that the service would create at its start, and a fresh one has none", async () => {
  await using served = await createServedDatabase();
  await using fresh = await createTestDatabase();
  const missing = async (url: string): Promise<number> => {
    const sql = new Bun.SQL({ url, max: 1 });
    const day = new Date().toISOString().slice(0, 10);
    let made = 0;
    for (const table of callTables) {
      const [row] =
        await sql`select cardinality(ensure_day_partitions(${table}, ${day}::text::date - 1, ${days})) as made`;
      made += row.made;
    }
    await sql.close();
    return made;
  };
  // A day that began after the server has one more.
  expect(await missing(served.url)).toBeLessThanOrEqual(callTables.length);
  expect(await missing(fresh.url)).toBe(days * callTables.length);
});

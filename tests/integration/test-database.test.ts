import { expect, test } from "bun:test";
import { createTestDatabase } from "../support/postgres/test-database.ts";

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

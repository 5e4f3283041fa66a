import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { findAppRole } from "@sluice/control-plane/db/app-role.ts";
import {
  callTables,
  createMissingPartitions,
  createPartitions,
  ensurePartitions,
  type PartitionedTable,
} from "@sluice/control-plane/db/partitions.ts";
import { utcDay } from "@sluice/control-plane/platform/clock.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { isMissingPartition, sqlStateOf } from "@sluice/control-plane/platform/db-errors.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.ts";
import { failureOf } from "../support/values/failure-of.ts";

const dayMs = 86_400_000;
const now = Date.now();
const today = utcDay(now);
const dayFromNow = (days: number): string => utcDay(now + days * dayMs);

let server: TestDatabase;
/** Acts as the role without DDL, as the application does. */
let db: Database;
let owner: Bun.SQL;

beforeAll(async () => {
  server = await createTestDatabase();
  db = openDatabase({ url: server.url, poolMax: 8, applicationName: "test", role: await findAppRole(server.url) });
  owner = new Bun.SQL(server.url, { max: 2 });
});

afterAll(async () => {
  await db.close(1_000);
  await owner.close({ timeout: 0 });
  await server.drop();
});

function nameOf(table: PartitionedTable, day: string): string {
  const [year, month, date] = day.split("-");
  return `${table}_y${year}m${month}d${date}`;
}

async function partitionsOf(table: PartitionedTable): Promise<string[]> {
  const rows = await owner`select inhrelid::regclass::text as name from pg_inherits
    where inhparent = ${table}::text::regclass order by 1`;
  return rows.map(({ name }: { name: string }) => name);
}

function insertPayload(day: string): Promise<unknown> {
  return db.sql`insert into payload_record
    (day, request_id, gateway_user_id, segment_id, byte_offset, byte_length, request_bytes, response_bytes,
    is_request_truncated, is_response_truncated)
    values (${day}::text::date, gen_random_uuid(), 1, gen_random_uuid(), 0, 1, 1, 1, false, false)`;
}

type Column = {
  /** Its name, type, collation and default, and whether it may be null. */
  readonly shown: string;
  /** Negative for those whose values are not all of one width. */
  readonly bytes: number;
  readonly alignment: number;
};

/** The columns of a table in the order in which rows have them. */
async function columnsOf(table: string): Promise<Column[]> {
  return await owner`
    select concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod), a.attcollation::regcollation, a.attnotnull,
        pg_get_expr(d.adbin, d.adrelid)) as shown,
      a.attlen::int as bytes, case a.attalign when 'd' then 8 when 'i' then 4 when 's' then 2 else 1 end as alignment
    from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attrelid = ${table}::text::regclass and a.attnum > 0 and not a.attisdropped order by a.attnum`;
}

describe("partitions", () => {
  test("are created from yesterday to a week ahead by a role that may not create tables, even by eight callers at once", async () => {
    expect(sqlStateOf(await failureOf(db.sql`create table mine (id int)`))).toBe("42501");
    const made = await Promise.all(
      Array.from({ length: 8 }, () => ensurePartitions(db, { table: "usage_log", today })),
    );
    const expected = Array.from({ length: 9 }, (_, index) => nameOf("usage_log", dayFromNow(index - 1)));
    expect(made.flat().sort()).toEqual(expected.sort());
    expect(await partitionsOf("usage_log")).toEqual(expected);
    expect(await ensurePartitions(db, { table: "usage_log", today })).toEqual([]);
  });

  test("have the keys, checks and indexes of their log", async () => {
    await ensurePartitions(db, { table: "usage_log", today });
    const [row] = await owner`
      select (select count(*)::int from pg_index where indrelid = ${nameOf("usage_log", today)}::text::regclass) as indexes,
        (select count(*)::int from pg_index where indrelid = 'usage_log'::regclass) as wanted,
        (select count(*)::int from pg_index i where indrelid = ${nameOf("usage_log", today)}::text::regclass
          and not exists (select 1 from pg_inherits where inhrelid = i.indexrelid)) as detached`;
    expect(row.indexes).toBe(row.wanted);
    expect(row.detached).toBe(0);
  });

  test("have the columns of their log, in an order that leaves no bytes between those of fixed width", async () => {
    for (const table of callTables) {
      await ensurePartitions(db, { table, today });
      const [own, ofLog] = await Promise.all([columnsOf(nameOf(table, today)), columnsOf(table)]);
      const byName = (columns: readonly Column[]) => columns.map(({ shown }) => shown).sort();
      expect(byName(own)).toEqual(byName(ofLog));
      const widths = own.filter(({ bytes }) => bytes > 0);
      expect(own.slice(0, widths.length)).toEqual(widths);
      let end = 0;
      for (const { shown, bytes, alignment } of widths) {
        expect({ table, shown, gap: end % alignment }).toEqual({ table, shown, gap: 0 });
        end += bytes;
      }
    }
  });

  test("keep encrypted bytes uncompressed and out of line, like their log", async () => {
    await ensurePartitions(db, { table: "payload_segment", today });
    const rows = await owner`
      select attstorage::text as storage from pg_attribute
      where attrelid = ${nameOf("payload_segment", today)}::text::regclass and attname in ('sealed', 'places', 'groups')`;
    expect([...rows]).toEqual([{ storage: "e" }, { storage: "e" }, { storage: "e" }]);
  });

  test("accept a row of their own day and refuse a row of the next", async () => {
    await ensurePartitions(db, { table: "payload_record", today, daysAhead: 1 });
    await insertPayload(today);
    await insertPayload(dayFromNow(1));
    const rows = await owner`select tableoid::regclass::text as name from payload_record order by day`;
    expect(rows.map(({ name }: { name: string }) => name)).toEqual([
      nameOf("payload_record", today),
      nameOf("payload_record", dayFromNow(1)),
    ]);
  });

  test("of a day far back are created by the writer that needs it, so that no row is lost", async () => {
    const old = dayFromNow(-40);
    const error = await failureOf(insertPayload(old));
    expect(isMissingPartition(error)).toBe(true);
    const made = await createMissingPartitions(db, "payload_record", [old, old, today]);
    expect(made).toEqual([nameOf("payload_record", old)]);
    await insertPayload(old);
  });

  test("a violated check is not mistaken for a missing partition", async () => {
    const error = await failureOf(owner`insert into gateway_user (rate_multiplier) values (-1)`);
    expect(sqlStateOf(error)).toBe("23514");
    expect(isMissingPartition(error)).toBe(false);
  });

  test("are created while others read and write the log, and wait for neither", async () => {
    const far = dayFromNow(30);
    await ensurePartitions(db, { table: "payload_record", today });
    await owner.begin(async (tx) => {
      await tx`select * from payload_record`;
      await tx`insert into payload_record (day, request_id, gateway_user_id, segment_id, byte_offset, byte_length,
        request_bytes, response_bytes, is_request_truncated, is_response_truncated)
        values (${today}::text::date, gen_random_uuid(), 1, gen_random_uuid(), 0, 1, 1, 1, false, false)`;
      expect(await createMissingPartitions(db, "payload_record", [far])).toEqual([nameOf("payload_record", far)]);
      await insertPayload(far);
    });
  });

  test.each([
    ["a table that is not partitioned", { table: "budget" }, "42P01"],
    ["a table that does not exist", { table: "nothing" }, "42P01"],
    ["a name that is a statement", { table: 'usage_log"; drop table budget; --' }, "42P01"],
    ["a table of the catalogue", { table: "pg_class" }, "42P01"],
    ["a clock that is years behind", { day: "1999-01-01" }, "22008"],
    ["a clock that is years ahead", { day: "2999-01-01" }, "22008"],
    ["more tables than make sense", { days: 5_000 }, "22003"],
  ])("are refused for %s", async (_what, changes, state) => {
    const call = { table: "usage_log", day: today, days: 1, ...changes };
    const error = await failureOf(
      db.sql`select ensure_day_partitions(${call.table}, ${call.day}::text::date, ${call.days})`,
    );
    expect(sqlStateOf(error)).toBe(state);
  });

  test("can't be smuggled in through a table or operator of the caller", async () => {
    // A role that may create temporary objects could shadow a name that the function uses with the rights of its owner.
    const creating = db.withTransaction(async (tx) => {
      await tx.sql`create temporary table pg_class (like pg_catalog.pg_class) on commit drop`;
      await tx.sql`select ensure_day_partitions('usage_log', ${today}::text::date, 1)`;
    });
    await expect(creating).resolves.toBeUndefined();
  });
});

describe("the application's role", () => {
  test.each([
    ["change what was charged", "update usage_log set quota = 0"],
    ["delete what was charged", "delete from usage_log"],
    ["change what was granted", "update quota_grant set amount = 1"],
    ["empty a log", "truncate trace_record"],
    ["drop a table", "drop table budget"],
    ["write into a partition of money directly", `insert into ${nameOf("usage_settlement", today)} default values`],
    ["read a partition into which calls are copied", `table ${nameOf("usage_log", today)}`],
    ["change what was charged in a partition", `update ${nameOf("usage_log", today)} set quota = 0`],
    ["give itself more rights", "alter role sluice_app superuser"],
    ["read what migrations were applied", "select * from drizzle.__drizzle_migrations"],
  ])("may not %s", async (_what, statement) => {
    await createPartitions(db, [today]);
    expect(sqlStateOf(await failureOf(db.drizzle.execute(statement)))).toBe("42501");
  });

  test("may read every table of the product", async () => {
    const rows = await db.sql<{ name: string; readable: boolean }>`
      select c.relname::text as name, has_table_privilege(c.oid, 'SELECT') as readable
      from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`;
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.filter(({ readable }) => !readable)).toEqual([]);
  });

  test("is found by logins that may act as it, and not by others", async () => {
    expect(await findAppRole(server.url)).toBe("sluice_app");
    await owner.unsafe(`create role stranger_${process.pid} login password 'stranger'`);
    const url = new URL(server.url);
    url.username = `stranger_${process.pid}`;
    url.password = "stranger";
    expect(await findAppRole(url.href)).toBeNull();
    await owner.unsafe(`drop role stranger_${process.pid}`);
  });
});

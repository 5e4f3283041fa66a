import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { json } from "@sluice/control-plane/db/columns.ts";
import { type Database, type Queryable, rowsWritten } from "@sluice/control-plane/platform/db.ts";
import { arrayLiteral, placeholders } from "@sluice/control-plane/platform/db-array-literal.ts";
import {
  DatabaseTimeoutError,
  isUniqueViolation,
  PoolExhaustedError,
  sqlStateOf,
  TransactionAbortedError,
} from "@sluice/control-plane/platform/db-errors.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { eq, sql } from "drizzle-orm";
import { bigint, date, numeric, pgTable, varchar } from "drizzle-orm/pg-core";
import fc from "fast-check";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.ts";
import { anyCharacter } from "../support/values/any-character.ts";
import { failureOf } from "../support/values/failure-of.ts";
import { promptMs } from "../support/values/patience.ts";

const isFull = process.env["TEST_FULL"] === "1";
const poolMax = 4;

let server: TestDatabase;
let db: Database;

const options = (changes: object = {}) => ({ url: server.url, poolMax, applicationName: "test", ...changes });

beforeAll(async () => {
  server = await createTestDatabase();
  db = openDatabase(options());
  await db.sql`create table counter (id bigint primary key, value bigint not null default 0)`;
});

afterAll(async () => {
  await db.close(1_000);
  await server.drop();
});

async function counterOf(id: bigint): Promise<bigint | null> {
  const [row] = await db.sql<{ value: bigint }>`select value from counter where id = ${id}`;
  return row?.value ?? null;
}

describe("values", () => {
  test("64-bit integers and decimals come back exactly, never as floats", async () => {
    const [row] = await db.sql`
      select 5::bigint as small, ${9_007_199_254_740_993n}::bigint as big, 1.10::numeric as decimal,
        count(*) as count, sum(5::bigint) as sum, array[1, 9007199254740993]::bigint[] as list, 7 as int4`;
    expect(row).toEqual({
      small: 5n,
      big: 9_007_199_254_740_993n,
      decimal: "1.10",
      count: 1n,
      sum: "5",
      list: [1n, 9_007_199_254_740_993n],
      int4: 7,
    });
  });

  test("times, days and bytes come back as they were sent", async () => {
    const at = new Date("2026-03-01T00:30:00.123Z");
    const [row] = await db.sql<{ at: Date; day: string; bytes: Buffer }>`
      select ${at}::timestamptz as at, (${at}::timestamptz)::date::text as day, ${new Uint8Array([0, 255])}::bytea as bytes`;
    expect(row?.at).toEqual(at);
    expect(row?.day).toBe("2026-03-01");
    expect([...(row?.bytes ?? [])]).toEqual([0, 255]);
  });

  test("a value never becomes part of the statement", async () => {
    const hostile = `'; drop table counter; --`;
    const [row] = await db.sql<{ echoed: string }>`select ${hostile}::text as echoed`;
    expect(row?.echoed).toBe(hostile);
  });

  test("rows with large bytes are inserted as they are, many in one statement", async () => {
    await db.sql`create table blob (id bigint primary key, bytes bytea)`;
    const blobs = [1n, 2n, 3n].map((id) => ({ id, bytes: crypto.getRandomValues(new Uint8Array(20_000)) }));
    const text = `insert into blob values ${placeholders(blobs.length, 2)}`;
    const result = await db.query(
      text,
      blobs.flatMap(({ id, bytes }) => [id, bytes]),
    );
    expect(rowsWritten(result)).toBe(3);
    const rows = await db.sql<{ id: bigint; bytes: Buffer }>`select id, bytes from blob order by id`;
    expect(rows.map(({ id, bytes }) => ({ id, bytes: new Uint8Array(bytes) }))).toEqual(blobs);
  });

  test("the query builder on the same pool keeps integers, decimals, days and JSON exact", async () => {
    await db.sql`create table built (id bigint primary key, price numeric(20, 8), day date, note jsonb)`;
    const built = pgTable("built", {
      id: bigint("id", { mode: "bigint" }).primaryKey(),
      price: numeric("price", { precision: 20, scale: 8 }),
      day: date("day", { mode: "string" }),
      note: json("note"),
    });
    const row = { id: 9_007_199_254_740_993n, price: "0.15000000", day: "2026-11-21", note: { a: [1, 'x"y'] } };
    await db.withTransaction((tx) => tx.drizzle.insert(built).values(row));
    expect(await db.drizzle.select().from(built).where(eq(built.id, row.id))).toEqual([row]);
    expect(await db.sql`select jsonb_typeof(note) as type, note -> 'a' ->> 1 as text from built`).toEqual([
      { type: "object", text: 'x"y' },
    ]);
  });
});

describe("an array literal", () => {
  let client: Bun.SQL;
  beforeAll(() => {
    client = new Bun.SQL(server.url, { max: 1, bigint: true });
  });
  afterAll(() => client.close());

  const runs = isFull ? 2_000 : 150;
  const anyText = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.string({ unit: "grapheme" }),
    fc.constantFrom("NULL", "", "\\", '"'),
  );
  const cases = {
    "bigint[]": fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
    "text[]": fc.option(anyText.map((text) => text.replaceAll("\0", ""))),
    "boolean[]": fc.option(fc.boolean()),
    "bytea[]": fc.option(fc.uint8Array({ maxLength: 40 })),
    "int[]": fc.option(fc.integer()),
    "float8[]": fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
    "timestamptz[]": fc.option(
      fc.date({ min: new Date("1800-01-01"), max: new Date("2200-01-01"), noInvalidDate: true }),
    ),
  };

  test.each(Object.entries(cases))("carries any %s to the server and back", async (type, element) => {
    await fc.assert(
      fc.asyncProperty(fc.array(element as fc.Arbitrary<string | null>, { maxLength: 20 }), async (values) => {
        const statement = `select value from unnest($1::${type}) with ordinality as list (value, place) order by place`;
        const rows = await runText<{ value: unknown }>(statement, [arrayLiteral(values)]);
        expect(rows.map(({ value }) => comparable(value))).toEqual(values.map(comparable));
      }),
      { numRuns: runs },
    );
  });

  test("replaces what the server can't hold instead of failing the batch", async () => {
    const rows = await db.sql<{
      value: string;
    }>`select value from unnest(${arrayLiteral(["a\0b", "\ud800"])}::text[]) as value`;
    expect(rows.map(({ value }) => value)).toEqual(["a\uFFFDb", "\uFFFD"]);
  });

  function comparable(value: unknown): unknown {
    if (value instanceof Uint8Array) {
      return Buffer.from(value).toString("hex");
    }
    // The wire format has one zero only.
    return Object.is(value, -0) ? 0 : value;
  }

  /** The type of a cast can't be a parameter. */
  async function runText<Row>(statement: string, parameters: string[]): Promise<Row[]> {
    return await client.unsafe(statement, parameters);
  }
});

describe("a transaction", () => {
  test("does all or nothing", async () => {
    await db.withTransaction((tx) => tx.sql`insert into counter values (1, 10)`);
    const failure = new Error("changed my mind");
    const work = db.withTransaction(async (tx) => {
      await tx.sql`update counter set value = 99 where id = 1`;
      throw failure;
    });
    expect(await failureOf(work)).toBe(failure);
    expect(await counterOf(1n)).toBe(10n);
    expect(db.load()).toEqual({ inUse: 0, waiting: 0 });
  });

  test("does not report success when a failure inside it was swallowed", async () => {
    const work = db.withTransaction(async (tx) => {
      await tx.sql`insert into counter values (2)`;
      await tx.sql`insert into counter values (2)`.catch(() => undefined);
    });
    expect(await failureOf(work)).toBeInstanceOf(TransactionAbortedError);
    expect(await counterOf(2n)).toBeNull();
  });

  test("continues after a failed savepoint", async () => {
    await db.withTransaction(async (tx) => {
      await tx.sql`insert into counter values (3, 1)`;
      const error = await failureOf(tx.savepoint(() => tx.sql`insert into counter values (3, 2)`));
      expect(isUniqueViolation(error, "counter_pkey")).toBe(true);
      await tx.savepoint(() => tx.sql`update counter set value = value + 5 where id = 3`);
    });
    expect(await counterOf(3n)).toBe(6n);
  });

  test("can't be used after its end", async () => {
    const leaked = await db.withTransaction(async (tx) => tx);
    expect(String(await failureOf(leaked.sql`insert into counter values (4)`))).toMatch(/has ended/);
    expect(await counterOf(4n)).toBeNull();
  });

  test("is repeated when the server rolled it back because of another transaction", async () => {
    await db.sql`insert into counter values (5, 0)`;
    const bothHaveRead = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let runs = 0;
    const increment = (own: number) =>
      db.withTransaction(
        async (tx) => {
          runs += 1;
          const [row] = await tx.sql<{ value: bigint }>`select value from counter where id = 5`;
          bothHaveRead[own]?.resolve();
          await bothHaveRead[1 - own]?.promise;
          await tx.sql`update counter set value = ${(row?.value ?? 0n) + 1n} where id = 5`;
        },
        { isolation: "serializable" },
      );
    await Promise.all([increment(0), increment(1)]);
    expect(await counterOf(5n)).toBe(2n);
    expect(runs).toBe(3);
  });

  test("is repeated after a deadlock, even if the query builder wrapped the error", async () => {
    await db.sql`insert into counter values (6, 0), (7, 0)`;
    const bothLocked = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const bothEnded = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let runs = 0;
    const lockBoth = async (first: bigint, second: bigint, own: number) => {
      let tries = 0;
      await db.withTransaction(async (tx) => {
        runs += 1;
        tries += 1;
        if (tries > 1) {
          // Else the repetition may lock its first row before the other wakes up, and there is a second deadlock.
          await bothEnded[1 - own]?.promise;
        }
        await tx.sql`update counter set value = value + 1 where id = ${first}`;
        bothLocked[own]?.resolve();
        await bothLocked[1 - own]?.promise;
        await tx.drizzle.execute(`update counter set value = value + 1 where id = ${second}`);
      });
      bothEnded[own]?.resolve();
    };
    await Promise.all([lockBoth(6n, 7n, 0), lockBoth(7n, 6n, 1)]);
    expect([await counterOf(6n), await counterOf(7n)]).toEqual([2n, 2n]);
    expect(runs).toBe(3);
  });

  test("is repeated at most three times", async () => {
    let runs = 0;
    const work = db.withTransaction(async (tx) => {
      runs += 1;
      await tx.sql`do $$ begin raise exception 'again' using errcode = 'serialization_failure'; end $$`;
    });
    expect(sqlStateOf(await failureOf(work))).toBe("40001");
    expect(runs).toBe(4);
  });

  test("an error of the query builder is that of the server and quotes nothing, wherever it happens", async () => {
    await db.sql`create table taken (id bigint primary key, secret text)`;
    const taken = pgTable("taken", { id: bigint("id", { mode: "bigint" }), secret: varchar("secret") });
    const row = { id: 1n, secret: "sk-secret" };
    await db.drizzle.insert(taken).values(row);
    const failing: ((on: Queryable) => Promise<unknown>)[] = [
      async (on) => await on.drizzle.insert(taken).values(row),
      async (on) => await on.drizzle.insert(taken).values(row).returning(),
      async (on) => await on.drizzle.execute(sql`insert into taken values (1, ${row.secret})`),
    ];
    for (const work of failing) {
      const errors = [
        await failureOf(work(db)),
        await failureOf(db.withTransaction(work)),
        await failureOf(db.withTransaction((tx) => tx.savepoint(() => work(tx)))),
      ];
      for (const error of errors) {
        expect(error).toBeInstanceOf(Bun.SQL.PostgresError);
        expect(isUniqueViolation(error, "taken_pkey")).toBe(true);
        const { message, stack, cause } = error as Error;
        expect(String([message, stack, cause])).not.toMatch(/sk-secret|insert into/);
      }
    }
  });
});

describe("limits", () => {
  test("every connection has the limits, the role and the time zone it was opened with", async () => {
    await using limited = disposable(openDatabase(options({ statementTimeoutMs: 1_234, role: "sluice_app" })));
    const rows = await Promise.all(
      Array.from(
        { length: poolMax },
        () => limited.sql`
        select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
          current_setting('idle_in_transaction_session_timeout') as idle, current_setting('TimeZone') as zone,
          current_user::text as role, pg_sleep(0.02)::text as slept`,
      ),
    );
    const expected = { statement: "1234ms", lock: "2s", idle: "10s", zone: "UTC", role: "sluice_app", slept: "" };
    expect(rows.map(([row]) => row)).toEqual(Array.from({ length: poolMax }, () => expected));
  });

  test("a statement that runs too long is cancelled, and its connection serves the next one", async () => {
    await using limited = disposable(openDatabase(options({ statementTimeoutMs: 1_000, poolMax: 1 })));
    const [before] = await limited.sql`select pg_backend_pid() as pid`;
    const error = await failureOf(limited.sql`select pg_sleep(30)`);
    expect(error).toBeInstanceOf(DatabaseTimeoutError);
    expect((error as DatabaseTimeoutError).source).toBe("statement");
    expect((await limited.sql`select pg_backend_pid() as pid`)[0]).toEqual(before);
  });

  test("a transaction can have its own limit", async () => {
    await using limited = disposable(openDatabase(options({ statementTimeoutMs: 1_000, poolMax: 1 })));
    await limited.withTransaction((tx) => tx.sql`select pg_sleep(1.2)`, { statementTimeoutMs: 30_000 });
    expect(await failureOf(limited.sql`select pg_sleep(30)`)).toBeInstanceOf(DatabaseTimeoutError);
  });

  test("a row that another transaction holds is waited for only up to the lock limit", async () => {
    await using impatient = disposable(openDatabase(options({ lockTimeoutMs: 100 })));
    await db.sql`insert into counter values (20)`;
    await db.withTransaction(async (tx) => {
      await tx.sql`select 1 from counter where id = 20 for update`;
      const error = await failureOf(impatient.sql`update counter set value = 1 where id = 20`);
      expect((error as DatabaseTimeoutError).source).toBe("lock");
    });
  });

  test("an idle transaction loses its locks", async () => {
    await using idle = disposable(openDatabase(options({ idleInTransactionTimeoutMs: 1_000 })));
    await db.sql`insert into counter values (21)`;
    const work = idle.withTransaction(async (tx) => {
      await tx.sql`select 1 from counter where id = 21 for update`;
      // Waits for the lock that the idle transaction holds until the server ends it.
      await db.sql`update counter set value = 1 where id = 21`;
      await tx.sql`update counter set value = 2 where id = 21`;
    });
    expect(await failureOf(work)).toMatchObject({ name: "DatabaseUnavailableError" });
    expect(await counterOf(21n)).toBe(1n);
    expect(idle.load().inUse).toBe(0);
  });

  test("a caller who gets no connection in time gets an error, and those who have one finish", async () => {
    await using small = disposable(openDatabase(options({ poolMax: 2, acquireTimeoutMs: 1_000 })));
    const release = Promise.withResolvers<void>();
    const holders = [1, 2].map(() =>
      small.withTransaction(async (tx) => {
        await release.promise;
        return tx.sql<{ one: number }>`select 1 as one`;
      }),
    );
    expect(await failureOf(small.sql`select 1`)).toBeInstanceOf(PoolExhaustedError);
    release.resolve();
    expect((await Promise.all(holders)).map(([row]) => row?.one)).toEqual([1, 1]);
    expect(await small.sql<{ one: number }>`select 1 as one`).toHaveLength(1);
  });

  test("closing waits for running work, but not beyond its limit", async () => {
    const patient = openDatabase(options());
    const quick = patient.sql<{ done: boolean }>`select true as done, pg_sleep(0.1)::text`;
    await Bun.sleep(20);
    await patient.close(5_000);
    expect((await quick)[0]?.done).toBe(true);

    const hurried = openDatabase(options());
    const slow = failureOf(hurried.sql`select pg_sleep(20)`);
    await Bun.sleep(20);
    const startedAt = performance.now();
    await hurried.close(100);
    expect(await slow).toMatchObject({ name: "DatabaseUnavailableError" });
    expect(performance.now() - startedAt).toBeLessThan(promptMs);
    expect(await failureOf(hurried.sql`select 1`)).toMatchObject({ name: "DatabaseUnavailableError" });
  });
});

test("statements prepared before a table changed still work afterwards", async () => {
  await using one = disposable(openDatabase(options({ poolMax: 1 })));
  await one.sql`create table grown (id bigint)`;
  await one.sql`insert into grown values (1)`;
  const read = () => one.sql`select * from grown where id = ${1n}`;
  await read();
  await read();
  await db.sql`alter table grown add column name text default 'new'`;
  expect((await read())[0]).toEqual({ id: 1n, name: "new" });
});

test("reachability is unknown before the first response and known after it", async () => {
  await using fresh = disposable(openDatabase(options()));
  expect(fresh.isReachable()).toBe(false);
  expect(await fresh.ping()).toBe(true);
  expect(fresh.isReachable()).toBe(true);
});

function disposable(database: Database): Database & AsyncDisposable {
  return { ...database, [Symbol.asyncDispose]: () => database.close(1_000) };
}

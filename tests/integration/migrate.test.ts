import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { findAppRole } from "@sluice/control-plane/db/app-role.ts";
import { migrate } from "@sluice/control-plane/db/migrate.ts";
import { ensurePartitions } from "@sluice/control-plane/db/partitions.ts";
import { utcDay } from "@sluice/control-plane/platform/clock.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { drizzle } from "drizzle-orm/bun-sql";
import { migrate as migrateByDrizzle } from "drizzle-orm/bun-sql/migrator";
import { createEmptyDatabase } from "../support/postgres/empty-database.ts";
import { schemaFacts } from "../support/postgres/schema-facts.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.ts";

const command = Bun.fileURLToPath(new URL("../../control-plane/src/commands/migrate.ts", import.meta.url));

const ownFolder = new URL("../../control-plane/src/db/", import.meta.url);

let server: TestDatabase;
let database: TestDatabase;
let sql: Bun.SQL;
let folder: URL;

beforeAll(async () => {
  server = await createTestDatabase();
});

afterAll(() => server.drop());

beforeEach(async () => {
  database = await createEmptyDatabase(server.url);
  sql = new Bun.SQL(database.url, { max: 1 });
  folder = pathToFileURL(`${await mkdtemp(join(tmpdir(), "sluice-migrations-"))}/`);
});

afterEach(async () => {
  await sql.close({ timeout: 0 });
  await database.drop();
  await rm(folder, { recursive: true });
});

/** Writes a folder as drizzle-kit does: the files, and the journal that names them in order. There are no functions. */
async function write(files: Record<string, string>, firstAt = 1_000): Promise<void> {
  await mkdir(new URL("migrations/meta/", folder), { recursive: true });
  await mkdir(new URL("functions/", folder), { recursive: true });
  const entries = Object.keys(files).map((tag, index) => ({
    idx: index,
    version: "7",
    when: firstAt + index,
    tag,
    breakpoints: true,
  }));
  await writeFile(
    new URL("migrations/meta/_journal.json", folder),
    JSON.stringify({ version: "7", dialect: "postgresql", entries }),
  );
  for (const [tag, text] of Object.entries(files)) {
    await writeFile(new URL(`migrations/${tag}.sql`, folder), text);
  }
}

/** Replaces all function files. */
async function writeFunctions(files: Record<string, string>): Promise<void> {
  await rm(new URL("functions/", folder), { recursive: true });
  await mkdir(new URL("functions/", folder));
  for (const [name, text] of Object.entries(files)) {
    await writeFile(new URL(`functions/${name}.sql`, folder), text);
  }
}

async function run(release = "1.0.0"): Promise<string[]> {
  const lines: string[] = [];
  await migrate(database.url, (line) => lines.push(line), { folder, release });
  return lines;
}

/** Whether Postgres checks the bodies of new functions, in connections that begin from now on. */
async function setBodyChecks(state: "on" | "off"): Promise<void> {
  await sql.unsafe(`alter database ${new URL(database.url).pathname.slice(1)} set check_function_bodies = ${state}`);
}

/** Of the template of this run. */
async function schemaOfFresh(): Promise<string[]> {
  await using fresh = new Bun.SQL(server.url, { max: 1 });
  return await schemaFacts(fresh);
}

async function appliedCount(): Promise<number> {
  const [row] = await sql`select count(*)::int as count from drizzle.__drizzle_migrations`;
  return row.count;
}

describe("migrations", () => {
  test("are applied in the order of the journal, each once, with a line for each", async () => {
    await write({ "0000_first": "create table a (id int);", "0001_second": "insert into a values (1)" });
    expect(await run()).toEqual([
      expect.stringMatching(/^applied 0000_first/),
      expect.stringMatching(/^applied 0001_second/),
    ]);
    expect(await run()).toEqual(["the database is up to date"]);
    expect(await sql`select id from a`).toHaveLength(1);
  });

  test("may contain several statements, functions with semicolons and partitioned tables", async () => {
    await write({
      "0000_mixed": `
        create table log (day date not null) partition by range (day);
        create table log_one partition of log for values from ('2026-01-01') to ('2026-01-02');
        --> statement-breakpoint
        create function answer() returns int language plpgsql as $$ begin perform 1; return 42; end $$;`,
    });
    await run();
    expect(await sql`select answer() as answer`).toEqual([{ answer: 42 }] as never);
  });

  test("that fail leave only whole migrations, name the line, and continue from there once they are fixed", async () => {
    const broken = "create table b (id int);\n--> statement-breakpoint\ncreate table c (\n  id int,\n  id2 nothing\n);";
    await write({ "0000_good": "create table a (id int);", "0001_broken": broken });
    await expect(run()).rejects.toThrow(/^migration 0001_broken\.sql, line 5: type "nothing" does not exist/);
    expect(await sql`select to_regclass('a') is not null as a, to_regclass('b') is null as no_b`).toEqual([
      { a: true, no_b: true },
    ] as never);
    await write({ "0000_good": "create table a (id int);", "0001_broken": broken.replace("nothing", "int") });
    expect(await run()).toEqual([expect.stringMatching(/^applied 0001_broken/)]);
  });

  test("that were edited after they were applied are refused; changed line ends do not count as an edit", async () => {
    await write({ "0000_first": "create table a (\n  id int\n);" });
    await run();
    await write({ "0000_first": "create table a (\r\n  id int\r\n);" });
    expect(await run()).toEqual(["the database is up to date"]);
    await write({ "0000_first": "create table a (\n  id bigint\n);", "0001_next": "create table b (id int)" });
    await expect(run()).rejects.toThrow(/0000_first was edited after it had been applied/);
    expect(await appliedCount()).toBe(1);
  });

  test("that were inserted before an applied one are refused", async () => {
    await write({ "0000_first": "create table a (id int)" }, 2_000);
    await run();
    await write({ "0000_early": "create table b (id int)", "0001_first": "create table a (id int)" }, 1_999);
    await expect(run()).rejects.toThrow(/0000_early is older than one that is already applied/);
  });

  test("of a newer program in the database are reported and left alone", async () => {
    await write({ "0000_first": "create table a (id int)", "0001_second": "create table b (id int)" });
    await run();
    await write({ "0000_first": "create table a (id int)" });
    expect(await run()).toEqual(["the database is newer than this program: it has 1 migration(s) more"]);
  });

  test("wait for a table in use without making everyone else queue after them", async () => {
    await write({ "0000_first": "create table busy (id int)" });
    await run();
    await write({ "0000_first": "create table busy (id int)", "0001_second": "alter table busy add column name text" });
    const holder = await sql.reserve();
    await holder`begin`;
    await holder`select * from busy`;
    const lines: string[] = [];
    const said = Promise.withResolvers<void>();
    const work = migrate(
      database.url,
      (line) => {
        lines.push(line);
        said.resolve();
      },
      { folder, release: "1.0.0" },
    );
    await said.promise;
    expect(lines[0]).toMatch(/0001_second: a table is in use, trying again \(1 of 20\)/);
    await holder`commit`;
    await holder.release();
    await work;
    expect(lines.at(-1)).toMatch(/^applied 0001_second/);
  });

  test("are tried again after a deadlock with a transaction that needs the same tables in another order", async () => {
    const tables = "create table first (id int); create table last (id int);";
    await write({ "0000_tables": tables });
    await run();
    const columns = "alter table first add column name text; alter table last add column name text;";
    await write({ "0000_tables": tables, "0001_columns": columns });
    const holder = new Bun.SQL(database.url, { max: 1 });
    await holder`begin`;
    // Not the one that is rolled back, even if it is late on a busy machine.
    await holder`set local deadlock_timeout = '10min'`;
    await holder`select * from last`;
    const work = run();
    const isWaiting = async () =>
      (await sql`select 1 from pg_locks where not granted and relation = 'last'::regclass`).length > 0;
    while (!(await isWaiting())) {
      await Bun.sleep(20);
    }
    await holder`select * from first`;
    await holder`commit`;
    await holder.close();
    expect(await work).toEqual([
      expect.stringMatching(/0001_columns: a table is in use/),
      expect.stringMatching(/^applied 0001_columns/),
    ]);
  });

  test("read drizzle-kit's table: what its own runner applied is not applied again", async () => {
    await write({ "0000_first": "create table a (id int);\n--> statement-breakpoint\ninsert into a values (1);" });
    await migrateByDrizzle(drizzle({ client: sql }), { migrationsFolder: new URL("migrations", folder).pathname });
    expect(await run()).toEqual(["the database is up to date"]);
  });
});

const answerFunction = "create or replace function answer() returns int language sql as 'select 42';";
const applied = expect.stringMatching(/^applied the functions/);

describe("functions", () => {
  beforeEach(async () => {
    await write({ "0000_first": "create table a (id int);" });
    await run();
  });

  const functionsThere = async (): Promise<string[]> =>
    (
      await sql`select oid::regprocedure::text as name from pg_proc where pronamespace = 'public'::regnamespace order by 1`
    ).map(({ name }: { name: string }) => name);

  test("are applied after the migrations, and again when one of them changed", async () => {
    await write({ "0000_first": "create table a (id int);", "0001_second": "create table b (id int)" });
    await writeFunctions({
      one: "create or replace function rows_of_b() returns setof b language sql as 'select * from b';",
    });
    expect(await run()).toEqual([expect.stringMatching(/^applied 0001_second/), applied]);
    expect(await run()).toEqual(["the database is up to date"]);
    await writeFunctions({ one: answerFunction });
    expect(await run()).toEqual([applied]);
    await writeFunctions({ one: answerFunction.replace("42", "43") });
    expect(await run()).toEqual([applied]);
    expect(await sql`select answer() as answer`).toEqual([{ answer: 43 }] as never);
  });

  test("that are no longer in any file are dropped; those of others stay", async () => {
    await sql`create function of_somebody_else() returns int language sql as 'select 1'`;
    await writeFunctions({ one: answerFunction, two: answerFunction.replace("answer", "other") });
    await run();
    expect(await functionsThere()).toEqual(["answer()", "of_somebody_else()", "other()"]);
    await writeFunctions({ one: answerFunction });
    expect(await run()).toEqual([applied]);
    expect(await functionsThere()).toEqual(["answer()", "of_somebody_else()"]);
  });

  test("may change what they take and return, and existing callers keep working if the rest has defaults", async () => {
    await writeFunctions({
      one: answerFunction,
      two: "create or replace function twice(p_a int) returns int language sql as 'select 2 * p_a';",
    });
    await run();
    await writeFunctions({
      one: answerFunction.replace("returns int", "returns bigint"),
      two: "create or replace function twice(p_a int, p_b int default 2) returns int language sql as 'select p_b * p_a';",
    });
    expect(await run()).toEqual([applied]);
    expect(await functionsThere()).toEqual(["answer()", "twice(integer,integer)"]);
    expect(await sql`select twice(4) as twice, pg_typeof(answer())::text as type`).toEqual([
      { twice: 8, type: "bigint" },
    ] as never);
  });

  test("are all applied or none, and a failure names the file and the line", async () => {
    await writeFunctions({ one: answerFunction });
    await run();
    const broken = "-- Why.\ncreate or replace function worse() returns int language sql as $$\n  select nothing\n$$;";
    await writeFunctions({ one: answerFunction.replace("42", "43"), two: broken });
    await expect(run()).rejects.toThrow(/^functions\/two\.sql, line 3: column "nothing" does not exist/);
    expect(await sql`select answer() as answer`).toEqual([{ answer: 42 }] as never);
    await writeFunctions({ one: answerFunction.replace("42", "43") });
    expect(await run()).toEqual([applied]);
  });

  test("that a table depends on are not dropped with it", async () => {
    const trigger =
      "create or replace function refuse() returns trigger language plpgsql as $$ begin return null; end $$;";
    await writeFunctions({ one: trigger });
    await run();
    await sql`create trigger refuse before insert on a for each row execute function refuse()`;
    await writeFunctions({});
    await expect(run()).rejects.toThrow(/cannot drop function refuse\(\) because other objects depend on it/);
    expect(await functionsThere()).toEqual(["refuse()"]);
  });

  test("of a newer release stay when the previous release starts again", async () => {
    await writeFunctions({ one: answerFunction });
    await run("1.0.0");
    await writeFunctions({ one: answerFunction.replace("42", "43") });
    expect(await run("1.1.0")).toEqual([applied]);
    await writeFunctions({ one: answerFunction });
    expect(await run("1.0.0")).toEqual(["the functions of the database are of a newer release, and stay"]);
    expect(await sql`select answer() as answer`).toEqual([{ answer: 43 }] as never);
  });

  test("with one name are refused, since nobody could tell which of them changed", async () => {
    await writeFunctions({ one: answerFunction, two: answerFunction.replace("()", "(p_a int)") });
    await expect(run()).rejects.toThrow("functions/two.sql: there are two functions answer");
  });
});

describe("a database from before the first release", () => {
  const lastRow = { at: 1_795_399_257_654n, hash: "ddfd5586ad9ae3a69688b02cd4785e05a28d25b536306ba0a5fa303c0886952b" };

  /** As its migrations left it: the rows of two of them, their functions, and no note of the functions. */
  async function makeOld({ at, hash }: { readonly at: bigint; readonly hash: string }): Promise<void> {
    await write({ "0000_baseline": await Bun.file(new URL("migrations/0000_baseline.sql", ownFolder)).text() });
    await cp(new URL("functions/", ownFolder), new URL("functions/", folder), { recursive: true });
    // Today's functions use tables of later migrations: some return rows of such a table, others would not be accepted.
    for (const name of ["key-sums", "label-sums"]) {
      await rm(new URL(`functions/${name}.sql`, folder));
    }
    await setBodyChecks("off");
    await run();
    await setBodyChecks("on");
    await sql`create function of_before() returns int language sql as 'select 1'`;
    await sql`drop table drizzle.function_set`;
    await sql`delete from drizzle.__drizzle_migrations`;
    await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('first', ${at - 1n}), (${hash}, ${at})`;
  }

  test("with all its migrations is adopted, without functions that no longer exist", async () => {
    await makeOld(lastRow);
    const lines: string[] = [];
    await migrate(database.url, (line) => lines.push(line));
    expect(lines[0]).toBe("the database is from before the first release, and is taken over as it is");
    expect(lines.at(-1)).toEqual(applied);
    const { entries } = await Bun.file(new URL("migrations/meta/_journal.json", ownFolder)).json();
    expect(await appliedCount()).toBe(entries.length);
    expect(await schemaFacts(sql)).toEqual(await schemaOfFresh());
    await migrate(database.url, (line) => lines.push(line));
    expect(lines.at(-1)).toBe("the database is up to date");
  });

  test("without its last one is refused with instructions, and left as it is", async () => {
    await makeOld({ at: lastRow.at - 5n, hash: "another" });
    await expect(migrate(database.url, () => undefined)).rejects.toThrow(/from before the first release.*\.data/);
    expect(await appliedCount()).toBe(2);
  });
});

describe("the command", () => {
  async function start(url: string) {
    const child = Bun.spawn([process.execPath, command], {
      env: { DATABASE_URL: url },
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    return { answer: JSON.parse(stdout), stderr, code };
  }

  test("started four times at once migrates once, and all four succeed", async () => {
    const runs = await Promise.all(Array.from({ length: 4 }, () => start(database.url)));
    expect(runs.map(({ code, answer }) => [code, answer.ok])).toEqual(Array.from({ length: 4 }, () => [0, true]));
    expect(runs.filter(({ stderr }) => stderr.includes("applied 0000_baseline"))).toHaveLength(1);
    expect(runs.filter(({ stderr }) => stderr.includes("the database is up to date"))).toHaveLength(3);
    expect(await appliedCount()).toBeGreaterThan(0);
  });

  test("reports on one line what is wrong, without the password", async () => {
    const { answer, stderr, code } = await start("postgres://someone:hunter22@127.0.0.1:1/nowhere");
    expect([code, answer.ok]).toEqual([1, false]);
    expect(answer.error).toContain("can't connect to the database 127.0.0.1:1/nowhere");
    expect(answer.error + stderr).not.toContain("hunter22");
  });
});

test("two databases on one server can be migrated at the same moment although they share a role", async () => {
  const others = await Promise.all(Array.from({ length: 4 }, () => createEmptyDatabase(server.url)));
  try {
    await Promise.all(others.map(({ url }) => migrate(url, () => undefined)));
  } finally {
    await Promise.all(others.map((other) => other.drop()));
  }
});

test("an owner who may neither create roles nor act as the application's can migrate", async () => {
  const owner = `owner_${randomBytes(6).toString("hex")}`;
  const admin = new Bun.SQL(server.url, { max: 1 });
  await admin.unsafe(`create role ${owner} login password '${owner}'`);
  await admin.unsafe(`alter database ${database.name} owner to ${owner}`);
  const url = new URL(database.url);
  url.username = owner;
  url.password = owner;
  await migrate(url.href, () => undefined);
  expect(await findAppRole(url.href)).toBeNull();
  const db = openDatabase({ url: url.href, poolMax: 1, applicationName: "test" });
  expect(await ensurePartitions(db, { table: "usage_log", today: utcDay(Date.now()) })).toHaveLength(9);
  await db.close(1_000);
  await database.drop();
  await admin.unsafe(`drop role ${owner}`);
  await admin.close();
});

import { Database as Sqlite } from "bun:sqlite";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "@sluice/deploy/start/port";
import { SQL } from "bun";
import { createTestDatabase } from "../postgres/test-database.ts";
import { startProgram } from "../service/start-process.ts";

/** A database on a server, with the rows of a file of SQLite. */
export type PeerServer = AsyncDisposable & { readonly url: string };

type Column = { readonly name: string; readonly type: string; readonly pk: bigint };

/** How the programs declare a column on a server, by what they declare in SQLite. */
type Types = Readonly<Record<"integer" | "numeric" | "text" | "keyText" | "real" | "datetime" | "json", string>>;

const mysqlTypes: Types = {
  ...{ integer: "bigint", numeric: "tinyint(1)", text: "longtext", keyText: "varchar(191)", real: "double" },
  ...{ datetime: "datetime(3)", json: "json" },
};
const postgresTypes: Types = {
  ...{ integer: "bigint", numeric: "boolean", text: "text", keyText: "text", real: "decimal", datetime: "timestamptz" },
  json: "json",
};
const indexedTexts = new Set(["username", "email", "github_id", "access_token"]);

type Server = {
  readonly types: Types;
  readonly quote: (name: string) => string;
  readonly parameter: (number: number) => string;
};
const servers = {
  mysql: { types: mysqlTypes, quote: (name) => `\`${name}\``, parameter: () => "?" },
  postgres: { types: postgresTypes, quote: (name) => `"${name}"`, parameter: (number) => `$${number}` },
} as const satisfies Readonly<Record<string, Server>>;

function typeOf({ name, type, pk }: Column, types: Types): string {
  const lower = type.toLowerCase();
  if (lower === "text") {
    return pk > 0n || indexedTexts.has(name) ? types.keyText : types.text;
  }
  return lower in types ? types[lower as keyof Types] : lower;
}

/** Makes the tables of a file on a server, in the types that the program has there, and copies the rows. */
async function copyTables(file: Sqlite, connection: SQL, { types, quote, parameter }: Server): Promise<void> {
  const tables = file
    .query<{ name: string }, []>("select name from sqlite_schema where type = 'table' order by name")
    .all();
  for (const { name: table } of tables) {
    const columns = file.query<Column, [string]>("select name, type, pk from pragma_table_info(?)").all(table);
    const declared = columns.map((column) => `${quote(column.name)} ${typeOf(column, types)}`);
    const keys = columns.filter(({ pk }) => pk > 0n).map(({ name }) => quote(name));
    await connection.unsafe(`create table ${quote(table)} (${declared.join(", ")}, primary key (${keys.join(", ")}))`);
    const names = columns.map(({ name }) => quote(name)).join(", ");
    const marks = columns.map((_, at) => parameter(at + 1)).join(", ");
    await connection.begin(async (tx) => {
      for (const row of file.query<Record<string, unknown>, []>(`select * from "${table}"`).all()) {
        const values = columns.map(({ name, type }) => toServer(row[name], type.toLowerCase()));
        await tx.unsafe(`insert into ${quote(table)} (${names}) values (${marks})`, values);
      }
    });
  }
}

function toServer(value: unknown, type: string): unknown {
  if (type === "numeric" && value !== null) {
    return Boolean(Number(value));
  }
  return type === "datetime" && typeof value === "string" ? new Date(value) : value;
}

/** The file's database on the Postgres of the tests. */
export async function copyToPostgres(path: string): Promise<PeerServer> {
  const database = await createTestDatabase();
  const connection = new SQL(database.url, { max: 1, bigint: true });
  using file = new Sqlite(path, { readonly: true, safeIntegers: true });
  try {
    await connection.unsafe("drop schema public cascade; create schema public");
    await copyTables(file, connection, servers.postgres);
  } finally {
    await connection.close({ timeout: 1 });
  }
  return { url: database.url, [Symbol.asyncDispose]: () => database.drop() };
}

/** A password that has to be escaped in an address. */
const [user, password] = ["mover", "p@ss:w/rd"];

/** A MariaDB of the test's own, which ends with it. */
export class MariaDb implements AsyncDisposable {
  readonly #folder: string;
  readonly #port: number;
  readonly #program: ReturnType<typeof startProgram>;

  private constructor(folder: string, port: number, program: ReturnType<typeof startProgram>) {
    this.#folder = folder;
    this.#port = port;
    this.#program = program;
  }

  static async start(): Promise<MariaDb> {
    const folder = mkdtempSync(join(tmpdir(), "sluice-mariadb-"));
    const own = ["--no-defaults", `--datadir=${join(folder, "data")}`];
    const asRoot = process.getuid?.() === 0 ? ["--user=root"] : [];
    const words = [...own, "--auth-root-authentication-method=normal", "--skip-test-db", ...asRoot];
    const made = Bun.spawn(["mariadb-install-db", ...words], { stdout: "pipe", stderr: "pipe" });
    const said = await Promise.all([new Response(made.stdout).text(), new Response(made.stderr).text()]);
    if ((await made.exited) !== 0) {
      throw new Error(`mariadb-install-db failed: ${said.join("\n")}`);
    }
    const grants = join(folder, "grants.sql");
    writeFileSync(
      grants,
      `create user '${user}'@'127.0.0.1' identified by '${password}';\ngrant all on *.* to '${user}'@'127.0.0.1';\n`,
    );
    const port = await findFreePort();
    const program = startProgram({
      command: [
        ...["mariadbd", ...own, ...asRoot, `--socket=${join(folder, "socket")}`, "--bind-address=127.0.0.1"],
        ...[`--port=${port}`, `--init-file=${grants}`, "--skip-name-resolve", "--skip-log-bin"],
        // As some hosted servers have it.
        "--transaction-isolation=READ-COMMITTED",
        ...["--innodb-buffer-pool-size=16M", "--innodb-log-file-size=8M", "--innodb-flush-log-at-trx-commit=0"],
      ],
      env: {},
    });
    await program.waitFor("ready for connections");
    return new MariaDb(folder, port, program);
  }

  /** The file's database here. @returns its address as a URL, and as Go programs write it */
  async copy(path: string, name: string): Promise<{ readonly url: string; readonly goAddress: string }> {
    const login = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
    const server = `mysql://${login}@127.0.0.1:${this.#port}`;
    const admin = new SQL(`${server}/mysql`, { max: 1 });
    await admin.unsafe(`create database ${name} character set utf8mb4`);
    await admin.close({ timeout: 1 });
    const connection = new SQL(`${server}/${name}`, { max: 1, bigint: true });
    using file = new Sqlite(path, { readonly: true, safeIntegers: true });
    try {
      await copyTables(file, connection, servers.mysql);
    } finally {
      await connection.close({ timeout: 1 });
    }
    const goAddress = `${user}:${password}@tcp(127.0.0.1:${this.#port})/${name}?charset=utf8mb4&parseTime=True`;
    return { url: `${server}/${name}`, goAddress };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#program.signal("SIGTERM");
    await this.#program.exited;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

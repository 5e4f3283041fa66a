import { type ReservedSQL, SQL } from "bun";
import { plainName, type Row, type Source } from "./model.ts";

const rowsAtOnce = 1_000;
const connectSecondsMax = 15;

type Dialect = {
  readonly begin: readonly string[];
  readonly quote: (name: string) => string;
  readonly currentSchema: string;
  readonly parameter: (number: number) => string;
};
const dialects: Readonly<Record<"postgres" | "mysql", Dialect>> = {
  postgres: {
    begin: ["begin isolation level repeatable read read only"],
    quote: (name) => `"${name}"`,
    currentSchema: "current_schema()",
    parameter: (number) => `$${number}`,
  },
  mysql: {
    begin: [
      // Servers with another default would take no snapshot, and say nothing.
      "set session transaction isolation level repeatable read",
      "start transaction with consistent snapshot, read only",
    ],
    quote: (name) => `\`${name}\``,
    currentSchema: "database()",
    parameter: () => "?",
  },
};

/** Reads a database of Postgres or MySQL, in one transaction that sees one moment of it. */
export class ServerSource implements Source {
  readonly #pool: SQL;
  readonly #connection: ReservedSQL;
  readonly #dialect: Dialect;
  #cursors = 0;
  #isOneMoment = true;

  private constructor(pool: SQL, connection: ReservedSQL, dialect: Dialect) {
    this.#pool = pool;
    this.#connection = connection;
    this.#dialect = dialect;
  }

  /** @param url `postgres://...` or `mysql://...` */
  static async open(url: string): Promise<ServerSource> {
    const dialect = dialects[url.startsWith("mysql:") ? "mysql" : "postgres"];
    const pool = new SQL(url, { max: 1, bigint: true, connectionTimeout: connectSecondsMax });
    try {
      const connection = await pool.reserve();
      for (const statement of dialect.begin) {
        await connection.unsafe(statement);
      }
      return new ServerSource(pool, connection, dialect);
    } catch (error) {
      await pool.close({ timeout: 0 });
      const why = error instanceof Error ? error.message : "unknown";
      throw new Error(`the database to move from can't be opened: ${why}`, { cause: error });
    }
  }

  async tables(): Promise<readonly string[]> {
    const found = (await this.#connection.unsafe(
      `select table_name as name from information_schema.tables
       where table_schema = ${this.#dialect.currentSchema} and table_type = 'BASE TABLE'`,
    )) as { name: string }[];
    return found.map(({ name }) => name);
  }

  async columnsOf(table: string): Promise<ReadonlySet<string> | null> {
    const found = (await this.#connection.unsafe(
      `select column_name as name from information_schema.columns
       where table_schema = ${this.#dialect.currentSchema} and table_name = '${plainName(table)}'`,
    )) as { name: string }[];
    return found.length === 0 ? null : new Set(found.map(({ name }) => name));
  }

  async countOf(table: string): Promise<number | null> {
    if ((await this.columnsOf(table)) === null) {
      return null;
    }
    const [found] = (await this.#connection.unsafe(
      `select count(*) as count from ${this.#dialect.quote(plainName(table))}`,
    )) as { count: bigint | number }[];
    return Number(found?.count ?? 0);
  }

  async *rows(table: string, ...orderBy: readonly string[]): AsyncIterable<Row> {
    const { quote } = this.#dialect;
    const [from, order] = [quote(plainName(table)), orderBy.map((name) => quote(plainName(name))).join(", ")];
    if (this.#dialect === dialects.mysql) {
      for await (const page of this.#inOrder(from, order, orderBy)) {
        yield* page;
      }
      return;
    }
    this.#cursors += 1;
    const cursor = `rows_${this.#cursors}`;
    await this.#connection.unsafe(`declare ${cursor} no scroll cursor for select * from ${from} order by ${order}`);
    for (;;) {
      const page = (await this.#connection.unsafe(`fetch ${rowsAtOnce} from ${cursor}`)) as Row[];
      yield* page;
      if (page.length < rowsAtOnce) {
        await this.#connection.unsafe(`close ${cursor}`);
        return;
      }
    }
  }

  async *pages(table: string): AsyncIterable<readonly Row[]> {
    await this.#endMoment();
    const { quote } = this.#dialect;
    yield* this.#inOrder(quote(plainName(table)), quote("id"), ["id"]);
  }

  /** Each page begins after the last row of the one before: no two rows are at the same place. */
  async *#inOrder(from: string, order: string, orderBy: readonly string[]): AsyncIterable<readonly Row[]> {
    let last: readonly unknown[] = [];
    for (;;) {
      const marks = last.map((_, at) => this.#dialect.parameter(at + 1)).join(", ");
      const after = last.length === 0 ? "" : `where (${order}) > (${marks})`;
      const statement = `select * from ${from} ${after} order by ${order} limit ${rowsAtOnce}`;
      const page = (await this.#connection.unsafe(statement, [...last])) as Row[];
      yield page;
      const end = page.at(-1);
      if (end === undefined || page.length < rowsAtOnce) {
        return;
      }
      last = orderBy.map((name) => end[name]);
    }
  }

  async close(): Promise<void> {
    await this.#endMoment();
    this.#connection.release();
    await this.#pool.close({ timeout: 2 });
  }

  async #endMoment(): Promise<void> {
    if (this.#isOneMoment) {
      this.#isOneMoment = false;
      await this.#connection.unsafe("rollback");
    }
  }
}

import { type ReservedSQL, SQL } from "bun";
import { plainName, type Row, type Source } from "./model.ts";

const rowsAtOnce = 1_000;
const connectSecondsMax = 15;

type Dialect = {
  readonly begin: string;
  readonly quote: (name: string) => string;
  readonly currentSchema: string;
};
const dialects: Readonly<Record<"postgres" | "mysql", Dialect>> = {
  postgres: {
    begin: "begin isolation level repeatable read read only",
    quote: (name) => `"${name}"`,
    currentSchema: "current_schema()",
  },
  mysql: {
    begin: "start transaction with consistent snapshot, read only",
    quote: (name) => `\`${name}\``,
    currentSchema: "database()",
  },
};

/** Reads a database of Postgres or MySQL, in one transaction that sees one moment of it. */
export class ServerSource implements Source {
  readonly #pool: SQL;
  readonly #connection: ReservedSQL;
  readonly #dialect: Dialect;

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
      await connection.unsafe(dialect.begin);
      return new ServerSource(pool, connection, dialect);
    } catch (error) {
      await pool.close({ timeout: 0 });
      throw error;
    }
  }

  async columnsOf(table: string): Promise<ReadonlySet<string> | null> {
    const found = (await this.#connection.unsafe(
      `select column_name as name from information_schema.columns
       where table_schema = ${this.#dialect.currentSchema} and table_name = '${plainName(table)}'`,
    )) as { name: string }[];
    return found.length === 0 ? null : new Set(found.map(({ name }) => name));
  }

  async *rows(table: string, orderBy: string): AsyncIterable<Row> {
    const { quote } = this.#dialect;
    const from = `select * from ${quote(plainName(table))} order by ${quote(plainName(orderBy))} limit ${rowsAtOnce}`;
    for (let offset = 0; ; offset += rowsAtOnce) {
      const page = (await this.#connection.unsafe(`${from} offset ${offset}`)) as Row[];
      yield* page;
      if (page.length < rowsAtOnce) {
        return;
      }
    }
  }

  async close(): Promise<void> {
    await this.#connection.unsafe("rollback");
    this.#connection.release();
    await this.#pool.close({ timeout: 2 });
  }
}

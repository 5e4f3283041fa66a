import { Database } from "bun:sqlite";
import { plainName, type Row, type Source } from "./model.ts";

const busyMsMax = 20_000;
const rowsAtOnce = 1_000;

/** Reads a file of SQLite, in one transaction, so that the program may keep writing meanwhile. */
export class SqliteSource implements Source {
  readonly #file: Database;

  /** @throws Error if the file does not exist */
  constructor(path: string) {
    this.#file = new Database(path, { readonly: true, safeIntegers: true });
    // The program writes all the time, and a reader has to wait for its turn.
    this.#file.run(`pragma busy_timeout = ${busyMsMax}`);
    this.#file.run("begin");
  }

  async tables(): Promise<readonly string[]> {
    const statement = "select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\'";
    return this.#file
      .query<{ name: string }, []>(statement)
      .all()
      .map(({ name }) => name);
  }

  async columnsOf(table: string): Promise<ReadonlySet<string> | null> {
    const found = this.#file.query<{ name: string }, [string]>("select name from pragma_table_info(?)").all(table);
    return found.length === 0 ? null : new Set(found.map(({ name }) => name));
  }

  async countOf(table: string): Promise<number | null> {
    if ((await this.columnsOf(table)) === null) {
      return null;
    }
    const found = this.#file.query<{ count: bigint }, []>(`select count(*) as count from "${plainName(table)}"`).get();
    return Number(found?.count ?? 0n);
  }

  async *rows(table: string, ...orderBy: readonly string[]): AsyncIterable<Row> {
    const order = orderBy.map((name) => `"${plainName(name)}"`).join(", ");
    yield* this.#file
      .query<Record<string, unknown>, []>(`select * from "${plainName(table)}" order by ${order}`)
      .iterate();
  }

  /** A reader of a file in its usual mode keeps the program from writing: so a page is a statement of its own. */
  async *pages(table: string): AsyncIterable<readonly Row[]> {
    this.#endMoment();
    const page = this.#file.query<Record<string, unknown>, [bigint | null, bigint | null]>(
      `select * from "${plainName(table)}" where ? is null or id > ? order by id limit ${rowsAtOnce}`,
    );
    let last: bigint | null = null;
    for (;;) {
      const rows = page.all(last, last);
      yield rows;
      if (rows.length < rowsAtOnce) {
        return;
      }
      last = rows.at(-1)?.["id"] as bigint;
    }
  }

  async close(): Promise<void> {
    this.#endMoment();
    this.#file.close();
  }

  #endMoment(): void {
    if (this.#file.inTransaction) {
      this.#file.run("rollback");
    }
  }
}

import { Database } from "bun:sqlite";
import { plainName, type Row, type Source } from "./model.ts";

const busyMsMax = 20_000;

/** Reads a file of SQLite, in one transaction, so that the program may go on writing meanwhile. */
export class SqliteSource implements Source {
  readonly #file: Database;

  /** @throws Error if the file does not exist */
  constructor(path: string) {
    this.#file = new Database(path, { readonly: true, safeIntegers: true });
    // The program writes all the time, and a reader has to wait for its turn.
    this.#file.run(`pragma busy_timeout = ${busyMsMax}`);
    this.#file.run("begin");
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

  async *rows(table: string, orderBy: string): AsyncIterable<Row> {
    yield* this.#file
      .query<Record<string, unknown>, []>(`select * from "${plainName(table)}" order by "${plainName(orderBy)}"`)
      .iterate();
  }

  async close(): Promise<void> {
    this.#file.run("rollback");
    this.#file.close();
  }
}

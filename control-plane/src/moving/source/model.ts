import type { Finding } from "../model.ts";

/** A row of the other program, by the names of its columns. */
export type Row = Readonly<Record<string, unknown>>;

/** One moment of another program's database, which is only read. */
export interface Source {
  /** The names of all tables. */
  tables(): Promise<readonly string[]>;
  /** The columns of a table; null if the database has no such table. */
  columnsOf(table: string): Promise<ReadonlySet<string> | null>;
  /** How many rows a table has; null if the database does not have it. */
  countOf(table: string): Promise<number | null>;
  /** All rows of a table in the order of these columns, which no two rows have in common. */
  rows(table: string, ...orderBy: readonly string[]): AsyncIterable<Row>;
  /**
   * All rows of a long table in the order of `id`, in pages. Each is read as of its own time, so that the program may
   * write meanwhile; so this comes after all that has to be of one moment.
   */
  pages(table: string): AsyncIterable<readonly Row[]>;
  close(): Promise<void>;
}

/** A table and a column can be written into a statement only if they are plain names. */
export function plainName(name: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(name)) {
    throw new Error(`not a plain name: ${JSON.stringify(name.slice(0, 80))}`);
  }
  return name;
}

/** Notes something about a row. */
export type Note = (level: Finding["level"], text: string) => void;

import type { Drizzle } from "./db-drizzle.ts";
import type { StatementResult } from "./db-pool.ts";
import type { ReachabilityListener } from "./db-reachability.ts";

/**
 * What a statement may contain. Columns of many rows are passed as one `arrayLiteral(...)`; JSON as
 * `${text}::text::jsonb`.
 */
export type SqlValue = string | number | bigint | boolean | null | Date | Uint8Array;

/**
 * Runs one statement: ``sql<{ id: bigint }>`select id from api_key where digest = ${digest}` ``. Values are sent as
 * parameters, never as text. `int8` comes back as bigint, `numeric` as text, `bytea` as Buffer, `timestamptz` and
 * `date` as Date (milliseconds; midnight UTC).
 * @throws DatabaseUnavailableError, DatabaseTimeoutError, or Bun's SQL.PostgresError
 */
export type SqlTag = <Row>(strings: TemplateStringsArray, ...values: SqlValue[]) => Promise<Row[]>;

/** How many rows a statement wrote, from what `sql` or `query` returned. */
export function rowsWritten(result: readonly unknown[]): number {
  return (result as StatementResult<unknown>).affectedRows;
}

/** Where a store runs its statements: on the pool or inside a transaction. */
export type Queryable = {
  readonly sql: SqlTag;
  /**
   * Runs a text that the program assembles, with `$1`, `$2` for its values: an insert of many rows, for example. The
   * text must not contain outside input. Each text is prepared once per connection, so there should be few of them.
   */
  readonly query: <Row>(text: string, values: readonly SqlValue[]) => Promise<Row[]>;
  readonly drizzle: Drizzle;
};

export type Transaction = Queryable & {
  /**
   * Runs a part that may fail without failing the transaction: on an error it is rolled back and the error rethrown.
   */
  readonly savepoint: <T>(work: () => Promise<T>) => Promise<T>;
  /** Runs a `COPY ... FROM STDIN` of the program with what it reads. */
  readonly copyIn: (text: string, bytes: Uint8Array) => Promise<void>;
};

export type TransactionOptions = {
  readonly isolation?: "read committed" | "repeatable read" | "serializable";
  /** The server's limit for each statement of this transaction; the pool's if absent. */
  readonly statementTimeoutMs?: number;
  /**
   * An option for reads that a person waits for. Every statement is planned for its own values: otherwise the server
   * uses one plan for all of them once it has seen a statement five times, which is right for keys, but wrong where one
   * value means three rows and another millions. It also runs without parallel workers: starting them takes longer than
   * a page may.
   */
  readonly isPageRead?: boolean;
};

export type Database = Queryable & {
  /**
   * Runs `work` between BEGIN and COMMIT on one connection. Work that the server rolled back because of a concurrent
   * transaction (serialization failure, deadlock) is run again, at most three times: `work` must not have effects
   * elsewhere.
   * @throws CommitUnknownError when the connection was lost during COMMIT; look for the effect before trying again
   */
  readonly withTransaction: <T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions) => Promise<T>;
  /** Whether the database was reachable the last time; false before the first response. */
  readonly isReachable: () => boolean;
  /** Calls the listener at every change; returns a function that stops it. */
  readonly onReachabilityChange: (listener: ReachabilityListener) => () => void;
  /** Asks the server once, over a fresh connection. Never throws. */
  readonly ping: (timeoutMs?: number) => Promise<boolean>;
  /** The numbers for gauges: connections in use, and callers waiting for one. */
  readonly load: () => { readonly inUse: number; readonly waiting: number };
  /** Waits for running work for at most `timeoutMs`, then closes every connection. */
  readonly close: (timeoutMs: number) => Promise<void>;
};

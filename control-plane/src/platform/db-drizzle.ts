import type { SQL } from "bun";
import { DrizzleQueryError } from "drizzle-orm";
import { BunSQLSession } from "drizzle-orm/bun-sql/session";
import { PgDatabase, PgDialect, type PgQueryResultHKT, type PreparedQueryConfig } from "drizzle-orm/pg-core";
import type { StatementResult, StatementSource } from "./db-pool.ts";

/** What a statement without `returning` resolves to; `rowsWritten` counts it. */
interface WrittenRows extends PgQueryResultHKT {
  readonly type: StatementResult<this["row"]>;
}

/** The query builder for plain reads and writes: a column that is renamed or changes its type is a compile error. */
export type Drizzle = PgDatabase<WrittenRows>;

/** Makes a query builder that runs its statements with `run`. */
export type MakeBuilder = (run: Run) => Drizzle;

type Run = <Row>(source: StatementSource<Row>) => Promise<StatementResult<Row>>;

const dialect = new PgDialect();

/**
 * The query builder on top of our own `run`, so that its statements have the same limits and errors as all others. It
 * needs only two things from its driver: to run a text with parameters, and to do so with rows as arrays. Transactions
 * are opened with `Database.withTransaction`, never through the builder, because only the former handles lost COMMITs
 * and retries.
 */
export function drizzleOn(run: Run): Drizzle {
  const driver = {
    options: {},
    unsafe: (text: string, parameters: unknown[]) => new LazyStatement(run, text, parameters),
    begin: () => Promise.reject(new Error("open transactions with Database.withTransaction")),
    savepoint: () => Promise.reject(new Error("open savepoints with Transaction.savepoint")),
  };
  // The type of the builder requires the whole client, but its code uses only the members above.
  return new PgDatabase(dialect, new Session(driver as unknown as SQL, dialect, undefined), undefined);
}

type Base = BunSQLSession<SQL, Record<string, never>, Record<string, never>>;

/**
 * The builder wraps every failure in an error whose message quotes the statement and its parameters. Parameters can be
 * secrets and personal data, so that wrapper must not reach a log: this session throws the wrapped error.
 */
class Session extends BunSQLSession<SQL, Record<string, never>, Record<string, never>> {
  override prepareQuery<T extends PreparedQueryConfig>(...what: Parameters<Base["prepareQuery"]>) {
    const statement = super.prepareQuery<T>(...what);
    const execute = statement.execute.bind(statement);
    statement.execute = async (values) => {
      try {
        return await execute(values);
      } catch (error) {
        throw error instanceof DrizzleQueryError ? error.cause : error;
      }
    };
    return statement;
  }
}

/**
 * A statement that runs when it is awaited, as the driver's own queries do; in array form if `values` is called before.
 */
class LazyStatement implements PromiseLike<StatementResult<unknown>> {
  readonly #run: Run;
  readonly #text: string;
  readonly #parameters: unknown[];

  constructor(run: Run, text: string, parameters: unknown[]) {
    this.#run = run;
    this.#text = text;
    this.#parameters = parameters;
  }

  values(): Promise<StatementResult<unknown>> {
    return this.#run((client) => client.unsafe(this.#text, this.#parameters).values());
  }

  // biome-ignore lint/suspicious/noThenProperty: the query builder awaits what its driver returns
  then<Fulfilled, Rejected>(
    onFulfilled?: ((result: StatementResult<unknown>) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    const result = this.#run<unknown>((client) => client.unsafe(this.#text, this.#parameters));
    return result.then(onFulfilled, onRejected) as Promise<Fulfilled | Rejected>;
  }
}

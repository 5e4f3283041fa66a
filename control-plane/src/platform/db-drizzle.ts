import type { SQL } from "bun";
import { type BunSQLDatabase, drizzle } from "drizzle-orm/bun-sql";
import type { StatementResult, StatementSource } from "./db-pool.ts";

/** The query builder for code that is not on the path of a relay call; about 20 times the CPU of `sql`. */
export type Drizzle = BunSQLDatabase<Record<string, never>>;

type Run = <Row>(source: StatementSource<Row>) => Promise<StatementResult<Row>>;

/**
 * The query builder on top of our own `run`, so that its statements have the same limits and errors as all others.
 * It asks its driver for two things only: to run a text with parameters, and to do so with rows as arrays.
 * Transactions are opened with `Database.withTransaction`, never through the builder, because only the former knows
 * about lost COMMITs and retries.
 */
export function drizzleOn(run: Run): Drizzle {
  const driver = {
    options: {},
    unsafe: (text: string, parameters: unknown[]) => new LazyStatement(run, text, parameters),
    begin: () => Promise.reject(new Error("open transactions with Database.withTransaction")),
    savepoint: () => Promise.reject(new Error("open savepoints with Transaction.savepoint")),
  };
  // The builder's type asks for the whole client; it uses the members above.
  return drizzle({ client: driver as unknown as SQL });
}

/** Runs when it is awaited, as the driver's own queries do, or in array form when `values` is called before. */
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

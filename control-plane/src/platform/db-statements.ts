import type { Database } from "./db.ts";
import type { Drizzle, MakeBuilder } from "./db-drizzle.ts";
import { ConnectionPool, type StatementResult, type StatementSource } from "./db-pool.ts";
import { Reachability } from "./db-reachability.ts";
import { currentRehearsal, rehearsedWork } from "./db-rehearsal.ts";
import { runReadOnly, runTransaction } from "./db-transaction.ts";

export type DatabaseOptions = {
  readonly url: string;
  readonly poolMax: number;
  readonly applicationName: string;
  /** The role without DDL (see db/app-role.ts), or null to act as the login role. */
  readonly role?: string | null;
  readonly statementTimeoutMs?: number;
  readonly lockTimeoutMs?: number;
  readonly idleInTransactionTimeoutMs?: number;
  readonly acquireTimeoutMs?: number;
};

const defaults = {
  role: null,
  statementTimeoutMs: 5_000,
  lockTimeoutMs: 2_000,
  idleInTransactionTimeoutMs: 10_000,
  acquireTimeoutMs: 2_000,
};

/**
 * `openDatabase` with a query builder from elsewhere, for threads that write their own statements: the module of the
 * builder takes 4 MB in each thread.
 */
export function openStatements(options: DatabaseOptions, makeBuilder: MakeBuilder): Database {
  const reachability = new Reachability(options.url);
  const poolOptions = { ...defaults, ...options, onContact: reachability.note, isAway: () => reachability.isAway };
  const pool = new ConnectionPool(poolOptions);
  const run = <Row>(source: StatementSource<Row>): Promise<StatementResult<Row>> =>
    currentRehearsal() === undefined ? pool.run(source) : runReadOnly(pool, source);
  let builder: Drizzle | null = null;
  return {
    sql: (strings, ...values) => run((client) => client(strings, ...values)),
    query: (text, values) => run((client) => client.unsafe(text, [...values])),
    get drizzle() {
      builder ??= makeBuilder((source) => run(source));
      return builder;
    },
    withTransaction: (work, transactionOptions) => {
      const rehearsal = currentRehearsal();
      return runTransaction(
        pool,
        rehearsal === undefined ? work : rehearsedWork(rehearsal, work),
        transactionOptions ?? {},
        makeBuilder,
      );
    },
    isReachable: () => reachability.isReachable,
    onReachabilityChange: (listener) => reachability.subscribe(listener),
    ping: (timeoutMs) => reachability.ping(timeoutMs),
    load: () => ({ inUse: pool.inUse, waiting: pool.waiting }),
    close: async (timeoutMs) => {
      reachability.close();
      await pool.close(timeoutMs);
    },
  };
}

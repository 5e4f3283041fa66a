import type { Database } from "./db.ts";
import { drizzleOn } from "./db-drizzle.ts";
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
 * Prepares the pool; connections are opened by the first statements. Call `ping` to check whether the server is there.
 */
export function openDatabase(options: DatabaseOptions): Database {
  const reachability = new Reachability(options.url);
  const poolOptions = { ...defaults, ...options, onContact: reachability.note, isAway: () => reachability.isAway };
  const pool = new ConnectionPool(poolOptions);
  const run = <Row>(source: StatementSource<Row>): Promise<StatementResult<Row>> =>
    currentRehearsal() === undefined ? pool.run(source) : runReadOnly(pool, source);
  return {
    sql: (strings, ...values) => run((client) => client(strings, ...values)),
    query: (text, values) => run((client) => client.unsafe(text, [...values])),
    drizzle: drizzleOn((source) => run(source)),
    withTransaction: (work, transactionOptions) => {
      const rehearsal = currentRehearsal();
      return runTransaction(
        pool,
        rehearsal === undefined ? work : rehearsedWork(rehearsal, work),
        transactionOptions ?? {},
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

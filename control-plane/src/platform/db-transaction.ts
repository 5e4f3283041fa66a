import { backoffMs } from "./backoff.ts";
import type { Transaction, TransactionOptions } from "./db.ts";
import type { Drizzle, MakeBuilder } from "./db-drizzle.ts";
import {
  CommitUnknownError,
  DatabaseTimeoutError,
  DatabaseUnavailableError,
  isRetryable,
  TransactionAbortedError,
} from "./db-errors.ts";
import type { ConnectionPool, PooledConnection, StatementResult, StatementSource } from "./db-pool.ts";

const retriesMax = 3;
/** The wait is random from zero up: without that, both rivals would retry at the same time, and collide again. */
const retryBackoff = { minMs: 20, maxMs: 80, chance: 1 };

/** Implements `Database.withTransaction`. */
export async function runTransaction<T>(
  pool: ConnectionPool,
  work: (tx: Transaction) => Promise<T>,
  limits: TransactionOptions,
  makeBuilder: MakeBuilder,
): Promise<T> {
  for (let retry = 0; ; retry += 1) {
    try {
      return await runOnce(pool, work, limits, makeBuilder);
    } catch (error) {
      if (retry >= retriesMax || !isRetryable(error)) {
        throw error;
      }
      await Bun.sleep(backoffMs(retryBackoff, retry + 1));
    }
  }
}

/** Runs one statement that may only read. @throws what the server says of one that writes */
export async function runReadOnly<Row>(
  pool: ConnectionPool,
  source: StatementSource<Row>,
): Promise<StatementResult<Row>> {
  const connection = await begin(pool, { isReadOnly: true });
  try {
    return await connection.run(source);
  } finally {
    await rollBack(connection);
    connection.release();
  }
}

async function runOnce<T>(
  pool: ConnectionPool,
  work: (tx: Transaction) => Promise<T>,
  limits: TransactionOptions,
  makeBuilder: MakeBuilder,
): Promise<T> {
  const connection = await begin(pool, limits);
  const scope = { isOpen: true };
  try {
    const result = await work(transactionOn(connection, limits, scope, makeBuilder));
    scope.isOpen = false;
    await commit(connection, limits);
    return result;
  } catch (error) {
    scope.isOpen = false;
    await rollBack(connection);
    throw error;
  } finally {
    connection.release();
  }
}

/**
 * Opens a transaction. A pooled connection may have died unnoticed; nothing has been done yet, so a second connection
 * is tried.
 */
async function begin(pool: ConnectionPool, limits: BeginOptions): Promise<PooledConnection> {
  const text = beginText(limits);
  const first = await pool.acquire();
  try {
    await first.run((client) => client.unsafe(text).simple());
    return first;
  } catch (error) {
    first.destroy();
    if (!(error instanceof DatabaseUnavailableError)) {
      throw error;
    }
  }
  const second = await pool.acquire();
  try {
    await second.run((client) => client.unsafe(text).simple());
    return second;
  } catch (error) {
    second.destroy();
    throw error;
  }
}

const pagePlans = "set local plan_cache_mode = force_custom_plan; set local max_parallel_workers_per_gather = 0";

type BeginOptions = TransactionOptions & { readonly isReadOnly?: boolean };

function beginText(limits: BeginOptions): string {
  // Both values come from the code and not from a request: one is a fixed word, the other an integer.
  const { isolation = "read committed", statementTimeoutMs, isPageRead, isReadOnly } = limits;
  const statements = [
    `begin isolation level ${isolation}${isReadOnly === true ? " read only" : ""}`,
    ...(statementTimeoutMs === undefined ? [] : [`set local statement_timeout = ${Math.ceil(statementTimeoutMs)}`]),
    ...(isPageRead === true ? [pagePlans] : []),
  ];
  return statements.join("; ");
}

async function commit(connection: PooledConnection, limits: TransactionOptions): Promise<void> {
  if (connection.isLost) {
    // The work swallowed the loss of the connection. COMMIT was never sent, so nothing happened.
    throw new DatabaseUnavailableError("the connection was lost inside the transaction");
  }
  let command: string | null;
  try {
    const result = await connection.run((client) => client`commit`.simple(), limits.statementTimeoutMs);
    command = result.command;
  } catch (error) {
    if (error instanceof DatabaseUnavailableError || isSilence(error)) {
      throw new CommitUnknownError(error);
    }
    throw error;
  }
  if (command !== "COMMIT") {
    throw new TransactionAbortedError();
  }
}

function isSilence(error: unknown): boolean {
  return error instanceof DatabaseTimeoutError && error.source === "client";
}

/** Rolls back; a connection that can't even do that is closed, which rolls back too. */
async function rollBack(connection: PooledConnection): Promise<void> {
  try {
    await connection.run((client) => client`rollback`.simple());
  } catch {
    connection.destroy();
  }
}

function transactionOn(
  connection: PooledConnection,
  limits: TransactionOptions,
  scope: { isOpen: boolean },
  makeBuilder: MakeBuilder,
): Transaction {
  const assertOpen = () => {
    if (!scope.isOpen) {
      throw new Error("the transaction has ended; a statement was not awaited inside it");
    }
  };
  const run = <Row>(source: StatementSource<Row>) => {
    assertOpen();
    return connection.run(source, limits.statementTimeoutMs);
  };
  let savepoints = 0;
  let builder: Drizzle | null = null;
  return {
    sql: async (strings, ...values) => run((client) => client(strings, ...values)),
    query: async (text, values) => run((client) => client.unsafe(text, [...values])),
    get drizzle() {
      builder ??= makeBuilder(async (source) => run(source));
      return builder;
    },
    copyIn: async (text, bytes) => {
      assertOpen();
      await connection.copyIn(text, bytes, limits.statementTimeoutMs);
    },
    savepoint: async (work) => {
      savepoints += 1;
      const name = `s${savepoints}`;
      await run((client) => client.unsafe(`savepoint ${name}`));
      try {
        const result = await work();
        await run((client) => client.unsafe(`release savepoint ${name}`));
        return result;
      } catch (error) {
        await run((client) => client.unsafe(`rollback to savepoint ${name}`));
        throw error;
      }
    },
  };
}

/**
 * What can go wrong between us and Postgres, sorted by what the caller may conclude from it. Errors that the server
 * returned deliberately (a violated constraint, a failed cast) stay Bun's `SQL.PostgresError`; `sqlStateOf` reads their
 * code through any wrapper.
 */

/** The server is unreachable, hung up, or refuses connections. A write may or may not have happened. */
export class DatabaseUnavailableError extends Error {
  override readonly name = "DatabaseUnavailableError";
}

/** No connection of the pool became free in time, so the statement was not sent. */
export class PoolExhaustedError extends DatabaseUnavailableError {}

/**
 * The statement was not finished in time. `source` says who gave up: the server (`statement` or `lock` limit; the
 * statement had no effect) or we (`client`: the server was silent, the connection was closed, the effect is unknown).
 */
export class DatabaseTimeoutError extends Error {
  override readonly name = "DatabaseTimeoutError";
  readonly source: "statement" | "lock" | "client";

  constructor(source: "statement" | "lock" | "client", cause?: unknown) {
    super(`the database did not finish in time (${source} limit)`, { cause });
    this.source = source;
  }
}

/**
 * The connection was lost after COMMIT was sent and before its response came: the transaction may have happened or not.
 * The caller must look for its effect (by request id, order number, ...) before it tries again.
 */
export class CommitUnknownError extends Error {
  override readonly name = "CommitUnknownError";

  constructor(cause: unknown) {
    super("the connection was lost during COMMIT; whether the transaction happened is unknown", { cause });
  }
}

/** A statement inside the transaction failed and the failure was swallowed: Postgres turned COMMIT into ROLLBACK. */
export class TransactionAbortedError extends Error {
  override readonly name = "TransactionAbortedError";

  constructor() {
    super("a statement of the transaction had failed; the server rolled back instead of committing");
  }
}

const statementTimeout = "57014";
const lockNotAvailable = "55P03";
const serializationFailure = "40001";
const deadlockDetected = "40P01";

/** Class 08: connection exceptions. 57P0x: shutting down, crashed, starting up. 53300: too many connections. */
const unavailableStates = /^(08...|57P0.|53300)$/;

/** How deep a chain of `cause` is followed; wrappers are one or two levels. */
const causeDepthMax = 5;

function findInCauses<T>(error: unknown, read: (candidate: Error) => T | null): T | null {
  let candidate: unknown = error;
  for (let depth = 0; depth < causeDepthMax && candidate instanceof Error; depth += 1) {
    const found = read(candidate);
    if (found !== null) {
      return found;
    }
    candidate = candidate.cause;
  }
  return null;
}

function postgresErrorOf(error: unknown): Bun.SQL.PostgresError | null {
  return findInCauses(error, (candidate) => (candidate instanceof Bun.SQL.PostgresError ? candidate : null));
}

/** The five-character SQLSTATE of the server's error, or null if the server did not return one. */
export function sqlStateOf(error: unknown): string | null {
  return postgresErrorOf(error)?.errno ?? null;
}

/** Whether the server refused a row because of a unique constraint (of that name, if one is given). */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const failure = postgresErrorOf(error);
  return failure?.errno === "23505" && (constraint === undefined || failure.constraint === constraint);
}

/** Whether a row was refused because its day has no partition yet. */
export function isMissingPartition(error: unknown): boolean {
  const failure = postgresErrorOf(error);
  // A violated check has the same code but names its constraint.
  return failure?.errno === "23514" && failure.routine === "ExecFindPartition";
}

/** Whether retrying the whole transaction is right: the server rolled it back because of a concurrent one. */
export function isRetryable(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === serializationFailure || state === deadlockDetected;
}

/** Whether the caller should say "temporarily unavailable": outage, exhausted pool, or any time limit. */
export function isDatabaseOutage(error: unknown): boolean {
  return (
    findInCauses(error, (candidate) =>
      candidate instanceof DatabaseUnavailableError ||
      candidate instanceof DatabaseTimeoutError ||
      candidate instanceof CommitUnknownError
        ? true
        : null,
    ) ?? false
  );
}

/** Whether the connection is gone, as opposed to an ordinary error response on a connection that is still usable. */
export function isConnectionLoss(error: unknown): boolean {
  if (error instanceof DatabaseUnavailableError) {
    return true;
  }
  const failure = postgresErrorOf(error);
  if (failure === null) {
    return false;
  }
  if (failure.errno === undefined) {
    return failure.code.startsWith("ERR_POSTGRES_CONNECTION");
  }
  return unavailableStates.test(failure.errno) || failure.severity === "FATAL" || failure.severity === "PANIC";
}

/** Turns what the driver threw into one of the errors above; other errors are returned as they are. */
export function translateDriverError(error: unknown): unknown {
  if (isConnectionLoss(error)) {
    return error instanceof DatabaseUnavailableError
      ? error
      : new DatabaseUnavailableError("the database is not reachable", { cause: error });
  }
  switch (sqlStateOf(error)) {
    case statementTimeout:
      return new DatabaseTimeoutError("statement", error);
    case lockNotAvailable:
      return new DatabaseTimeoutError("lock", error);
    default:
      return error;
  }
}

/** Whether a statement gave up waiting for another transaction. */
export function isLockTimeout(error: unknown): boolean {
  return sqlStateOf(error) === lockNotAvailable;
}

import { SQL } from "bun";
import {
  CommitUnknownError,
  DatabaseTimeoutError,
  DatabaseUnavailableError,
  isConnectionLoss,
  isDatabaseOutage,
  sqlStateOf,
} from "./db-errors.ts";

/**
 * A failure of the database in the form in which it goes from one thread to another: messages keep no classes. `state`
 * is the SQLSTATE of a failure that the server returned.
 */
export type DatabaseErrorMessage = {
  readonly kind: "unavailable" | "commit_unknown" | "timeout" | "returned" | "other";
  readonly message: string;
  readonly state: string | null;
  readonly source: DatabaseTimeoutError["source"] | null;
};

export function toErrorMessage(error: unknown): DatabaseErrorMessage {
  const message = error instanceof Error ? error.message : String(error);
  const state = sqlStateOf(error);
  const source = error instanceof DatabaseTimeoutError ? error.source : null;
  if (error instanceof CommitUnknownError) {
    return { kind: "commit_unknown", message, state, source };
  }
  if (source !== null) {
    return { kind: "timeout", message, state, source };
  }
  if (isDatabaseOutage(error) || isConnectionLoss(error)) {
    return { kind: "unavailable", message, state, source };
  }
  return { kind: state === null ? "other" : "returned", message, state, source };
}

/** An error of the same class and code, so that callers draw the same conclusions. */
export function fromErrorMessage({ kind, message, state, source }: DatabaseErrorMessage): Error {
  switch (kind) {
    case "commit_unknown":
      return new CommitUnknownError(new Error(message));
    case "timeout":
      return new DatabaseTimeoutError(source ?? "client");
    case "unavailable":
      return new DatabaseUnavailableError(message);
    case "returned":
      return new SQL.PostgresError(message, { code: "ERR_POSTGRES_SERVER_ERROR", errno: state ?? "" } as never);
    case "other":
      return new Error(message);
  }
}

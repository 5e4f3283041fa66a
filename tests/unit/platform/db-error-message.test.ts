import { describe, expect, test } from "bun:test";
import { fromErrorMessage, toErrorMessage } from "@sluice/control-plane/platform/db-error-message.ts";
import {
  CommitUnknownError,
  DatabaseTimeoutError,
  DatabaseUnavailableError,
  isConnectionLoss,
  isDatabaseOutage,
  PoolExhaustedError,
  sqlStateOf,
} from "@sluice/control-plane/platform/db-errors.ts";
import { isFaultOfRows } from "@sluice/control-plane/platform/spool/poison.ts";
import { SQL } from "bun";

const returned = (state: string, message: string) =>
  new SQL.PostgresError(message, { code: "ERR_POSTGRES_SERVER_ERROR", errno: state } as never);

const errors: [string, unknown][] = [
  ["an outage", new DatabaseUnavailableError("the database is not reachable")],
  ["a full pool", new PoolExhaustedError("no database connection became free")],
  ["an outage as a cause", new Error("could not commit", { cause: new DatabaseUnavailableError("gone") })],
  ["a statement that took too long", new DatabaseTimeoutError("statement")],
  ["a lock that was not free", new DatabaseTimeoutError("lock")],
  ["a silent server", new DatabaseTimeoutError("client")],
  ["a lost COMMIT", new CommitUnknownError(new Error("closed"))],
  ["a violated check", returned("23514", "new row violates check constraint")],
  ["a number out of range", returned("22003", "bigint out of range")],
  ["a missing table", returned("42P01", "relation does not exist")],
  ["a server that shuts down", returned("57P01", "terminating connection")],
  ["a bug", new Error("budget 7 of a usage row does not exist")],
  ["no error at all", "a text"],
];

describe("an error of the database that crosses threads", () => {
  test.each(errors)("leads to the same conclusions: %s", (_name, error) => {
    const arrived = fromErrorMessage(structuredClone(toErrorMessage(error)));
    const conclusions = (seen: unknown) => ({
      isOutage: isDatabaseOutage(seen) || isConnectionLoss(seen),
      isRejected: [1, 5].map((repeats) => isFaultOfRows({ error: seen, repeats, rows: 1 })),
      source: seen instanceof DatabaseTimeoutError ? seen.source : null,
    });
    expect(conclusions(arrived)).toEqual(conclusions(error));
    if (!isConnectionLoss(error)) {
      expect(sqlStateOf(arrived)).toBe(sqlStateOf(error));
    }
    expect(arrived.message).toContain(error instanceof Error ? error.message : "a text");
  });
});

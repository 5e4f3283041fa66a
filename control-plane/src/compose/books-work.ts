import { systemClock } from "../platform/clock.ts";
import { openStatements } from "../platform/db-statements.ts";
import { onThreadMessages } from "../platform/kept-thread.ts";
import { type Log, type LogFields, type LogLevel, plain } from "../platform/log.ts";
import type { PayloadOrder } from "../trace/payload-thread.ts";
import { openPayloadWork } from "../trace/payload-work.ts";
import type { BooksLine, BooksSetup } from "./books-thread.ts";
import type { CommitOrder } from "./call-commits.ts";
import { openCommitWork } from "./commit-work.ts";

/* The code that the second thread of the books runs; the counterpart of `books-thread.ts`. */

const connectionsMax = 2;

const noBuilder = (): never => {
  throw new Error("the second thread of the books has no query builder");
};

function openLog(bound: LogFields): Log {
  const send =
    (level: LogLevel) =>
    (event: string, fields: LogFields = {}) => {
      const entries = Object.entries({ ...bound, ...fields });
      const line: BooksLine = {
        topic: "log",
        level,
        event,
        fields: Object.fromEntries(entries.map(([name, value]) => [name, plain(value)])),
      };
      postMessage(line);
    };
  return {
    debug: send("debug"),
    info: send("info"),
    warn: send("warn"),
    error: send("error"),
    with: (fields) => openLog({ ...bound, ...fields }),
  };
}

const log = openLog({});
let payloads: ((order: PayloadOrder) => void) | null = null;
let commits: ((order: CommitOrder) => void) | null = null;

onThreadMessages({
  setup: ({ database }: BooksSetup) => {
    const options = { ...database, poolMax: connectionsMax, applicationName: "sluice books" };
    const db = openStatements(options, noBuilder);
    commits = openCommitWork(db, (news) => postMessage(news));
    payloads = openPayloadWork({ db, clock: systemClock, log, report: (news) => postMessage(news) });
  },
  payloads: (order: PayloadOrder) => payloads?.(order),
  commits: (order: CommitOrder) => commits?.(order),
});

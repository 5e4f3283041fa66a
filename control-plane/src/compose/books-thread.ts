import { KeptThread } from "../platform/kept-thread.ts";
import type { Log, LogLevel } from "../platform/log.ts";
import { programFile } from "../platform/program-files.ts";

/*
 * The second thread of the books: it commits the rows of calls, and seals their bodies and writes them, over
 * connections of its own, so that calls do not wait for that work.
 */

/** How the thread reaches the database. */
export type BooksDatabase = { readonly url: string; readonly role: string | null };

/** The first message: what the thread needs before any work. */
export type BooksSetup = { readonly topic: "setup"; readonly database: BooksDatabase };

/** A line of the thread's log. Errors are plain already, because a message would not keep their names. */
export type BooksLine = {
  readonly topic: "log";
  readonly level: LogLevel;
  readonly event: string;
  readonly fields: Record<string, unknown>;
};

/** The thread, which starts now. It is replaced when it fails; `onLost` counts that. */
export function openBooksThread(database: BooksDatabase, log: Log, onLost: () => void): KeptThread {
  const address = programFile("control-plane/src/compose/books-work.ts");
  const thread = new KeptThread({ address, log, onLost });
  const setup: BooksSetup = { topic: "setup", database };
  // The first topic is the first to hear of a new thread, so that the setup precedes all work.
  thread.listen<BooksLine>("log", {
    onStart: () => thread.post(setup),
    onMessage: ({ level, event, fields }) => log[level](event, fields),
    onLost: () => undefined,
  });
  return thread;
}

import type { Queryable } from "../../../platform/db.ts";
import type { SealedStore } from "./guarded-answers.ts";
import { findAnswer, putAnswer } from "./shared-answers-store.ts";

/** Answers in a table of the database, for installations of several replicas without another server. */
export class DatabaseAnswers implements SealedStore {
  readonly #db: Queryable;

  constructor(db: Queryable) {
    this.#db = db;
  }

  find(digest: string): Promise<Uint8Array | null> {
    return findAnswer(this.#db, digest);
  }

  keep(digest: string, sealed: Uint8Array, lifetimeMs: number): Promise<void> {
    return putAnswer(this.#db, digest, sealed, lifetimeMs);
  }

  reset(): void {
    // The pool looks after its connections.
  }

  close(): void {
    // The program closes the database.
  }
}

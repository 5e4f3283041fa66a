import type { Queryable } from "../../../platform/db.ts";
import type { SealedStore } from "./guarded-answers.ts";
import { findAnswer, putAnswer, removeOldAnswers } from "./shared-answers-store.ts";

/** A replica cleans up after it has written this share of the limit, so that the table never exceeds it by much more. */
const sharePerCleaning = 16;

/** Answers in a table of the database, for installations of several replicas without another server. */
export class DatabaseAnswers implements SealedStore {
  readonly #db: Queryable;
  readonly #bytesMax: number;
  /** What this replica has written since it last removed old answers. */
  #written = 0;
  #cleaning: Promise<void> | null = null;

  /** @param bytesMax what the table may hold */
  constructor(db: Queryable, bytesMax: number) {
    this.#db = db;
    this.#bytesMax = bytesMax;
  }

  find(digest: string): Promise<Uint8Array | null> {
    return findAnswer(this.#db, digest);
  }

  async keep(digest: string, sealed: Uint8Array, lifetimeMs: number): Promise<void> {
    if (this.#written + sealed.byteLength > this.#bytesMax / sharePerCleaning) {
      await this.#clean();
    }
    this.#written += sealed.byteLength;
    await putAnswer(this.#db, digest, sealed, lifetimeMs);
  }

  /** One cleaning at a time, for which all writes wait. */
  async #clean(): Promise<void> {
    this.#cleaning ??= this.#removeOld();
    await this.#cleaning;
  }

  async #removeOld(): Promise<void> {
    try {
      await removeOldAnswers(this.#db, this.#bytesMax);
      this.#written = 0;
    } finally {
      this.#cleaning = null;
    }
  }

  reset(): void {
    // The pool looks after its connections.
  }

  close(): void {
    // The program closes the database.
  }
}

import { AsyncLocalStorage } from "node:async_hooks";
import type { Transaction } from "./db.ts";

/** What is done with the transaction of some work, which is rolled back afterwards. */
export type Rehearsal = {
  /** Reads what the transaction would change. `failure` is what its work has thrown, if that was foreseen. */
  readonly look: (tx: Transaction, failure: Error | null) => Promise<void>;
  /** Whether an error of the work is a result to look at, and not a failure. */
  readonly isResult: (error: unknown) => boolean;
};

type Running = Rehearsal & { isOver: boolean };

/** Ends the work with its transaction, so that nothing happens that would follow the commit. */
class Rehearsed extends Error {}

// Work of any feature is rehearsed: none of it knows, so the rehearsal can't be a parameter.
const running = new AsyncLocalStorage<Running>();

/** The rehearsal that the caller is part of, if any. */
export const currentRehearsal = (): Running | undefined => running.getStore();

/**
 * Runs work that changes the database, without changing it. The first transaction that writes is looked at and rolled
 * back, and ends the work; writes outside a transaction fail. The work must not act on anything but the database before
 * that.
 * @returns whether there was anything to look at
 * @throws what the work throws before its transaction is complete
 */
export async function rehearse(rehearsal: Rehearsal, work: () => Promise<unknown>): Promise<boolean> {
  const state: Running = { ...rehearsal, isOver: false };
  try {
    await running.run(state, work);
  } catch (error) {
    // After the look, an error is our own, or what the work has made of it.
    if (!state.isOver) {
      throw error;
    }
  }
  return state.isOver;
}

/** The work of a transaction as a rehearsal runs it: it never commits a write. */
export function rehearsedWork<T>(
  state: Running,
  work: (tx: Transaction) => Promise<T>,
): (tx: Transaction) => Promise<T> {
  return async (tx) => {
    if (state.isOver) {
      throw new Rehearsed("the rehearsal is over");
    }
    const done = await outcomeOf(state, () => work(tx));
    if ("result" in done && !(await hasWritten(tx))) {
      return done.result;
    }
    await state.look(tx, "failure" in done ? done.failure : null);
    state.isOver = true;
    throw new Rehearsed("the transaction was a rehearsal");
  };
}

type Outcome<T> = { readonly result: T } | { readonly failure: Error };

async function outcomeOf<T>({ isResult }: Rehearsal, work: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { result: await work() };
  } catch (error) {
    if (!(error instanceof Error) || !isResult(error)) {
      throw error;
    }
    return { failure: error };
  }
}

/** Only a transaction that writes, or locks rows, has a number. */
async function hasWritten(tx: Transaction): Promise<boolean> {
  const [row] = await tx.sql<{ hasWritten: boolean }>`
    select pg_current_xact_id_if_assigned() is not null as "hasWritten"`;
  return row?.hasWritten === true;
}

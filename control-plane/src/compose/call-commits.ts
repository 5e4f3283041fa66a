import type { ReplicaId } from "@sluice/contracts/ids";
import { type DatabaseErrorMessage, fromErrorMessage } from "../platform/db-error-message.ts";
import type { KeptThread } from "../platform/kept-thread.ts";
import { NotTriedError, WorkerLostError } from "../platform/spool/errors.ts";
import { type SentText, TextSender } from "../platform/spool/sent-texts.ts";
import type { UsageOrder } from "../usage/log/commit-usage.ts";
import type { BudgetCharge } from "../usage/log/model.ts";

/** The rows of one batch of the spool. */
export type CallsOrder = {
  readonly replicaId: ReplicaId;
  /** All rows as the log has them, one per line. */
  readonly texts: readonly Uint8Array[];
  readonly usage: Omit<UsageOrder, "lists">;
  readonly traceDays: readonly string[];
  /** Nobody has tried to write these rows before. */
  readonly isNew: boolean;
};

/** What the thread is asked to commit. */
export type CommitOrder = {
  readonly topic: "commits";
  readonly number: number;
  readonly calls: Omit<CallsOrder, "texts"> & { readonly texts: readonly SentText[] };
};

/** What it reports. `begun`: it has the rows, so that they may be what ends it from now on. */
export type CommitNews = { readonly topic: "commits" } & (
  | { readonly kind: "begun"; readonly number: number }
  | { readonly kind: "done"; readonly number: number; readonly charges: readonly BudgetCharge[] }
  | { readonly kind: "failed"; readonly number: number; readonly error: DatabaseErrorMessage }
  /** Whether the thread reaches the database, at every change. */
  | { readonly kind: "reachable"; readonly isReachable: boolean }
);

type Waiting = PromiseWithResolvers<readonly BudgetCharge[]> & { isBegun: boolean };

/** Commits rows of calls on the second thread, over its connections. */
export class CallCommits {
  readonly #thread: KeptThread;
  readonly #waiting = new Map<number, Waiting>();
  /** To the thread that runs. */
  #sender = new TextSender();
  #last = 0;
  #onReachable: (isReachable: boolean) => void = () => undefined;

  constructor(thread: KeptThread) {
    this.#thread = thread;
    thread.listen<CommitNews>("commits", {
      onStart: () => {
        this.#sender = new TextSender();
      },
      onMessage: (news) => {
        if (news.kind === "reachable") {
          this.#onReachable(news.isReachable);
        } else if (news.kind === "begun") {
          this.#onBegun(news.number);
        } else {
          this.#onEnd(news);
        }
      },
      onLost: () => this.#onLost(),
    });
  }

  /** Calls the listener when the thread has lost the database, and when it reaches it again. */
  onReachable(listener: (isReachable: boolean) => void): void {
    this.#onReachable = listener;
  }

  /**
   * Commits usage rows with their charges, and traces, in one transaction.
   * @returns what was charged for the usage rows that were new
   * @throws NotTriedError when the thread could not begin, WorkerLostError when it was lost after that; whether it has
   * committed is unknown then
   */
  commit(calls: CallsOrder): Promise<readonly BudgetCharge[]> {
    if (!this.#thread.isRunning) {
      return Promise.reject(new NotTriedError("the thread that writes the books has yet to start again"));
    }
    this.#last += 1;
    const waiting: Waiting = { ...Promise.withResolvers(), isBegun: false };
    this.#waiting.set(this.#last, waiting);
    const texts = calls.texts.map((text) => this.#sender.toMessage(text));
    const order: CommitOrder = { topic: "commits", number: this.#last, calls: { ...calls, texts } };
    this.#thread.post(order);
    return waiting.promise;
  }

  #onBegun(number: number): void {
    const waiting = this.#waiting.get(number);
    if (waiting !== undefined) {
      waiting.isBegun = true;
    }
  }

  #onEnd(news: Extract<CommitNews, { kind: "done" | "failed" }>): void {
    const waiting = this.#waiting.get(news.number);
    this.#waiting.delete(news.number);
    if (news.kind === "done") {
      waiting?.resolve(news.charges);
    } else {
      waiting?.reject(fromErrorMessage(news.error));
    }
  }

  #onLost(): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    const text = "the thread that writes the books was lost";
    for (const { reject, isBegun } of waiting) {
      reject(isBegun ? new WorkerLostError(text) : new NotTriedError(text));
    }
  }
}

import type { AbortNotice } from "@sluice/http-client/model";
import { AppError } from "./errors.ts";
import type { Log } from "./log.ts";

/** The maximum length of the queue. */
const waitingMax = 64;
/** Even the largest body does not take this long; a thread that does is considered lost. */
const workMsMax = 60_000;
/** An idle thread costs memory, so it ends after this time. */
const idleMsMax = 30_000;

/** A body of at least this size is worth sending to another thread. */
export const largeBodyBytesMin = 1024 * 1024;

/** A message to the thread; it replies with a `SideAnswer`. */
type Job = {
  readonly work: unknown;
  readonly transfer: readonly ArrayBuffer[];
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
};

/** The outcome of a request: its result, or an error in serialized form. */
export type SideAnswer = { readonly result: unknown } | { readonly error: unknown };

/**
 * A second thread for work that would block all calls: one job at a time, in order of arrival. The first job starts the
 * thread, and the thread ends when no job has come for a while.
 */
export class SideThread {
  readonly #address: string;
  readonly #readError: (error: unknown) => Error;
  readonly #log: Log;
  readonly #waiting: Job[] = [];
  #current: Job | null = null;
  #worker: Worker | null = null;
  #timer: Timer | null = null;

  /**
   * @param address the address of the module that the thread runs
   * @param readError restores the error that the thread sent
   */
  constructor(address: URL, readError: (error: unknown) => Error, log: Log) {
    this.#address = address.href;
    this.#readError = readError;
    this.#log = log;
  }

  /**
   * Runs the work.
   * @param transfer buffers of the work that belong to the thread from now on
   * @param signal fires when nobody wants the result any more: work that has not begun is dropped
   * @throws AppError `temporarily_unavailable` when too many wait, `client_closed_request` after the signal, or the
   * thread's error
   */
  run(work: unknown, transfer: readonly ArrayBuffer[], signal: AbortNotice | null = null): Promise<unknown> {
    if (signal?.aborted === true) {
      return Promise.reject(new AppError("client_closed_request"));
    }
    if (this.#waiting.length >= waitingMax) {
      return Promise.reject(new AppError("temporarily_unavailable", { retryAfterSeconds: 2 }));
    }
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const job = { work, transfer, resolve, reject };
    this.#waiting.push(job);
    this.#next();
    return signal === null ? promise : this.#unless(signal, job, promise);
  }

  async #unless(signal: AbortNotice, job: Job, result: Promise<unknown>): Promise<unknown> {
    const drop = (): void => {
      const at = this.#waiting.indexOf(job);
      if (at !== -1) {
        this.#waiting.splice(at, 1);
      }
      job.reject(new AppError("client_closed_request"));
    };
    signal.addEventListener("abort", drop);
    try {
      return await result;
    } finally {
      signal.removeEventListener("abort", drop);
    }
  }

  stop(): void {
    for (const { reject } of this.#waiting.splice(0)) {
      reject(new AppError("shutting_down"));
    }
    this.#lose(new AppError("shutting_down"));
  }

  #next(): void {
    const job = this.#current === null ? this.#waiting.shift() : undefined;
    if (job === undefined) {
      return;
    }
    this.#current = job;
    this.#setTimer(workMsMax, () => this.#lose(new Error("the side thread took too long")));
    this.#worker ??= this.#start();
    this.#worker.postMessage(job.work, [...job.transfer]);
  }

  #start(): Worker {
    const worker = new Worker(this.#address);
    worker.addEventListener("message", ({ data }) => {
      if (worker === this.#worker) {
        this.#onAnswer(data as SideAnswer);
      }
    });
    worker.addEventListener("error", ({ message }) => {
      if (worker === this.#worker) {
        this.#lose(new Error(`the side thread failed: ${message}`));
      }
    });
    return worker;
  }

  #onAnswer(answer: SideAnswer): void {
    const job = this.#current;
    this.#current = null;
    this.#setTimer(idleMsMax, () => this.#end());
    if ("error" in answer) {
      job?.reject(this.#readError(answer.error));
    } else {
      job?.resolve(answer.result);
    }
    this.#next();
  }

  /** The current request is lost with the thread; the waiting requests get a new thread. */
  #lose(error: Error): void {
    const job = this.#current;
    this.#current = null;
    this.#end();
    if (job !== null) {
      if (!(error instanceof AppError)) {
        this.#log.error("side_thread.lost", { error });
      }
      job.reject(error);
      this.#next();
    }
  }

  #end(): void {
    this.#setTimer(null, () => undefined);
    this.#worker?.terminate();
    this.#worker = null;
  }

  #setTimer(ms: number | null, onOver: () => void): void {
    clearTimeout(this.#timer ?? undefined);
    this.#timer = ms === null ? null : setTimeout(onOver, ms);
    this.#timer?.unref();
  }
}

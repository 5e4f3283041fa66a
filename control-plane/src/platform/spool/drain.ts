import { backoffMs } from "../backoff.ts";
import type { Backlog } from "./backlog.ts";
import { NotTriedError } from "./errors.ts";
import type { EncodedEntry, QuarantinedEntry, RowTexts, SpoolBatch } from "./model.ts";
import type { FailedCommit } from "./poison.ts";
import type { TakenBatch } from "./taken-batch.ts";

export type DrainOptions<Rows, Summary = null> = {
  /** Writes one batch to its destination. Must be idempotent: a batch may be repeated after any failure. */
  readonly commit: (batch: SpoolBatch<Rows, Summary>) => Promise<void>;
  /**
   * Whether a failure is the fault of the rows, so that trying the same rows again is pointless. Every other failure is
   * retried forever, because the rows must not be lost.
   */
  readonly isPoison: (failure: FailedCommit) => boolean;
  /**
   * A row was quarantined and will be tried again at the next start. A person should look at it. One that a crash brings back
   * and that is in quarantine already is left out.
   */
  readonly onQuarantine: (rejected: QuarantinedEntry<Rows>) => void;
  readonly onRetry?: (error: unknown, attempt: number, delayMs: number) => void;
  /** The maximum number of rows in one commit; by default 6,000, and 2,000 of those that have to be read from the disk. */
  readonly batchMax?: number;
  /** How long the first rows after a time without any are collected before they are committed; by default 50 ms. */
  readonly intervalMs?: number;
  /** The same after another commit, unless a full batch comes sooner; by default 200 ms. */
  readonly steadyIntervalMs?: number;
};

/** A commit costs both threads and the database as much as a thousand of its rows do, besides them. */
const batchMaxDefault = 6_000;
/** Reading more rows would block the event loop for longer. */
const readBatchMax = 2_000;
const intervalMsDefault = 50;
/** A commit costs a millisecond of CPU besides its rows: with a few hundred calls a second, most of what they cost. */
const steadyIntervalMsDefault = 200;
const retryBackoff = { minMs: 50, maxMs: 5_000 };

/** What the drain reports to its owner. */
export type DrainEvents = {
  /** Entries have left the backlog. */
  readonly onProgress: () => void;
  /** Committed rows could not be removed from the disk; the drain tries again after this call. */
  readonly onDiskError: (error: unknown) => void;
};

type Wait = { readonly reason: "idle" | "interval" | "backoff"; readonly end: () => void };

/** Commits the backlog in order, one batch at a time, for as long as it takes. */
export class Drain<Rows, Summary> {
  readonly #backlog: Backlog<Rows, Summary>;
  readonly #options: DrainOptions<Rows, Summary>;
  readonly #batchMax: number;
  readonly #intervalMs: number;
  readonly #steadyIntervalMs: number;
  readonly #finished: Promise<void>;
  readonly #events: DrainEvents;
  #wait: Wait | null = null;
  #isStopped = false;
  #isHurried = false;

  /** The drain starts immediately. */
  constructor(backlog: Backlog<Rows, Summary>, options: DrainOptions<Rows, Summary>, events: DrainEvents) {
    this.#backlog = backlog;
    this.#options = options;
    this.#batchMax = options.batchMax ?? batchMaxDefault;
    this.#intervalMs = options.intervalMs ?? intervalMsDefault;
    this.#steadyIntervalMs = options.steadyIntervalMs ?? steadyIntervalMsDefault;
    this.#events = events;
    this.#finished = this.#run();
  }

  /** Entries were recorded. */
  onRecorded(): void {
    const reason = this.#wait?.reason;
    if (reason === "idle" || (reason === "interval" && this.#backlog.takeableEntries >= this.#batchMax)) {
      this.#wait?.end();
    }
  }

  /**
   * Tries again immediately instead of waiting for the end of a pause: the database is back, or the process wants to stop.
   */
  wake(): void {
    this.#wait?.end();
  }

  /** While hurried, no time is spent on collecting rows. */
  setHurried(isHurried: boolean): void {
    this.#isHurried = isHurried;
    this.wake();
  }

  /** Ends the drain after the current commit. Rows that are not committed stay on disk. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.wake();
    await this.#finished;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      const batch = await this.#take();
      if (batch === null) {
        await this.#pause("idle", this.#backlog.readAgainInMs(performance.now()));
        await this.#gather(this.#intervalMs);
        continue;
      }
      const rejected = await this.#commit(batch.rows, batch.isReplay, batch.isRetry);
      if (rejected === null) {
        return;
      }
      await this.#complete(batch, [...batch.unreadable, ...rejected]);
      await this.#gather(this.#steadyIntervalMs);
    }
  }

  #take(): Promise<TakenBatch<Rows, Summary> | null> {
    return this.#backlog.take({
      entriesMax: this.#batchMax,
      readEntriesMax: Math.min(this.#batchMax, readBatchMax),
      nowTick: performance.now(),
      onUnreadable: (error, attempt, delayMs) => this.#options.onRetry?.(error, attempt, delayMs),
    });
  }

  async #backOff(error: unknown, attempt: number): Promise<void> {
    const delayMs = backoffMs(retryBackoff, attempt);
    this.#options.onRetry?.(error, attempt, delayMs);
    await this.#pause("backoff", delayMs);
  }

  async #gather(milliseconds: number): Promise<void> {
    if (!this.#isHurried && this.#backlog.takeableEntries < this.#batchMax) {
      await this.#pause("interval", milliseconds);
    }
  }

  /** Commits all rows but the poisonous ones, which it returns; null if it was stopped before. */
  async #commit(
    rows: RowTexts<Summary>,
    isReplay: boolean,
    isRetry: boolean,
  ): Promise<QuarantinedEntry<Rows>[] | null> {
    let last = { text: "", repeats: 0 };
    for (let attempt = 1; rows.count > 0; attempt += 1) {
      if (this.#isStopped) {
        return null;
      }
      try {
        await this.#options.commit(new Batch(this.#backlog, rows, { isReplay, isRetry: isRetry || attempt > 1 }));
        return [];
      } catch (error) {
        this.#backlog.onCommitFailed();
        last = counted(error, last);
        if (this.#options.isPoison({ error, repeats: last.repeats, rows: rows.count })) {
          return this.#separate(rows, isReplay, error);
        }
        await this.#backOff(error, attempt);
      }
    }
    return [];
  }

  /** Bisects the rows until the poisonous ones are alone. */
  async #separate(
    { texts }: RowTexts<Summary>,
    isReplay: boolean,
    error: unknown,
  ): Promise<QuarantinedEntry<Rows>[] | null> {
    const { entries, unreadable } = await this.#backlog.parseInTurns(texts);
    const [only] = entries;
    if (entries.length <= 1) {
      return only === undefined ? unreadable : [...unreadable, this.#backlog.reject(only, error)];
    }
    const half = Math.ceil(entries.length / 2);
    const commit = async (some: readonly EncodedEntry<Rows>[]) =>
      this.#commit(await this.#backlog.collectInTurns(some), isReplay, true);
    const left = await commit(entries.slice(0, half));
    const right = left === null ? null : await commit(entries.slice(half));
    return left === null || right === null ? null : [...unreadable, ...left, ...right];
  }

  /** The rows are committed; removing them from the disk may fail while it is full, and then has to wait. */
  async #complete(batch: TakenBatch<Rows, Summary>, rejected: readonly QuarantinedEntry<Rows>[]): Promise<void> {
    let quarantined: readonly QuarantinedEntry<Rows>[];
    for (let attempt = 1; ; attempt += 1) {
      try {
        quarantined = this.#backlog.complete(batch, rejected, Date.now());
        break;
      } catch (error) {
        if (this.#isStopped) {
          return;
        }
        this.#events.onDiskError(error);
        await this.#pause("backoff", attempt === 1 ? 0 : backoffMs(retryBackoff, attempt));
      }
    }
    for (const entry of quarantined) {
      this.#options.onQuarantine(entry);
    }
    this.#events.onProgress();
  }

  #pause(reason: Wait["reason"], milliseconds: number | null): Promise<void> {
    if (this.#isStopped) {
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#wait = null;
        resolve();
      };
      const timer = milliseconds === null ? undefined : setTimeout(end, milliseconds);
      this.#wait = { reason, end };
    });
  }
}

/** What the consumer is asked to commit. */
class Batch<Rows, Summary> implements SpoolBatch<Rows, Summary> {
  readonly texts: readonly Uint8Array[];
  readonly count: number;
  readonly summary: Summary;
  readonly isReplay: boolean;
  readonly isRetry: boolean;
  readonly #backlog: Backlog<Rows, Summary>;

  constructor(
    backlog: Backlog<Rows, Summary>,
    { texts, count, summary }: RowTexts<Summary>,
    { isReplay, isRetry }: Pick<SpoolBatch<Rows>, "isReplay" | "isRetry">,
  ) {
    this.#backlog = backlog;
    this.texts = texts;
    this.count = count;
    this.summary = summary;
    this.isReplay = isReplay;
    this.isRetry = isRetry;
  }

  get entries(): EncodedEntry<Rows>[] {
    return this.#backlog.parse(this.texts).entries;
  }
}

/** A failure of another kind starts a new count; one without an attempt leaves it. */
function counted(error: unknown, last: { text: string; repeats: number }): { text: string; repeats: number } {
  if (error instanceof NotTriedError) {
    return last;
  }
  const text = String(error);
  return { text, repeats: text === last.text ? last.repeats + 1 : 1 };
}

import type { Clock } from "../platform/clock.ts";
import type { Log } from "../platform/log.ts";
import type { SealedPayload } from "./model.ts";

export type PayloadWriterParts = {
  /** Writes a batch in a transaction of its own. Must be idempotent: a batch may come again after any failure. */
  readonly write: (rows: readonly SealedPayload[]) => Promise<void>;
  /** Whether an error of `write` says that the database is away or too slow, as opposed to refusing a row. */
  readonly isOutage: (error: unknown) => boolean;
  /** What a queued row takes besides its bytes. */
  readonly entryBytes: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly onStored: (count: number) => void;
  readonly onDropped: (reason: "write_refused" | "closed", count: number) => void;
};

const batchRowsMax = 128;
const batchBytesMax = 4 * 1024 * 1024;
/** How long a row waits for others to share its statement. A full batch does not wait. */
const lingerMs = 100;
const retryDelayMsMin = 100;
const retryDelayMsMax = 2_000;

/** What became of a batch. */
type Fate = "written" | "refused" | "given_up";

/**
 * Writes sealed payloads in batches, one after the other. While the database is away the same batch is tried again and
 * again: whoever adds rows keeps to a limit, so what waits is bounded, and giving up earlier would only lose more.
 */
export class PayloadWriter {
  readonly #parts: PayloadWriterParts;
  #rows: SealedPayload[] = [];
  #queuedBytes = 0;
  #queuedCount = 0;
  #isAway = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #draining: Promise<void> | null = null;
  #deadlineTick: number | null = null;
  #wake: (() => void) | null = null;
  #isAbandoned = false;

  constructor(parts: PayloadWriterParts) {
    this.#parts = parts;
  }

  /** Of the rows that are not written yet, including those of the batch that is being written. */
  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  get queuedCount(): number {
    return this.#queuedCount;
  }

  /** Whether the last attempt failed because the database did not answer (in time). */
  get isDatabaseAway(): boolean {
    return this.#isAway;
  }

  add(row: SealedPayload): void {
    this.#rows.push(row);
    this.#queuedCount += 1;
    this.#queuedBytes += this.#sizeOf(row);
    if (this.#rows.length >= batchRowsMax) {
      // Writing a batch takes half a millisecond of our own; the call that filled it should not wait for that.
      setImmediate(() => this.#startDraining());
    } else {
      this.#lingerForCompany();
    }
  }

  /** Writes what is queued; what is not written after `timeoutMs` is dropped and counted. */
  async close(timeoutMs: number): Promise<void> {
    this.#deadlineTick = this.#parts.clock.tick() + timeoutMs;
    this.#wake?.();
    const overdue = Promise.withResolvers<void>();
    const timer = setTimeout(overdue.resolve, timeoutMs);
    await Promise.race([this.#drainAll(), overdue.promise]);
    clearTimeout(timer);
    this.#isAbandoned = true;
    if (this.#queuedCount > 0) {
      this.#parts.onDropped("closed", this.#queuedCount);
    }
  }

  async #drainAll(): Promise<void> {
    // A drain that had begun before the deadline was set may leave an unfilled batch behind.
    await this.#draining;
    this.#startDraining();
    await this.#draining;
  }

  #lingerForCompany(): void {
    if (this.#timer === undefined) {
      this.#timer = setTimeout(() => this.#startDraining(), lingerMs);
      this.#timer.unref();
    }
  }

  #sizeOf(row: SealedPayload): number {
    return row.sealed.length + this.#parts.entryBytes;
  }

  #startDraining(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#draining ??= this.#drain().finally(() => {
      this.#draining = null;
    });
  }

  /** Writes one batch, and more as long as they are full; the rest lingers for company. */
  async #drain(): Promise<void> {
    do {
      const batch = this.#takeBatch();
      if (batch.length > 0) {
        await this.#writeBatch(batch);
      }
    } while (this.#rows.length >= (this.#deadlineTick === null ? batchRowsMax : 1));
    if (this.#rows.length > 0) {
      this.#lingerForCompany();
    }
  }

  #takeBatch(): SealedPayload[] {
    let count = 0;
    let bytes = 0;
    for (const row of this.#rows) {
      bytes += row.sealed.length;
      if (count === batchRowsMax || (count > 0 && bytes > batchBytesMax)) {
        break;
      }
      count += 1;
    }
    return this.#rows.splice(0, count);
  }

  async #writeBatch(batch: readonly SealedPayload[]): Promise<void> {
    const fate = await this.#attempt(batch);
    if (fate !== "refused" || batch.length === 1) {
      this.#settle(batch, fate);
      return;
    }
    // One bad row must not take the others with it.
    for (const row of batch) {
      this.#settle([row], await this.#attempt([row]));
    }
  }

  async #attempt(rows: readonly SealedPayload[]): Promise<Fate> {
    for (let delayMs = retryDelayMsMin; ; delayMs = Math.min(delayMs * 2, retryDelayMsMax)) {
      if (this.#isOverdue()) {
        return "given_up";
      }
      try {
        await this.#parts.write(rows);
        this.#noteContact(false);
        return "written";
      } catch (error) {
        if (!this.#parts.isOutage(error)) {
          this.#parts.log.error("trace.payloads_refused", { count: rows.length, error });
          return "refused";
        }
        this.#noteContact(true, error);
      }
      await this.#pause(delayMs);
    }
  }

  #isOverdue(): boolean {
    return this.#deadlineTick !== null && this.#parts.clock.tick() >= this.#deadlineTick;
  }

  #noteContact(isAway: boolean, error?: unknown): void {
    if (isAway !== this.#isAway) {
      this.#isAway = isAway;
      this.#parts.log.warn(isAway ? "trace.payloads_wait" : "trace.payloads_flow", { count: this.#queuedCount, error });
    }
  }

  /** Waits, but not when the writer is closed meanwhile. */
  async #pause(delayMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, delayMs * (0.5 + Math.random() / 2));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = null;
  }

  #settle(rows: readonly SealedPayload[], fate: Fate): void {
    if (fate === "given_up" || this.#isAbandoned) {
      // `close` counts everything that is left.
      return;
    }
    for (const row of rows) {
      this.#queuedBytes -= this.#sizeOf(row);
    }
    this.#queuedCount -= rows.length;
    if (fate === "written") {
      this.#parts.onStored(rows.length);
    } else {
      this.#parts.onDropped("write_refused", rows.length);
    }
  }
}

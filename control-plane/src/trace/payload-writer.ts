import { backoffMs } from "../platform/backoff.ts";
import type { Clock } from "../platform/clock.ts";
import type { Log } from "../platform/log.ts";
import type { PayloadSegment } from "./model.ts";
import { type DayKey, groupLength, type PayloadGroup, PayloadSegments, splitSegment } from "./payload-segments.ts";

export type PayloadWriterDeps = {
  /**
   * Writes a segment in its own transaction. Must be idempotent: a segment may be repeated after any failure. The
   * segment's bytes may change as soon as the write has ended.
   */
  readonly write: (segment: PayloadSegment) => Promise<void>;
  /**
   * Whether an error of `write` means that the database is unreachable or too slow, as opposed to refusing a payload.
   */
  readonly isOutage: (error: unknown) => boolean;
  /** The overhead of a queued payload besides its bytes. */
  readonly entryBytes: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly onStored: (count: number) => void;
  readonly onDropped: (reason: "write_refused" | "seal_failed" | "closed", count: number) => void;
  /** The database went away, or is back. */
  readonly onContact: (isAway: boolean) => void;
};

/** How long a payload waits for others to share its segment. A full segment does not wait. */
const lingerMs = 100;
const retryBackoff = { minMs: 100, maxMs: 2_000 };

/** The result of writing a segment. */
type WriteOutcome = "written" | "refused" | "given_up";

/**
 * Encrypts payloads into segments and writes these one after the other. While the database is unreachable the same
 * segment is retried: callers that add payloads keep to a limit, so the queue is bounded, and giving up earlier would
 * only lose more. The count excludes the buffers of segments that are being filled.
 */
export class PayloadWriter {
  readonly #deps: PayloadWriterDeps;
  readonly #segments = new PayloadSegments();
  #queuedBytes = 0;
  #queuedCount = 0;
  #failures = 0;
  #isAway = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #draining: Promise<void> | null = null;
  #deadlineTick: number | null = null;
  #wake: (() => void) | null = null;
  #isAbandoned = false;

  constructor(deps: PayloadWriterDeps) {
    this.#deps = deps;
  }

  /** The size of payloads that are not written yet, including those being written. */
  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  get queuedCount(): number {
    return this.#queuedCount;
  }

  /** Encrypts payloads, and writes them soon. The caller may change their bytes afterwards. */
  add(dayKey: DayKey, group: PayloadGroup): void {
    const { count } = group;
    try {
      this.#segments.add(dayKey, group);
    } catch (error) {
      this.#deps.log.error("trace.payload_not_sealed", { count, error });
      this.#deps.onDropped("seal_failed", count);
      return;
    }
    this.#queuedCount += count;
    this.#queuedBytes += groupLength(group) + count * this.#deps.entryBytes;
    if (this.#segments.hasFull && this.#draining === null) {
      this.#startDraining();
    } else {
      this.#lingerForCompany();
    }
  }

  /** Writes the queue; what is not written after `timeoutMs` is dropped and counted. */
  async close(timeoutMs: number): Promise<void> {
    this.#deadlineTick = this.#deps.clock.tick() + timeoutMs;
    this.#wake?.();
    const overdue = Promise.withResolvers<void>();
    const timer = setTimeout(overdue.resolve, timeoutMs);
    await Promise.race([this.#drainAll(), overdue.promise]);
    clearTimeout(timer);
    this.#isAbandoned = true;
    if (this.#queuedCount > 0) {
      this.#deps.onDropped("closed", this.#queuedCount);
    }
  }

  async #drainAll(): Promise<void> {
    // A drain that began before the deadline was set may leave an unfilled segment.
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

  #startDraining(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#draining ??= this.#drain().finally(() => {
      this.#draining = null;
    });
  }

  /**
   * Writes one segment, and further ones as long as they are full; a segment that is not full waits for more payloads.
   */
  async #drain(): Promise<void> {
    do {
      const segment = this.#segments.take();
      if (segment !== null) {
        await this.#writeSegment(segment);
      }
    } while (this.#segments.hasFull || (this.#deadlineTick !== null && !this.#segments.isEmpty));
    if (!this.#segments.isEmpty) {
      this.#lingerForCompany();
    }
  }

  async #writeSegment(segment: PayloadSegment): Promise<void> {
    const failures = this.#failures;
    await this.#writeParts(segment);
    if (failures === this.#failures) {
      // After a failure an abandoned statement may still hold the bytes.
      this.#segments.recycle(segment);
    }
  }

  /** One bad payload must not take the others with it: what is refused is split until it is alone. */
  async #writeParts(segment: PayloadSegment): Promise<void> {
    const outcome = await this.#attempt(segment);
    if (outcome !== "refused" || segment.spans.length === 1) {
      this.#settle(segment, outcome);
      return;
    }
    for (const part of splitSegment(segment)) {
      await this.#writeParts(part);
    }
  }

  async #attempt(segment: PayloadSegment): Promise<WriteOutcome> {
    for (let attempt = 1; ; attempt += 1) {
      if (this.#isOverdue()) {
        return "given_up";
      }
      try {
        await this.#deps.write(segment);
        this.#noteContact(false);
        return "written";
      } catch (error) {
        this.#failures += 1;
        if (!this.#deps.isOutage(error)) {
          this.#deps.log.error("trace.payloads_refused", { count: segment.spans.length, error });
          return "refused";
        }
        this.#noteContact(true, error);
      }
      await this.#pause(backoffMs(retryBackoff, attempt));
    }
  }

  #isOverdue(): boolean {
    return this.#deadlineTick !== null && this.#deps.clock.tick() >= this.#deadlineTick;
  }

  #noteContact(isAway: boolean, error?: unknown): void {
    if (isAway !== this.#isAway) {
      this.#isAway = isAway;
      this.#deps.onContact(isAway);
      this.#deps.log.warn(isAway ? "trace.payloads_wait" : "trace.payloads_flow", { count: this.#queuedCount, error });
    }
  }

  /** Waits for the delay, or until the writer is closed. */
  async #pause(delayMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, delayMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = null;
  }

  #settle({ spans }: PayloadSegment, outcome: WriteOutcome): void {
    if (outcome === "given_up" || this.#isAbandoned) {
      // `close` counts everything that is left.
      return;
    }
    for (const span of spans) {
      this.#queuedBytes -= span + this.#deps.entryBytes;
    }
    this.#queuedCount -= spans.length;
    if (outcome === "written") {
      this.#deps.onStored(spans.length);
    } else {
      this.#deps.onDropped("write_refused", spans.length);
    }
  }
}

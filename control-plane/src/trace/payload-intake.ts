import { RingReader } from "../platform/byte-ring.ts";
import type { Clock } from "../platform/clock.ts";
import { SealingKey } from "../platform/crypto/sealing-key.ts";
import type { Log } from "../platform/log.ts";
import { ByteAllowance } from "./byte-allowance.ts";
import { GroupCompression } from "./group-compression.ts";
import { PayloadRun } from "./payload-run.ts";
import type { DayKey } from "./payload-segments.ts";
import { entryBytes, PayloadLedger, type PayloadNews, type PayloadOrder } from "./payload-thread.ts";
import { PayloadWriter, type PayloadWriterDeps } from "./payload-writer.ts";

export type PayloadIntakeDeps = Pick<PayloadWriterDeps, "write" | "isOutage"> & {
  readonly report: (news: PayloadNews) => void;
  readonly clock: Clock;
  readonly log: Log;
};

/**
 * Payloads are fetched together, because each wake-up costs as much as sealing a few of them, and the thread works with cold
 * memory after it.
 */
const gatherMs = 50;
/** After so many bytes other work of the thread has its turn. */
const bytesPerTurn = 2 * 1024 * 1024;

/**
 * Payloads that follow each other are compressed together, up to four times as many as are encrypted together without it. If they have at least `longBytesMin` on average, that saves
 * the database more work than it costs us. Compressing shorter ones takes ten times as long as encrypting them, so they are
 * always compressed only while there are few: up to `compressedSmallBytesPerSecond`, which take a tenth of a percent of a core.
 * If there are more, `group-compression.ts` tries whether it pays.
 */
const longBytesMin = 4 * 1024;
const compressedSmallBytesPerSecond = 256 * 1024;

/** Around midnight two days are sealed at once; each has its own key. */
const keysMax = 3;

/**
 * The other end of the outbox, on the second thread: takes payloads, encrypts them where they are in the ring, and has them
 * written in batches.
 */
export class PayloadIntake {
  readonly #deps: PayloadIntakeDeps;
  #ring: RingReader;
  /** The rings that follow it. */
  readonly #nextRings: RingReader[] = [];
  readonly #ledger: PayloadLedger;
  readonly #writer: PayloadWriter;
  readonly #smallAllowance: ByteAllowance;
  #run: PayloadRun;
  readonly #compression = new GroupCompression();
  /** By the marks of their records. */
  readonly #keys = new Map<number, DayKey>();
  #takenBytes = 0;
  #takenCount = 0;
  #timer: Timer | null = null;

  constructor(deps: PayloadIntakeDeps, order: Extract<PayloadOrder, { kind: "open" }>) {
    this.#deps = deps;
    this.#ring = new RingReader(order.ring);
    this.#run = new PayloadRun(this.#ring.bytes);
    this.#ledger = new PayloadLedger(order.ledger);
    this.#smallAllowance = new ByteAllowance(compressedSmallBytesPerSecond, deps.clock);
    this.#writer = new PayloadWriter({
      write: deps.write,
      isOutage: deps.isOutage,
      entryBytes,
      clock: deps.clock,
      log: deps.log,
      onStored: (count) => this.#report({ topic: "payloads", kind: "stored", count }),
      onDropped: (reason, count) => {
        // What is left when it closes is counted by the other end.
        if (reason !== "closed") {
          this.#report({ topic: "payloads", kind: "dropped", reason, count });
        }
      },
      onContact: (isAway) => this.#ledger.setAway(isAway),
    });
    this.#readOn();
  }

  take(order: Exclude<PayloadOrder, { kind: "open" }>): void {
    switch (order.kind) {
      case "key":
        this.#addKey(order.mark, { day: order.day, key: new SealingKey(order.id, order.secret) });
        break;
      case "ring":
        this.#nextRings.push(new RingReader(order.ring));
        this.#readSoon(0);
        break;
      case "wake":
        this.#readSoon(gatherMs);
        break;
      case "close":
        void this.#close(order.timeoutMs);
        break;
    }
  }

  #addKey(mark: number, dayKey: DayKey): void {
    this.#keys.set(mark, dayKey);
    const [oldest] = this.#keys.keys();
    if (this.#keys.size > keysMax && oldest !== undefined) {
      this.#keys.delete(oldest);
    }
    // Its first payload may have been seen before it.
    this.#readSoon(0);
  }

  async #close(timeoutMs: number): Promise<void> {
    while (this.#read() > 0) {
      // The ring is emptied immediately: nothing is added to it any more.
    }
    await this.#writer.close(timeoutMs);
    this.#deps.report({ topic: "payloads", kind: "closed" });
  }

  #readSoon(delayMs: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#readOn();
    }, delayMs);
  }

  #readOn(): void {
    const bytes = this.#read();
    if (bytes > 0 || !this.#ring.sleep()) {
      this.#readSoon(bytes < bytesPerTurn ? gatherMs : 0);
    }
  }

  /** Takes what is in the ring, up to a turn's worth. Returns how many bytes it took. */
  #read(): number {
    this.#leaveEmptyRings();
    const ring = this.#ring;
    const areFew = this.#smallAllowance.take(ring.waitingBytes);
    let bytes = 0;
    while (bytes < bytesPerTurn && ring.peek()) {
      const dayKey = this.#keys.get(ring.mark);
      if (dayKey === undefined) {
        // The message with the key is on its way.
        break;
      }
      this.#takenBytes += ring.length + entryBytes;
      this.#takenCount += 1;
      bytes += ring.length;
      if (!this.#run.takes(dayKey, ring.start, ring.length)) {
        this.#seal(areFew);
      }
      this.#run.add(dayKey, ring.start, ring.length);
      ring.pass();
    }
    this.#seal(areFew);
    ring.release();
    this.#settle();
    return bytes;
  }

  #leaveEmptyRings(): void {
    while (!this.#ring.peek()) {
      const next = this.#nextRings.shift();
      if (next === undefined) {
        return;
      }
      this.#ring = next;
      this.#run = new PayloadRun(next.bytes);
    }
  }

  /** Encrypts the records that follow each other. */
  #seal(areFew: boolean): void {
    const { dayKey, whole } = this.#run;
    if (dayKey !== null) {
      const isCertain = areFew || whole.records.length >= whole.count * longBytesMin;
      const frame = this.#compress(whole.records, isCertain);
      for (const group of frame === null ? this.#run.groups : [whole]) {
        this.#writer.add(dayKey, { ...group, frame });
      }
      this.#run.clear();
    }
  }

  /** Records that can't be compressed stay as they are. */
  #compress(records: Buffer, isCertain: boolean): Uint8Array | null {
    try {
      return this.#compression.compress(records, isCertain);
    } catch (error) {
      this.#deps.log.error("trace.payload_not_compressed", { length: records.length, error });
      return null;
    }
  }

  #report(news: PayloadNews): void {
    this.#settle();
    this.#deps.report(news);
  }

  #settle(): void {
    this.#ledger.write({
      freedBytes: this.#takenBytes - this.#writer.queuedBytes,
      settledCount: this.#takenCount - this.#writer.queuedCount,
    });
  }
}

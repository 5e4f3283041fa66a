import { RingWriter, recordSpan, ringMemory } from "../platform/byte-ring.ts";
import type { SealingKey } from "../platform/crypto/sealing-key.ts";
import type { KeptThread } from "../platform/kept-thread.ts";
import type { Payload } from "./model.ts";
import { parcelLength, writeParcel } from "./payload-parcel.ts";
import { entryBytes, PayloadLedger, type PayloadNews, type PayloadOrder } from "./payload-thread.ts";

/**
 * Why a payload is not stored: too many wait (`queue_full`; `database_away` if an outage is the reason), this process
 * lacks the day's key, the database refused the row, the process ended, the thread that seals them was lost, or (a bug)
 * it could not be encrypted.
 */
export type PayloadDropReason =
  | "queue_full"
  | "database_away"
  | "no_key"
  | "write_refused"
  | "closed"
  | "thread_lost"
  | "seal_failed";

export type PayloadObserver = {
  readonly onStored: (count: number) => void;
  readonly onDropped: (reason: PayloadDropReason, count: number) => void;
};

export type PayloadLimits = {
  /** The limit for the request and the response, each; longer bodies are truncated and marked. */
  readonly bodyBytesMax: number;
  readonly queueBytesMax: number;
  readonly queueCountMax: number;
};

export type PayloadOutboxDeps = {
  readonly thread: Pick<KeptThread, "listen" | "post">;
  readonly findKey: (day: string) => SealingKey | null;
  readonly limits: PayloadLimits;
  readonly observer: PayloadObserver;
};

/**
 * A ring has room for twice each of its payloads, so that one which is empty takes it wherever it stands. It begins small:
 * the collector counts the whole ring as alive in both threads, also what was never touched, and lets both heaps grow by
 * as much again. The longest payload fits into the largest. A ring that grew for a burst is halved again when little of it is
 * used.
 */
const ringBytesFirst = 2 * 1024 * 1024;
const ringBytesMax = 16 * 1024 * 1024;
/** How long the thread may take to say that it gave up in time. */
const closeGraceMs = 500;

/** What was handed over to one thread; another one begins with nothing. */
type Handover = {
  ring: RingWriter;
  readonly ledger: PayloadLedger;
  /** The marks of the keys that the thread has. Weak, so that old keys can go. */
  readonly marks: WeakMap<SealingKey, number>;
  markCount: number;
  bytes: number;
  count: number;
};

/**
 * Takes the bodies of finished calls and copies them into the memory that is shared with a second thread, which
 * compresses and encrypts them and has them written (`payload-intake.ts`). The caller never waits: what does not fit
 * into the limits is dropped and counted. The bodies are no longer needed when `offer` returns.
 */
export class PayloadOutbox {
  readonly #deps: PayloadOutboxDeps;
  #handover: Handover | null = null;
  #closed: PromiseWithResolvers<void> | null = null;
  #isOver = false;

  constructor(deps: PayloadOutboxDeps) {
    this.#deps = deps;
    deps.thread.listen<PayloadNews>("payloads", {
      onStart: () => this.#begin(),
      onMessage: (news) => this.#onNews(news),
      onLost: () => this.#onLost(),
    });
  }

  /** The size of the payloads that are not written yet, overhead included. */
  get queuedBytes(): number {
    return this.#handover === null ? 0 : this.#handover.ledger.bytesLeft(this.#handover.bytes);
  }

  get queuedCount(): number {
    return this.#handover === null ? 0 : this.#handover.ledger.countLeft(this.#handover.count);
  }

  /**
   * Queues a payload for storing. Never throws, never waits.
   * @returns "stored" when it is in the queue. It may still be dropped there, when the database refuses it or the
   * process ends while the database is unreachable; that is counted.
   */
  offer(payload: Payload): "stored" | "dropped" {
    const reason = this.#handOver(payload);
    if (reason === null) {
      return "stored";
    }
    this.#deps.observer.onDropped(reason, 1);
    return "dropped";
  }

  /** Accepts no more payloads, and writes the queue for at most `timeoutMs`; the rest is dropped and counted. */
  async close(timeoutMs: number): Promise<void> {
    if (this.#closed !== null) {
      return await this.#closed.promise;
    }
    const closed = Promise.withResolvers<void>();
    this.#closed = closed;
    if (this.#handover === null) {
      closed.resolve();
    }
    this.#post({ topic: "payloads", kind: "close", timeoutMs });
    const timer = setTimeout(closed.resolve, timeoutMs + closeGraceMs);
    await closed.promise;
    clearTimeout(timer);
    this.#giveUp("closed");
    this.#isOver = true;
  }

  #handOver(payload: Payload): PayloadDropReason | null {
    const { findKey, limits } = this.#deps;
    if (this.#closed !== null) {
      return "closed";
    }
    const key = findKey(payload.day);
    if (key === null) {
      return "no_key";
    }
    const handover = this.#handover;
    if (handover === null) {
      return "thread_lost";
    }
    const { ledger, marks } = handover;
    const { bodyBytesMax } = limits;
    const length = parcelLength(payload, bodyBytesMax);
    const hasRoom =
      this.queuedBytes + length + entryBytes <= limits.queueBytesMax && this.queuedCount < limits.queueCountMax;
    const known = marks.get(key);
    const mark = known ?? handover.markCount;
    const at = hasRoom ? this.#reserve(handover, length, mark) : -1;
    if (at === -1) {
      return ledger.isAway ? "database_away" : "queue_full";
    }
    if (known === undefined) {
      marks.set(key, mark);
      handover.markCount += 1;
      this.#post({ topic: "payloads", kind: "key", mark, day: payload.day, id: key.id, secret: key.forThread() });
    }
    const { ring } = handover;
    writeParcel(ring.bytes, at, payload, bodyBytesMax);
    handover.bytes = (handover.bytes + length + entryBytes) >>> 0;
    handover.count = (handover.count + 1) >>> 0;
    if (ring.publish()) {
      this.#post({ topic: "payloads", kind: "wake" });
    }
    return null;
  }

  /**
   * As `RingWriter.reserve`. If the ring is too full or too small, the thread gets one of at least twice its size, which it
   * reads after this one; if it is larger than it has to be, one of half its size.
   */
  #reserve(handover: Handover, length: number, mark: number): number {
    if (handover.ring.bytes.length > ringBytesFirst && handover.ring.takeIdleness()) {
      this.#replaceRing(handover, handover.ring.bytes.length / 2);
    }
    const at = handover.ring.reserve(length, mark);
    let bytes = 2 * handover.ring.bytes.length;
    while (bytes < 2 * recordSpan(length)) {
      bytes *= 2;
    }
    if (at !== -1 || bytes > ringBytesMax) {
      return at;
    }
    this.#replaceRing(handover, bytes);
    return handover.ring.reserve(length, mark);
  }

  #replaceRing(handover: Handover, bytes: number): void {
    const memory = ringMemory(bytes);
    handover.ring = new RingWriter(memory);
    this.#post({ topic: "payloads", kind: "ring", ring: memory });
  }

  #begin(): void {
    const memory = ringMemory(ringBytesFirst);
    const ledger = PayloadLedger.memory();
    this.#handover = {
      ring: new RingWriter(memory),
      ledger: new PayloadLedger(ledger),
      marks: new WeakMap(),
      markCount: 0,
      bytes: 0,
      count: 0,
    };
    this.#post({ topic: "payloads", kind: "open", ring: memory, ledger });
  }

  #onNews(news: PayloadNews): void {
    if (this.#isOver) {
      return;
    }
    if (news.kind === "stored") {
      this.#deps.observer.onStored(news.count);
    } else if (news.kind === "dropped") {
      this.#deps.observer.onDropped(news.reason, news.count);
    } else {
      this.#closed?.resolve();
    }
  }

  #onLost(): void {
    this.#giveUp("thread_lost");
    this.#closed?.resolve();
  }

  /** What was handed over and not settled will not be stored, as far as is known. */
  #giveUp(reason: PayloadDropReason): void {
    const count = this.queuedCount;
    this.#handover = null;
    if (count > 0) {
      this.#deps.observer.onDropped(reason, count);
    }
  }

  #post(order: PayloadOrder): void {
    this.#deps.thread.post(order);
  }
}

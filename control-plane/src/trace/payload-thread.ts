import type { KeyObject } from "node:crypto";

/** What the payloads' side of the thread is told. */
export type PayloadOrder = { readonly topic: "payloads" } & (
  | { readonly kind: "open"; readonly ring: SharedArrayBuffer; readonly ledger: SharedArrayBuffer }
  /** The key of a day that payloads of the ring need; it comes before the first of them. Their records have its mark. */
  | {
      readonly kind: "key";
      readonly mark: number;
      readonly day: string;
      readonly id: string;
      readonly secret: KeyObject;
    }
  /** A ring of another size, in which all further payloads are; nothing is added to the one before any more. */
  | { readonly kind: "ring"; readonly ring: SharedArrayBuffer }
  | { readonly kind: "wake" }
  | { readonly kind: "close"; readonly timeoutMs: number }
);

/** What it reports. */
export type PayloadNews = { readonly topic: "payloads" } & (
  | { readonly kind: "stored"; readonly count: number }
  | { readonly kind: "dropped"; readonly reason: "write_refused" | "seal_failed"; readonly count: number }
  | { readonly kind: "closed" }
);

/** Sums that the thread keeps up to date, so that nobody has to ask for them. */
const freedBytes = 0;
const settledCount = 1;
const away = 2;

/** What a queued payload takes besides its bytes; measured on the heap, rounded up. */
export const entryBytes = 512;

/**
 * What has become of the payloads that were handed over: how many are settled, and how many bytes nobody holds any
 * more. The numbers wrap at 2^32; only their distance to what was handed over says something.
 */
export class PayloadLedger {
  readonly #words: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory);
  }

  static memory(): SharedArrayBuffer {
    return new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT);
  }

  write(sums: { readonly freedBytes: number; readonly settledCount: number }): void {
    Atomics.store(this.#words, freedBytes, sums.freedBytes);
    Atomics.store(this.#words, settledCount, sums.settledCount);
  }

  setAway(isAway: boolean): void {
    Atomics.store(this.#words, away, isAway ? 1 : 0);
  }

  /** Whether the database did not answer the last time. */
  get isAway(): boolean {
    return Atomics.load(this.#words, away) === 1;
  }

  /** How much of what was handed over is still held. */
  bytesLeft(handedOver: number): number {
    return (handedOver - Atomics.load(this.#words, freedBytes)) >>> 0;
  }

  countLeft(handedOver: number): number {
    return (handedOver - Atomics.load(this.#words, settledCount)) >>> 0;
  }
}

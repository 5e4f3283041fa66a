import { recordHeaderBytes, recordSpan } from "../platform/byte-ring.ts";
import { groupBytesMax, groupPayloadsMax } from "./payload-group.ts";
import { compressBlob } from "./payload-packing.ts";
import { blobOffset } from "./payload-parcel.ts";
import type { DayKey, PayloadGroup } from "./payload-segments.ts";

/**
 * Records that are encrypted together in the ring itself. They are adjacent: a record moves up when the one before it
 * became shorter.
 */
export class PayloadRun {
  readonly #bytes: Buffer;
  #dayKey: DayKey | null = null;
  #start = 0;
  #end = 0;
  #count = 0;

  /** @param bytes the memory of the ring */
  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** The key of the day of these payloads; null when there are none. */
  get dayKey(): DayKey | null {
    return this.#dayKey;
  }

  /** The payloads, until others are added. */
  get group(): Pick<PayloadGroup, "records" | "count"> {
    return { records: this.#bytes.subarray(this.#start, this.#end), count: this.#count };
  }

  /**
   * Whether a record may follow.
   * @param start where in the ring its bytes begin
   */
  takes(dayKey: DayKey, start: number, length: number): boolean {
    const isAfter = start > this.#end;
    const size = this.#end - this.#start + recordSpan(length);
    return this.#dayKey === dayKey && isAfter && this.#count < groupPayloadsMax && size <= groupBytesMax;
  }

  /** Adds a record. If it may not follow the others, call `clear` first. */
  add(dayKey: DayKey, start: number, length: number): void {
    const from = start - recordHeaderBytes;
    const span = recordSpan(length);
    if (this.#count === 0) {
      this.#dayKey = dayKey;
      this.#start = from;
      this.#end = from;
    } else if (from !== this.#end) {
      this.#bytes.copyWithin(this.#end, from, from + span);
    }
    this.#end += span;
    this.#count += 1;
  }

  clear(): void {
    this.#dayKey = null;
    this.#count = 0;
  }
}

/** Compresses the bodies of a record where they are, if that makes them shorter. Returns how long it is then. */
export function compressRecord(bytes: Buffer, start: number, length: number): number {
  const blob = bytes.subarray(start + blobOffset, start + length);
  const compressed = compressBlob(blob);
  if (compressed === blob) {
    return length;
  }
  const end = start + blobOffset + compressed.length;
  const from = start - recordHeaderBytes;
  blob.set(compressed);
  bytes.fill(0, end, from + recordSpan(end - start));
  bytes.writeUInt32LE(end - start, from);
  return end - start;
}

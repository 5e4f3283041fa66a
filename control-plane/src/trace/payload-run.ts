import { recordHeaderBytes, recordSpan } from "../platform/byte-ring.ts";
import { compressedBytesMax, compressedPayloadsMax, groupBytesMax, groupPayloadsMax } from "./payload-group.ts";
import type { DayKey, PayloadGroup } from "./payload-segments.ts";

type Records = Pick<PayloadGroup, "records" | "count">;

/** A part of a run, by its places in the ring. */
type Piece = { readonly start: number; end: number; count: number };

/** Adjacent records of the ring, which are compressed together where they are, or encrypted in pieces. */
export class PayloadRun {
  readonly #bytes: Buffer;
  #dayKey: DayKey | null = null;
  #pieces: Piece[] = [];
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
  get whole(): Records {
    return this.#recordsOf({ start: this.#start, end: this.#end, count: this.#count });
  }

  /** The same in groups, each as long as one that is not compressed may be. */
  get groups(): Records[] {
    return this.#pieces.map((piece) => this.#recordsOf(piece));
  }

  /**
   * Whether a record may follow.
   * @param start where in the ring its bytes begin
   */
  takes(dayKey: DayKey, start: number, length: number): boolean {
    const isNext = start - recordHeaderBytes === this.#end;
    const size = this.#end - this.#start + recordSpan(length);
    return this.#dayKey === dayKey && isNext && this.#count < compressedPayloadsMax && size <= compressedBytesMax;
  }

  /** Adds a record. If it may not follow the others, call `clear` first. */
  add(dayKey: DayKey, start: number, length: number): void {
    if (this.#count === 0) {
      this.#dayKey = dayKey;
      this.#start = start - recordHeaderBytes;
      this.#end = this.#start;
    }
    const end = this.#end + recordSpan(length);
    const last = this.#pieces.at(-1);
    if (last !== undefined && last.count < groupPayloadsMax && end - last.start <= groupBytesMax) {
      last.end = end;
      last.count += 1;
    } else {
      this.#pieces.push({ start: this.#end, end, count: 1 });
    }
    this.#end = end;
    this.#count += 1;
  }

  clear(): void {
    this.#dayKey = null;
    this.#pieces = [];
    this.#count = 0;
  }

  #recordsOf({ start, end, count }: Piece): Records {
    return { records: this.#bytes.subarray(start, end), count };
  }
}

import { recordHeaderBytes, recordSpan } from "../platform/byte-ring.ts";
import { groupBytesMax, groupPayloadsMax } from "./payload-group.ts";
import type { DayKey, PayloadGroup } from "./payload-segments.ts";

/** Adjacent records of the ring, which are encrypted together where they are. */
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
    const isNext = start - recordHeaderBytes === this.#end;
    const size = this.#end - this.#start + recordSpan(length);
    return this.#dayKey === dayKey && isNext && this.#count < groupPayloadsMax && size <= groupBytesMax;
  }

  /** Adds a record. If it may not follow the others, call `clear` first. */
  add(dayKey: DayKey, start: number, length: number): void {
    if (this.#count === 0) {
      this.#dayKey = dayKey;
      this.#start = start - recordHeaderBytes;
      this.#end = this.#start;
    }
    this.#end += recordSpan(length);
    this.#count += 1;
  }

  clear(): void {
    this.#dayKey = null;
    this.#count = 0;
  }
}

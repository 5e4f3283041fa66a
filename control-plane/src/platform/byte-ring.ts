/*
 * Records of bytes on their way from one thread to another, in shared memory: one writer, one reader, nobody waits.
 * Positions count units of 8 bytes and wrap at 2^32; the capacity is a power of two, so that a position is a place. A
 * record never continues at the start of the memory: what is left at its end is skipped.
 */

const unitBytes = 8;
/** Before each record is its length in bytes, or a mark that the rest of the memory is skipped. */
const lengthBytes = 8;
const skipped = -1;
const controlBytes = 64;
/** Words of the control block. */
const head = 0;
const tail = 1;
const asleep = 2;

/**
 * The memory of a ring.
 * @param bytes a power of two; a record that takes up to half of it fits into an empty ring
 */
export function ringMemory(bytes: number): SharedArrayBuffer {
  return new SharedArrayBuffer(controlBytes + bytes);
}

const unitsFor = (bytes: number): number => Math.ceil((lengthBytes + bytes) / unitBytes);
/** The distance between two positions. */
const between = (from: number, to: number): number => (to - from) >>> 0;

class Ring {
  protected readonly control: Int32Array;
  protected readonly words: Int32Array;
  protected readonly bytes: Buffer;
  protected readonly units: number;

  constructor(memory: SharedArrayBuffer) {
    this.control = new Int32Array(memory, 0, controlBytes / 4);
    this.words = new Int32Array(memory, controlBytes);
    // The type of `Buffer.from` does not know shared memory, which it does take.
    this.bytes = Buffer.from(memory as unknown as ArrayBuffer, controlBytes);
    this.units = this.bytes.length / unitBytes;
  }

  protected placeOf(position: number): number {
    return position & (this.units - 1);
  }
}

/** The end of a ring that fills it. */
export class RingWriter extends Ring {
  #head = 0;
  #next = 0;

  /**
   * Room for one record, to be filled at once and then published; null when the ring is too full. An empty ring whose
   * first half was used is filled from its start again, so that a reader that keeps up never needs the other half.
   */
  reserve(length: number): Buffer | null {
    const tailNow = Atomics.load(this.control, tail);
    const needed = unitsFor(length);
    const place = this.placeOf(this.#head);
    const isSkipping = place + needed > this.units || (tailNow === this.#head && place * 2 >= this.units);
    const skip = isSkipping ? this.units - place : 0;
    if (between(tailNow, this.#head) + skip + needed > this.units) {
      return null;
    }
    if (isSkipping) {
      this.words[place * 2] = skipped;
    }
    const at = isSkipping ? 0 : place;
    this.words[at * 2] = length;
    this.#next = (this.#head + skip + needed) | 0;
    return this.bytes.subarray(at * unitBytes + lengthBytes, at * unitBytes + lengthBytes + length);
  }

  /** Shows the reader what was reserved last. Returns whether the reader sleeps and has to be woken. */
  publish(): boolean {
    this.#head = this.#next;
    Atomics.store(this.control, head, this.#head);
    return Atomics.load(this.control, asleep) === 1 && Atomics.exchange(this.control, asleep, 0) === 1;
  }
}

/** The end of a ring that empties it. */
export class RingReader extends Ring {
  #tail = 0;
  #next = 0;

  /** The oldest record, valid until it is released; null when there is none. */
  peek(): Buffer | null {
    const headNow = Atomics.load(this.control, head);
    if (headNow === this.#tail) {
      return null;
    }
    let position = this.#tail;
    if (this.words[this.placeOf(position) * 2] === skipped) {
      position = (position + this.units - this.placeOf(position)) | 0;
    }
    const place = this.placeOf(position);
    const length = this.words[place * 2] ?? 0;
    this.#next = (position + unitsFor(length)) | 0;
    return this.bytes.subarray(place * unitBytes + lengthBytes, place * unitBytes + lengthBytes + length);
  }

  /** Gives the room of the record that was peeked back to the writer. */
  release(): void {
    this.#tail = this.#next;
    Atomics.store(this.control, tail, this.#tail);
  }

  /** Asks to be woken by the next record. Returns false when there is one already: then nobody will be woken. */
  sleep(): boolean {
    Atomics.store(this.control, asleep, 1);
    return Atomics.load(this.control, head) === this.#tail || Atomics.exchange(this.control, asleep, 0) === 0;
  }
}

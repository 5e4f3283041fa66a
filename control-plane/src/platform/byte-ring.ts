/*
 * Records of bytes on their way from one thread to another, in shared memory: one writer, one reader, nobody waits.
 * Positions count units of 8 bytes and wrap at 2^32; the capacity is a power of two, so that a position is a place. A
 * record never continues at the start of the memory: what is left at its end is skipped. Records that follow each other
 * are one piece of memory, in which each has a header, its bytes, and zeros up to a whole unit.
 */

const unitBytes = 8;
/** Before each record are its length in bytes, or a sign that the rest of the memory is skipped, and its mark. */
export const recordHeaderBytes = 8;
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

const unitsFor = (bytes: number): number => (recordHeaderBytes + bytes + unitBytes - 1) >>> 3;
/** How much of a piece of records one of this length takes. */
export const recordSpan = (length: number): number => unitsFor(length) * unitBytes;
/** The distance between two positions. */
const between = (from: number, to: number): number => (to - from) >>> 0;

class Ring {
  protected readonly control: Int32Array;
  protected readonly words: Int32Array;
  readonly bytes: Buffer;
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

/** Whether a ring is too large is judged after as many bytes as fill it so often: a burst among them keeps its size. */
const roundsJudged = 4;

/** The end of a ring that fills it. */
export class RingWriter extends Ring {
  #head = 0;
  #next = 0;
  /** Where an empty ring was last filled from its start again, and what was left out for it. */
  #skippedFrom = -1;
  #skippedUnits = 0;
  /** Since it was last judged. */
  #writtenUnits = 0;
  #waitingUnitsMost = 0;

  /**
   * Room for one record, to be filled immediately and then published: where in `bytes` it begins, or -1 when the ring is
   * too full. An empty ring whose first half was used is filled from its start again, so that a reader that keeps up never
   * needs the other half.
   * @param mark a number that the reader is given with the record
   */
  reserve(length: number, mark = 0): number {
    const tailNow = Atomics.load(this.control, tail);
    const needed = unitsFor(length);
    const place = this.placeOf(this.#head);
    const isSkipping = place + needed > this.units || (tailNow === this.#head && place * 2 >= this.units);
    const skip = isSkipping ? this.units - place : 0;
    if (between(tailNow, this.#head) + skip + needed > this.units) {
      return -1;
    }
    if (isSkipping) {
      this.words[place * 2] = skipped;
    }
    const at = isSkipping ? 0 : place;
    const end = (at + needed) * 2;
    this.words[end - 1] = 0;
    this.words[end - 2] = 0;
    this.words[at * 2] = length;
    this.words[at * 2 + 1] = mark;
    this.#next = (this.#head + skip + needed) | 0;
    this.#note(tailNow, needed, skip);
    return at * unitBytes + recordHeaderBytes;
  }

  /**
   * Whether never more than a quarter of the ring waited while as many bytes passed as fill it four times. False until they
   * have passed; then counting starts over.
   */
  takeIdleness(): boolean {
    if (this.#writtenUnits < roundsJudged * this.units) {
      return false;
    }
    const isIdle = this.#waitingUnitsMost * 4 <= this.units;
    this.#writtenUnits = 0;
    this.#waitingUnitsMost = 0;
    return isIdle;
  }

  #note(tailNow: number, needed: number, skip: number): void {
    if (skip > 0) {
      this.#skippedFrom = this.#head;
      this.#skippedUnits = skip;
    }
    const leftOut = tailNow === this.#skippedFrom ? this.#skippedUnits : 0;
    this.#writtenUnits += needed;
    this.#waitingUnitsMost = Math.max(this.#waitingUnitsMost, between(tailNow, this.#next) - leftOut);
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
  /** Of the record that was looked at last: where in `bytes` it begins, its length, and its mark. */
  start = 0;
  length = 0;
  mark = 0;
  #tail = 0;
  #passed = 0;
  #next = 0;

  /** How many bytes wait to be passed. */
  get waitingBytes(): number {
    return between(this.#passed, Atomics.load(this.control, head)) * unitBytes;
  }

  /** Looks at the oldest record that was not passed; false when there is none. */
  peek(): boolean {
    const headNow = Atomics.load(this.control, head);
    if (headNow === this.#passed) {
      return false;
    }
    let position = this.#passed;
    if (this.words[this.placeOf(position) * 2] === skipped) {
      position = (position + this.units - this.placeOf(position)) | 0;
    }
    const place = this.placeOf(position);
    this.length = this.words[place * 2] ?? 0;
    this.mark = this.words[place * 2 + 1] ?? 0;
    this.start = place * unitBytes + recordHeaderBytes;
    this.#next = (position + unitsFor(this.length)) | 0;
    return true;
  }

  /** Goes on to the record after the one that was looked at. Until it is released, its room belongs to the reader. */
  pass(): void {
    this.#passed = this.#next;
  }

  /** Gives the room of all records that were passed back to the writer. */
  release(): void {
    this.#tail = this.#passed;
    Atomics.store(this.control, tail, this.#tail);
  }

  /** Asks to be woken by the next record. Returns false when there is one already: then nobody will be woken. */
  sleep(): boolean {
    Atomics.store(this.control, asleep, 1);
    return Atomics.load(this.control, head) === this.#passed || Atomics.exchange(this.control, asleep, 0) === 0;
  }
}

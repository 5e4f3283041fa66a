const openingBytes = 4_096;
const cr = 13;
const lf = 10;
const zero = 48;

/** Per byte: whether a value may contain it: a line end in it would end the head. */
const valueBytes = new Uint8Array(256).fill(1, 0x20, 0x7f).fill(1, 0x80);
valueBytes[0x09] = 1;

/** A head, written piece by piece into memory that is used again. */
export class HeadBytes {
  #bytes = Buffer.allocUnsafeSlow(openingBytes);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** What was written. It is overwritten after a `cut`. */
  get written(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Takes back everything after a length. */
  cut(length: number): void {
    this.#length = length;
  }

  /** What was written from an offset on, for longer than until it is overwritten. */
  copyFrom(from: number): Buffer {
    return Buffer.from(this.#bytes.subarray(from, this.#length));
  }

  add(piece: Buffer): void {
    this.#reserve(piece.length);
    this.#bytes.set(piece, this.#length);
    this.#length += piece.length;
  }

  addNumber(value: number): void {
    let digits = 1;
    for (let bound = 10; bound <= value; bound *= 10) {
      digits += 1;
    }
    this.#reserve(digits);
    let rest = value;
    for (let at = this.#length + digits - 1; at >= this.#length; at -= 1) {
      const next = Math.floor(rest / 10);
      this.#bytes[at] = zero + rest - next * 10;
      rest = next;
    }
    this.#length += digits;
  }

  /** A value with the end of its line. @returns false for one that can't be in a head; then nothing of it is written */
  addValue(value: string): boolean {
    const { length } = value;
    this.#reserve(length + 2);
    const bytes = this.#bytes;
    let at = this.#length;
    for (let index = 0; index < length; index += 1) {
      const unit = value.charCodeAt(index);
      if (valueBytes[unit] !== 1) {
        return false;
      }
      bytes[at] = unit;
      at += 1;
    }
    bytes[at] = cr;
    bytes[at + 1] = lf;
    this.#length = at + 2;
    return true;
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
  }
}

/** Bytes that are written piece by piece into memory that is used again, and replaced by larger one when it is full. */
export class ReusedBytes {
  protected bytes: Buffer;
  protected end = 0;

  constructor(openingBytes: number) {
    this.bytes = Buffer.allocUnsafeSlow(openingBytes);
  }

  get length(): number {
    return this.end;
  }

  /** What was written. It is overwritten after a `cut`. */
  get written(): Buffer {
    return this.bytes.subarray(0, this.end);
  }

  /** Takes back everything after a length. */
  cut(length: number): void {
    this.end = length;
  }

  /** What was written from an offset on, for longer than until it is overwritten. */
  copyFrom(from: number): Buffer {
    return Buffer.from(this.bytes.subarray(from, this.end));
  }

  /** Appends bytes that were written before. */
  add(piece: Buffer): void {
    this.reserve(piece.length);
    this.end += piece.copy(this.bytes, this.end);
  }

  /** Makes room for so many bytes. */
  protected reserve(more: number): void {
    const needed = this.end + more;
    if (needed > this.bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.bytes.length));
      this.bytes.copy(larger, 0, 0, this.end);
      this.bytes = larger;
    }
  }
}

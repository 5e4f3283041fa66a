/** What has arrived of the requests of a connection and is not yet taken. */
export class RequestBuffer {
  #bytes: Buffer = nothing;
  #length = 0;

  get bytes(): Buffer {
    return this.#bytes;
  }

  get length(): number {
    return this.#length;
  }

  /** The memory that it holds. */
  get capacity(): number {
    return this.#bytes.length;
  }

  /**
   * Adds bytes; the first ones are kept as they are, so that a request that comes in one piece is not copied.
   * @param wanted how many bytes there will be, if that is known
   */
  add(piece: Buffer, wanted = 0): void {
    if (this.#length === 0) {
      this.#bytes = piece;
      this.#length = piece.length;
      return;
    }
    const length = this.#length + piece.length;
    if (length > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, wanted, wanted === 0 ? 2 * this.#length : 0));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    piece.copy(this.#bytes, this.#length);
    this.#length = length;
  }

  /** Takes everything. */
  takeAll(): Buffer {
    return this.take(this.#length);
  }

  /** Takes the first bytes, and keeps the others. */
  take(count: number): Buffer {
    const bytes = this.#bytes;
    if (bytes.length === count) {
      // Nearly every request: it came in one piece, which is all of the memory.
      this.#bytes = nothing;
      this.#length = 0;
      return bytes;
    }
    const taken = bytes.subarray(0, count);
    const rest = this.#length - count;
    this.#bytes = rest === 0 ? nothing : restOf(bytes, count, this.#length);
    this.#length = rest;
    return taken;
  }
}

const nothing = Buffer.alloc(0);

/**
 * A small rest is copied, so that it does not keep the memory of a large request. A large one is not: copied for each of
 * many small requests that came together, it would cost more than they do.
 */
function restOf(bytes: Buffer, from: number, end: number): Buffer {
  const rest = bytes.subarray(from, end);
  return 2 * rest.length < bytes.buffer.byteLength ? Buffer.from(rest) : rest;
}

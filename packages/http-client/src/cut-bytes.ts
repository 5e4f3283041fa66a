// Up to this size, the engine stores the bytes of an array in its own heap, so that a copy is cheaper than a view.
const copiedBytesMax = 1000;

/** The bytes from `start` to `end` in the cheapest way: the buffer itself, a copy of few bytes or a view. */
export function cutBytes(bytes: Buffer, start: number, end: number): Buffer {
  const length = end - start;
  if (length === bytes.length) {
    return bytes;
  }
  if (length > copiedBytesMax) {
    return bytes.subarray(start, end);
  }
  const piece = Buffer.allocUnsafe(length);
  bytes.copy(piece, 0, start, end);
  return piece;
}

// Up to this size the engine keeps the bytes of an array in its own heap, which makes a copy cheaper than a view.
const copiedBytesMax = 1000;

/** The bytes from `start` to `end` in the cheapest way: the array itself, a copy of few bytes or a view. */
export function cutBytes(bytes: Uint8Array, start: number, end: number): Uint8Array {
  if (start === 0 && end === bytes.length) {
    return bytes;
  }
  return end - start <= copiedBytesMax ? bytes.slice(start, end) : bytes.subarray(start, end);
}

/** Copying this much takes one or two milliseconds, even into memory that was never touched. */
const sliceBytes = 1024 * 1024;

/** Yields to everything that waits for the event loop. */
export function yieldToLoop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Copies the pieces into one array, yielding in between so that nobody has to wait for long. */
export async function joinInSlices(
  pieces: readonly Uint8Array[],
  byteLength: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const joined = new Uint8Array(byteLength);
  let at = 0;
  let sinceYield = 0;
  for (const piece of pieces) {
    for (let from = 0; from < piece.byteLength; from += sliceBytes) {
      const slice = piece.subarray(from, from + sliceBytes);
      joined.set(slice, at);
      at += slice.byteLength;
      sinceYield += slice.byteLength;
      if (sinceYield >= sliceBytes) {
        sinceYield = 0;
        await yieldToLoop();
      }
    }
  }
  return joined;
}

/** The level of zstd: 0.3 us for each KB that repeats what is before it, 1.2 for prose, 2.5 for what has no repetitions. */
const compression = { level: 1 } as const;
/**
 * Writing a KB costs the database 3 us and more, and this process another 0.5 to encrypt and send it. So compressing pays if
 * a group shrinks to at most this share.
 */
const shareMax = 0.4;
/** How many groups pass before it is tried again, after one that did not shrink enough. */
const passedMax = 15;
/** Below this length there is next to nothing to save. */
const bytesMin = 1_024;
/** The same where compressing is cheap or pays anyway. */
const certainBytesMin = 256;
/** A frame that is not shorter than this share of its records is not worth decompressing. */
const certainShareMax = 0.95;

/**
 * Decides for each group of payloads whether it is compressed. Calls of a service often repeat each other: the same
 * instructions, the same conversation with another question. So do the events of a stream, and one stream another.
 */
export class GroupCompression {
  #left = 0;

  /**
   * The records as a zstd frame, or null if they are to be encrypted as they are.
   * @param isCertain whether it is known to pay: few calls, or long bodies
   */
  compress(records: Uint8Array, isCertain: boolean): Uint8Array | null {
    if (isCertain) {
      return records.length < certainBytesMin ? null : shorter(records, certainShareMax);
    }
    if (records.length < bytesMin) {
      return null;
    }
    if (this.#left > 0) {
      this.#left -= 1;
      return null;
    }
    const frame = shorter(records, shareMax);
    this.#left = frame === null ? passedMax : 0;
    return frame;
  }
}

/** The frame of the records if it takes at most this share of their length, else null. */
function shorter(records: Uint8Array, share: number): Uint8Array | null {
  const frame = Bun.zstdCompressSync(records as Uint8Array<ArrayBuffer>, compression);
  return frame.length <= records.length * share ? frame : null;
}

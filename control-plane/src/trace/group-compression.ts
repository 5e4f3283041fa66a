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

/**
 * Decides for each group of small payloads whether it is compressed. Calls of a service often repeat each other: the same
 * instructions, the same conversation with another question.
 */
export class GroupCompression {
  #left = 0;

  /** The records as a zstd frame, or null if they are to be encrypted as they are. */
  compress(records: Uint8Array): Uint8Array | null {
    if (records.length < bytesMin) {
      return null;
    }
    if (this.#left > 0) {
      this.#left -= 1;
      return null;
    }
    const frame = Bun.zstdCompressSync(records as Uint8Array<ArrayBuffer>, compression);
    const isWorthIt = frame.length <= records.length * shareMax;
    this.#left = isWorthIt ? 0 : passedMax;
    return isWorthIt ? frame : null;
  }
}

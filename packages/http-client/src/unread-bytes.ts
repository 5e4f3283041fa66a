/** A view may keep fewer bytes than this of a packet in memory that are already read. */
const readBytesMax = 65_536;

/** The bytes that arrived on a connection and are not read yet. */
export class UnreadBytes {
  /** The position of the first unread byte in the result of `take`. */
  start = 0;
  #bytes: Buffer | null = null;

  get isEmpty(): boolean {
    return this.#bytes === null;
  }

  /**
   * Keeps a packet from `start` on. If most of it was read, the rest is copied, so that a few bytes do not keep a large
   * packet in memory.
   */
  keep(packet: Buffer, start: number): void {
    const isMostlyRead = start >= readBytesMax && start * 2 >= packet.length;
    this.#bytes = isMostlyRead ? Buffer.copyBytesFrom(packet, start) : packet;
    this.start = isMostlyRead ? 0 : start;
  }

  /** Adds a packet that came before the system stopped reading. */
  add(packet: Buffer): void {
    const before = this.#bytes;
    this.#bytes = before === null ? packet : Buffer.concat([before.subarray(this.start), packet]);
    this.start = 0;
  }

  /** Returns the unread bytes and forgets them. */
  take(): Buffer | null {
    const bytes = this.#bytes;
    this.#bytes = null;
    return bytes;
  }
}

/** Less than this of a packet may be kept for nothing. */
const readBytesMax = 65_536;

/** What came on a connection and is not read yet. */
export class UnreadBytes {
  /** Where in what `take` returns the first of them is. */
  start = 0;
  #bytes: Buffer | null = null;

  get isEmpty(): boolean {
    return this.#bytes === null;
  }

  /** Keeps a packet from `start` on; a copy where most of it was read, so that a large packet does not stay for a few bytes. */
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

  /** Nothing is unread afterwards. */
  take(): Buffer | null {
    const bytes = this.#bytes;
    this.#bytes = null;
    return bytes;
  }
}

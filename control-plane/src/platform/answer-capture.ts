/** This much of every response is kept, for the trace and for counting what was delivered. */
const ownBytesMax = 65_536;
/** This much more of a longer response is kept, while the running calls leave room for it. */
const extraBytes = 196_608;
const extraBytesMaxOfAll = 33_554_432;
/** Small pieces are merged: each piece would cost as much memory again, and a view keeps its whole packet in memory. */
const looseBytesMax = 16_384;
/** Blocks for the parts of a stream: the first one, each twice the one before, up to the largest. */
const blockBytesMin = 1_024;
const blockBytesMax = 4_096;

/**
 * The memory for the longer responses of running calls. Without this limit, many long streams at once would fill the
 * memory.
 */
export class CaptureAllowance {
  #left = extraBytesMaxOfAll;

  take(): boolean {
    const isEnough = this.#left >= extraBytes;
    this.#left -= isEnough ? extraBytes : 0;
    return isEnough;
  }

  giveBack(): void {
    this.#left += extraBytes;
  }
}

/** The first bytes of a response as sent to the client. */
export class AnswerCapture {
  readonly #allowance: CaptureAllowance | null;
  readonly #pieces: Uint8Array[] = [];
  #bytes = 0;
  #bytesMax = ownBytesMax;
  #hasExtra = false;
  /** The first piece that has not been merged yet. */
  #looseFrom = 0;
  #looseBytes = 0;
  /** What comes after the pieces. */
  #block: Buffer | null = null;
  #blockBytes = 0;

  /** @param allowance null keeps only what every response may */
  constructor(allowance: CaptureAllowance | null) {
    this.#allowance = allowance;
  }

  get pieces(): readonly Uint8Array[] {
    const block = this.#block;
    return block === null ? this.#pieces : [...this.#pieces, block.subarray(0, this.#blockBytes)];
  }

  /** Keeps the bytes as they are. */
  keep(piece: Uint8Array): void {
    if (this.#block !== null) {
      this.keepPart(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength), 0, piece.byteLength);
      return;
    }
    const room = this.#roomFor(piece.byteLength);
    if (room <= 0) {
      return;
    }
    const kept = piece.byteLength <= room ? piece : piece.subarray(0, room);
    this.#pieces.push(kept);
    this.#bytes += kept.byteLength;
    this.#looseBytes += kept.byteLength;
    if (this.#looseBytes >= looseBytesMax || this.#bytes === this.#bytesMax) {
      this.#pieces.push(Buffer.concat(this.#pieces.splice(this.#looseFrom)));
      this.#looseFrom = this.#pieces.length;
      this.#looseBytes = 0;
    }
  }

  /** Keeps a copy of the bytes of a packet from `start` to `end`. */
  keepPart(packet: Buffer, start: number, end: number): void {
    const last = start + Math.min(end - start, this.#roomFor(end - start));
    this.#bytes += last - start;
    for (let at = start; at < last; ) {
      const block = this.#block ?? this.#nextBlock();
      const copied = packet.copy(block, this.#blockBytes, at, last);
      at += copied;
      this.#blockBytes += copied;
      if (this.#blockBytes === block.length) {
        this.#pieces.push(block);
        this.#looseFrom = this.#pieces.length;
        this.#looseBytes = 0;
        this.#block = null;
      }
    }
  }

  /** The call is over: frees its room for others. */
  release(): void {
    if (this.#hasExtra) {
      this.#hasExtra = false;
      this.#allowance?.giveBack();
    }
  }

  #nextBlock(): Buffer {
    const before = this.#pieces.at(-1)?.byteLength ?? 0;
    const bytes = Math.min(Math.max(blockBytesMin, 2 * before), blockBytesMax);
    this.#block = Buffer.allocUnsafeSlow(bytes);
    this.#blockBytes = 0;
    return this.#block;
  }

  /** How much more may be kept; asks for more room if this many bytes do not fit. */
  #roomFor(bytes: number): number {
    if (bytes > this.#bytesMax - this.#bytes && !this.#hasExtra && this.#allowance?.take() === true) {
      this.#hasExtra = true;
      this.#bytesMax += extraBytes;
    }
    return this.#bytesMax - this.#bytes;
  }
}

import { type Bytes, PacketPart, viewOf } from "@sluice/http-client/packet-part";

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
/** Blocks of calls that are over wait for the next streams, up to this many bytes: what the collector would find late. */
const spareBytesMax = 4_194_304;

/**
 * The memory for the responses of running calls: the room for longer ones, without which many long streams at once would
 * fill the memory, and blocks that are used again.
 */
export class CaptureAllowance {
  #left = extraBytesMaxOfAll;
  /** By their size. */
  readonly #spare = new Map<number, Buffer<ArrayBuffer>[]>();
  #spareBytes = 0;

  take(): boolean {
    const isEnough = this.#left >= extraBytes;
    this.#left -= isEnough ? extraBytes : 0;
    return isEnough;
  }

  giveBack(): void {
    this.#left += extraBytes;
  }

  /** A block with bytes of anyone in it. */
  takeBlock(bytes: number): Buffer<ArrayBuffer> {
    const spare = this.#spare.get(bytes)?.pop();
    if (spare === undefined) {
      return Buffer.allocUnsafeSlow(bytes);
    }
    this.#spareBytes -= bytes;
    return spare;
  }

  /** Nobody may look at the block any more. */
  giveBackBlock(block: Buffer<ArrayBuffer>): void {
    if (this.#spareBytes + block.length > spareBytesMax) {
      return;
    }
    this.#spareBytes += block.length;
    const alike = this.#spare.get(block.length);
    if (alike === undefined) {
      this.#spare.set(block.length, [block]);
    } else {
      alike.push(block);
    }
  }
}

/** Stays empty: the first piece brings a list of its own. */
const noPieces: Bytes[] = [];

/** The first bytes of a response as sent to the client, and how many there were. */
export class AnswerCapture {
  /** The size of everything that was sent to the client. */
  sentBytes = 0;
  readonly #allowance: CaptureAllowance | null;
  #pieces: Bytes[] = noPieces;
  #bytes = 0;
  #bytesMax = ownBytesMax;
  #hasExtra = false;
  /** The first piece that has not been merged yet. */
  #looseFrom = 0;
  #looseBytes = 0;
  /** The first piece that is a block; all after it are blocks, too. */
  #blocksFrom = -1;
  /** What comes after the pieces. */
  #block: Buffer<ArrayBuffer> | null = null;
  #blockBytes = 0;
  #isRecycled = false;

  /** @param allowance null keeps only what every response may */
  constructor(allowance: CaptureAllowance | null) {
    this.#allowance = allowance;
  }

  get pieces(): readonly Bytes[] {
    const block = this.#block;
    return block === null ? this.#pieces : [...this.#pieces, new PacketPart(block, 0, this.#blockBytes)];
  }

  /** Keeps the bytes as they are, until a part has come. */
  keep(piece: Bytes): void {
    if (this.#blocksFrom !== -1) {
      this.keepPart(viewOf(piece), 0, piece.byteLength);
      return;
    }
    this.sentBytes += piece.byteLength;
    const room = this.#roomFor(piece.byteLength);
    if (room <= 0) {
      return;
    }
    const kept = piece.byteLength <= room ? piece : viewOf(piece).subarray(0, room);
    this.#addPiece(kept);
    this.#bytes += kept.byteLength;
    this.#looseBytes += kept.byteLength;
    if (this.#looseBytes >= looseBytesMax || this.#bytes === this.#bytesMax) {
      this.#pieces.push(Buffer.concat(this.#pieces.splice(this.#looseFrom).map(viewOf)));
      this.#looseFrom = this.#pieces.length;
      this.#looseBytes = 0;
    }
  }

  /** Keeps a copy of the bytes of a packet from `start` to `end`. */
  keepPart(packet: Buffer, start: number, end: number): void {
    const bytes = end - start;
    const kept = this.#block;
    this.sentBytes += bytes;
    if (kept !== null && bytes < kept.length - this.#blockBytes && bytes <= this.#bytesMax - this.#bytes) {
      packet.copy(kept, this.#blockBytes, start, end);
      this.#bytes += bytes;
      this.#blockBytes += bytes;
      return;
    }
    const last = start + Math.min(end - start, this.#roomFor(end - start));
    this.#bytes += last - start;
    for (let at = start; at < last; ) {
      const block = this.#block ?? this.#nextBlock();
      const copied = packet.copy(block, this.#blockBytes, at, last);
      at += copied;
      this.#blockBytes += copied;
      if (this.#blockBytes === block.length) {
        this.#addPiece(block);
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

  /**
   * Gives the blocks to the next streams: nobody looks at the pieces any more, which others overwrite. What is still sent
   * is not kept.
   */
  recycle(): void {
    const block = this.#block;
    if (this.#allowance !== null && this.#blocksFrom !== -1) {
      for (const each of this.#pieces.slice(this.#blocksFrom)) {
        this.#allowance.giveBackBlock(each as Buffer<ArrayBuffer>);
      }
      if (block !== null) {
        this.#allowance.giveBackBlock(block);
      }
    }
    this.#isRecycled = true;
    this.#block = null;
    this.#pieces = noPieces;
  }

  #addPiece(piece: Bytes): void {
    if (this.#pieces === noPieces) {
      this.#pieces = [piece];
    } else {
      this.#pieces.push(piece);
    }
  }

  #nextBlock(): Buffer<ArrayBuffer> {
    if (this.#blocksFrom === -1) {
      this.#blocksFrom = this.#pieces.length;
    }
    const bytes = Math.min(blockBytesMin * 2 ** (this.#pieces.length - this.#blocksFrom), blockBytesMax);
    const block = this.#allowance?.takeBlock(bytes) ?? Buffer.allocUnsafeSlow(bytes);
    this.#block = block;
    this.#blockBytes = 0;
    return block;
  }

  /** How much more may be kept; asks for more room if this many bytes do not fit. */
  #roomFor(bytes: number): number {
    if (this.#isRecycled) {
      return 0;
    }
    if (bytes > this.#bytesMax - this.#bytes && !this.#hasExtra && this.#allowance?.take() === true) {
      this.#hasExtra = true;
      this.#bytesMax += extraBytes;
    }
    return this.#bytesMax - this.#bytes;
  }
}

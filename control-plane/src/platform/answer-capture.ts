/** This much of every response is kept, for the trace and for counting what was delivered. */
const ownBytesMax = 65_536;
/** This much more of a longer response is kept, while the running calls leave room for it. */
const extraBytes = 196_608;
const extraBytesMaxOfAll = 33_554_432;
/** Small pieces are merged: each piece would cost as much memory again, and a view keeps its whole packet in memory. */
const looseBytesMax = 16_384;

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

  /** @param allowance null keeps only what every response may */
  constructor(allowance: CaptureAllowance | null) {
    this.#allowance = allowance;
  }

  get pieces(): readonly Uint8Array[] {
    return this.#pieces;
  }

  keep(piece: Uint8Array): void {
    if (piece.byteLength > this.#bytesMax - this.#bytes) {
      this.#extend();
    }
    const room = this.#bytesMax - this.#bytes;
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

  /** The call is over: frees its room for others. */
  release(): void {
    if (this.#hasExtra) {
      this.#hasExtra = false;
      this.#allowance?.giveBack();
    }
  }

  #extend(): void {
    if (!this.#hasExtra && this.#allowance?.take() === true) {
      this.#hasExtra = true;
      this.#bytesMax += extraBytes;
    }
  }
}

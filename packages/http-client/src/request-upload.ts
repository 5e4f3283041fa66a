import { type HttpBodyStream, HttpClientError, type HttpClientErrorKind } from "./model.ts";

type PieceReader = {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
};

/** The connection that an upload sends its pieces to. */
export interface UploadTarget {
  /** @returns whether the socket accepted the piece; otherwise `onDrained` follows, or `cancel` */
  sendPiece(piece: Uint8Array<ArrayBuffer>): boolean;
  finishRequest(): void;
}

const lineEnd = Buffer.from("\r\n");
const lastChunk = Buffer.from("0\r\n\r\n");

/** Sends a body piece by piece; a piece is only read once the socket has accepted the previous one. */
export class RequestUpload {
  readonly #body: HttpBodyStream;
  readonly #target: UploadTarget;
  readonly #reader: PieceReader;
  #drained: (() => void) | null = null;
  #sentBytes = 0;
  #isCancelled = false;
  #isRunning = true;

  constructor(body: HttpBodyStream, target: UploadTarget) {
    this.#body = body;
    this.#target = target;
    this.#reader = body.stream.getReader();
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /**
   * Resolves once the socket has accepted the last byte, or after `cancel`.
   * @throws HttpClientError when the body can't be sent as declared
   */
  async run(): Promise<void> {
    const isChunked = this.#body.length === null;
    for (let piece = await this.#next(); piece !== null; piece = await this.#next()) {
      if (piece.length > 0) {
        this.#count(piece);
        await this.#send(isChunked ? chunkOf(piece) : piece);
      }
    }
    if (this.#isCancelled) {
      return;
    }
    if (this.#body.length !== null && this.#sentBytes < this.#body.length) {
      throw uploadFailure("aborted", "the body of the request ended before its declared length");
    }
    if (isChunked) {
      await this.#send(lastChunk);
    }
    if (!this.#isCancelled) {
      this.#isRunning = false;
      this.#target.finishRequest();
    }
  }

  /** The socket accepted everything that it was given. */
  onDrained(): void {
    const drained = this.#drained;
    this.#drained = null;
    drained?.();
  }

  /** The request is over, so nothing more is read or sent. */
  cancel(): void {
    if (!this.#isCancelled) {
      this.#isCancelled = true;
      // If cancelling the source fails as well, that error adds nothing.
      this.#reader.cancel().catch(() => undefined);
      this.onDrained();
    }
  }

  async #next(): Promise<Uint8Array | null> {
    if (this.#isCancelled) {
      return null;
    }
    let part: Awaited<ReturnType<PieceReader["read"]>>;
    try {
      part = await this.#reader.read();
    } catch {
      if (this.#isCancelled) {
        return null;
      }
      throw uploadFailure("aborted", "the body of the request was incomplete");
    }
    return part.done || this.#isCancelled ? null : (part.value ?? new Uint8Array(0));
  }

  #count(piece: Uint8Array): void {
    this.#sentBytes += piece.length;
    const { length, bytesMax } = this.#body;
    if (this.#sentBytes > Math.min(bytesMax, length ?? bytesMax)) {
      throw uploadFailure("request_too_large", "the body of the request is larger than its limit");
    }
  }

  async #send(bytes: Uint8Array): Promise<void> {
    if (!this.#target.sendPiece(bytes as Uint8Array<ArrayBuffer>)) {
      await new Promise<void>((resolve) => {
        this.#drained = resolve;
      });
    }
  }
}

function chunkOf(piece: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, lineEnd]);
}

function uploadFailure(kind: HttpClientErrorKind, message: string): HttpClientError {
  return new HttpClientError(kind, true, message);
}

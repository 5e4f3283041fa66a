import { hexDigit, isLineEnd } from "./only-chunk.ts";
import { Http1ParseError } from "./response-head.ts";

export interface BodyBytesReceiver {
  /** A part of the body: the bytes of a packet from `start` to `end`. */
  onBody(packet: Buffer, start: number, end: number): void;
}

const carriageReturn = 13;
const lineFeed = 10;
const semicolon = 59;
const space = 32;
const tab = 9;
const sizeDigitsMax = 12;
const extensionBytesMax = 1024;
const trailerBytesMax = 64 * 1024;
const trailersMax = 100;
// Sizes, extensions and line ends may cost this much more than the bytes they frame before it counts as an attack.
const framingExcessMax = 64 * 1024;
const framingAllowancePerChunk = 16;

type State =
  | "size"
  | "extension"
  | "sizeLineFeed"
  | "bytes"
  | "bytesCarriageReturn"
  | "bytesLineFeed"
  | "trailerStart"
  | "trailer"
  | "trailerLineFeed"
  | "lastLineFeed"
  | "done";

/**
 * Decodes the chunked transfer coding, whatever the pieces in which it arrives. Chunk extensions and trailers are
 * skipped, with limits. Every line has to end with CRLF.
 */
export class Http1ChunkedDecoder {
  /** While this is set, `decode` returns after the piece that it delivers. */
  isStopped = false;
  readonly #receiver: BodyBytesReceiver;
  #state: State = "size";
  #remaining = 0;
  #sizeDigits = 0;
  #lineBytes = 0;
  #framingExcess = 0;
  #trailerBytes = 0;
  #trailers = 0;

  constructor(receiver: BodyBytesReceiver) {
    this.#receiver = receiver;
  }

  get isDone(): boolean {
    return this.#state === "done";
  }

  /** Whether the next byte begins a size, and there was no excess of framing. */
  get isBetweenChunks(): boolean {
    return this.#state === "size" && this.#lineBytes === 0 && this.#framingExcess === 0;
  }

  restart(): void {
    this.#state = "size";
    this.#remaining = 0;
    this.#sizeDigits = 0;
    this.#lineBytes = 0;
    this.#framingExcess = 0;
    this.#trailerBytes = 0;
    this.#trailers = 0;
  }

  /**
   * Delivers the body bytes.
   * @returns the offset of the first byte that was not read: it does not belong to the body, or comes after a stop
   * @throws Http1ParseError
   */
  decode(bytes: Buffer, start: number): number {
    let offset = start;
    while (offset < bytes.length && this.#state !== "done") {
      if (this.#state === "bytes") {
        offset = this.#passBytes(bytes, offset);
        if (this.isStopped) {
          break;
        }
      } else {
        const next = this.#readUsualFraming(bytes, offset);
        if (next === offset) {
          this.#readFraming(bytes[offset] as number);
        }
        offset = Math.max(next, offset + 1);
      }
    }
    return offset;
  }

  /**
   * Reads a size without an extension, or the end of a chunk, if the whole line is there.
   * @returns where it ends; `offset` for anything else, which is then read byte by byte
   */
  #readUsualFraming(bytes: Buffer, offset: number): number {
    if (this.#state === "bytesCarriageReturn") {
      if (!isLineEnd(bytes, offset)) {
        return offset;
      }
      this.#state = "size";
      return offset + 2;
    }
    if (this.#state !== "size" || this.#lineBytes > 0) {
      return offset;
    }
    let size = 0;
    let at = offset;
    for (let digit = hexDigit(bytes[at]); digit !== -1; digit = hexDigit(bytes[at])) {
      size = size * 16 + digit;
      at += 1;
    }
    if (at === offset || at - offset > sizeDigitsMax || !isLineEnd(bytes, at)) {
      return offset;
    }
    this.#remaining = size;
    this.#lineBytes = at - offset + 1;
    this.#beginChunk();
    return at + 2;
  }

  #passBytes(bytes: Buffer, offset: number): number {
    const end = Math.min(bytes.length, offset + this.#remaining);
    this.#remaining -= end - offset;
    if (this.#remaining === 0) {
      this.#state = "bytesCarriageReturn";
    }
    this.#receiver.onBody(bytes, offset, end);
    return end;
  }

  #readFraming(byte: number): void {
    switch (this.#state) {
      case "size":
        this.#readSize(byte);
        break;
      case "extension":
        this.#readExtension(byte);
        break;
      case "sizeLineFeed":
        this.#expect(byte, lineFeed);
        this.#beginChunk();
        break;
      case "bytesCarriageReturn":
        this.#expect(byte, carriageReturn);
        this.#state = "bytesLineFeed";
        break;
      case "bytesLineFeed":
        this.#expect(byte, lineFeed);
        this.#state = "size";
        break;
      default:
        this.#readTrailers(byte);
        break;
    }
  }

  #readSize(byte: number): void {
    const digit = hexDigit(byte);
    this.#lineBytes += 1;
    if (digit !== -1) {
      this.#sizeDigits += 1;
      if (this.#sizeDigits > sizeDigitsMax) {
        throw new Http1ParseError("malformed", "the size of a chunk has too many digits");
      }
      this.#remaining = this.#remaining * 16 + digit;
      return;
    }
    if (this.#sizeDigits === 0) {
      throw new Http1ParseError("malformed", "a chunk does not begin with its size");
    }
    if (byte === carriageReturn) {
      this.#state = "sizeLineFeed";
    } else if (byte === semicolon || byte === space || byte === tab) {
      this.#state = "extension";
    } else {
      throw new Http1ParseError("malformed", "the size of a chunk is not a number");
    }
  }

  #readExtension(byte: number): void {
    this.#lineBytes += 1;
    if (byte === carriageReturn) {
      this.#state = "sizeLineFeed";
    } else if (isControl(byte) || this.#lineBytes > extensionBytesMax) {
      throw new Http1ParseError("malformed", "a chunk has no valid extension");
    }
  }

  #beginChunk(): void {
    const excess = this.#framingExcess + this.#lineBytes - framingAllowancePerChunk - 2 * this.#remaining;
    this.#framingExcess = Math.max(0, excess);
    if (this.#framingExcess > framingExcessMax) {
      throw new Http1ParseError("malformed", "the chunks are mostly framing");
    }
    this.#state = this.#remaining === 0 ? "trailerStart" : "bytes";
    this.#sizeDigits = 0;
    this.#lineBytes = 0;
  }

  #readTrailers(byte: number): void {
    this.#trailerBytes += 1;
    if (this.#trailerBytes > trailerBytesMax) {
      throw new Http1ParseError("too_large", `the trailers are larger than ${trailerBytesMax} bytes`);
    }
    switch (this.#state) {
      case "trailerStart":
        this.#beginTrailer(byte);
        break;
      case "trailer":
        if (byte === carriageReturn) {
          this.#state = "trailerLineFeed";
        } else if (isControl(byte)) {
          throw new Http1ParseError("malformed", "a trailer holds a control character");
        }
        break;
      case "trailerLineFeed":
        this.#expect(byte, lineFeed);
        this.#state = "trailerStart";
        break;
      default:
        this.#expect(byte, lineFeed);
        this.#state = "done";
        break;
    }
  }

  #beginTrailer(byte: number): void {
    if (byte === carriageReturn) {
      this.#state = "lastLineFeed";
      return;
    }
    this.#trailers += 1;
    if (this.#trailers > trailersMax) {
      throw new Http1ParseError("too_large", `the response has more than ${trailersMax} trailers`);
    }
    if (isControl(byte) || byte === space || byte === tab) {
      throw new Http1ParseError("malformed", "a trailer has no valid name");
    }
    this.#state = "trailer";
  }

  #expect(byte: number, expected: number): void {
    if (byte !== expected) {
      throw new Http1ParseError("malformed", "a line of the chunked coding does not end with CRLF");
    }
  }
}

function isControl(byte: number): boolean {
  return (byte < space && byte !== tab) || byte === 127;
}

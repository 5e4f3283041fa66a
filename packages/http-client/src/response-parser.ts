import { type BodyBytesReceiver, Http1ChunkedDecoder } from "./chunked-decoder.ts";
import {
  Http1ParseError,
  type Http1ResponseHead,
  isStatusLinePrefix,
  KnownLines,
  parseResponseHead,
} from "./response-head.ts";

export interface Http1ResponseEvents extends BodyBytesReceiver {
  /** The final head; informational responses are skipped. */
  onHead(head: Http1ResponseHead): void;
  /** `isDelimited` is false when only the end of the connection marked the end of the body. */
  onComplete(isDelimited: boolean): void;
}

export const headBytesMax = 64 * 1024;

const lineFeed = 10;
const carriageReturn = 13;
const tab = 9;
const deleteCode = 127;
const informationalMax = 16;
const headBufferBytesMin = 1024;
const headEnd = Buffer.from("\r\n\r\n");
const indexOf = Buffer.prototype.indexOf;

type State = "head" | "fixed" | "chunked" | "close" | "complete";

/**
 * Incremental parser of the responses on one HTTP/1.1 connection: no sockets, no timers, the same events however the
 * bytes are split.
 *
 * It is strict, because a connection is shared by the calls of many users, and anyone who can make two parsers disagree
 * about the end of a response decides what the next user reads. In particular a bare LF is refused: RFC 9112 lets us
 * take it for a line end, but a proxy between us and the server may not, and no server that we know sends it.
 */
export class Http1ResponseParser {
  readonly #events: Http1ResponseEvents;
  readonly #chunked: Http1ChunkedDecoder;
  #state: State = "complete";
  #isHeadRequest = false;
  /** As in the decoder of chunks, which is not looked at for this. */
  #isStopped = false;
  #remaining = 0;
  #informational = 0;
  // How many bytes of the CRLF CRLF that ends a head were just read.
  #lineEndBytes = 0;
  // The beginning of an incomplete head; in the usual case it stays unused.
  #headBuffer: Uint8Array | null = null;
  readonly #knownLines: KnownLines;
  #headBytes = 0;

  /** @param knownLines of the last head from the same server: those of one connection, or of all to it */
  constructor(events: Http1ResponseEvents, knownLines = new KnownLines()) {
    this.#events = events;
    this.#knownLines = knownLines;
    this.#chunked = new Http1ChunkedDecoder(events);
  }

  get isComplete(): boolean {
    return this.#state === "complete";
  }

  /** While this is set, `push` returns after one piece of the body; a receiver may set it within `onBody`. */
  set isStopped(isStopped: boolean) {
    if (isStopped !== this.#isStopped) {
      this.#isStopped = isStopped;
      this.#chunked.isStopped = isStopped;
    }
  }

  /** Whether the next byte is the first one of a head. */
  get isBetweenHeads(): boolean {
    return this.#state === "head" && this.#headBytes === 0;
  }

  /** Whether a packet of exactly one chunk can skip the parser, because it would change nothing here. */
  get isBetweenChunks(): boolean {
    return this.#state === "chunked" && this.#chunked.isBetweenChunks;
  }

  /** Expects the response to the next request. */
  begin(isHeadRequest: boolean): void {
    this.#state = "head";
    this.#isHeadRequest = isHeadRequest;
    this.#informational = 0;
    this.#lineEndBytes = 0;
    this.#headBytes = 0;
  }

  /**
   * Reads bytes from `start` on. It returns after the final head, so that the body is only read once someone wants it,
   * and after a stop; push the rest again to continue.
   * @returns the offset of the first byte that was not read; bytes left over once the response is complete don't belong
   * to it
   * @throws Http1ParseError
   */
  push(bytes: Buffer, start: number): number {
    switch (this.#state) {
      case "head":
        return this.#readHead(bytes, start);
      case "fixed":
        return this.#readFixed(bytes, start);
      case "chunked":
        return this.#readChunked(bytes, start);
      case "close":
        this.#events.onBody(bytes, start, bytes.length);
        return bytes.length;
      case "complete":
        return start;
    }
  }

  /**
   * The peer ended the connection in an orderly way.
   * @returns whether that completed the response
   */
  finish(): boolean {
    if (this.#state !== "close") {
      return false;
    }
    this.#state = "complete";
    this.#events.onComplete(false);
    return true;
  }

  #readHead(bytes: Uint8Array, start: number): number {
    let offset = start;
    while (offset < bytes.length) {
      const isAtStart = offset === 0 && this.#headBytes === 0;
      const repeated = isAtStart ? this.#knownLines.repeatedIn(bytes, this.#isHeadRequest) : null;
      const end = repeated === null ? this.#findEnd(bytes, offset) : this.#knownLines.length;
      if (end === -1) {
        this.#keepHeadPart(bytes, offset, bytes.length);
        return bytes.length;
      }
      const head = repeated ?? this.#parseHead(bytes, offset, end);
      offset = end;
      if (head.status >= 200) {
        this.#beginBody(head);
        return offset;
      }
      this.#skipInformational(head.status);
    }
    return offset;
  }

  #skipInformational(status: number): void {
    this.#informational += 1;
    // We never offer to switch protocols, so a 101 would turn the connection into something that we did not ask for.
    if (status === 101 || this.#informational > informationalMax) {
      throw new Http1ParseError("malformed", "the peer sent informational responses that were not requested");
    }
  }

  /** Where the head ends, if its last bytes are here; else -1. */
  #findEnd(bytes: Uint8Array, offset: number): number {
    return this.#headBytes === 0 ? this.#findWholeHead(bytes, offset) : this.#findHeadEnd(bytes, offset);
  }

  #parseHead(bytes: Uint8Array, offset: number, end: number): Http1ResponseHead {
    const length = this.#headBytes + end - offset;
    return parseResponseHead(this.#takeHead(bytes, offset, end), length, this.#isHeadRequest, this.#knownLines);
  }

  /** The usual case: the head came in one piece, and native code finds its end. */
  #findWholeHead(bytes: Uint8Array, start: number): number {
    const lastLineEnd = indexOf.call(bytes, headEnd, start);
    return lastLineEnd === -1 ? this.#findHeadEnd(bytes, start) : lastLineEnd + headEnd.length;
  }

  /** Reads every byte once, even if there are many pieces, and immediately refuses bytes that no head may contain. */
  #findHeadEnd(bytes: Uint8Array, start: number): number {
    let lineEndBytes = this.#lineEndBytes;
    for (let offset = start; offset < bytes.length; offset += 1) {
      const byte = bytes[offset] as number;
      const isAfterCarriageReturn = (lineEndBytes & 1) === 1;
      if (byte === (isAfterCarriageReturn ? lineFeed : carriageReturn)) {
        lineEndBytes += 1;
      } else if (!isAfterCarriageReturn && ((byte > 31 && byte !== deleteCode) || byte === tab)) {
        lineEndBytes = 0;
      } else {
        throw new Http1ParseError("malformed", "the head of the response holds a control character or a bare line end");
      }
      if (lineEndBytes === headEnd.length) {
        this.#lineEndBytes = 0;
        return offset + 1;
      }
    }
    this.#lineEndBytes = lineEndBytes;
    return -1;
  }

  /** Bytes that begin with the whole head. */
  #takeHead(bytes: Uint8Array, start: number, end: number): Uint8Array {
    if (this.#headBytes === 0) {
      if (end - start > headBytesMax) {
        throw headTooLarge();
      }
      return start === 0 ? bytes : bytes.subarray(start, end);
    }
    const head = this.#keepHeadPart(bytes, start, end);
    this.#headBuffer = null;
    this.#headBytes = 0;
    return head;
  }

  #keepHeadPart(bytes: Uint8Array, start: number, end: number): Uint8Array {
    const length = this.#headBytes + end - start;
    if (length > headBytesMax) {
      throw headTooLarge();
    }
    let buffer = this.#headBuffer ?? new Uint8Array(headBufferBytesMin);
    if (buffer.length < length) {
      const larger = new Uint8Array(Math.max(length, buffer.length * 2));
      larger.set(buffer.subarray(0, this.#headBytes));
      buffer = larger;
    }
    buffer.set(bytes.subarray(start, end), this.#headBytes);
    this.#headBuffer = buffer;
    this.#headBytes = length;
    // Data that is not HTTP may never contain a line end, so it is refused without waiting for one.
    if (!isStatusLinePrefix(buffer, length)) {
      throw new Http1ParseError("malformed", "the peer does not speak HTTP/1.1");
    }
    return buffer.subarray(0, length);
  }

  #beginBody(head: Http1ResponseHead): void {
    const isEmpty = head.framing === "none" || (head.framing === "fixed" && head.contentLength === 0);
    if (isEmpty) {
      this.#state = "complete";
      this.#events.onHead(head);
      this.#events.onComplete(true);
      return;
    }
    if (head.framing === "chunked") {
      this.#state = "chunked";
      this.#chunked.restart();
    } else if (head.framing === "close") {
      this.#state = "close";
    } else {
      this.#state = "fixed";
      this.#remaining = head.contentLength ?? 0;
    }
    this.#events.onHead(head);
  }

  #readFixed(bytes: Buffer, start: number): number {
    const end = Math.min(bytes.length, start + this.#remaining);
    if (end === start) {
      return start;
    }
    this.#remaining -= end - start;
    const isLast = this.#remaining === 0;
    if (isLast) {
      this.#state = "complete";
    }
    this.#events.onBody(bytes, start, end);
    if (isLast) {
      this.#events.onComplete(true);
    }
    return end;
  }

  #readChunked(bytes: Buffer, start: number): number {
    const end = this.#chunked.decode(bytes, start);
    if (this.#chunked.isDone) {
      this.#state = "complete";
      this.#events.onComplete(true);
    }
    return end;
  }
}

function headTooLarge(): Http1ParseError {
  return new Http1ParseError("too_large", `the head of the response is larger than ${headBytesMax} bytes`);
}

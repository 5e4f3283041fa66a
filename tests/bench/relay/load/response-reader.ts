/**
 * Reads successive HTTP/1.1 responses from one connection, as strictly as a measurement needs: an unexpected
 * status other than 2xx, a body without declared length or a malformed chunk is an error, never a sample.
 */
export type ResponseSink = {
  /** Whether to go on reading a response with a status other than 2xx; without this function, none is read. */
  accepts?(status: number): boolean;
  /** A part of the body without transfer coding; valid only during the call. */
  onBody(bytes: Buffer): void;
  /** The response is complete and the connection is free for the next request. */
  onEnd(): void;
};

type State = "head" | "sized_body" | "chunk_size" | "chunk_data" | "chunk_end" | "trailer";

export class ResponseReader {
  readonly #sink: ResponseSink;
  #state: State = "head";
  #left = 0;
  #unread: Buffer | null = null;

  constructor(sink: ResponseSink) {
    this.#sink = sink;
  }

  /** True between two responses; a connection that ends at any other time has cut one off. */
  get isIdle(): boolean {
    return this.#state === "head" && this.#unread === null;
  }

  /** Takes bytes as they come from the socket. @throws Error for anything but a well-formed response that is accepted */
  feed(bytes: Buffer): void {
    let rest: Buffer | null = this.#unread === null ? bytes : Buffer.concat([this.#unread, bytes]);
    this.#unread = null;
    while (rest !== null && rest.byteLength > 0) {
      const next: Buffer | null = this.#step(rest);
      if (next === null) {
        this.#unread = Buffer.from(rest);
      }
      rest = next;
    }
  }

  /** Consumes one element and returns what follows it, or null when the element is not complete yet. */
  #step(bytes: Buffer): Buffer | null {
    switch (this.#state) {
      case "head":
        return this.#readHead(bytes);
      case "sized_body":
      case "chunk_data":
        return this.#readBody(bytes);
      case "chunk_size":
        return this.#readChunkSize(bytes);
      case "chunk_end":
      case "trailer":
        return this.#readLineEnd(bytes);
    }
  }

  #readHead(bytes: Buffer): Buffer | null {
    const end = bytes.indexOf("\r\n\r\n");
    if (end === -1) {
      return null;
    }
    const head = bytes.toString("latin1", 0, end);
    if (!head.startsWith("HTTP/1.1 2") && this.#sink.accepts?.(Number(head.slice(9, 12))) !== true) {
      throw new Error(`answer "${bytes.toString("latin1", 0, Math.min(bytes.byteLength, 600))}"`);
    }
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length !== undefined) {
      this.#state = "sized_body";
      this.#left = Number(length);
    } else if (/\r\ntransfer-encoding: *chunked/i.test(head)) {
      this.#state = "chunk_size";
    } else {
      throw new Error(`an answer without a declared end: "${head}"`);
    }
    return bytes.subarray(end + 4);
  }

  #readBody(bytes: Buffer): Buffer {
    const count = Math.min(this.#left, bytes.byteLength);
    this.#left -= count;
    this.#sink.onBody(bytes.subarray(0, count));
    if (this.#left === 0) {
      if (this.#state === "chunk_data") {
        this.#state = "chunk_end";
      } else {
        this.#end();
      }
    }
    return bytes.subarray(count);
  }

  #readChunkSize(bytes: Buffer): Buffer | null {
    const end = bytes.indexOf("\r\n");
    if (end === -1) {
      return null;
    }
    const size = Number.parseInt(bytes.toString("latin1", 0, end), 16);
    if (Number.isNaN(size)) {
      throw new Error("a chunk without a size");
    }
    this.#left = size;
    this.#state = size === 0 ? "trailer" : "chunk_data";
    return bytes.subarray(end + 2);
  }

  #readLineEnd(bytes: Buffer): Buffer | null {
    if (bytes.byteLength < 2) {
      return null;
    }
    if (bytes[0] !== 13 || bytes[1] !== 10) {
      throw new Error("a chunk that does not end where it said");
    }
    if (this.#state === "trailer") {
      this.#end();
    } else {
      this.#state = "chunk_size";
    }
    return bytes.subarray(2);
  }

  #end(): void {
    this.#state = "head";
    this.#sink.onEnd();
  }
}

import { type HttpBodySink, HttpClientError } from "./model.ts";
import { type Bytes, copyBytes, PacketPart } from "./packet-part.ts";

const empty = new Uint8Array(0);

/** Joins the pieces of a body; a body that came in one piece is not copied. */
export class BodyCollector implements HttpBodySink {
  readonly #bytesMax: number;
  #first: Bytes = empty;
  #more: Bytes[] | null = null;
  #length = 0;
  #bytes: Bytes | null = null;
  #error: HttpClientError | null = null;
  #resolve: ((bytes: Bytes) => void) | null = null;
  #reject: ((error: HttpClientError) => void) | null = null;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** The whole body, once it has arrived. */
  get bytes(): Bytes | null {
    return this.#bytes;
  }

  /** Receives the whole body; most has already been collected when this is called. */
  collected(): Promise<Bytes> {
    if (this.#bytes !== null) {
      return Promise.resolve(this.#bytes);
    }
    if (this.#error !== null) {
      return Promise.reject(this.#error);
    }
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** @throws HttpClientError of kind `too_large` */
  onChunk(chunk: Uint8Array): void {
    this.#add(chunk);
  }

  /** @throws HttpClientError of kind `too_large` */
  onPart(packet: Buffer<ArrayBuffer>, start: number, end: number): void {
    this.#add(new PacketPart(packet, start, end));
  }

  #add(chunk: Bytes): void {
    this.#length += chunk.byteLength;
    if (this.#length > this.#bytesMax) {
      throw bodyTooLarge(this.#bytesMax);
    }
    if (this.#first.byteLength === 0) {
      this.#first = chunk;
    } else if (this.#more === null) {
      this.#more = [this.#first, chunk];
    } else {
      this.#more.push(chunk);
    }
  }

  onEnd(): void {
    const bytes = this.#more === null ? this.#first : concatenate(this.#more, this.#length);
    this.#bytes = bytes;
    this.#resolve?.(bytes);
  }

  onError(error: HttpClientError): void {
    this.#error = error;
    this.#reject?.(error);
  }
}

export function bodyTooLarge(bytesMax: number): HttpClientError {
  return new HttpClientError("too_large", true, `the body of the response is larger than ${bytesMax} bytes`);
}

function concatenate(chunks: readonly Bytes[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    copyBytes(chunk, bytes, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}

import { type HttpBodySink, HttpClientError } from "./model.ts";
import { type Bytes, copyBytes, PacketPart } from "./packet-part.ts";

const empty = new Uint8Array(0);

/** Nearly all bodies are there when they are asked for, so that the same collector serves one after the other. */
let idle: BodyCollector | null = null;

export function collectorFor(bytesMax: number): BodyCollector {
  const collector = idle;
  if (collector === null) {
    return new BodyCollector(bytesMax);
  }
  idle = null;
  collector.restart(bytesMax);
  return collector;
}

/** Joins the pieces of a body; a body that came in one piece is not copied. */
export class BodyCollector implements HttpBodySink {
  #bytesMax: number;
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

  /** Collects another body. */
  restart(bytesMax: number): void {
    this.#bytesMax = bytesMax;
    this.#first = empty;
    this.#more = null;
    this.#length = 0;
    this.#bytes = null;
  }

  /** The whole body, if it has arrived. Then nobody may refer to this collector any more: it serves the next body. */
  takeNow(): Bytes | null {
    const bytes = this.#bytes;
    if (bytes !== null) {
      // The bytes are not kept until then.
      this.restart(0);
      idle = this;
    }
    return bytes;
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

import type { HttpBodyFlow, HttpBodySink, HttpResponseBody } from "@sluice/http-client/model";

/** What is before and after the bytes of a body in a packet with one chunk. */
const chunkHead = Buffer.from("fff\r\n");
const chunkTail = Buffer.from("\r\n");

/** The body of a response that a test pushes by hand, piece by piece, and what its reader did with the flow. */
export class PushedBody implements HttpResponseBody, HttpBodyFlow {
  readonly contentLength = null;
  isPaused = false;
  isCancelled = false;
  #sink: HttpBodySink | null = null;

  get sink(): HttpBodySink {
    if (this.#sink === null) {
      throw new Error("nobody reads the body");
    }
    return this.#sink;
  }

  consume(sink: HttpBodySink): HttpBodyFlow {
    this.#sink = sink;
    return this;
  }

  bytes(): Promise<Uint8Array> {
    throw new Error("this body is streamed");
  }

  bytesNow(): Promise<Uint8Array> {
    return this.bytes();
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  cancel(): void {
    this.isCancelled = true;
  }

  /** Pushes bytes cut at these places; nothing more once the reader has hung up, as a client does. */
  push(bytes: Uint8Array, cuts: readonly number[] = []): void {
    const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].toSorted((one, other) => one - other);
    let start = 0;
    for (const end of [...places, bytes.length]) {
      if (end > start && !this.isCancelled) {
        this.#pushPart(Buffer.copyBytesFrom(bytes, start, end - start));
      }
      start = end;
    }
  }

  #pushPart(piece: Buffer): void {
    const { sink } = this;
    if (sink.onPart === undefined) {
      sink.onChunk(piece);
    } else {
      const packet = Buffer.concat([chunkHead, piece, chunkTail]);
      sink.onPart(packet, chunkHead.length, packet.length - chunkTail.length);
      sink.onPacketEnd?.();
    }
  }

  end(isDelimited = true): void {
    if (!this.isCancelled) {
      this.sink.onEnd(isDelimited);
    }
  }
}

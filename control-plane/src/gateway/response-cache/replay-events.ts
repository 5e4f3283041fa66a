import { type AnswerSink, type AnswerStream, waitingBytesMax } from "../../platform/answer-stream.ts";
import { firstEventEnd } from "../respond/stream-events/event-scan.ts";

/** A kept stream as a stream: one event after the other, as fast as the client reads them. */
export class ReplayedEvents implements AnswerStream {
  readonly #bytes: Buffer;
  readonly #postscript: Uint8Array | null;
  #at = 0;
  #sink: AnswerSink | null = null;

  constructor(body: Uint8Array, postscript: Uint8Array | null) {
    this.#bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    this.#postscript = postscript;
  }

  sendTo(sink: AnswerSink): void {
    this.#sink = sink;
    this.onTaken();
  }

  onTaken(): void {
    while (this.#sink !== null && this.#sink.waitingBytes < waitingBytesMax) {
      this.#sendNext(this.#sink);
    }
  }

  onGone(): void {
    this.#sink = null;
  }

  #sendNext(sink: AnswerSink): void {
    if (this.#at < this.#bytes.length) {
      const end = firstEventEnd(this.#bytes, this.#at);
      sink.push(this.#bytes.subarray(this.#at, end));
      this.#at = end;
    }
    if (this.#at >= this.#bytes.length) {
      this.#sink = null;
      if (this.#postscript !== null) {
        sink.push(this.#postscript);
      }
      sink.close();
    }
  }
}

import { cutBytes } from "@sluice/http-client/cut-bytes";
import { type Bytes, PacketPart, viewOf } from "@sluice/http-client/packet-part";

/**
 * Answers that come piece by piece, between what makes them and what speaks HTTP with the client. No piece costs a
 * promise or an event.
 */

/** How much may wait for a slow client before the answer is held back; the system takes as much again. */
export const waitingBytesMax = 16_384;

/** Takes an answer: the connection of a client, or a substitute for it. */
export interface AnswerSink {
  /** How many bytes the client has not taken yet. */
  readonly waitingBytes: number;
  push(piece: Uint8Array): void;
  /** The bytes of a packet from `start` to `end`, which must not change afterwards. They go out with `flush`. */
  pushPart(packet: Buffer, start: number, end: number): void;
  /** Sends what was pushed; called after the last part of a packet. */
  flush(): void;
  /** The answer is whole. */
  close(): void;
  /** The answer ends here and is not whole, which the client must see: its connection is cut. */
  break(): void;
}

/** An answer that is still being made. */
export interface AnswerStream {
  /** Called once: its pieces go there, the ones that are there already before this returns. */
  sendTo(sink: AnswerSink): void;
  /** The client has taken some of what waited for it. */
  onTaken(): void;
  /** The client has left; called at most once. */
  onGone(): void;
}

export type AnswerBody = Bytes | AnswerStream | null;

export function isAnswerStream(body: AnswerBody): body is AnswerStream {
  return body !== null && !(body instanceof PacketPart || body instanceof Uint8Array);
}

/** Nobody takes this stream any more. @param onFailure takes what it throws, because the caller has more to do */
export function leaveStream(stream: AnswerStream, onFailure: (error: unknown) => void): void {
  try {
    stream.onGone();
  } catch (error) {
    onFailure(error);
  }
}

/** Keeps the beginning of an answer until there is a client to send it to. */
export class LateSink implements AnswerSink {
  #sink: AnswerSink | null = null;
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #end: "close" | "break" | null = null;

  get waitingBytes(): number {
    return this.#sink === null ? this.#bytes : this.#sink.waitingBytes;
  }

  sendTo(sink: AnswerSink): void {
    this.#sink = sink;
    for (const piece of this.#pieces) {
      sink.push(piece);
    }
    this.#pieces = [];
    if (this.#end !== null) {
      sink[this.#end]();
    }
  }

  push(piece: Uint8Array): void {
    if (this.#end !== null) {
      return;
    }
    if (this.#sink === null) {
      this.#pieces.push(piece);
      this.#bytes += piece.byteLength;
    } else {
      this.#sink.push(piece);
    }
  }

  pushPart(packet: Buffer, start: number, end: number): void {
    if (this.#sink === null) {
      this.push(cutBytes(packet, start, end));
    } else if (this.#end === null) {
      this.#sink.pushPart(packet, start, end);
    }
  }

  flush(): void {
    this.#sink?.flush();
  }

  close(): void {
    this.#finish("close");
  }

  break(): void {
    this.#finish("break");
  }

  #finish(end: "close" | "break"): void {
    if (this.#end === null) {
      this.#end = end;
      this.#sink?.[end]();
    }
  }
}

/**
 * The response for the server of the runtime.
 * @throws TypeError for headers that can't be sent; a stream is told that nobody will take it
 */
export function serverResponse(body: AnswerBody, init: ResponseInit): Response {
  if (!isAnswerStream(body)) {
    return new Response(body === null ? null : viewOf(body), init);
  }
  try {
    return new Response(readableAnswer(body), init);
  } catch (error) {
    leaveStream(body, reportError);
    throw error;
  }
}

export function readableAnswer(answer: AnswerStream): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => answer.sendTo(new ControllerSink(controller)),
      pull: () => {
        try {
          answer.onTaken();
        } catch (error) {
          // The connection is cut, and nothing else would tell the stream.
          leaveStream(answer, reportError);
          throw error;
        }
      },
      cancel: () => leaveStream(answer, reportError),
    },
    { highWaterMark: waitingBytesMax, size: (piece) => piece?.byteLength ?? 0 },
  );
}

class ControllerSink implements AnswerSink {
  readonly #controller: ReadableStreamDefaultController<Uint8Array>;

  constructor(controller: ReadableStreamDefaultController<Uint8Array>) {
    this.#controller = controller;
  }

  get waitingBytes(): number {
    return waitingBytesMax - (this.#controller.desiredSize ?? waitingBytesMax);
  }

  push(piece: Uint8Array): void {
    this.#controller.enqueue(piece);
  }

  pushPart(packet: Buffer, start: number, end: number): void {
    this.push(cutBytes(packet, start, end));
  }

  /** Every piece goes out immediately. */
  flush(): void {}

  close(): void {
    this.#controller.close();
  }

  break(): void {
    this.#controller.error(new Error("the answer ends here, and is not whole"));
  }
}

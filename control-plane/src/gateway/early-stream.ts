import type { Message, MessagesEvent } from "@sluice/messages-conversion/messages";
import { toMessageEvents } from "@sluice/messages-conversion/response/to-message-events";
import { pingEvent, SignsOfLife } from "./signs-of-life.ts";

/** The events at the head of a message: its start and a ping. */
export const headEvents = 2;
/** How much may be queued for a slow client before the response is paused. */
const waitingBytesMax = 16_384;
const streamHeaders = { "content-type": "text/event-stream", "cache-control": "no-cache", "x-accel-buffering": "no" };

export type EarlyStreamOwner = {
  /** The headers of a response whose provider is not known yet. */
  readonly headers: () => Record<string, string>;
  /** Bytes are sent to the client. */
  readonly onSent: (piece: Uint8Array) => void;
  /** What follows the last event for a relay of this deployment. */
  readonly postscript: () => Uint8Array | null;
};

type WholeOrStream = {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array | ReadableStream<Uint8Array> | null;
};

type Source = {
  readonly read: () => Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  readonly cancel: () => Promise<void>;
};

/**
 * The response of a call, which begins by itself if no provider has answered for a while: pings keep the client waiting,
 * and whatever the call ends with is then an event.
 */
export class EarlyStream {
  readonly answer: Promise<WholeOrStream>;
  readonly #owner: EarlyStreamOwner;
  readonly #answering = Promise.withResolvers<WholeOrStream>();
  #opening: () => Buffer = () => pingEvent;
  #hasHead = false;
  #hasBegun = false;
  readonly #signs = new SignsOfLife(() => this.#write(this.#hasBegun ? pingEvent : this.#begin()));
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  #source: Source | null = null;
  readonly #sourced = Promise.withResolvers<void>();
  #isOver = false;

  constructor(owner: EarlyStreamOwner) {
    this.#owner = owner;
    this.answer = this.#answering.promise;
  }

  /** Whether the client has received the beginning of a stream. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Whether the events with which a converted message begins were sent. */
  get hasHead(): boolean {
    return this.#hasBegun && this.#hasHead;
  }

  /**
   * From now on silence begins the response.
   * @param head the events with which any message of this call begins; null if its channels differ in them
   */
  watch(head: (() => Buffer) | null): void {
    this.#hasHead = head !== null;
    this.#opening = head ?? this.#opening;
    this.#signs.begin();
  }

  /** The call has its response. Once the stream has begun, that is a stream, or events. */
  finish(answer: WholeOrStream): void {
    this.#signs.end();
    const { body, headers } = answer;
    if (!this.#hasBegun) {
      this.#answering.resolve(answer);
    } else if (body instanceof ReadableStream) {
      const reader = body.getReader();
      this.#source = { read: () => reader.read(), cancel: () => reader.cancel() };
      this.#sourced.resolve();
      if (this.#isOver) {
        this.#hangUp();
      }
    } else {
      const isMessage = headers["content-type"]?.startsWith("application/json") === true && body !== null;
      this.#endWith([isMessage ? asEvents(body, this.#hasHead) : body, this.#owner.postscript()]);
    }
  }

  #begin(): Buffer {
    this.#hasBegun = true;
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: (controller) => this.#pass(controller),
        cancel: () => {
          this.#isOver = true;
          this.#signs.end();
          this.#hangUp();
        },
      },
      { highWaterMark: waitingBytesMax, size: (piece) => piece?.byteLength ?? 0 },
    );
    this.#answering.resolve({ status: 200, headers: { ...streamHeaders, ...this.#owner.headers() }, body });
    return this.#opening();
  }

  /** The bytes of the response were counted where they came from. */
  async #pass(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    await this.#sourced.promise;
    try {
      const part = await this.#source?.read();
      if (this.#isOver) {
        return;
      }
      if (part?.value === undefined || part.done) {
        this.#isOver = true;
        controller.close();
      } else {
        controller.enqueue(part.value);
      }
    } catch (error) {
      this.#isOver = true;
      controller.error(error);
    }
  }

  #write(piece: Uint8Array): void {
    if ((this.#controller?.desiredSize ?? 0) > 0) {
      this.#owner.onSent(piece);
      this.#controller?.enqueue(piece);
    }
  }

  #endWith(pieces: readonly (Uint8Array | null)[]): void {
    if (this.#isOver) {
      return;
    }
    this.#isOver = true;
    for (const piece of pieces) {
      if (piece !== null) {
        this.#controller?.enqueue(piece);
      }
    }
    this.#controller?.close();
    this.#sourced.resolve();
  }

  #hangUp(): void {
    this.#source?.cancel().catch(() => undefined);
  }
}

/** A provider has sent a message as a whole, to a client that has received the beginning of a stream. */
function asEvents(body: Uint8Array, hasHead: boolean): Uint8Array {
  const message = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()) as Message;
  return encodeEvents(toMessageEvents(message).slice(hasHead ? headEvents : 0));
}

export function encodeEvents(events: readonly MessagesEvent[]): Buffer {
  return Buffer.from(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
}

import { viewOf } from "@sluice/http-client/packet-part";
import type { Message, MessagesEvent } from "@sluice/messages-conversion/messages";
import { toMessageEvents } from "@sluice/messages-conversion/response/to-message-events";
import {
  type AnswerBody,
  type AnswerSink,
  type AnswerStream,
  isAnswerStream,
  LateSink,
  waitingBytesMax,
} from "../platform/answer-stream.ts";
import { pingEvent, SignsOfLife } from "./signs-of-life.ts";

/** The events at the head of a message: its start and a ping. */
export const headEvents = 2;
const streamHeaders = { "content-type": "text/event-stream", "cache-control": "no-cache", "x-accel-buffering": "no" };

type WholeOrStream = {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: AnswerBody;
};

export type EarlyStreamOwner = {
  /** Takes the response once it has begun, or has come. */
  readonly receiver: { onAnswer(answer: WholeOrStream): void };
  /** The headers of a response whose provider is not known yet. */
  readonly headers: () => Record<string, string>;
  /** Bytes are sent to the client. */
  readonly onSent: (piece: Uint8Array) => void;
  /** What follows the last event for a relay of this deployment. */
  readonly postscript: () => Uint8Array | null;
};

/**
 * The response of a call, which begins by itself if no provider has answered for a while: pings keep the client waiting,
 * and whatever the call ends with is then an event.
 */
export class EarlyStream implements AnswerStream {
  readonly #owner: EarlyStreamOwner;
  #opening: () => Buffer = () => pingEvent;
  #hasHead = false;
  #hasBegun = false;
  #isWatched = false;
  readonly #signs = new SignsOfLife(() => this.#write(this.#hasBegun ? pingEvent : this.#begin()));
  readonly #sink = new LateSink();
  /** What follows the beginning. */
  #rest: AnswerStream | null = null;
  #isGone = false;

  constructor(owner: EarlyStreamOwner) {
    this.#owner = owner;
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
    this.#isWatched = true;
    this.#signs.begin();
  }

  /** The response is there, and is converted and recorded: silence does not begin the stream any more. */
  stayQuiet(): void {
    if (!this.#hasBegun) {
      this.#signs.end();
    }
  }

  /** The response could not be converted, and another one is awaited: silence begins the stream again. */
  watchAgain(): void {
    if (this.#isWatched && !this.#hasBegun) {
      this.#signs.begin();
    }
  }

  /** The call has its response. Once the stream has begun, that is a stream, or events. */
  onAnswer(answer: WholeOrStream): void {
    this.#signs.end();
    const { headers } = answer;
    const body = isAnswerStream(answer.body) || answer.body === null ? answer.body : viewOf(answer.body);
    if (!this.#hasBegun) {
      this.#owner.receiver.onAnswer(answer);
    } else if (isAnswerStream(body)) {
      this.#goOn(body);
    } else {
      const isMessage = headers["content-type"]?.startsWith("application/json") === true && body !== null;
      const rest = isMessage ? messageAsEvents(body, this.#hasHead) : body;
      if (rest === null && isMessage) {
        this.#sink.break();
      } else {
        this.#endWith([rest, this.#owner.postscript()]);
      }
    }
  }

  sendTo(sink: AnswerSink): void {
    this.#sink.sendTo(sink);
  }

  onTaken(): void {
    this.#rest?.onTaken();
  }

  onGone(): void {
    this.#isGone = true;
    this.#signs.end();
    this.#rest?.onGone();
  }

  #begin(): Buffer {
    this.#hasBegun = true;
    const { receiver, headers } = this.#owner;
    receiver.onAnswer({ status: 200, headers: { ...streamHeaders, ...headers() }, body: this });
    return this.#opening();
  }

  /** The bytes of the response were counted where they came from. */
  #goOn(rest: AnswerStream): void {
    if (this.#isGone) {
      rest.onGone();
    } else {
      this.#rest = rest;
      rest.sendTo(this.#sink);
    }
  }

  #write(piece: Uint8Array): void {
    if (!this.#isGone && this.#sink.waitingBytes < waitingBytesMax) {
      this.#owner.onSent(piece);
      this.#sink.push(piece);
    }
  }

  #endWith(pieces: readonly (Uint8Array | null)[]): void {
    if (this.#isGone) {
      return;
    }
    for (const piece of pieces) {
      if (piece !== null) {
        this.#sink.push(piece);
      }
    }
    this.#sink.close();
  }
}

/**
 * A message that came whole, as events for a client that has received the beginning of a stream; null if it is not a
 * message. So far only the end of it was read.
 */
export function messageAsEvents(body: Uint8Array, hasHead: boolean): Uint8Array | null {
  try {
    const message = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()) as Message;
    return encodeEvents(toMessageEvents(message).slice(hasHead ? headEvents : 0));
  } catch {
    return null;
  }
}

export function encodeEvents(events: readonly MessagesEvent[]): Buffer {
  return Buffer.from(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
}

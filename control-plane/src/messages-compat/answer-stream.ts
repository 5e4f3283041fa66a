import { DeadlineTicker, hasPassed, type Timed } from "@sluice/http-client/deadline-ticker";
import { badUpstreamResponse, type MessagesError } from "@sluice/messages-conversion/errors/messages-error";
import { toMessagesErrorOfEvent } from "@sluice/messages-conversion/errors/to-messages-error";
import { isJsonObject } from "@sluice/messages-conversion/json";
import type { Message, MessagesEvent } from "@sluice/messages-conversion/messages";
import { toMessageEvents } from "@sluice/messages-conversion/response/to-message-events";
import { MessagesStream } from "@sluice/messages-conversion/stream/messages-stream";
import { fromServerSentEvent, type StreamInput } from "@sluice/messages-conversion/stream/stream-input";
import { AnswerCapture, type CaptureAllowance } from "../platform/answer-capture.ts";
import type { Answering } from "./conversion.ts";
import { EventReader, isTooLong } from "./event-reader.ts";

/** How much may be queued for a slow client before the upstream is paused. */
const waitingBytesMax = 65_536;
const tickMs = 1_000;
/** While only the end of the response is held back, the client still has to receive something. */
const pingMs = 10_000;
/** The number of events at the head of every stream: message_start and the first ping. */
const headEvents = 2;
const ping: MessagesEvent = { type: "ping" };
/** The codes with which the gateway ends a stream that the provider left without an end. */
const cutCodes: ReadonlySet<unknown> = new Set(["stream_interrupted"]);
/** The codes for such a stream if its end was already seen, so that only the connection was left open. */
const lateCutCodes: ReadonlySet<unknown> = new Set(["stream_interrupted", "upstream_timeout"]);

/** All streams share this timer. */
const ticker = new DeadlineTicker();

export type AnswerStreamOptions = Answering & {
  /** The estimated size of the prompt until the upstream reports it. */
  readonly inputTokens: number;
  readonly captures: CaptureAllowance;
  /** A client that reads nothing for this long is treated as gone. */
  readonly stallTimeoutMs: number;
  /** Called once, when no more content follows; the end of the response may still have to wait for the client. */
  readonly onOver: (pieces: readonly Uint8Array[], bytes: number) => void;
};

/**
 * The response to a call that asked for a stream: the events of a message, generated from the gateway's response, with
 * pings while nothing comes. The end of a successful response is only sent once the gateway has sent its own, because
 * then the call is settled.
 */
export class AnswerStream implements Timed {
  tickerSlot = -1;
  /** Resolves with null once there is something for the client, or with the error that is the whole response. */
  readonly opened: Promise<MessagesError | null>;
  readonly body: ReadableStream<Uint8Array>;
  readonly #options: AnswerStreamOptions;
  readonly #machine: MessagesStream;
  readonly #opening = Promise.withResolvers<MessagesError | null>();
  readonly #capture: AnswerCapture;
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  #hangUp: () => void = () => undefined;
  #bytes = 0;
  /** The end of the response, while it waits for the end of the gateway's response. */
  #held: MessagesEvent[] | null = null;
  #isOver = false;
  #wanted: (() => void) | null = null;
  #lastTickMs: number;
  #lastWriteMs: number;
  #fullSinceMs = 0;

  constructor(options: AnswerStreamOptions) {
    const { facts, ids, inputTokens } = options;
    this.#options = options;
    this.#capture = new AnswerCapture(options.captures);
    this.opened = this.#opening.promise;
    ticker.add(this);
    this.#lastTickMs = ticker.nowMs;
    this.#lastWriteMs = ticker.nowMs;
    this.#machine = new MessagesStream({ facts, ids, inputTokens, nowMs: ticker.nowMs });
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#onWanted(),
        cancel: () => this.#onGone(),
      },
      { highWaterMark: waitingBytesMax, size: (piece) => piece?.byteLength ?? 0 },
    );
  }

  /** Whether the client has received a part of the stream, so that an error can only be an event in it. */
  get isOpen(): boolean {
    return this.#machine.phase === "started";
  }

  /** Reads the gateway's stream to its end. Never rejects. */
  async feed(upstream: ReadableStream<Uint8Array>): Promise<void> {
    const reader = upstream.getReader();
    this.#hangUp = () => {
      reader.cancel().catch(() => undefined);
    };
    if (this.#isOver) {
      this.#hangUp();
      return;
    }
    const events = new EventReader();
    try {
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        this.#takeEvents(events.push(part.value));
        if (!this.#isOver && (this.#controller?.desiredSize ?? 1) <= 0) {
          await this.#untilWanted();
        }
      }
      this.#takeEvents(events.end());
      this.#endOfFeed({ kind: "eof" });
    } catch (error) {
      const failed = { kind: "failed", error: badUpstreamResponse("an event is too long") } as const;
      this.#endOfFeed(isTooLong(error) ? failed : { kind: "cut" });
      this.#hangUp();
    }
  }

  /** The gateway responded with an error, or with nothing that can be converted. */
  fail(error: MessagesError): void {
    this.#take({ kind: "failed", error });
  }

  /** The gateway responded in one piece. */
  finish(message: Message): void {
    if (this.#isOver) {
      return;
    }
    this.#write(toMessageEvents(message).slice(this.isOpen ? headEvents : 0));
    this.#opening.resolve(null);
    this.#end();
  }

  onTick(nowMs: number): void {
    if (nowMs - this.#lastTickMs < tickMs || this.#isOver) {
      return;
    }
    this.#lastTickMs = nowMs;
    if (this.#wanted !== null) {
      if (hasPassed(this.#options.stallTimeoutMs, this.#fullSinceMs, nowMs)) {
        this.#onGone();
        this.#controller?.error(new Error("the client reads no more"));
      }
      return;
    }
    if (this.#held === null) {
      this.#take({ kind: "tick" });
    } else if (nowMs - this.#lastWriteMs >= pingMs) {
      this.#write([ping]);
    }
  }

  #takeEvents(events: readonly { readonly event: string; readonly data: string }[]): void {
    for (const event of events) {
      const input = fromServerSentEvent(event);
      if (input !== null) {
        this.#take(input);
      }
    }
  }

  #take(input: StreamInput): void {
    if (this.#isOver) {
      return;
    }
    if (this.#held !== null) {
      this.#takeAfterEnd(input, this.#held);
      return;
    }
    const code = errorCodeOf(input);
    const events = this.#machine.reduce(cutCodes.has(code) ? { kind: "cut" } : input, ticker.nowMs);
    const { phase, failure } = this.#machine;
    if (phase === "refused") {
      this.#isOver = true;
      ticker.remove(this);
      this.#opening.resolve(failure);
      this.#disconnectUnless(code !== null);
      return;
    }
    // The state machine ends as soon as it has seen everything, but the gateway may still have to settle the call.
    const isEarly = phase === "ended" && failure === null && (input.kind === "chunk" || input.kind === "tick");
    const isSettled = !isEarly || cutCodes.has(code);
    const endAt = isSettled ? -1 : events.findIndex(({ type }) => type === "message_delta");
    this.#write(endAt === -1 ? events : events.slice(0, endAt));
    this.#held = endAt === -1 ? null : events.slice(endAt);
    if (phase !== "waiting") {
      this.#opening.resolve(null);
    }
    if (phase === "ended" && this.#held === null) {
      this.#end();
      this.#disconnectUnless(failure === null || code !== null);
    }
  }

  /**
   * The response is complete, and its end is held back: only the end or the failure of the gateway's response still
   * matters.
   */
  #takeAfterEnd(input: StreamInput, held: MessagesEvent[]): void {
    const code = errorCodeOf(input);
    if (code !== null && !lateCutCodes.has(code) && input.kind === "chunk") {
      const { type, message } = toMessagesErrorOfEvent(input.chunk, this.#options.facts);
      this.#write([{ type: "error", error: { type, message } }]);
    } else if (code !== null || input.kind === "done" || input.kind === "eof") {
      this.#write(held);
    } else if (input.kind === "cut" || input.kind === "failed") {
      const { type, message } = badUpstreamResponse("upstream closed the stream early");
      this.#write([{ type: "error", error: { type, message } }]);
    } else {
      return;
    }
    this.#end();
  }

  #endOfFeed(input: StreamInput): void {
    this.#take(input);
    if (!this.#isOver) {
      // The state machine should have ended in each of these cases. Even if it has not, the client must not wait for
      // ever.
      this.#end();
    }
  }

  #write(events: readonly MessagesEvent[]): void {
    if (events.length === 0 || this.#isOver) {
      return;
    }
    const piece = encodeEvents(events);
    this.#bytes += piece.byteLength;
    this.#capture.keep(piece);
    this.#lastWriteMs = ticker.nowMs;
    this.#controller?.enqueue(piece);
  }

  #end(): void {
    if (!this.#isOver) {
      this.#leave();
      this.#controller?.close();
    }
  }

  /** The client left or stopped reading, so the upstream is cancelled at once. */
  #onGone(): void {
    if (!this.#isOver) {
      this.#leave();
      this.#opening.resolve(null);
      this.#hangUp();
    }
  }

  #leave(): void {
    this.#isOver = true;
    ticker.remove(this);
    this.#onWanted();
    this.#options.onOver(this.#capture.pieces, this.#bytes);
    this.#capture.release();
  }

  /** A stream that the gateway ended itself is read to its end, so that its report arrives. */
  #disconnectUnless(isEnded: boolean): void {
    if (!isEnded) {
      this.#hangUp();
    }
  }

  #untilWanted(): Promise<void> {
    this.#fullSinceMs = ticker.nowMs;
    return new Promise((resolve) => {
      this.#wanted = resolve;
    });
  }

  #onWanted(): void {
    const wanted = this.#wanted;
    this.#wanted = null;
    wanted?.();
  }
}

/** Serialises an event; JSON has no line breaks, so one line holds each. */
export function encodeEvents(events: readonly MessagesEvent[]): Buffer {
  let text = "";
  for (const event of events) {
    text += `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
  }
  return Buffer.from(text);
}

/** The code of an error in place of a chunk; null for everything else. */
function errorCodeOf(input: StreamInput): string | null {
  if (input.kind !== "chunk" || !isJsonObject(input.chunk["error"])) {
    return null;
  }
  const { code } = input.chunk["error"];
  return typeof code === "string" ? code : "";
}

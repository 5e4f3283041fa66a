import type {
  HttpBodyFlow,
  HttpBodySink,
  HttpClientError,
  HttpResponseBody,
} from "../../platform/http-client/model.ts";
import type { StreamEnding, StreamOpening } from "../model.ts";
import type { Surface } from "../surfaces.ts";
import { classifyEvent, completeEventsEnd, firstEventEnd, needsLook } from "./stream-events/event-scan.ts";

/** What the stream needs from the call it belongs to. */
export interface StreamOwner {
  readonly surfaceKind: Surface["kind"] | "raw";
  /** The usage chunk was asked for by us, not by the client. */
  readonly hidesUsage: boolean;
  /** Bytes leave for the client. */
  onSent(piece: Buffer): void;
  /** An event that may carry usage passed by. */
  onUsage(event: Buffer): void;
  /**
   * The stream is over. What the client may still get is released when the promise ends: the last bytes, or in place of
   * them an event that says what went wrong.
   */
  onEnding(ending: StreamEnding): Promise<Uint8Array | null>;
}

/** What may wait for a slow client in our memory before the upstream is paused. */
const queueBytesMax = 65_536;
/** A single event longer than this is no event. */
const eventBytesMax = 4_194_304;
/** A client that reads nothing for this long is treated as gone. */
const stallMs = 60_000;

/**
 * Carries the events of an upstream to the client as bytes: pieces pass through as they came, cut only at the ends of
 * events, and only events that show one of a few marks are looked into. The end is held back until the call is settled.
 */
export class EventStream implements HttpBodySink {
  readonly stream: ReadableStream<Uint8Array>;
  readonly #owner: StreamOwner;
  readonly #opening = Promise.withResolvers<StreamOpening>();
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  #flow: HttpBodyFlow | null = null;
  #carry: Buffer | null = null;
  #isOpen = false;
  #isOver = false;
  #isClientGone = false;
  #isPaused = false;
  #stallTimer: ReturnType<typeof setTimeout> | null = null;

  constructor(owner: StreamOwner) {
    this.#owner = owner;
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#resume(),
        cancel: () => this.abort(),
      },
      { highWaterMark: queueBytesMax, size: (piece) => piece?.byteLength ?? 0 },
    );
  }

  /** Begins to read; answers once the first event decided whether there is anything for the client. */
  open(body: HttpResponseBody): Promise<StreamOpening> {
    this.#flow = body.consume(this);
    return this.#opening.promise;
  }

  /** The client is gone, or reads no more: the upstream is given up at once. */
  abort(): void {
    this.#isClientGone = true;
    this.#end({ kind: "aborted" });
  }

  onChunk(chunk: Uint8Array): void {
    if (this.#isOver) {
      return;
    }
    const fresh = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (this.#owner.surfaceKind === "raw") {
      this.#send(fresh);
      return;
    }
    const bytes = this.#carry === null ? fresh : Buffer.concat([this.#carry, fresh]);
    const end = completeEventsEnd(bytes);
    this.#carry = end === bytes.length ? null : bytes.subarray(end);
    if (end > 0) {
      this.#passEvents(end === bytes.length ? bytes : bytes.subarray(0, end), this.#owner.surfaceKind);
    }
    if (this.#carry !== null && this.#carry.length > eventBytesMax) {
      this.#end({ kind: "cut", error: null });
    }
  }

  onEnd(isDelimited: boolean): void {
    if (this.#isOver) {
      return;
    }
    const kind = this.#owner.surfaceKind;
    if (this.#carry !== null && kind !== "raw") {
      // Some providers leave the last empty line away.
      this.#passEvents(Buffer.concat([this.#carry, Buffer.from("\n\n")]), kind);
    }
    const needsMark = kind === "chat" || kind === "completions" || kind === "responses";
    this.#end(needsMark || !isDelimited ? { kind: "cut", error: null } : { kind: "completed" });
  }

  onError(error: HttpClientError): void {
    this.#end(error.kind === "aborted" ? { kind: "aborted" } : { kind: "cut", error });
  }

  #passEvents(bytes: Buffer, kind: Surface["kind"]): void {
    if (!needsLook(bytes, kind)) {
      this.#send(bytes);
      return;
    }
    // Events before one that is dropped or held back go out together.
    let start = 0;
    for (let at = 0; at < bytes.length && !this.#isOver; ) {
      const end = firstEventEnd(bytes, at);
      const event = bytes.subarray(at, end);
      const eventKind = classifyEvent(event, kind);
      this.#owner.onUsage(event);
      const isLast = eventKind === "done" || eventKind === "terminal" || eventKind === "error";
      if (isLast || (eventKind === "usage_only" && this.#owner.hidesUsage)) {
        this.#send(bytes.subarray(start, at));
        start = end;
      }
      if (isLast) {
        this.#end(eventKind === "error" ? { kind: "error_event" } : { kind: "completed" }, event);
      }
      at = end;
    }
    if (!this.#isOver) {
      this.#send(bytes.subarray(start));
    }
  }

  #send(bytes: Buffer): void {
    if (bytes.length === 0 || this.#isClientGone) {
      return;
    }
    if (!this.#isOpen) {
      this.#isOpen = true;
      this.#opening.resolve({ kind: "open" });
    }
    this.#owner.onSent(bytes);
    this.#controller?.enqueue(bytes);
    if ((this.#controller?.desiredSize ?? 1) <= 0) {
      this.#pause();
    }
  }

  #end(ending: StreamEnding, lastEvent: Buffer | null = null): void {
    if (this.#isOver) {
      return;
    }
    this.#isOver = true;
    this.#clearStall();
    if (ending.kind !== "completed" || lastEvent === null) {
      this.#flow?.cancel();
    } else if (this.#isPaused) {
      this.#flow?.resume();
    }
    if (!this.#isOpen && ending.kind !== "completed") {
      this.#opening.resolve(ending);
      return;
    }
    this.#opening.resolve({ kind: "open" });
    this.#owner.onEnding(ending).then(
      (replacement) => this.#close(ending.kind === "completed" ? lastEvent : null, replacement),
      (error: unknown) => this.#controller?.error(error),
    );
  }

  /** Lets the last bytes out. A stream that went wrong ends broken, so that no reader can take it for whole. */
  #close(lastEvent: Buffer | null, replacement: Uint8Array | null): void {
    const controller = this.#controller;
    if (controller === null) {
      return;
    }
    if (this.#isClientGone) {
      controller.error(new Error("the client left or stopped reading"));
      return;
    }
    if (replacement === null) {
      if (lastEvent !== null) {
        this.#owner.onSent(lastEvent);
        controller.enqueue(lastEvent);
      }
      controller.close();
      return;
    }
    controller.enqueue(replacement);
    controller.close();
  }

  #pause(): void {
    if (!this.#isPaused && !this.#isOver) {
      this.#isPaused = true;
      this.#flow?.pause();
      this.#stallTimer = setTimeout(() => this.abort(), stallMs);
    }
  }

  #resume(): void {
    if (this.#isPaused) {
      this.#isPaused = false;
      this.#clearStall();
      if (!this.#isOver) {
        this.#flow?.resume();
      }
    }
  }

  #clearStall(): void {
    if (this.#stallTimer !== null) {
      clearTimeout(this.#stallTimer);
      this.#stallTimer = null;
    }
  }
}

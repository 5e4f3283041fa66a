import type {
  HttpBodyFlow,
  HttpBodySink,
  HttpClientError,
  HttpResponseBody,
} from "../../platform/http-client/model.ts";
import type { StreamEnding, StreamOpening } from "../model.ts";
import type { Surface } from "../surfaces.ts";
import { ClientQueue } from "./stream-events/client-queue.ts";
import { EventAssembler } from "./stream-events/event-assembler.ts";
import { type EventKind, firstEventEnd, needsLook, seeEvent } from "./stream-events/event-scan.ts";

/** What the client still gets once the call is settled. */
export type StreamFarewell = {
  /** In place of the last bytes: an event that says what went wrong. Null when nothing did. */
  readonly errorEvent: Uint8Array | null;
  /** What follows the last event for a relay of this deployment; null for everybody else. */
  readonly postscript: Uint8Array | null;
};

/** What the stream needs from the call it belongs to. */
export interface StreamOwner {
  readonly surfaceKind: Surface["kind"] | "raw";
  /** The usage chunk was asked for by us, not by the client. */
  readonly hidesUsage: boolean;
  /** A client that reads nothing for this long is treated as gone. */
  readonly stallTimeoutMs: number;
  /** Bytes leave for the client. */
  onSent(piece: Buffer): void;
  /** An event that may carry usage passed by; this is its payload. */
  onUsage(payload: Record<string, unknown>): void;
  /** The stream is over. The last bytes are released when the promise ends. */
  onEnding(ending: StreamEnding): Promise<StreamFarewell>;
}

const lastKinds: ReadonlySet<EventKind> = new Set(["done", "terminal", "error"]);
/** A single event longer than this is no event. */
const eventBytesMax = 4_194_304;
/** What an upstream may say after the last event before we hang up; the end of a chunked body takes a few bytes. */
const afterLastEventBytesMax = 16_384;

/**
 * Carries the events of an upstream to the client as bytes: pieces pass through as they came, cut only at the ends of
 * events, and only events that show one of a few marks are looked into. The end is held back until the call is settled.
 *
 * A stream that went wrong ends in two steps. First comes an error event and no `[DONE]`: clients of the OpenAI and the
 * AI SDK raise it with its code, whereas a plain end of the body is a whole answer to the former. Then the connection is
 * broken instead of the body being ended, because a client that skips events it does not know would take an orderly end
 * for the end of the answer. An answer that is no event stream has no place for the first step.
 */
export class EventStream implements HttpBodySink {
  readonly #owner: StreamOwner;
  readonly #opening = Promise.withResolvers<StreamOpening>();
  readonly #assembler = new EventAssembler();
  readonly #queue: ClientQueue;
  #flow: HttpBodyFlow | null = null;
  #isOpen = false;
  #isOver = false;
  #bytesAfterEnd = 0;

  constructor(owner: StreamOwner) {
    this.#owner = owner;
    this.#queue = new ClientQueue({
      stallTimeoutMs: owner.stallTimeoutMs,
      // The upstream is given up at once.
      onGone: () => this.#end({ kind: "aborted" }),
    });
  }

  /** What the client reads. */
  get stream(): ReadableStream<Uint8Array> {
    return this.#queue.stream;
  }

  /** Begins to read; answers once the first event decided whether there is anything for the client. */
  open(body: HttpResponseBody): Promise<StreamOpening> {
    this.#flow = body.consume(this);
    this.#queue.feedFrom(this.#flow);
    return this.#opening.promise;
  }

  onChunk(chunk: Uint8Array): void {
    if (this.#isOver) {
      this.#dropAfterEnd(chunk.byteLength);
      return;
    }
    const packet = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const kind = this.#owner.surfaceKind;
    if (kind === "raw") {
      this.#send(packet);
      return;
    }
    const events = this.#assembler.push(packet);
    if (events !== null) {
      this.#passEvents(events, kind);
    }
    if (this.#assembler.waitingBytes > eventBytesMax) {
      this.#end({ kind: "cut", error: null });
    }
  }

  onEnd(isDelimited: boolean): void {
    if (this.#isOver) {
      return;
    }
    const kind = this.#owner.surfaceKind;
    if (kind !== "raw" && this.#assembler.waitingBytes > 0) {
      this.#passRest(this.#assembler.takeRest(), kind);
    }
    const needsMark = kind === "chat" || kind === "completions" || kind === "responses";
    this.#end(needsMark || !isDelimited ? { kind: "cut", error: null } : { kind: "completed" });
  }

  onError(error: HttpClientError): void {
    this.#end(error.kind === "aborted" ? { kind: "aborted" } : { kind: "cut", error });
  }

  /** Some providers leave the last empty line away. */
  #passRest(rest: Buffer, kind: Surface["kind"]): void {
    const isBlank = rest.every((byte) => byte === 0x0a || byte === 0x0d);
    this.#passEvents(isBlank ? rest : Buffer.concat([rest, Buffer.from("\n\n")]), kind);
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
      const eventKind = needsLook(event, kind) ? this.#lookInto(event, kind) : "content";
      const isLast = lastKinds.has(eventKind);
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

  #lookInto(event: Buffer, kind: Surface["kind"]): EventKind {
    const seen = seeEvent(event, kind);
    if (seen.payload !== null) {
      this.#owner.onUsage(seen.payload);
    }
    return seen.kind;
  }

  #send(bytes: Buffer): void {
    if (bytes.length === 0) {
      return;
    }
    if (!this.#isOpen) {
      this.#isOpen = true;
      this.#opening.resolve({ kind: "open" });
    }
    this.#owner.onSent(bytes);
    this.#queue.push(bytes);
  }

  #end(ending: StreamEnding, lastEvent: Buffer | null = null): void {
    if (this.#isOver) {
      return;
    }
    this.#isOver = true;
    this.#queue.endFeed();
    if (ending.kind !== "completed" || lastEvent === null) {
      this.#flow?.cancel();
    }
    if (!this.#isOpen && ending.kind !== "completed") {
      this.#opening.resolve(ending);
      return;
    }
    this.#opening.resolve({ kind: "open" });
    this.#owner.onEnding(ending).then(
      (farewell) => this.#takeLeave(ending, farewell, lastEvent),
      () => this.#queue.break(),
    );
  }

  /** The call is settled: the last bytes go out. */
  #takeLeave(ending: StreamEnding, { errorEvent, postscript }: StreamFarewell, lastEvent: Buffer | null): void {
    if (ending.kind === "aborted") {
      this.#queue.break();
      return;
    }
    const isRaw = this.#owner.surfaceKind === "raw";
    if (errorEvent === null && lastEvent !== null) {
      this.#owner.onSent(lastEvent);
      this.#queue.push(lastEvent);
    }
    for (const piece of isRaw ? [] : [errorEvent, postscript]) {
      if (piece !== null) {
        this.#queue.push(piece);
      }
    }
    if (errorEvent === null) {
      this.#queue.close();
    } else {
      this.#queue.breakOnceRead();
    }
  }

  /** Anything after the last event is nobody's; a little is waited for, so that the connection can be used again. */
  #dropAfterEnd(bytes: number): void {
    this.#bytesAfterEnd += bytes;
    if (this.#bytesAfterEnd > afterLastEventBytesMax) {
      this.#flow?.cancel();
    }
  }
}

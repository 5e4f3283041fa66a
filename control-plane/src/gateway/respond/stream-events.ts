import { cutBytes } from "@sluice/http-client/cut-bytes";
import type { HttpBodyFlow, HttpBodySink, HttpClientError, HttpResponseBody } from "@sluice/http-client/model";
import type { AnswerStream } from "../../platform/answer-stream.ts";
import type { StreamEnding, StreamOpening } from "../model.ts";
import type { StreamForm } from "../operations/model.ts";
import { SignsOfLife } from "../signs-of-life.ts";
import type { EventConverter } from "../upstreams/convert-answer.ts";
import type { StreamEnds } from "./stream-events/choice-ends.ts";
import { ClientQueue } from "./stream-events/client-queue.ts";
import { editFirstEvent } from "./stream-events/edit-first-event.ts";
import { EventAssembler } from "./stream-events/event-assembler.ts";
import { endingOf, endsOf } from "./stream-events/event-endings.ts";
import { endsWithEvent, firstEventEnd, type SeenEvent, seeEvent, withEnd } from "./stream-events/event-scan.ts";
import { FirstEventWait } from "./stream-events/first-event-wait.ts";
import { HeldComments, ofAnyDialect } from "./stream-events/held-comments.ts";
import { KnownEvents } from "./stream-events/known-events.ts";
import { shapesOf } from "./stream-events/shared-shapes.ts";
import { afterLastEventBytesMax, eventBytesMax, nothing } from "./stream-events/stream-limits.ts";
import type { SentKeeper, StreamClosing, StreamOwner } from "./stream-events/stream-owner.ts";

/**
 * Carries the events of an upstream to the client as bytes: pieces pass through as they came, cut only at the ends of
 * events. Each event is inspected: a broken one ends the stream, and what is delivered is counted as it passes. The end
 * is held back until the call is settled.
 *
 * What is not an event, such as a comment that keeps a connection alive, does not begin the response: until the first
 * event another channel may still be tried, and what came before is sent with it.
 *
 * A response whose choices all have a finish reason is complete, even if the provider omits `[DONE]`: it is added. So is
 * the last event of a message that has stopped.
 *
 * A stream that failed ends in two steps. First comes an error event and no `[DONE]`: clients of the OpenAI and the AI
 * SDK raise it with its code, whereas the former takes a plain end of the body for a complete response. Then the
 * connection is broken instead of the body being ended, because a client that skips unknown events would take an
 * orderly end for the end of the response. A response that is not an event stream has no place for the first step.
 *
 * When the client leaves, the upstream is read on for a while: only it can report what the call cost.
 */
export class EventStream implements HttpBodySink {
  readonly #owner: StreamOwner;
  readonly #form: StreamForm;
  readonly #converter: EventConverter | null;
  #keeper: SentKeeper | null = null; // here, like form and converter: the owner is in cold memory when an event comes
  #onOpening: (opening: StreamOpening) => void = () => undefined;
  /** Null until a packet ends within an event. */
  #assembler: EventAssembler | null = null;
  readonly #queue: ClientQueue;
  #flow: HttpBodyFlow | null = null;
  #isOpen = false;
  readonly #comments = new HeldComments();
  readonly #known: KnownEvents;
  #waiting: FirstEventWait | null = null;
  #isOver = false;
  readonly #ends: StreamEnds;
  #bytesAfterEnd = 0;
  /** Set once the client is gone and the upstream is only read for its usage. */
  #leaving: ReturnType<typeof setTimeout> | null = null;
  #bytesAfterLeaving = 0;
  /** Null where a client gets nothing but what the upstream sends. */
  readonly #signs: SignsOfLife | null;

  constructor(owner: StreamOwner) {
    this.#owner = owner;
    this.#form = owner.form;
    this.#converter = owner.converter;
    const { idle = null } = owner;
    this.#signs = idle === null ? null : new SignsOfLife(() => this.#sendSign(idle()));
    this.#ends = endsOf(owner.form);
    this.#known = new KnownEvents(owner, shapesOf(owner.kind, owner.form));
    this.#queue = new ClientQueue({ stallTimeoutMs: owner.stallTimeoutMs, onGone: () => this.#onGone() });
  }

  /** What the client gets. */
  get stream(): AnswerStream {
    return this.#queue;
  }

  /** Starts reading. @param onOpening is told, later and once, whether there is anything for the client; it never throws */
  open(body: HttpResponseBody, onOpening: (opening: StreamOpening) => void): void {
    this.#onOpening = onOpening;
    this.#flow = body.consume(this);
    this.#queue.feedFrom(this.#flow);
  }

  onChunk(packet: Buffer): void {
    this.onPart(packet, 0, packet.length);
    this.onPacketEnd();
  }

  /** What is left of a packet in which the stream ended goes out with the end. */
  onPacketEnd(): void {
    if (!this.#isOver) {
      this.#queue.flush();
    }
  }

  onPart(packet: Buffer, start: number, end: number): void {
    if (this.#isOver) {
      // A little after the last event is waited for, so that the connection can be reused.
      this.#bytesAfterEnd += end - start;
      if (this.#bytesAfterEnd > afterLastEventBytesMax) {
        this.#flow?.cancel();
      }
      return;
    }
    if (this.#leaving !== null) {
      this.#bytesAfterLeaving += end - start;
      if (this.#bytesAfterLeaving > this.#owner.afterAbort.bytesMax) {
        this.#end({ kind: "aborted" });
        return;
      }
    }
    const form = this.#form;
    if (form === "raw") {
      this.#send(packet, start, end);
      return;
    }
    if ((this.#assembler?.waitingBytes ?? 0) === 0 && endsWithEvent(packet, start, end)) {
      this.#takeEvents(packet, start, end, form);
    } else {
      this.#assemble(cutBytes(packet, start, end), form);
    }
    if (!this.#isOpen && !this.#isOver) {
      this.#waiting ??= new FirstEventWait((error) => this.#end({ kind: "cut", error }));
      this.#waiting.begin(() => this.#owner.firstEventMs());
    }
  }

  /** The packet ends within an event, or may do so. */
  #assemble(packet: Buffer, form: StreamForm): void {
    this.#assembler ??= new EventAssembler();
    const events = this.#assembler.push(packet);
    if (events !== null) {
      this.#takeEvents(events, 0, events.length, form);
    }
    if (this.#assembler.waitingBytes > eventBytesMax) {
      this.#end({ kind: "cut", error: null });
    }
  }

  onEnd(isDelimited: boolean): void {
    if (this.#isOver) {
      return;
    }
    const { form } = this.#owner;
    const rest = form === "raw" ? nothing : (this.#assembler?.takeRest() ?? nothing);
    if (rest.length > 0) {
      this.#passRest(rest, form);
    }
    if (form === "choices" || form === "messages" || form === "candidates") {
      const isLenient = this.#owner.isWholeAtEof === true && this.#isOpen;
      this.#endWithoutMark(isLenient || this.#ends.isWhole, null);
    } else {
      const isCut = form === "responses" || !isDelimited || (form !== "raw" && !this.#isOpen);
      this.#end(isCut ? { kind: "cut", error: null } : { kind: "completed" });
    }
  }

  onError(error: HttpClientError): void {
    if (error.kind !== "aborted") {
      this.#endWithoutMark(this.#ends.isComplete, error);
    } else if (error.cause === undefined) {
      this.#end({ kind: "aborted" });
    } else {
      // Something has thrown in here. The client is still there.
      this.#owner.onFailure?.(error.cause);
      this.#endWithoutMark(this.#ends.isComplete, null);
    }
  }

  #endWithoutMark(isWhole: boolean, error: HttpClientError | null): void {
    const last = isWhole && this.#converter !== null ? this.#converter.end() : this.#ends.mark;
    if (isWhole && last !== null) {
      this.#end({ kind: "completed" }, last);
    } else {
      this.#end({ kind: "cut", error });
    }
  }

  /** Some providers omit the last empty line. */
  #passRest(rest: Buffer, form: StreamForm): void {
    const event = withEnd(rest);
    // After a complete response, an unfinished event can be dropped.
    if (!this.#ends.isWhole || seeEvent(event, form).kind !== "broken") {
      this.#takeEvents(event, 0, event.length, form);
    }
  }

  /** The events from `start` to `end`. */
  #takeEvents(bytes: Buffer, start: number, end: number, form: StreamForm): void {
    const converter = this.#converter;
    if (converter === null) {
      this.#passEvents(bytes, start, end, form);
    } else {
      this.#convertEvents(cutBytes(bytes, start, end), form, converter);
    }
  }

  /** What follows from an event that ends the stream is held back with the end. */
  #convertEvents(bytes: Buffer, form: StreamForm, converter: EventConverter): void {
    for (let at = 0; at < bytes.length && !this.#isOver; ) {
      const end = firstEventEnd(bytes, at);
      const event = bytes.subarray(at, end);
      at = end;
      const seen = this.#lookInto(event, 0, event.length, form);
      const ending = endingOf(seen);
      if (seen.kind === "comment") {
        this.#passComment(ofAnyDialect(event));
      } else if (ending !== null && ending.kind !== "completed") {
        this.#end(ending);
      } else {
        const converted = seen.payload === null ? nothing : converter.take(seen.payload);
        this.#passConverted(converted, ending, converter);
      }
    }
  }

  #passConverted(converted: Buffer | null, ending: StreamEnding | null, converter: EventConverter): void {
    const last = ending === null ? nothing : converter.end();
    if (converted === null || last === null) {
      this.#end({ kind: "broken_event" });
    } else if (ending === null) {
      this.#send(converted, 0, converted.length);
    } else {
      this.#end(ending, Buffer.concat([converted, last]));
    }
  }

  #passComment(comment: Buffer): void {
    if (this.#isOpen) {
      this.#send(comment, 0, comment.length);
    } else {
      this.#comments.hold(comment);
    }
  }

  #passEvents(bytes: Buffer, from: number, to: number, form: StreamForm): void {
    // Events before one that is dropped or held back are sent together.
    let start = from;
    let at = this.#passKnown(bytes, from, to);
    while (at < to && !this.#isOver) {
      const end = firstEventEnd(bytes, at, to);
      const seen = this.#lookInto(bytes, at, end, form);
      const ending = endingOf(seen);
      if (ending !== null || (seen.kind === "usage_only" && this.#owner.hidesUsage)) {
        this.#send(bytes, start, at);
        start = end;
      } else if (seen.kind === "comment" && !this.#isOpen && start === at) {
        this.#comments.hold(bytes.subarray(at, end));
        start = end;
      }
      if (ending !== null) {
        this.#end(ending, cutBytes(bytes, at, end));
      }
      this.#known.learn(seen, bytes, at, end);
      at = this.#passKnown(bytes, end, to);
    }
    if (!this.#isOver) {
      this.#send(bytes, start, to);
    }
  }

  /** Skips known events, which need not be inspected and are sent with what follows. @returns where the last of them ends */
  #passKnown(bytes: Buffer, from: number, to: number): number {
    const known = this.#known;
    let at = from;
    while (!this.#isOver) {
      const end = known.endOfKnown(bytes, at, to);
      if (end === 0) {
        break;
      }
      if (known.news !== null) {
        this.#ends.note(known.news);
        this.#owner.onShape(known.news);
      }
      if (this.#leaving === null) {
        known.countText();
      }
      at = end;
    }
    return at;
  }

  #lookInto(bytes: Buffer, start: number, end: number, form: StreamForm): SeenEvent {
    const seen = seeEvent(bytes, form, start, end);
    if (seen.payload !== null) {
      this.#ends.note(seen.payload);
      this.#owner.onPayload(seen.payload, this.#leaving === null && seen.kind !== "error");
    }
    return seen;
  }

  #send(bytes: Buffer, start: number, end: number): void {
    if (start === end || this.#leaving !== null) {
      return;
    }
    if (!this.#isOpen) {
      this.#waiting?.stop();
      this.#pass(this.#comments.take());
      this.#pass(editFirstEvent(cutBytes(bytes, start, end), this.#owner.editFirst ?? null));
      // Not sooner: if that throws, the response must still be told how it opens.
      this.#isOpen = true;
      this.#signs?.begin();
      this.#onOpening({ kind: "open" });
      return;
    }
    if (this.#keeper === null) {
      this.#owner.onSent(bytes, start, end);
    } else {
      this.#keeper.keepPart(bytes, start, end);
    }
    this.#queue.pushPart(bytes, start, end);
    this.#signs?.note();
  }

  #pass(bytes: Buffer): void {
    if (bytes.length > 0) {
      this.#owner.onSent(bytes, 0, bytes.length);
      this.#keeper = this.#owner.keeper ?? null;
      this.#queue.push(bytes);
      this.#signs?.note();
    }
  }

  /** A client that does not read gets none. */
  #sendSign(sign: Buffer | null): void {
    if (sign !== null && this.#leaving === null && this.#queue.hasRoom) {
      this.#pass(sign);
    }
  }

  /** The client left, or stopped reading. A response that is not an event stream would reveal nothing more. */
  #onGone(): void {
    const { timeoutMs } = this.#owner.afterAbort;
    if (this.#isOver) {
      return;
    }
    if (this.#owner.form === "raw" || timeoutMs === 0) {
      this.#end({ kind: "aborted" });
      return;
    }
    this.#leaving = setTimeout(() => this.#end({ kind: "aborted" }), timeoutMs);
    this.#queue.endFeed();
  }

  #end(heard: StreamEnding, lastEvent: Buffer | null = null): void {
    if (this.#isOver) {
      return;
    }
    this.#isOver = true;
    clearTimeout(this.#leaving ?? undefined);
    try {
      this.#waiting?.stop();
      this.#signs?.end();
      this.#queue.endFeed();
      if (heard.kind !== "completed" || lastEvent === null) {
        this.#flow?.cancel();
      }
    } catch (error) {
      this.#owner.onFailure?.(error); // and goes on: nobody would tell the owner of the end again
    }
    const ending: StreamEnding = this.#leaving === null ? heard : { kind: "aborted" };
    if (!this.#isOpen) {
      this.#onOpening(ending.kind === "completed" ? { kind: "open" } : ending);
      if (ending.kind !== "completed") {
        return;
      }
    }
    let last = lastEvent;
    if (ending.kind === "completed" && lastEvent !== null) {
      last = this.#comments.before(lastEvent);
      this.#owner.onLast?.(last);
    }
    this.#queue.orBreak(() => this.#owner.onEnding(ending, (closing) => this.#takeLeave(ending, closing, last)));
  }

  /** The call is settled: sends the last bytes. */
  #takeLeave(ending: StreamEnding, closing: StreamClosing, lastEvent: Buffer | null): void {
    const { errorEvent, postscript, isOrderly } = closing;
    if (ending.kind === "aborted") {
      this.#queue.break();
      return;
    }
    if (errorEvent === null && lastEvent !== null) {
      this.#pass(lastEvent);
    }
    for (const piece of this.#owner.form === "raw" ? [] : [errorEvent, postscript]) {
      if (piece !== null) {
        this.#queue.push(piece);
      }
    }
    if (errorEvent === null || isOrderly === true) {
      this.#queue.close();
      this.#owner.onWhole?.();
    } else {
      this.#queue.flush();
      this.#queue.breakOnceRead();
    }
  }
}

import type { HttpBodyFlow, HttpBodySink, HttpClientError, HttpResponseBody } from "@sluice/http-client/model";
import type { AnswerStream } from "../../platform/answer-stream.ts";
import { AppError } from "../../platform/errors.ts";
import { ClientQueue } from "../respond/stream-events/client-queue.ts";
import { EventAssembler } from "../respond/stream-events/event-assembler.ts";
import { reportComment } from "./link.ts";

/** How the stream from the gateway ended, apart from what the report says. */
export type LinkedEnding = "closed" | "broken" | "aborted";

export interface LinkedStreamOwner {
  /** The gateway announced a report, so a stream without one is incomplete. */
  readonly isReportAnnounced: boolean;
  /** The stream consists of plain bytes: nothing is parsed or added. */
  readonly isRaw: boolean;
  readonly stallTimeoutMs: number;
  /** The event that ends a failed stream. */
  errorEvent(error: AppError): Uint8Array;
  onSent(piece: Uint8Array): void;
  /** Called once. The report is the text after the comment mark, or null if there was none. */
  onEnd(report: string | null, ending: LinkedEnding): void;
}

const comment = Buffer.from(reportComment);

/** The start of the last comment in some events, or -1. Inside an event's data, other text precedes the mark. */
function lastCommentOf(events: Buffer): number {
  const at = events.lastIndexOf(comment);
  if (at === -1 || !(at === 0 || isLineEnd(events[at - 1]))) {
    return -1;
  }
  const lineEnd = events.subarray(at).findIndex(isLineEnd);
  return lineEnd !== -1 && events.subarray(at + lineEnd).every(isLineEnd) ? at : -1;
}

const isLineEnd = (byte: number | undefined): boolean => byte === 0x0a || byte === 0x0d;

/** Carries an event stream from the gateway to the client, and keeps the comment with the report for itself. */
export class LinkedStream implements HttpBodySink {
  readonly #owner: LinkedStreamOwner;
  readonly #queue: ClientQueue;
  readonly #assembler = new EventAssembler();
  #flow: HttpBodyFlow | null = null;
  #report: string | null = null;
  #isOver = false;

  private constructor(owner: LinkedStreamOwner) {
    this.#owner = owner;
    this.#queue = new ClientQueue({
      stallTimeoutMs: owner.stallTimeoutMs,
      onGone: () => {
        this.#flow?.cancel();
        this.#finish("aborted");
        this.#queue.break();
      },
    });
  }

  static open(body: HttpResponseBody, owner: LinkedStreamOwner): AnswerStream {
    const linked = new LinkedStream(owner);
    linked.#flow = body.consume(linked);
    linked.#queue.feedFrom(linked.#flow);
    return linked.#queue;
  }

  onChunk(bytes: Buffer): void {
    if (this.#owner.isRaw) {
      this.#send(bytes);
      return;
    }
    const events = this.#assembler.push(bytes);
    if (events !== null) {
      this.#pass(events);
    }
  }

  onEnd(): void {
    if (this.#isOver) {
      return;
    }
    this.#send(this.#assembler.takeRest());
    if (this.#owner.isReportAnnounced && this.#report === null) {
      this.#break();
      return;
    }
    this.#finish("closed");
    this.#queue.close();
  }

  /** The gateway breaks a failed stream after its error event and the report; without them the stream just ended. */
  onError(error: HttpClientError): void {
    if (this.#isOver) {
      return;
    }
    if (error.kind === "aborted") {
      this.#finish("aborted");
      this.#queue.break();
    } else {
      this.#break();
    }
  }

  #break(): void {
    if (this.#report === null && !this.#owner.isRaw) {
      this.#send(Buffer.from(this.#owner.errorEvent(new AppError("stream_interrupted"))));
    }
    this.#finish("broken");
    this.#queue.breakOnceRead();
  }

  /** Only a comment after the very last event is a report: a provider can write the same mark before others. */
  #pass(events: Buffer): void {
    const at = lastCommentOf(events);
    this.#report = at === -1 ? null : events.toString("latin1", at + comment.length).trim();
    this.#send(at === -1 ? events : events.subarray(0, at));
  }

  #send(bytes: Buffer): void {
    if (bytes.length > 0 && !this.#isOver) {
      this.#owner.onSent(bytes);
      this.#queue.push(bytes);
    }
  }

  #finish(ending: LinkedEnding): void {
    if (!this.#isOver) {
      this.#isOver = true;
      this.#queue.endFeed();
      this.#owner.onEnd(this.#report, ending);
    }
  }
}

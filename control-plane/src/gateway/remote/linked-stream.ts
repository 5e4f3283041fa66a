import type {
  HttpBodyFlow,
  HttpBodySink,
  HttpClientError,
  HttpResponseBody,
} from "../../platform/http-client/model.ts";
import { completeEventsEnd } from "../respond/stream-events/event-scan.ts";
import { reportComment } from "./link.ts";

export interface LinkedStreamOwner {
  onSent(piece: Uint8Array): void;
  /** Called once. The report is the text behind the comment mark, or null when none came. */
  onEnd(report: string | null, isAborted: boolean): void;
}

const queueBytesMax = 65_536;
const comment = Buffer.from(reportComment);

/** Carries an event stream from the gateway to the client, and keeps the comment with the report for itself. */
export class LinkedStream implements HttpBodySink {
  readonly #owner: LinkedStreamOwner;
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  #flow: HttpBodyFlow | null = null;
  #carry: Buffer = Buffer.alloc(0);
  #report: string | null = null;
  #isOver = false;

  private constructor(owner: LinkedStreamOwner) {
    this.#owner = owner;
  }

  static open(body: HttpResponseBody, owner: LinkedStreamOwner): ReadableStream<Uint8Array> {
    const linked = new LinkedStream(owner);
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          linked.#controller = controller;
          linked.#flow = body.consume(linked);
        },
        pull: () => linked.#flow?.resume(),
        cancel: () => linked.#abort(),
      },
      { highWaterMark: queueBytesMax, size: (piece) => piece?.byteLength ?? 0 },
    );
  }

  onChunk(chunk: Uint8Array): void {
    const bytes =
      this.#carry.length === 0
        ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
        : Buffer.concat([this.#carry, chunk]);
    const end = completeEventsEnd(bytes);
    this.#carry = bytes.subarray(end);
    this.#pass(bytes.subarray(0, end));
  }

  onEnd(): void {
    if (this.#isOver) {
      return;
    }
    this.#pass(this.#carry);
    this.#finish(false);
    this.#controller?.close();
  }

  onError(error: HttpClientError): void {
    if (this.#isOver) {
      return;
    }
    const isAborted = error.kind === "aborted";
    this.#finish(isAborted);
    this.#controller?.error(error);
  }

  #pass(bytes: Buffer): void {
    const at = bytes.indexOf(comment);
    // A comment begins a line; inside an event's data the mark would stand behind other text.
    const isComment = at === 0 || (at > 0 && bytes[at - 1] === 0x0a);
    if (isComment) {
      this.#report = bytes.toString("latin1", at + comment.length).trim();
    }
    const rest = isComment ? bytes.subarray(0, at) : bytes;
    if (rest.length === 0 || this.#isOver) {
      return;
    }
    this.#owner.onSent(rest);
    this.#controller?.enqueue(rest);
    if ((this.#controller?.desiredSize ?? 1) <= 0) {
      this.#flow?.pause();
    }
  }

  #abort(): void {
    this.#flow?.cancel();
    this.#finish(true);
  }

  #finish(isAborted: boolean): void {
    if (!this.#isOver) {
      this.#isOver = true;
      this.#owner.onEnd(this.#report, isAborted);
    }
  }
}

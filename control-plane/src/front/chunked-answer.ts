import { type AnswerSink, type AnswerStream, leaveStream } from "../platform/answer-stream.ts";
import { chunkParts, type Parts } from "./response-head.ts";

/** The connection that a stream is written to. */
type Outlet = {
  /** Bytes that the client has not taken. */
  readonly backlogBytes: number;
  write(parts: Parts): void;
  /** The response is over; called once. @param isWhole false if it was broken off */
  end(isWhole: boolean): void;
  /** The stream has thrown something. */
  onFailure(error: unknown): void;
};

/** The stream of a response on its way to the client: what comes in one turn goes out as one chunk, in one write. */
export class ChunkedAnswer implements AnswerSink {
  readonly #stream: AnswerStream;
  readonly #outlet: Outlet;
  /** The head, until it is written. */
  #before: string;
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #isFlushComing = false;
  #isOver = false;
  readonly #onTurn = (): void => {
    this.#isFlushComing = false;
    if (!this.#isOver) {
      this.#flush(false);
      this.#askOn();
    }
  };

  constructor(stream: AnswerStream, head: string, outlet: Outlet) {
    this.#stream = stream;
    this.#before = head;
    this.#outlet = outlet;
  }

  /** Lets the stream begin. */
  begin(): void {
    this.#comeBack();
    this.#stream.sendTo(this);
  }

  get waitingBytes(): number {
    return this.#bytes + this.#outlet.backlogBytes;
  }

  push(piece: Uint8Array): void {
    if (!this.#isOver) {
      this.#pieces.push(piece);
      this.#bytes += piece.byteLength;
      this.#comeBack();
    }
  }

  close(): void {
    this.#end(true);
  }

  break(): void {
    this.#end(false);
  }

  /** The client has taken some of what waited for it. */
  onTaken(): void {
    if (!this.#isOver) {
      this.#askOn();
    }
  }

  /** The client has left. */
  onGone(): void {
    if (!this.#isOver) {
      this.#isOver = true;
      leaveStream(this.#stream, this.#outlet.onFailure);
    }
  }

  /** A stream that fails is broken off. Without being told, its call would never end. */
  #askOn(): void {
    try {
      this.#stream.onTaken();
    } catch (error) {
      this.#outlet.onFailure(error);
      if (!this.#isOver) {
        this.onGone();
        this.#flush(false);
        this.#outlet.end(false);
      }
    }
  }

  #comeBack(): void {
    if (!this.#isFlushComing) {
      this.#isFlushComing = true;
      queueMicrotask(this.#onTurn);
    }
  }

  #end(isWhole: boolean): void {
    if (this.#isOver) {
      return;
    }
    this.#isOver = true;
    this.#flush(isWhole);
    this.#outlet.end(isWhole);
  }

  #flush(isEnd: boolean): void {
    const before = this.#before;
    if (this.#bytes === 0 && before === "" && !isEnd) {
      return;
    }
    const pieces = this.#pieces;
    const bytes = this.#bytes;
    this.#before = "";
    this.#pieces = [];
    this.#bytes = 0;
    this.#outlet.write(chunkParts(before, pieces, { bytes, isEnd }));
  }
}

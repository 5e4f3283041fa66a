/** How much may be queued for a slow caller before the provider is paused; the server takes as much again. */
const waitingBytesMax = 16_384;
/** How much of the queue must be free before the provider is resumed. */
const roomBytesMin = waitingBytesMax / 2;
const breakDelayMs = 100;

export type AnswerStreamEvents = {
  onPause(): void;
  onResume(): void;
  /** The caller left, or has stopped reading. */
  onGone(): void;
};

/** All streams share this, because a node holds hundreds of idle streams. */
const strategy: QueuingStrategy<Uint8Array> = {
  highWaterMark: waitingBytesMax,
  size: (piece) => piece?.byteLength ?? 0,
};

/**
 * The caller's side of a streamed response: bytes go in without a promise, and back-pressure comes out. It is itself
 * the source of its stream, which calls `start`, `pull` and `cancel`.
 */
export class AnswerStream implements Bun.UnderlyingSource<Uint8Array> {
  readonly stream: ReadableStream<Uint8Array>;
  readonly #events: AnswerStreamEvents;
  readonly #stallTimeoutMs: number;
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #isPaused = false;

  constructor(events: AnswerStreamEvents, stallTimeoutMs: number) {
    this.#events = events;
    this.#stallTimeoutMs = stallTimeoutMs;
    this.stream = new ReadableStream<Uint8Array>(this, strategy);
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
  }

  /** The caller has read everything. */
  pull(): void {
    if (this.#isPaused && (this.#controller?.desiredSize ?? waitingBytesMax) < roomBytesMin) {
      this.#timer?.refresh();
    } else if (this.#isPaused) {
      this.#isPaused = false;
      this.#stopWaiting();
      this.#events.onResume();
    }
  }

  /** The caller left. */
  cancel(): void {
    this.#stopWaiting();
    if (this.#controller !== null) {
      this.#events.onGone();
    }
  }

  push(piece: Uint8Array): void {
    const controller = this.#controller;
    if (controller === null || piece.length === 0) {
      return;
    }
    controller.enqueue(piece);
    if (!this.#isPaused && (controller.desiredSize ?? 1) <= 0) {
      this.#isPaused = true;
      this.#events.onPause();
      this.#timer = setTimeout(() => {
        this.#break();
        this.#events.onGone();
      }, this.#stallTimeoutMs);
    }
  }

  /** Ends the response in an orderly way. */
  close(): void {
    this.#stopWaiting();
    this.#controller?.close();
    this.#controller = null;
  }

  /**
   * Breaks the connection, so that a partial response never looks complete. The break is delayed, because it would
   * overtake the bytes before it, and the caller would lose them.
   */
  breakSoon(): void {
    this.#stopWaiting();
    this.#timer = setTimeout(() => this.#break(), breakDelayMs);
  }

  /** The caller is known to be gone, so nothing is left to do. */
  drop(): void {
    this.#stopWaiting();
    this.#controller = null;
  }

  #break(): void {
    this.#stopWaiting();
    this.#controller?.error(new Error("the answer ends here, and is not whole"));
    this.#controller = null;
  }

  #stopWaiting(): void {
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
      this.#timer = null;
    }
  }
}
